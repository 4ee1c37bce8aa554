package report

import (
	"fmt"
	"math"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
)

// summary holds a result's key numbers in seconds; wall is a mean over the ranks.
type summary struct {
	makespan, bound, wall float64
	mean                  [results.NumTerms]float64
}

func summarize(r *results.Result) summary {
	s := summary{makespan: r.Makespan().Seconds()}
	all := r.Total()
	for t := range all {
		s.mean[t] = all[t].Mean(r.Ranks)
	}
	s.wall = all.Sum().Mean(r.Ranks)
	s.bound = r.Bound.Time().Seconds()
	return s
}

// summary returns the key numbers of a run, from its result or from its saved record; nil: it has neither.
func (r *Run) summary() *summary {
	switch {
	case r.Result != nil:
		s := summarize(r.Result)
		return &s
	case r.Saved != nil:
		return recorded(r.Saved)
	}
	return nil
}

// recorded returns the key numbers of a saved record; NaN: it does not have one.
func recorded(r *outcomes.RunRecord) *summary {
	known := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	s := &summary{makespan: r.Makespan, bound: known(r.Bound)}
	for t := range s.mean {
		s.mean[t] = r.Ledger.Number(results.Term(t).String() + "_s")
	}
	s.wall = r.Ledger.Sum()
	return s
}

// ledgerRow is one term in the table of a run.
type ledgerRow struct {
	look
	Mean, Min, Max, Wall float64 // seconds
}

// ledgerTable lists the terms that occur.
func ledgerTable(r *results.Result) []ledgerRow {
	var low, high results.Ledger
	for rank := range r.Ledgers {
		l := r.OfRank(rank)
		for t, x := range l {
			if rank == 0 {
				low[t] = x
			}
			low[t], high[t] = min(low[t], x), max(high[t], x)
		}
	}
	s := summarize(r)
	var rows []ledgerRow
	for t := range results.NumTerms {
		if high[t] > 0 {
			rows = append(rows, ledgerRow{Words(r).look(t), s.mean[t], low[t].Seconds(), high[t].Seconds(), s.wall})
		}
	}
	return rows
}

// mostBars is the largest number of bars of a chart over ranks; more ranks are drawn in
// groups of neighbours.
const mostBars = 64

// ledgersByRank draws the wall time of every rank, or of groups of ranks.
func ledgersByRank(r *results.Result) *Bars {
	size := (len(r.Ledgers) + mostBars - 1) / mostBars
	b := &Bars{Title: "Where the time of each rank goes", XName: "rank", Unit: "s", Members: []string{""}}
	if size > 1 {
		b.Title, b.XName = "Where the time of the ranks goes", fmt.Sprintf("ranks, mean over groups of %d", size)
	}
	var ledgers []results.Totals
	var counts []int
	for first := 0; first < len(r.Ledgers); first += max(1, size) {
		end := min(first+size, len(r.Ledgers))
		var sum results.Totals
		for rank := first; rank < end; rank++ {
			l := r.OfRank(rank)
			sum.Add(&l)
		}
		ledgers, counts = append(ledgers, sum), append(counts, end-first)
		b.Groups = append(b.Groups, span(first, end-1))
	}
	b.Parts = ledgerParts(ledgers, counts)
	return b
}

func span(first, last int) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// ledgersByPhase draws the mean over the ranks, phase by phase.
func ledgersByPhase(r *results.Result) *Bars {
	b := &Bars{Title: "Phase by phase", Note: "Mean over the ranks.", Unit: "s", Members: []string{""}, Horizontal: true}
	var ledgers []results.Totals
	var counts []int
	for phase, name := range r.Phases {
		sum := r.OfPhase(phase)
		if !sum.Sum().Zero() {
			b.Groups = append(b.Groups, name)
			ledgers, counts = append(ledgers, sum), append(counts, r.Ranks)
		}
	}
	b.Parts = ledgerParts(ledgers, counts)
	return b
}

// ledgersByRun draws the mean over the ranks, run by run.
func ledgersByRun(runs []Run) *Bars {
	b := &Bars{Title: "Where the time goes", Note: "Mean over the ranks.", Unit: "s", Members: []string{""}, Horizontal: true}
	var means [][results.NumTerms]float64
	for i := range runs {
		if s := runs[i].summary(); s != nil {
			b.Groups, means = append(b.Groups, runs[i].Name), append(means, s.mean)
		}
	}
	b.Parts = termParts(means)
	return b
}

// ledgerParts makes one part per term that occurs. Each ledger is divided by its count.
func ledgerParts(ledgers []results.Totals, counts []int) []Part {
	means := make([][results.NumTerms]float64, len(ledgers))
	for i := range ledgers {
		for t := range results.NumTerms {
			means[i][t] = ledgers[i][t].Seconds() / float64(max(1, counts[i]))
		}
	}
	return termParts(means)
}

// termParts makes one part per term that is not 0 everywhere.
func termParts(means [][results.NumTerms]float64) []Part {
	var parts []Part
	for t := range results.NumTerms {
		p := Part{Name: looks[t].Title, Color: looks[t].Color}
		any := false
		for i := range means {
			any = any || means[i][t] != 0
			p.Values = append(p.Values, []float64{means[i][t]})
		}
		if any {
			parts = append(parts, p)
		}
	}
	return parts
}

// timers draws the programs' own timers, one bar per run as in papers; nil if no run has
// any.
func timers(runs []Run) *Bars {
	b := &Bars{Title: "Timers of the program", Note: "Mean over the ranks.", Unit: "s", Members: []string{""}, Horizontal: true}
	place := map[string]int{}
	for _, r := range runs {
		if len(r.Bars) == 0 {
			continue
		}
		b.Groups = append(b.Groups, r.Name)
		for _, piece := range r.Bars {
			if _, ok := place[piece.Name]; !ok {
				place[piece.Name] = len(b.Parts)
				b.Parts = append(b.Parts, Part{Name: piece.Name})
			}
		}
	}
	if b.Groups == nil {
		return nil
	}
	for i := range b.Parts {
		for _, r := range runs {
			if len(r.Bars) > 0 {
				b.Parts[i].Values = append(b.Parts[i].Values, []float64{barNamed(r.Bars, b.Parts[i].Name)})
			}
		}
	}
	return b
}

func barNamed(bars []Bar, name string) float64 {
	for _, b := range bars {
		if b.Name == name {
			return b.Seconds
		}
	}
	return math.NaN()
}
