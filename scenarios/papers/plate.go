package papers

import (
	"errors"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/overlap"
	"overlapsim/scenarios/report"
)

// Plate is a figure with all of its results.
type Plate struct {
	Paper     *Paper
	Figure    *Figure
	Panels    []*Panel
	Timelines []*outcomes.Outcome
	Libraries []*overlap.Library
	Verdicts  []*Verdict // on the claims about it
}

// Work returns how many steps Draw takes.
func (p *Paper) Work(f *Figure) int {
	runs, _ := p.runs(f)
	n := len(runs) + len(f.Timelines)
	if f.Maps != nil {
		n += len(f.Maps.Runs)
	}
	return n
}

// Draw simulates what a figure needs, and nothing else. Progress may be nil.
func (p *Paper) Draw(f *Figure, runner Runner, progress func()) (*Plate, error) {
	if progress == nil {
		progress = func() {}
	}
	runs, err := p.runs(f)
	if err != nil {
		return nil, err
	}
	if err := Check(runs); err != nil {
		return nil, err
	}
	results := Results{}
	if err := results.Get(runs, runner, func(int, int) { progress() }); err != nil {
		return nil, err
	}
	a := &Plate{Paper: p, Figure: f}
	if a.Panels, err = p.panels(f, results); err != nil {
		return nil, err
	}
	a.Verdicts = p.judgeAll(p.claimsOf(f), results)
	return a, errors.Join(a.trace(progress), a.measure(progress))
}

func (p *Paper) panels(f *Figure, results Results) (all []*Panel, err error) {
	for _, d := range f.Panels {
		a, err := p.panel(d, results)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// trace runs the figure's timelines.
func (a *Plate) trace(progress func()) error {
	for _, line := range a.Figure.Timelines {
		study, err := scenarios.Load(line.Scenario, line.Set)
		if err != nil {
			return err
		}
		o, err := study.Runs[0].Run(nodes.Options{Timeline: true, Calls: true})
		if err != nil {
			return err
		}
		o.Name = line.Title
		a.Timelines = append(a.Timelines, o)
		progress()
	}
	return nil
}

// measure runs the overlap benchmark on the libraries of the figure.
func (a *Plate) measure(progress func()) error {
	m := a.Figure.Maps
	if m == nil {
		return nil
	}
	study, err := scenarios.Load(m.Scenario, nil)
	if err != nil {
		return err
	}
	for _, name := range m.Runs {
		one, err := study.Only(name)
		if err != nil {
			return err
		}
		l, err := overlap.Run(name, one.Runs[0].Machine, overlap.Done)
		if err != nil {
			return err
		}
		a.Libraries = append(a.Libraries, l.Only(m.Benchmarks))
		progress()
	}
	return nil
}

// Heading names the figure.
func (a *Plate) Heading() string {
	return a.Paper.Name + "/" + a.Figure.Name + ": " + a.Figure.Title
}

// Charts returns the charts of the figure, in its order.
func (a *Plate) Charts() (all []report.Figure) {
	for _, panel := range a.Panels {
		all = append(all, panel.figure())
	}
	for _, l := range a.Libraries {
		all = append(all, l.Figures()...)
	}
	return all
}

// Page makes a report of the figure.
func (a *Plate) Page() *report.Page {
	state := a.Paper.Summary(a.Figure)
	page := &report.Page{Title: a.Heading(), Subtitle: a.Paper.Title, Lead: keys.Capital(state)}
	for _, panel := range a.Panels {
		page.Figures = append(page.Figures, panel.figure())
	}
	if len(a.Libraries) > 0 {
		maps := overlap.Page(a.Libraries)
		page.Notes = append(page.Notes, maps.Subtitle)
		page.Figures, page.Rows = append(page.Figures, maps.Figures...), maps.Rows
	}
	for _, o := range a.Timelines {
		page.Runs = append(page.Runs, report.Of(o))
	}
	for _, v := range a.Verdicts {
		page.Claims = append(page.Claims, v.onPage())
	}
	return page
}

// Columns returns how many charts stand side by side: two panels, or the benchmarks of a
// library.
func (a *Plate) Columns() int {
	if len(a.Libraries) > 0 {
		return len(a.Libraries[0].Maps)
	}
	return min(2, len(a.Panels))
}
