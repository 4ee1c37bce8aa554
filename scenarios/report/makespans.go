package report

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/results"
)

// mostListed is how many of many runs are drawn: the shortest ones.
const mostListed = 10

// makespans are bars of the makespans of runs on one scale, each with its bound as a tick.
type makespans struct {
	Bars, More []makespanBar // More are beyond the shortest ones, on their own scale
	Legend     []barPiece
	Bounds     bool
	Ranked     bool // shortest first, because there are many
}

type makespanBar struct {
	Letter, Name, Value, Bound string
	Pieces                     []barPiece
	Tick                       float64 // place of the bound, per cent of the scale; 0: it has none
	Best                       bool
}

// barPiece is a piece of a bar, and its row of the legend.
type barPiece struct {
	Name, Color, Value string
	Width              float64 // per cent of the scale
	seconds            float64
}

// makespansOf draws the runs that have a makespan; nil: none has.
func makespansOf(runs []Run) *makespans {
	m := &makespans{}
	shortest := 0
	for i := range runs {
		s := runs[i].summary()
		if s == nil || !(s.makespan > 0) {
			continue
		}
		bar := makespanBar{Name: runs[i].Name, Value: Seconds(s.makespan), Pieces: runs[i].pieces(*s, len(runs) > 1)}
		if len(runs) > 1 {
			bar.Letter = letter(i)
		}
		if bar.Tick = s.bound; s.bound > 0 {
			m.Bounds, bar.Bound = true, boundText(&runs[i], *s)
		}
		m.Bars = append(m.Bars, bar)
	}
	if m.Bars == nil {
		return nil
	}
	for i, b := range m.Bars {
		if b.seconds() < m.Bars[shortest].seconds() {
			shortest = i
		}
	}
	m.Bars[shortest].Best = len(m.Bars) > 1
	for i := range m.Bars {
		m.explain(m.Bars[i].Pieces)
	}
	if len(m.Bars) > mostListed {
		slices.SortStableFunc(m.Bars, func(a, b makespanBar) int { return cmp.Compare(a.seconds(), b.seconds()) })
		m.Bars, m.More, m.Ranked = m.Bars[:mostListed], m.Bars[mostListed:], true
	}
	onOneScale(m.Bars)
	onOneScale(m.More)
	return m
}

func boundText(r *Run, s summary) string {
	text := "No run of the program is shorter than " + Seconds(s.bound)
	if r.Result != nil {
		text += " (" + Binding(r.Result) + ")"
	}
	return text
}

func (b *makespanBar) seconds() (sum float64) {
	for _, p := range b.Pieces {
		sum += p.seconds
	}
	return sum
}

// onOneScale makes the longest bar 100 % long.
func onOneScale(bars []makespanBar) {
	longest := 0.0
	for i := range bars {
		longest = max(longest, bars[i].seconds(), bars[i].Tick)
	}
	for i := range bars {
		b := &bars[i]
		b.Tick *= 100 / longest
		for k := range b.Pieces {
			b.Pieces[k].Width = b.Pieces[k].seconds * 100 / longest
		}
	}
}

// explain adds pieces to the legend that are not in it.
func (m *makespans) explain(pieces []barPiece) {
	for _, p := range pieces {
		if !slices.ContainsFunc(m.Legend, func(known barPiece) bool { return known.Name == p.Name }) {
			m.Legend = append(m.Legend, p)
		}
	}
}

// pieces split a makespan: of one run with an answer into what is left without communication and the exposed rest, otherwise into the
// terms of the ledger, mean over the ranks.
func (r *Run) pieces(s summary, several bool) (all []barPiece) {
	add := func(name, color string, seconds float64) {
		if seconds > 0 {
			all = append(all, barPiece{Name: name, Color: color, Value: Seconds(seconds), seconds: seconds})
		}
	}
	if a := r.Answer.Overlaps(); !several && a.Exposed != nil && *a.Exposed >= 0 {
		add("without communication", looks[results.Compute].Color, *a.Computation)
		add("exposed communication", Mixed, *a.Exposed)
		return all
	}
	left := s.makespan
	for t, seconds := range s.mean {
		seconds = min(seconds, left)
		add(looks[t].Title, looks[t].Color, seconds)
		left -= seconds
	}
	if left > 1e-9*s.makespan {
		add("Ended before the last", EndedColor, left)
	}
	return all
}

// Says is what the pointer shows of a piece.
func (p barPiece) Says() string { return fmt.Sprintf("%s: %s", p.Name, p.Value) }

// shortestRuns returns the shortest runs if there are many, in their order, else all.
func shortestRuns(runs []Run) []Run {
	if len(runs) <= mostListed {
		return runs
	}
	order := make([]int, 0, len(runs))
	length := make([]float64, len(runs))
	for i := range runs {
		if s := runs[i].summary(); s != nil {
			order, length[i] = append(order, i), s.makespan
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length[a], length[b]) })
	var best []Run
	for _, i := range order[:min(len(order), mostListed)] {
		best = append(best, runs[i])
	}
	return best
}
