package papers

import (
	"strings"
	"testing"

	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

const drawingPaper = `
paper: d
title: D
experiments:
  grid:
    title: numbers
    variants: {at: {}}
    points: [{label: a, n: 1, t: 4}, {label: b, n: 2, t: 3}]
definitions:
  rate: grid.at.n / grid.at.t
printed: [fig1, fig2, table1]
figures:
  fig1:
    title: curves
    panels:
      - kind: curves
        x: {name: n, values: grid.at.n, log: true}
        y: {name: rate}
        series: {simulated: rate, twice: 2 * rate}
        dashed: [twice]
        printed: {simulated: [0.3, null]}
  fig2a:
    title: bars
    panels:
      - kind: bars
        x: {name: n, labels: [one, two]}
        series: {S: rate, T: "list(1, 2)"}
  fig2b:
    title: stack
    panels:
      - kind: stack
        unit: s
        x: {labels: [one, two]}
        series: {low: grid.at.t, high: grid.at.n}
      - kind: stack
        x: {labels: [one, two]}
        members: {M: grid.at}
        pieces: {long: t, short: n}
        per: grid.at.t
  table1: {title: a drawing, absent: it has no numbers}
claims:
  - {id: c, kind: predicted, place: here, claim: it is, metric: sum(rate), published: 1, unit: ratio, tolerance: 1, reason: none}
`

// A panel has the values of its expressions, in the order of its series.
func TestDrawings(t *testing.T) {
	p := must.Get(readPaper("d.yaml", []byte(drawingPaper)))(t)
	results, verdicts, err := p.Reproduce(Simulate, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := Page([]*Paper{p}, []Results{results}, verdicts)
	if len(page.Figures) != 4 {
		t.Fatalf("%d figures", len(page.Figures))
	}
	curves := page.Figures[0].(*report.Curves)
	if c := curves.Curves[1]; !curves.XLog || curves.YLog || !c.Dashed || curves.Curves[0].Dashed || c.X[1] != 2 || c.Y[1] != 2*2.0/3 {
		t.Errorf("%+v", curves)
	}
	if c := curves.Curves[2]; c.Marks != report.Ring || c.Y[0] != 0.3 || c.Color != curves.Curves[0].Color {
		t.Errorf("printed: %+v", c)
	}
	bars := page.Figures[1].(*report.Bars)
	if strings.Join(bars.Members, " ") != "S T" || len(bars.Parts) != 1 || bars.Parts[0].Values[1][0] != 2.0/3 ||
		bars.Parts[0].Values[0][1] != 1 {
		t.Errorf("%+v", bars)
	}
	stack := page.Figures[2].(*report.Bars)
	if len(stack.Parts) != 2 || stack.Unit != "s" || stack.Parts[0].Values[0][0] != 4 || stack.Parts[1].Values[1][0] != 2 {
		t.Errorf("%+v", stack)
	}
	pieces := page.Figures[3].(*report.Bars)
	if strings.Join(pieces.Members, " ") != "M" || pieces.Parts[0].Values[1][0] != 1 || pieces.Parts[1].Values[1][0] != 2.0/3 {
		t.Errorf("%+v", pieces)
	}
}

// Text and JSON have the values of the panel.
func TestPlate(t *testing.T) {
	p := must.Get(readPaper("d.yaml", []byte(drawingPaper)))(t)
	plate := must.Get(p.Draw(p.Figure("fig1"), Simulate, nil))(t)
	text := plate.Text(inLines)
	for _, line := range []string{"n  simulated  printed  twice\n", "1  0.25  0.3  0.5\n", "2  0.6667  -  1.333\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	s := plate.Record().Panels[0].Series[0]
	if *s.Values[1] != 2.0/3 || *s.Printed[0] != 0.3 || s.Printed[1] != nil {
		t.Errorf("JSON: %+v", s)
	}
}

// A mistake in a figure is reported at its place.
func TestDrawingMistakes(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"kind: bars", "kind: pie", "must be one of curves, bars, stack, table"},
		{"values: grid.at.n, ", "", "must have values for curves"},
		{"twice: 2 * rate", "twice: 2", "must be numbers, is one number"},
		{`"list(1, 2)"`, `"list(1, 2, 3)"`, "has 3 points, the axis has 2"},
		{"values: grid.at.n", "values: sum(rate)", "must be numbers, is one number"},
		{`"list(1, 2)"`, `"list(rate, 2)"`, "must be single numbers, got 2 numbers"},
		{"printed: {simulated: [0.3, null]}", "printed: {simulated: [0.3]}", "figures.printed.simulated: has 1 points, the axis has 2"},
		{"printed: {simulated:", "printed: {other:", "no member of the drawing is called so"},
		{"members: {M: grid.at}", "members: {M: grid}", "grid: must be EXPERIMENT.VARIANT"},
		{"members: {M: grid.at}", "members: {M: grid.on}", "grid.on: unknown variant"},
		{"table1: {title: a drawing, absent: it has no numbers}", "table1: {title: a drawing}", "must have panels, timelines or maps"},
		{"table1: {", "table2: {", "there is no table1 among the figures"},
		{"table1: {", "table2: {", "figures.table2: is not in printed"},
		{"table1: {", "sketch: {", "must be called as in the paper"},
		{"series: {S: rate, T", "experiment: gird\n        series: {S: rate, T", "unknown experiment, did you mean grid?"},
	} {
		must.Refuse(readPaper("d.yaml", []byte(strings.Replace(drawingPaper, c.from, c.to, 1))))(t, c.want)
	}
}

// A place names a figure by its number, by a list, by a range.
func TestMentions(t *testing.T) {
	for _, c := range []struct {
		place, name string
		want        bool
	}{
		{"section 6.2; Figure 4", "fig4", true},
		{"section 6.2; Figure 4", "fig14", false},
		{"sections 4.1; Figures 12, 13 and 16", "fig13", true},
		{"sections 4.1; Figures 12, 13 and 16", "fig14", false},
		{"Figures 5 to 7", "fig6", true},
		{"Figures 5 to 7", "fig8", false},
		{"section V.D; Figure 7c", "fig7c", true},
		{"section V.D; Figure 7c", "fig7d", false},
		{"section V.D; Figure 7", "fig7d", true},
		{"Table II, 65536", "table2", true},
		{"Table II, 65536", "table3", false},
		{"Table II, 65536", "fig2", false},
	} {
		if got := mentions(c.place, c.name); got != c.want {
			t.Errorf("%s, %s: %v", c.place, c.name, got)
		}
	}
}
