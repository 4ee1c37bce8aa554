package main

import (
	"cmp"
	"io"
	"os"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/report"
)

// runsOnly are the flags of run that are about the runs of an experiment. With one of them
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
	page, picture := output(*r.htmlFile), output(*r.svg)
	if err := cmp.Or(page.check(r.command, "--html"), picture.check(r.command, "--svg")); err != nil {
		return err
	}
	if f.Absent != "" && picture != "" {
		return &usageError{r.command, "--svg: there is nothing to draw: " + f.Absent}
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
	if err := picture.write(plate.WriteSVG); err != nil {
		return err
	}
	if *r.json {
		return writeJSON(c.out, plate.Record())
	}
	out := &printer{out: c.out, err: plate.WriteText(c.out)}
	out.report(*r.htmlFile)
	return out.err
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
