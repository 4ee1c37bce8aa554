package report

import (
	"cmp"
	"strconv"

	"overlapsim/nodes/results"
)

// Path returns the spans of the critical path of a result, and the lane of the timeline
// that each is on (-1: none). It is nil if there is no path.
func Path(r *results.Result) (spans []results.Span, lanes []int) {
	p := pathOf(r, byNode(r.Timeline))
	if p == nil {
		return nil, nil
	}
	return p.Spans, p.where
}

// Chart is a chart of a page, by its name for figures.
type Chart struct {
	Name   string
	Figure Figure
}

// Names of the charts of a page of runs.
const (
	OfRanks   = "ranks"
	OfPhases  = "phases"
	OfTimers  = "timers"
	OfRuns    = "runs"
	OfTerms   = "terms"   // by which term one run differs from another
	OfLinks   = "links"   // how much of them was used over time
	OfBusiest = "busiest" // when the most used links were used
	OfQueues  = "queues"  // at injection, over time
)

// Charts are those that say where the time of a run goes.
func (r *Run) Charts() []Chart {
	if r.Result == nil {
		return nil
	}
	all := []Chart{{OfRanks, ledgersByRank(r.Result)}, {OfPhases, ledgersByPhase(r.Result)}}
	if b := timers([]Run{*r}); b != nil {
		all = append(all, Chart{OfTimers, b})
	}
	if r.Links != nil && r.Links.Over != nil {
		all = append(all, r.Links.Over.Charts...)
	}
	return all
}

// Charts are the charts of a page in its order, named by their numbers from 1 on, without the
// ledgers of runs and the maps of links.
func (p *Page) Charts() (all []Chart) {
	add := func(figures []Figure) {
		for _, f := range figures {
			all = append(all, Chart{strconv.Itoa(len(all) + 1), f})
		}
	}
	sections := func(list []Section) {
		for _, s := range list {
			add(s.Figures)
			add(s.Small)
		}
	}
	sections(p.First)
	add(p.Figures)
	for _, row := range p.Rows {
		add(row.Figures)
	}
	sections(p.Sections)
	for i := range p.Runs {
		sections(p.Runs[i].Sections)
	}
	return all
}

// TitleOf is the title of a chart.
func TitleOf(f Figure) string { return f.chart().Title }

// SideBySide are the charts of several runs.
func SideBySide(runs []Run) []Chart {
	all := []Chart{{OfRuns, ledgersByRun(runs)}}
	if b := timers(runs); b != nil {
		all = append(all, Chart{OfTimers, b})
	}
	return all
}

// Colors returns the colours of the parts, as #rrggbb.
func (b *Bars) Colors() []string { return partColors(b.Parts) }

// Legend is the text of the legend for a curve; "": none.
func (c *Curve) Legend() string { return cmp.Or(c.Group, c.Name) }
