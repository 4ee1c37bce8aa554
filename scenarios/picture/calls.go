package picture

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// Calls of a program and of its library, as traces of both show them: a block is a phase of a
// rank, white where it computes, half covered where it waits inside a call; a stick with a
// bullet is a call of the interface of the NIC.

// Colours of what is not a phase.
const (
	white, helperColor = "#ffffff", report.Mixed
	postColor          = "#000000"
	pollColor          = "#e05fa8"
)

// The parts of a row, from its foot: a block, and the cover of one that waits.
const blockPart, coverPart = 0.62, 0.3

// callColors are the colors of calls of the NIC.
var callColors = [...]string{results.Post: postColor, results.Poll: pollColor}

// waits tells whether a span is time in a call in which the process does nothing but look.
func waits(s *results.Span) bool {
	switch s.Term {
	case results.Compute, results.Interference, results.Overhead, results.Idle:
		return false
	}
	return true
}

// block returns the colour of a span, and what it is.
func (t *Timeline) block(l *results.Lane, s *results.Span) (color, name string) {
	switch {
	case l.Kind == results.HelperLane:
		return helperColor, "thread of the library"
	case s.Term == results.Compute || s.Term == results.Interference:
		return white, "computation"
	case s.Term == results.Idle:
		return report.PaleMixed, "ended"
	}
	if int(s.Phase) >= len(t.Result.Phases) {
		return report.Color(int(s.Phase)), "call"
	}
	return report.Color(int(s.Phase)), t.Result.Phases[s.Phase]
}

// byCalls tells whether calls are asked for, and every lane has its own row.
func (t *Timeline) byCalls(s *Style) bool { return t.Calls && len(t.rows(s)) == len(t.lanes()) }

// callLegend names what is in the window.
func (t *Timeline) callLegend(s *Style) (all []entry) {
	seen := map[string]bool{}
	name := func(color, name string) {
		if !seen[name] {
			seen[name] = true
			all = append(all, entry{name, swatch(s.fill(color, len(all)))})
		}
	}
	for _, l := range t.lanes() {
		for s := range t.within(l) {
			name(t.block(l, s))
		}
	}
	name(pollColor, "polls in vain")
	for _, l := range t.lanes() {
		for _, c := range l.Calls {
			name(callColors[c.Kind], c.Kind.String()+" (stick)")
		}
	}
	return all
}

// paintCalls draws the row of a lane.
func (t *Timeline) paintCalls(c *draw.Canvas, s *Style, l *results.Lane, where vg.Rectangle, at func(sim.Time) vg.Length) {
	high := where.Max.Y - where.Min.Y
	top := where.Min.Y + blockPart*high
	for x := range t.within(l) {
		hex, _ := t.block(l, x)
		f := s.fill(hex, int(x.Phase))
		rect := area(at(x.Start), at(x.End), where.Min.Y, top)
		f.paint(c, rect)
		if waits(x) {
			f = s.fill(pollColor, 0)
			f.paint(c, area(rect.Min.X, rect.Max.X, where.Min.Y, where.Min.Y+coverPart*high))
		}
		frame(c, rect)
	}
	for _, call := range l.Calls {
		if call.At >= t.From && call.At <= t.end() {
			ink := s.ink(callColors[call.Kind])
			bullet := vg.Point{X: at(call.At), Y: where.Max.Y - vg.Points(1.1)}
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: vg.Points(0.5)}, bullet.X, where.Min.Y, bullet.X, bullet.Y)
			c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: vg.Points(1.1), Shape: draw.CircleGlyph{}}, bullet)
		}
	}
}
