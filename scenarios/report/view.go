package report

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
)

// view is the input of the page's template.
type view struct {
	*Page
	Contents  []anchor // entered while the sections are written
	ids       map[string]bool
	Makespans *makespans
	Why       []changeView
	Help      []changeGroup
	Unhelped  string // why there is no Help
	Tried     bool   // changes were tried
	Tiles     []Fact
	Ledgers   bool       // a run has one
	Scenarios bool       // a run has its text
	Terms     []termView // those that occur
	Legend    []look     // of all terms, for the script
	Several   bool
	Many      bool // more than are drawn
	Linked    bool // there is more than one timeline
	NICs      bool // a timeline has lanes of NICs or of threads
	Messages  bool // a timeline has messages
	Runs      []runView
	Means     []chart
	Compare   []comparison
	Below     *Table // instead of Compare, for many runs
	Figures   []chart
	Rows      []rowView

	First    []sectionView
	Sections []sectionView
}

// rowView is a row of figures as the template sees it.
type rowView struct {
	Title, Note string
	Charts      []chart
}

type termView struct {
	look
	Term results.Term
}

// runView is one run as the template sees it.
type runView struct {
	*Run
	Index    int
	Facts    []Fact
	Ledger   []ledgerRow
	Charts   []chart
	Network  *linksView
	Timeline bool
	Path     bool // is in the timeline
	Lanes    int
	Spans    int
	Sections []sectionView
}

func (p *Page) view() *view {
	v := &view{Page: p, Legend: looks[:], Several: len(p.Runs) > 1, Many: len(p.Runs) > mostListed, Compare: compare(p.Runs), ids: map[string]bool{}}
	v.Makespans = makespansOf(p.Runs)
	v.Below, v.First = below(p.Runs, v.Compare), viewed(p.First)
	if a := p.answer(); a != nil {
		v.Tried, v.Why, v.Help, v.Unhelped = true, whyOf(a, p.Command), helpOf(a, p.Command), unhelped(a)
	}
	for i := range p.Runs {
		v.Runs = append(v.Runs, p.Runs[i].view(i, v.Several))
	}
	v.Linked = linked(v.Runs)
	v.NICs, v.Messages = inTimelines(p.Runs)
	v.Tiles = p.Facts
	for i := range v.Runs {
		v.Ledgers, v.Scenarios = v.Ledgers || v.Runs[i].Ledger != nil, v.Scenarios || p.Runs[i].Scenario != ""
		if !v.Several && v.Tiles == nil {
			v.Tiles = v.Runs[i].Facts
		}
	}
	for _, t := range present(p.Runs) {
		v.Terms = append(v.Terms, termView{p.look(t), t})
	}
	if b := timers(shortestRuns(p.Runs)); b != nil && v.Several {
		v.Means = []chart{b.chart()}
	}
	v.Figures, v.Sections = drawn(p.Figures), viewed(p.Sections)
	for _, row := range p.Rows {
		v.Rows = append(v.Rows, rowView{row.Title, row.Note, drawn(row.Figures)})
	}
	return v
}

// answer is what re-runs of the only run of the page say; nil: nothing.
func (p *Page) answer() *outcomes.Answer {
	if len(p.Runs) != 1 || p.Runs[0].Answer == nil || p.Runs[0].Answer.LeftOut != "" {
		return nil
	}
	return p.Runs[0].Answer
}

// look is how a term is shown next to the timelines, which are either all of processes or
// all of GPUs.
func (p *Page) look(t results.Term) look {
	for _, r := range p.Runs {
		if r.Result != nil && r.Result.Timeline != nil {
			return Words(r.Result).look(t)
		}
	}
	return looks[t]
}

// linked tells whether there are timelines to align.
func linked(runs []runView) bool {
	timelines := 0
	for i := range runs {
		if runs[i].Timeline {
			timelines++
		}
	}
	return timelines > 1
}

// inTimelines tells whether a timeline has lanes next to the lanes of ranks, and messages.
func inTimelines(runs []Run) (nics, messages bool) {
	for _, r := range runs {
		if r.Result == nil || r.Result.Timeline == nil {
			continue
		}
		messages = messages || r.Result.Timeline.Count() > 0
		nics = nics || slices.ContainsFunc(r.Result.Timeline.Lanes, func(l results.Lane) bool { return l.Kind != results.CPULane })
	}
	return nics, messages
}

func drawn(figures []Figure) (charts []chart) {
	for _, f := range figures {
		charts = append(charts, f.chart())
	}
	return charts
}

func (r *Run) view(index int, several bool) runView {
	v := runView{Run: r, Index: index, Network: r.Links.view(), Sections: viewed(r.Sections)}
	if r.Result == nil {
		return v
	}
	v.Facts = facts(r)
	v.Ledger = ledgerTable(r.Result)
	v.Charts = append(v.Charts, ledgersByRank(r.Result).chart().filtered("ranks", index))
	if len(r.Result.Phases) > 1 {
		v.Charts = append(v.Charts, ledgersByPhase(r.Result).chart().filtered("phases", index))
	}
	if b := timers([]Run{*r}); b != nil && !several {
		v.Charts = append(v.Charts, b.chart())
	}
	if t := r.Result.Timeline; t != nil {
		v.Timeline, v.Lanes, v.Path = true, len(t.Lanes), len(r.Result.Critical) > 0
		for _, l := range t.Lanes {
			v.Spans += l.Len()
		}
	}
	return v
}

// filtered is a chart that a selection in the timeline of a run filters.
func (c chart) filtered(of string, run int) chart {
	c.Data.Of, c.Data.Run = of, run
	return c
}

// facts are the numbers at the top of the page; a step of training has its headline numbers first.
func facts(run *Run) []Fact {
	r := run.Result
	s, w := summarize(r), Words(r)
	all := stepFacts(run)
	for _, f := range AnswerFacts(s.makespan, run.Answer) {
		all = append(all, Fact{strings.ToUpper(f.Name[:1]) + f.Name[1:], f.Value, f.Note})
	}
	if idle := s.mean[results.Idle]; r.On == results.GPUs && s.wall > 0 {
		all = append(all, Fact{"Idle", Percent(idle, s.wall), "of the time of the compute streams nothing is left to do, or nothing has begun"})
	}
	return append(all, w.tile(r))
}

// stepFacts are the facts of a step of training.
func stepFacts(run *Run) (all []Fact) {
	s := run.Step
	if s == nil {
		return nil
	}
	all = append(all, Fact{"Step", Seconds(s.Time), ""})
	if s.MFU != nil {
		all = append(all, Fact{"MFU", Percent(*s.MFU, 1), "arithmetic of the model, without recomputation, over the peak"})
	}
	if s.Tokens != nil {
		all = append(all, Fact{"Tokens/s", Ratio(*s.Tokens), "for each GPU"})
	}
	makespan := run.Result.Makespan().Seconds()
	for _, kind := range s.Exposed {
		seconds := kind.Value.(float64)
		all = append(all, Fact{"Exposed: " + strings.ReplaceAll(kind.Name, "_", " "), Percent(seconds, makespan),
			Seconds(seconds) + ": makespan less that without it"})
	}
	if s.LaunchBound != nil {
		all = append(all, Fact{"Launch-bound", Percent(*s.LaunchBound, 1), "what the absence of launches saves"})
	}
	return all
}

// Binding names the resource that gives the bound of a run.
func Binding(r *results.Result) string { return r.Bound.Of() }

// present lists the terms that occur in a ledger or on a lane.
func present(runs []Run) (terms []results.Term) {
	var seen [results.NumTerms]bool
	for _, r := range runs {
		if r.Result == nil {
			continue
		}
		for t, x := range r.Result.Total() {
			seen[t] = seen[t] || !x.Zero()
		}
		if r.Result.Timeline != nil {
			markSpans(r.Result.Timeline, &seen)
			markPath(r.Result.Critical, &seen)
		}
	}
	for t, s := range seen {
		if s {
			terms = append(terms, results.Term(t))
		}
	}
	return terms
}

func markSpans(t *results.Timeline, seen *[results.NumTerms]bool) {
	for _, l := range t.Lanes {
		for _, s := range l.All() {
			seen[s.Term] = true
		}
	}
}

func markPath(critical []results.Piece, seen *[results.NumTerms]bool) {
	for i := range critical {
		if p := &critical[i]; p.End > p.Start {
			seen[p.Part.Term()] = true
		}
	}
}

// letter names the n-th run in tables: A, B, ..., Z, then numbers.
func letter(n int) string {
	if n < 26 {
		return string(rune('A' + n))
	}
	return fmt.Sprint(n + 1)
}
