package sweep

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// A CSV file written by hand: paths in seconds and bytes, missing values empty.
func TestCSV(t *testing.T) {
	p := made(crossed, []string{"r1", "r2"}, Factor{Path: "gap", Levels: []string{"1us", "2500ns"}},
		Factor{Path: "machine", Levels: []string{"a,b"}})
	table := tableOf(t, p, func(p Point) (float64, string) {
		if p.Number == 1 {
			return 0, "bad\nand worse"
		}
		return 0.5 + float64(p.Number), ""
	})
	var out bytes.Buffer
	must.Do(t, table.WriteCSV(&out))
	want := `point,run,gap,machine,error,events,makespan_s,ledger.compute_s
0,r1,1e-06,"a,b",,0,0.5,1
1,r1,2.5e-06,"a,b","bad
and worse",,,
2,r2,1e-06,"a,b",,2,2.5,1
3,r2,2.5e-06,"a,b",,3,3.5,1
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// The Parquet file has the columns of the CSV file, in its order, with the same values,
// read back with a different reader.
func TestParquetEqualsCSV(t *testing.T) {
	d := newDir(t, several)
	finishHere(t, d)
	table, err := d.Merge()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(d.file(CSVFile))
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) != 31 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	data, _ := os.ReadFile(d.file(ParquetFile))
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range file.Root().Columns() {
		names = append(names, c.Name())
	}
	if !reflect.DeepEqual(names, lines[0]) {
		t.Errorf("columns are\n%v, want\n%v", names, lines[0])
	}
	if unit, _ := file.Lookup("unit:machine.network.gap"); unit != "s" {
		t.Errorf("the unit of the gap is %q", unit)
	}
	rows, err := parquet.Read[any](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(rows) != table.Rows {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows {
		for j, name := range names {
			c := &Column{Texts: []string{""}}
			switch x := row.(map[string]any)[name].(type) {
			case float64:
				c = &Column{Numbers: []float64{x}}
			case string:
				c.Texts[0] = x
			case []byte:
				c.Texts[0] = string(x)
			}
			if got := c.cell(0); got != lines[i+1][j] {
				t.Errorf("row %d, %s: %q, want %q", i, name, got, lines[i+1][j])
			}
		}
	}
}

// finishHere runs all points in this process.
func finishHere(t *testing.T, d *Dir) {
	for i := range d.Plan.Points {
		d.run(t, i)
	}
}

// Merge needs all results, and removes leftover files.
func TestMerge(t *testing.T) {
	d := newDir(t, Request{Vary: []string{"ranks=2,4"}})
	d.run(t, 0)
	if _, err := d.Merge(); err == nil {
		t.Error("merges a sweep that is not complete")
	}
	d.run(t, 1)
	left := writeText(t, d.file("input", ".overlapsim-killedkilled-1-8b234f774bfe49a1"), "half")
	must.Get(d.Merge())(t)
	if _, err := os.Stat(left); err == nil {
		t.Error("what a process left behind is still there")
	}
}

// kinds lists the figures of a page: its kind and title.
func kinds(p *report.Page) (all []string) {
	for _, f := range p.Figures {
		switch f := f.(type) {
		case *report.Bars:
			all = append(all, "bars "+f.Title)
		case *report.Curves:
			all = append(all, "curves "+f.Title)
		case *report.HeatMap:
			all = append(all, "map "+f.Title)
		}
	}
	return all
}

func TestFigures(t *testing.T) {
	gap := Factor{Path: "gap", Levels: []string{"1us", "2us", "4us"}}
	word := Factor{Path: "machine", Levels: []string{"a", "b"}}
	size := Factor{Path: "size", Levels: []string{"1KiB", "1MiB"}}
	wide := Factor{Path: "lat", Range: &Range{From: "1us", To: "1ms", Log: true}}
	one := []string{""}
	for _, c := range []struct {
		plan *Plan
		want []string
	}{
		{made(crossed, one, gap), []string{"curves Makespan by gap", "bars Where the time went"}},
		{made(sampled, one, wide), []string{"curves Makespan by lat", "bars Where the time went"}},
		{made(crossed, one, word), []string{"bars Makespan by machine", "bars Where the time went"}},
		{made(crossed, []string{"r1", "r2"}, gap), []string{"curves Makespan by gap"}},
		{made(crossed, []string{"r1", "r2"}, gap, word), nil},
		{made(crossed, one, gap, size), []string{"map Makespan by gap and size", "curves Makespan by gap", "bars Makespan: what moves it most"}},
		{made(crossed, one, gap, word), []string{"map Makespan by gap and machine", "curves Makespan by gap",
			"bars Makespan: what moves it most"}},
		{made(crossed, one, gap, word, size), []string{"bars Makespan: what moves it most", "curves Makespan by gap", "curves Makespan by size"}},
		{made(fromBase, one, gap, word), []string{"bars Makespan: what moves it most", "curves Makespan by gap"}},
		{made(sampled, one, gap, wide), []string{"bars Makespan: what moves it most", "curves Makespan by gap", "curves Makespan by lat"}},
	} {
		table := tableOf(t, c.plan, func(p Point) (float64, string) { return float64(p.Number), "" })
		page := table.Page()
		same(t, kinds(page), c.want...)
		if err := report.Write(&bytes.Buffer{}, page); err != nil {
			t.Error(err)
		}
	}
}

// With several paths each run has its own figures, of its own points. Of many words those with the smallest results are drawn.
func TestFiguresByRun(t *testing.T) {
	gap, size := Factor{Path: "gap", Levels: []string{"1us", "2us"}}, Factor{Path: "size", Levels: []string{"1KiB", "1MiB"}}
	table := tableOf(t, made(crossed, []string{"r1", "r2"}, gap, size), func(p Point) (float64, string) { return float64(p.Number), "" })
	page := table.Page()
	if len(page.Sections) != 2 || page.Sections[1].Title != "r2" {
		t.Fatalf("%+v", page.Sections)
	}
	for i, want := range [][][]float64{{{0, 2}, {1, 3}}, {{4, 6}, {5, 7}}} {
		heat := page.Sections[i].Figures[0].(*report.HeatMap)
		for y := range want {
			if !slices.Equal(heat.Values[y], want[y]) {
				t.Errorf("run %d has %v, want %v", i, heat.Values, want)
			}
		}
	}
	words := Factor{Path: "machine"}
	for i := range 24 {
		words.Levels = append(words.Levels, fmt.Sprint("m", i))
	}
	table = tableOf(t, made(crossed, []string{""}, words), func(p Point) (float64, string) { return float64(24 - p.Number), "" })
	bars := table.Page().Figures[0].(*report.Bars)
	if len(bars.Groups) != mostBars || bars.Groups[0] != "m23" || bars.Parts[0].Values[0][0] != 1 || bars.Note != "the 10 smallest of 24" {
		t.Errorf("%+v", bars)
	}
}

// The cells of a heat map and the points of curves show the results in the right places.
// A point that failed leaves a gap.
func TestFigureValues(t *testing.T) {
	p := made(crossed, []string{""}, Factor{Path: "gap", Levels: []string{"4us", "1us"}},
		Factor{Path: "ranks", Levels: []string{"2", "4", "8"}})
	table := tableOf(t, p, func(p Point) (float64, string) {
		if p.Number == 1 {
			return 0, "bad"
		}
		return float64(p.Number), ""
	})
	page := table.Page()
	failed := page.Figures[0].(*report.Bars)
	if failed.Title != "Points that failed" || failed.Note != "gap=4us ranks=4: bad" || failed.Parts[0].Values[0][0] != 1 {
		t.Errorf("got %+v", failed)
	}
	heat := page.Figures[1].(*report.HeatMap)
	want := [][]float64{{3, 0}, {4, math.NaN()}, {5, 2}}
	for y, row := range want {
		for x, v := range row {
			if got := heat.Values[y][x]; got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
				t.Errorf("the cell of %s and %s is %g, want %g", heat.X[x], heat.Y[y], got, v)
			}
		}
	}
	lines := page.Figures[2].(*report.Curves)
	if lines.XName != "ranks" || len(lines.Curves) != 2 || lines.Curves[1].Name != "gap 4us" || lines.Curves[1].Y[2] != 2 ||
		lines.Curves[0].X[1] != 4 {
		t.Errorf("got %+v", lines)
	}
	tornado := page.Figures[3].(*report.Bars)
	if tornado.Groups[0] != "gap: 4us, 1us" || !near(tornado.Parts[1].Values[0][0], 1.5) {
		t.Errorf("got %+v", tornado)
	}
}
