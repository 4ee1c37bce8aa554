package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/picture"
	"overlapsim/scenarios/report"
)

// runsOnly are the flags of run that concern the runs of an experiment. With one of them
// PAPER/NAME is the experiment of this name, not the figure.
var runsOnly = []string{"set", "seed", "machine", "run", "trace", "per-rank", "host", "gradient", "calibration"}

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
	page, grid := output(*r.htmlFile), output(*r.svg)
	if err := cmp.Or(page.check(r.command, "--html"), grid.check(r.command, "--svg")); err != nil {
		return err
	}
	if f.Absent != "" && cmp.Or(string(grid), *r.pictures.file) != "" {
		return &usageError{r.command, "--svg: there is nothing to draw: " + f.Absent}
	}
	one, err := r.ofPaper(f)
	if err != nil {
		return err
	}
	line := newProgress(c.errors, p.Work(f))
	plate, err := p.Draw(f, papers.Simulate, func() { line.step(p.Name + "/" + f.Name) })
	line.clear()
	if err != nil {
		return err
	}
	if err := page.write(func(w io.Writer) error { return report.Write(w, plate.Page()) }); err != nil {
		return err
	}
	if err := cmp.Or(grid.write(plate.WriteSVG), one.write(plate)); err != nil {
		return err
	}
	if *r.json {
		return writeJSON(c.out, plate.Record())
	}
	out := &printer{out: c.out, err: plate.WriteText(c.out)}
	out.report(*r.htmlFile)
	return out.err
}

// paperFigure is a picture of one panel of a figure, or of its timeline; nil: none is asked for.
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
	if names == nil && *r.pictures.file != "" {
		return nil, &usageError{r.command, "--figure: heat maps of this figure are drawn by --svg, and on its page by --html"}
	}
	a, err := r.pictures.parse(r.command, names)
	if err != nil || a == nil {
		return nil, err
	}
	if wrong := a.options.Fits(a.options.Of, mostRanks); wrong != "" {
		return nil, &usageError{r.command, "--figure-with " + wrong}
	}
	return &paperFigure{a}, a.path.check(r.command, "--figure")
}

// mostRanks is used if the number of ranks is not known before the run.
const mostRanks = math.MaxInt

// write draws the panel, or the first timeline.
func (p *paperFigure) write(plate *papers.Plate) error {
	if p == nil {
		return nil
	}
	if p.options.Of == picture.TimelineName {
		line := &p.options.Timeline
		line.Result, line.Calls = plate.Timelines[0].Result, line.Calls || plate.Figure.Timelines[0].Calls
		if err := p.options.Timeline.Check(); err != nil {
			return &inputError{"--figure-with " + err.Error()}
		}
		return p.path.write(func(w io.Writer) error { return picture.Write(w, p.format, p.options.Style, &p.options.Timeline) })
	}
	var charts []report.Chart
	for i, c := range plate.Charts() {
		charts = append(charts, report.Chart{Name: fmt.Sprint(i + 1), Figure: c})
	}
	return p.path.write(func(w io.Writer) error { return p.asked.write(w, charts) })
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
