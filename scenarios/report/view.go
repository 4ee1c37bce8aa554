package report

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
)

// view is the input of the page's template.
type view struct {
	*Page
	Terms    []termView // those that occur
	Legend   []look     // of all terms, for the script
	Several  bool
	Linked   bool // there is more than one timeline
	NICs     bool // a timeline has lanes of NICs or of threads
	Messages bool // a timeline has messages
	Runs     []runView
	Means    []chart
	Compare  []comparison
	Below    *Table // instead of Compare, for many runs
	Figures  []chart
	Rows     []rowView

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
	v := &view{Page: p, Legend: looks[:], Several: len(p.Runs) > 1, Compare: compare(p.Runs)}
	v.Below, v.First = below(p.Runs, v.Compare), viewed(p.First)
	for i := range p.Runs {
		v.Runs = append(v.Runs, p.Runs[i].view(i, v.Several))
	}
	v.Linked = linked(v.Runs)
	v.NICs, v.Messages = inTimelines(p.Runs)
	if p.Facts != nil && len(v.Runs) > 0 {
		v.Runs[0].Facts = p.Facts
	}
	for _, t := range present(p.Runs) {
		v.Terms = append(v.Terms, termView{p.look(t), t})
	}
	if v.Several {
		v.Means = []chart{ledgersByRun(p.Runs).chart()}
		if b := timers(p.Runs); b != nil {
			v.Means = append(v.Means, b.chart())
		}
	}
	v.Figures, v.Sections = drawn(p.Figures), viewed(p.Sections)
	for _, row := range p.Rows {
		v.Rows = append(v.Rows, rowView{row.Title, row.Note, drawn(row.Figures)})
	}
	return v
}

// look is how a term is shown beside the timelines, which are either all of processes or
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

// inTimelines tells whether a timeline has lanes beside those of ranks, and messages.
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
	v.Charts = append(v.Charts, ledgersByRank(r.Result).chart())
	if len(r.Result.Phases) > 1 {
		v.Charts = append(v.Charts, ledgersByPhase(r.Result).chart())
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

// facts are the numbers at the top of the page.
func facts(run *Run) []Fact {
	r := run.Result
	s, w := summarize(r), Words(r)
	all := []Fact{{"Makespan", Seconds(s.makespan), boundNote(r, s)}}
	for _, f := range AnswerFacts(s.makespan, run.Answer) {
		all = append(all, Fact{strings.ToUpper(f.Name[:1]) + f.Name[1:], f.Value, f.Note})
	}
	return append(all, w.tile(r), Fact{"Events", Count(r.Events), fmt.Sprintf("dispatched for %s ranks", Count(r.Ranks))})
}

func boundNote(r *results.Result, s summary) string {
	if s.bound == 0 {
		return "until the last rank ends"
	}
	return "no run is shorter than " + Seconds(s.bound) + ": " + Binding(r)
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
