package overlap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// slowest is how many times as long the last colour of threads means.
const slowest = 1e4

// words say what node 0 did during a ledger term.
var words = [results.NumTerms]string{
	results.Compute:      "computed",
	results.Interference: "slowed down by others",
	results.Overhead:     "CPU time for messages",
	results.NICStall:     "waited: the NIC was not ready",
	results.Progress:     "waited: no agent made progress",
	results.Transfer:     "waited: the bytes were leaving",
	results.Contention:   "waited: other bytes were leaving",
	results.Latency:      "waited: the message was on its way",
	results.Partner:      "waited: the other side was not there",
	results.BarrierTime:  "in a barrier",
	results.Idle:         "nothing to do",
}

// Page shows the suite of one library, or of several as the paper's table: a
// row for each.
func Page(libraries []*Library) *report.Page {
	p := &report.Page{
		Title: "MPI overlap benchmark",
		Subtitle: "Overhead ratio: 0, dark, if the computation hides all of it; 1 if nothing does; 2, light, slower than one after the other. " +
			"Pointer: what node 0 did.",
	}
	if libraries[0].Slowest {
		p.Title = "Non-blocking collectives during a computation"
		p.Subtitle = strings.Replace(p.Subtitle, "what node 0 did", "what the slowest rank did", 1)
	}
	if len(libraries) == 1 {
		l := libraries[0]
		p.Title += ": " + l.Name
		p.Lead = l.lead()
		for _, m := range l.Maps {
			p.Sections = append(p.Sections, report.Section{Title: keys.Capital(m.Title), Note: l.says(m), Figures: []report.Figure{l.figure(m, false)}})
		}
		return p
	}
	p.Lead = best(libraries)
	p.Subtitle += " White line: " + lineName + "."
	p.Figures = colorBars()
	if libraries[0].Slowest {
		p.Subtitle += " Right: size of a block, up: computation."
		p.Figures = p.Figures[:1]
	} else {
		p.Subtitle += " N threads: logarithmic, dark as long as alone, light 10,000 times. Right: message size, up: computation or threads."
	}
	for _, l := range libraries {
		row := report.Row{Title: l.Name, Note: l.Machine.Title + ". " + l.lead()}
		for _, m := range l.Maps {
			row.Figures = append(row.Figures, l.figure(m, true))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// colorBars show what the colours of the small maps stand for.
func colorBars() []report.Figure {
	bar := func(title, unit string, logarithmic bool, values ...float64) *report.HeatMap {
		h := &report.HeatMap{Title: title, Unit: unit, Log: logarithmic, Y: []string{""}, Values: [][]float64{values},
			Min: values[0], Max: values[len(values)-1]}
		for _, v := range values {
			h.X = append(h.X, report.Quantity(v, unit))
		}
		return h
	}
	return []report.Figure{
		bar("Colours: overhead ratio", "", false, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, most),
		bar("Colours of N threads: times as long as alone", "x", true, 1, 10, 100, 1000, slowest),
	}
}

// figure draws a map.
func (l *Library) figure(m *Map, small bool) *report.HeatMap {
	h := &report.HeatMap{
		Title: m.Title, XName: "message size", YName: "computation", X: sizeLabels(l.Sizes),
		Max: most, Small: small, LineName: lineName, XTicks: doubles(l.Sizes),
	}
	if l.Slowest {
		h.XName = "size of a block"
	}
	if short, ok := titles[m.Name]; small && ok {
		h.Title = short
	}
	if m.Threads != nil {
		h.YName, h.Unit, h.Log, h.Min, h.Max = "threads", "x", true, 1, slowest
		for _, n := range m.Threads {
			h.Y = append(h.Y, strconv.Itoa(n))
		}
	} else {
		for _, t := range m.Compute {
			h.Y = append(h.Y, timeLabel(t))
		}
		h.YTicks = report.Every(m.perOctave(), len(m.Compute)) // powers of two of the first one
		h.Line = m.line()
	}
	m.fill(h)
	return h
}

const lineName = "computation as long as the communication alone"

// doubles returns the places of powers of two.
func doubles(sizes []int64) (ticks []int) {
	for i, b := range sizes {
		if b&(b-1) == 0 {
			ticks = append(ticks, i)
		}
	}
	return ticks
}

// says is the sentence of a map: how much hides, by size and by how long the computation is.
func (l *Library) says(m *Map) string {
	if m.Threads != nil {
		return "How many times as long as alone messages take alongside computing threads."
	}
	z := l.Zones(m)
	text := fmt.Sprintf("Computation shorter than the communication: ratio %.2f; longer: %.2f.", z.EagerShort, z.EagerLong)
	if s := l.Machine.Network.Rendezvous; s > 0 && l.Sizes[len(l.Sizes)-1] > s {
		text = fmt.Sprintf("Messages up to the rendezvous threshold of %s: ratio %.2f if the computation is shorter than the communication, %.2f if "+
			"it is longer. Larger ones: %.2f and %.2f.", keys.FormatBytes(s), z.EagerShort, z.EagerLong, z.LargeShort, z.LargeLong)
	}
	return text
}

// hidden is the mean part of communication that hides behind a longer computation, over the maps of large messages; -1: there are none.
func (l *Library) hidden() float64 {
	sum, n := 0.0, 0.0
	for _, m := range l.Maps {
		if m.Threads == nil {
			z := l.Zones(m)
			ratio := z.LargeLong
			if l.Machine.Network.Rendezvous == 0 {
				ratio = z.EagerLong
			}
			sum, n = sum+1-min(ratio, 1), n+1
		}
	}
	if n == 0 {
		return -1
	}
	return sum / n
}

// lead says how much of large messages hides behind a computation that is long enough.
func (l *Library) lead() string {
	if l.hidden() < 0 {
		return ""
	}
	return fmt.Sprintf("Behind a computation that is longer than the communication, %s of large messages hides in the mean of the maps.",
		report.Share(l.hidden()))
}

// best says which library hides most.
func best(all []*Library) string {
	most := slices.MaxFunc(all, func(a, b *Library) int { return cmp.Compare(a.hidden(), b.hidden()) })
	if most.hidden() < 0 {
		return ""
	}
	return fmt.Sprintf("Of %d libraries %s hides most: %s of large messages behind a computation that is longer than the communication.",
		len(all), most.Name, report.Share(most.hidden()))
}

// titles are the titles of small maps, as in the paper's columns.
var titles = map[string]string{
	"sender": "sender side", "receiver": "receiver side", "both": "both sides", "strided": "not contiguous",
	"cpu": "CPU overhead", "load": "N threads",
	"allreduce": "all-reduce", "broadcast": "broadcast", "reduce": "reduce", "allgather": "all-gather", "alltoall": "all-to-all",
	"gather": "gather", "scatter": "scatter",
}

// line is where the computation takes as long as the communication.
func (m *Map) line() []float64 {
	all := make([]float64, len(m.Communication))
	for i, t := range m.Communication {
		all[i] = float64(m.perOctave()) * math.Log2(float64(t)/float64(m.Compute[0]))
		if all[i] < -0.5 || all[i] > float64(len(m.Compute))-0.5 {
			all[i] = math.NaN()
		}
	}
	return all
}

// perOctave is the number of rows from a computation to one that is twice as long.
func (m *Map) perOctave() int {
	return int(math.Round(1 / math.Log2(float64(m.Compute[1])/float64(m.Compute[0]))))
}

// fill sets the values and the details, with the terms that occur.
func (m *Map) fill(h *report.HeatMap) {
	measured, alone := report.Detail{Name: "took", Unit: "s"}, report.Detail{Name: "communication alone", Unit: "s"}
	var terms [results.NumTerms]report.Detail
	var occurs [results.NumTerms]bool
	for _, row := range m.Cells {
		var ratios, times, alones []float64
		var parts [results.NumTerms][]float64
		for i, c := range row {
			ratios, times, alones = append(ratios, c.Ratio), append(times, c.Measured.Seconds()), append(alones, m.Communication[i].Seconds())
			for term, t := range c.Ledger {
				parts[term], occurs[term] = append(parts[term], t.Seconds()), occurs[term] || t != 0
			}
		}
		h.Values = append(h.Values, ratios)
		measured.Values, alone.Values = append(measured.Values, times), append(alone.Values, alones)
		for term := range terms {
			terms[term].Values = append(terms[term].Values, parts[term])
		}
	}
	h.Details = append(h.Details, measured, alone)
	for term, d := range terms {
		if occurs[term] {
			d.Name, d.Unit, d.Color = words[term], "s", report.TermColor(results.Term(term))
			h.Details = append(h.Details, d)
		}
	}
}

// sizeLabels names sizes, to a tenth of their unit.
func sizeLabels(sizes []int64) (labels []string) {
	for _, b := range sizes {
		x, unit := float64(b), "B"
		for _, next := range []string{"KiB", "MiB"} {
			if x >= 1024 {
				x, unit = x/1024, next
			}
		}
		labels = append(labels, strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)+" "+unit)
	}
	return labels
}

// timeLabel writes a time in microseconds, in which the benchmark's powers of two are whole.
func timeLabel(t sim.Time) string { return fmt.Sprintf("%.5g µs", t.Seconds()*1e6) }

// Figures returns the maps for a picture.
func (l *Library) Figures() (all []report.Figure) {
	for _, m := range l.Maps {
		h := l.figure(m, false)
		h.Title = l.Name + ", " + h.Title
		all = append(all, h)
	}
	return all
}
