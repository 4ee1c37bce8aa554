package papers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// texts are the texts of the papers, which lie next to the project.
var texts = map[string]string{
	"bgp": "nishtala-bgp-nas-ft.txt", "cray": "gonzalez-cray-xe-models.txt", "mpi": "denis-mpi-overlap.txt",
	"probes": "nishtala-overlap-probes.txt", "smt": "goumas-smt-clusters.txt",
}

// caption finds the line below a figure, or above a table.
var caption = regexp.MustCompile(`(?m)^(Figure|Fig\.|Table) ([0-9]+|[IVX]+)[.:]`)

// The list of each paper has the figures and tables that its text has.
func TestFiguresAreThoseOfTheText(t *testing.T) {
	for _, name := range Names() {
		text, err := os.ReadFile(filepath.Join("../../../shared/papers", texts[name]))
		if err != nil {
			t.Skip("the texts of the papers are not here")
		}
		p := must.Get(Load(name))(t)
		var want []string
		for _, found := range caption.FindAllStringSubmatch(string(text), -1) {
			prefix := map[bool]string{true: "table", false: "fig"}[found[1] == "Table"]
			number, err := strconv.Atoi(found[2])
			if err != nil {
				number = romans[found[2]]
			}
			want = append(want, prefix+strconv.Itoa(number))
		}
		slices.Sort(want)
		got := slices.Sorted(slices.Values(p.Printed))
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: printed is %v, the text has %v", name, got, want)
		}
	}
}

// The runs of every figure can be loaded, and each that is not simulated says why.
func TestFiguresResolve(t *testing.T) {
	for _, name := range Names() {
		p := must.Get(Load(name))(t)
		for _, f := range p.Figures {
			runs, err := p.runs(f)
			if err == nil {
				err = Check(runs)
			}
			for _, line := range f.Timelines {
				if _, wrong := scenarios.Load(line.Scenario, nil); wrong != nil {
					err = wrong
				}
			}
			if err != nil {
				t.Errorf("%s/%s: %v", name, f.Name, err)
			}
			if f.Maps != nil {
				checkMaps(t, f)
			}
			if p.State(f) == "not simulated" && f.Why() == "" {
				t.Errorf("%s/%s: no reason", name, f.Name)
			}
		}
	}
}

func checkMaps(t *testing.T, f *Figure) {
	t.Helper()
	study := must.Get(scenarios.Load(f.Maps.Scenario, nil))(t)
	for _, run := range f.Maps.Runs {
		if _, err := study.Only(run); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// cheapFigures are drawn by the tests.
var cheapFigures = []string{"cray/table3", "cray/fig6", "probes/fig21", "mpi/fig5", "bgp/fig1"}

// inLines writes tables without columns.
func inLines(rows [][]string, _ int) string {
	text := ""
	for _, row := range rows {
		text += strings.Join(row, "  ") + "\n"
	}
	return text
}

// Text, JSON, page and picture of a figure have the same numbers.
func TestFiguresAgree(t *testing.T) {
	must.Long(t)
	for _, name := range cheapFigures {
		p, f, err := LoadFigure(name)
		if err != nil || f == nil {
			t.Fatalf("%s: %v", name, err)
		}
		plate := must.Get(p.Draw(f, once.simulate, nil))(t)
		text := plate.Text(inLines)
		page := plate.Page()
		for i, panel := range plate.Record().Panels {
			for _, s := range panel.Series {
				checkSeries(t, name, s, text, page.Figures[i])
			}
		}
		if len(page.Claims) != len(plate.Verdicts) || len(page.Runs) != len(plate.Timelines) {
			t.Errorf("%s: the page has %d claims and %d runs", name, len(page.Claims), len(page.Runs))
		}
	}
}

// Section V.C, Figures 5 and 6: the sender of a message of 500 KB posts its request and then
// computes for 200 us. By a read it posts no more in a round, by a write the bytes. A message
// synchronises each of the three rounds with the one before.
func TestCallsOfTraces(t *testing.T) {
	for name, posts := range map[string]int{"mpi/fig5": 3*1 + 2, "mpi/fig6": 3*2 + 2} {
		p, f, err := LoadFigure(name)
		if err != nil {
			t.Fatal(err)
		}
		plate := must.Get(p.Draw(f, once.simulate, nil))(t)
		if text := plate.Text(inLines); !strings.Contains(text, "  post\n") {
			t.Errorf("%s: no posts in the text:\n%s", name, text)
		}
		var at []float64
		for _, c := range plate.Record().Timelines[0].Lanes[0].Calls {
			if c.What == "post" {
				at = append(at, c.At)
			}
		}
		if len(at) != posts || at[0] > 1e-6 || at[1] < 200e-6 {
			t.Errorf("%s: posts at %v, want %d", name, at, posts)
		}
	}
}

// checkSeries finds the numbers of a series in the text and on the page.
func checkSeries(t *testing.T, name string, s SeriesRecord, text string, figure report.Figure) {
	t.Helper()
	for i, x := range append(slices.Clone(s.Values), s.Printed...) {
		if x == nil {
			continue
		}
		if !strings.Contains(text, report.Significant(*x)) {
			t.Errorf("%s, %s: the text has no %g", name, s.Name, *x)
		}
		if !slices.Contains(numbersOf(figure), *x) {
			t.Errorf("%s, %s: value %d, %g, is not on the page", name, s.Name, i, *x)
		}
	}
}

// numbersOf returns all values of a chart.
func numbersOf(figure report.Figure) (all []float64) {
	switch f := figure.(type) {
	case *report.Bars:
		for _, p := range f.Parts {
			all = append(all, slices.Concat(p.Values...)...)
		}
	case *report.HeatMap:
		all = slices.Concat(f.Values...)
	case *report.Curves:
		for _, c := range f.Curves {
			all = append(all, c.Y...)
		}
	}
	return all
}

// A figure needs only the runs that it shows.
func TestFigureNeedsItsRuns(t *testing.T) {
	for name, want := range map[string]int{"bgp/fig1": 30, "probes/fig4": 24, "smt/fig7c": 12, "cray/table3": 40, "mpi/fig5": 0} {
		p, f, err := LoadFigure(name)
		if err != nil {
			t.Fatal(err)
		}
		if runs, err := p.runs(f); err != nil || len(runs) != want {
			t.Errorf("%s: %d runs, %v, want %d", name, len(runs), err, want)
		}
	}
}
