package papers

import (
	"strings"
	"testing"

	"overlapsim/scenarios/report"
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
figures:
  - title: curves
    kind: curves
    x: {name: n, values: grid.at.n, log: true}
    y: {name: rate}
    series: {simulated: rate, twice: 2 * rate}
    dashed: [twice]
  - title: bars
    kind: bars
    x: {name: n, labels: [one, two]}
    series: {S: rate, T: "list(1, 2)"}
  - title: stack
    kind: stack
    unit: s
    x: {labels: [one, two]}
    series: {low: grid.at.t, high: grid.at.n}
claims:
  - {id: c, kind: predicted, place: here, claim: it is, metric: sum(rate), published: 1, unit: ratio, tolerance: 1, reason: none}
`

// A drawing has the values of its expressions, in the order of its series.
func TestDrawings(t *testing.T) {
	p, err := Read("d.yaml", []byte(drawingPaper))
	if err != nil {
		t.Fatal(err)
	}
	results, verdicts, err := p.Reproduce(Simulate, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := Page([]*Paper{p}, []Results{results}, verdicts)
	if len(page.Figures) != 3 {
		t.Fatalf("%d figures", len(page.Figures))
	}
	curves := page.Figures[0].(*report.Curves)
	if c := curves.Curves[1]; !curves.XLog || curves.YLog || !c.Dashed || curves.Curves[0].Dashed || c.X[1] != 2 || c.Y[1] != 2*2.0/3 {
		t.Errorf("%+v", curves)
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
}

// A mistake in a drawing is reported at its place.
func TestDrawingMistakes(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"kind: bars", "kind: pie", "must be one of curves, bars, stack"},
		{"values: grid.at.n, ", "", "must have values for curves"},
		{"twice: 2 * rate", "twice: 2", "must be numbers, is one number"},
		{`"list(1, 2)"`, `"list(1, 2, 3)"`, "has 3 points, the axis has 2"},
		{"values: grid.at.n", "values: sum(rate)", "must be numbers, is one number"},
		{`"list(1, 2)"`, `"list(rate, 2)"`, "must be single numbers, got 2 numbers"},
	} {
		_, err := Read("d.yaml", []byte(strings.Replace(drawingPaper, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
}
