package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/picture"
	"overlapsim/scenarios/report"
)

// runsOnly are the flags of run that concern the runs of an experiment. With one of them
// PAPER/NAME is the experiment of this name, not the figure.
var runsOnly = []string{"set", "machine", "without", "run", "trace", "per-rank", "host", "gradient", "calibration"}

// figureOf returns the figure of a paper that the command line names; nil if it names
// something else.
func figureOf(flags *pflag.FlagSet, args []string) (*papers.Paper, *papers.Figure, error) {
	if len(args) != 1 {
		return nil, nil, nil
	}
	if _, err := os.Stat(args[0]); err == nil { // a file has priority
		return nil, nil, nil
	}
	for _, name := range runsOnly {
		if flags.Changed(name) {
			return nil, nil, nil
		}
	}
	return papers.LoadFigure(args[0])
}

// figure simulates what a figure needs, and presents it.
func (r *runner) figure(c *call, p *papers.Paper, f *papers.Figure) error {
	page := output(*r.htmlFile)
	if err := page.check(r.command, "--html"); err != nil {
		return err
	}
	drawn, err := r.ofPaper(f)
	if err != nil {
		return err
	}
	line := newProgress(c.errors, p.Work(f))
	plate, err := p.Draw(f, papers.Simulate, func() { line.step(p.Name + "/" + f.Name) })
	line.clear()
	if err != nil {
		return err
	}
	if err := page.writePage(plate.Page()); err != nil {
		return err
	}
	if err := drawn.write(plate); err != nil {
		return err
	}
	return c.show(*r.json, plate.Record(), func(out *printer) {
		out.print("%s", plate.Text(func(rows [][]string, left int) string { return strings.Join(tables(rows, left, widthOf(c.out)), "\n") }))
		out.charts(*r.htmlFile)
	})
}

// paperFigure is a picture of a figure, or of some of its panels; nil: no picture.
type paperFigure struct{ *asked }

// ofPaper reads what --figure asks of a figure of a paper: its panels are numbered from 1 on.
func (r *runner) ofPaper(f *papers.Figure) (*paperFigure, error) {
	var names []string
	for i := range f.Panels {
		names = append(names, fmt.Sprint(i+1))
	}
	if len(f.Timelines) > 0 {
		names = append(names, picture.TimelineName)
	}
	a, err := r.pictures.parse(r.command, names)
	if err != nil || a == nil {
		return nil, err
	}
	if f.Absent != "" {
		return nil, &usageError{r.command, "--figure: there is nothing to draw: " + f.Absent}
	}
	if wrong := a.options.Fits(mostRanks); wrong != "" && a.options.Of != nil {
		return nil, &usageError{r.command, "--figure-with " + wrong}
	}
	return &paperFigure{a}, a.path.check(r.command, "--figure")
}

// mostRanks is used if the number of ranks is not known before the run.
const mostRanks = math.MaxInt

// write draws panels, all if none is named, or the first timeline.
func (p *paperFigure) write(plate *papers.Plate) error {
	if p == nil {
		return nil
	}
	var charts []report.Chart
	var names []string
	for i, c := range plate.Charts() {
		names = append(names, fmt.Sprint(i+1))
		charts = append(charts, report.Chart{Name: names[i], Figure: c})
	}
	if names == nil {
		names = []string{picture.TimelineName}
	}
	if p.first(names...); len(p.options.Of) == len(charts) {
		p.columns = plate.Columns()
	}
	var run *results.Result
	if p.wants(picture.TimelineName) {
		line := plate.Figure.Timelines[0]
		run, p.options.Timeline.Calls = plate.Timelines[0].Result, p.options.Timeline.Calls || line.Calls
	}
	if err := p.path.write(func(w io.Writer) error { return p.asked.write(w, charts, run) }); err != nil {
		return fmt.Errorf("--figure %s: %w", p.path, err)
	}
	return nil
}

// figureList lists every figure and table of the papers, with its state in short; run says
// why a figure is not simulated.
func figureList() (rows [][]string, err error) {
	for _, name := range papers.Names() {
		p, err := papers.Load(name)
		if err != nil {
			return nil, err
		}
		for _, f := range p.Figures {
			rows = append(rows, []string{p.Name + "/" + f.Name, f.Title, p.State(f)})
		}
	}
	return rows, nil
}

// figureNames returns the names of all figures.
func figureNames() (names []string) {
	rows, _ := figureList()
	for _, row := range rows {
		names = append(names, row[0])
	}
	return names
}
