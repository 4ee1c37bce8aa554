package gradient

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// Colours of the derivative, of what is beyond its range, and of runs.
var holds, beyond = report.Color(0), report.Tint(report.Color(0), 3)

const ink = "#1d232c"

// shares draws what the path is made of, as one bar.
func shares(o *outcomes.Outcome) *report.Bars {
	b := &report.Bars{Title: "What the critical path is made of", Unit: "s", Horizontal: true, Groups: []string{""}, Members: []string{""}}
	shares, _ := o.PathShares()
	seen := map[string]int{}
	for _, s := range shares {
		color := report.PartColor(s.Part)
		name := s.Name() + " " + report.Share(s.Time/o.Result.Makespan().Seconds())
		b.Parts = append(b.Parts, report.Part{Name: name, Color: report.Tint(color, seen[color]),
			Values: [][]float64{{s.Time}}})
		seen[color]++
	}
	return b
}

// swing is how far a parameter moves the makespan.
type swing struct {
	*sensitivity.Sensitivity
	better, worse float64 // parts of today's makespan
}

// size is how far both ends are from today, together.
func (s *swing) size() float64 { return math.Abs(s.better) + math.Abs(s.worse) }

// leastSwing is the smallest swing that is drawn, mostSwings the largest number of them.
const leastSwing, mostSwings = 0.0005, 12

// swings ranks the parameters by how far they move the makespan when their cost varies
// from half to one and a half times today's.
func swings(all []sensitivity.Sensitivity, noise *float64) (list []swing) {
	for i := range all {
		s := swing{&all[i], above(noise, moved(&all[i], sensitivity.TwiceAsGood)), above(noise, moved(&all[i], sensitivity.HalfAgain))}
		if s.size() >= leastSwing {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b swing) int { return cmp.Compare(b.size(), a.size()) })
	return list[:min(len(list), mostSwings)]
}

// above is a change of the makespan, or none if it is below the noise of the run.
func above(noise *float64, part float64) float64 {
	if report.BelowNoise(part, noise) {
		return 0
	}
	return part
}

// tornado draws the ranking of the parameters; nil if none moves the makespan.
func tornado(all []sensitivity.Sensitivity, noise *float64) report.Figure {
	var rows []report.Swing
	for _, s := range swings(all, noise) {
		row := report.Swing{Name: s.Parameter, Ends: &report.Ends{Says: says(&s, noise)}}
		row.Low, row.Ends.Low = s.side(-1)
		row.High, row.Ends.High = s.side(+1)
		rows = append(rows, row)
	}
	if rows == nil {
		return nil
	}
	return report.Tornado(report.Bars{
		Title: "What moves the makespan most", Unit: "%",
		Note: "Left: the parameter is twice as good, half a cost or twice a rate. Right: 1.5 times as bad.",
	}, pieces(), pieces(), rows)
}

// pieces of a bar, from today outwards.
func pieces() []report.Part {
	return []report.Part{{Name: "today's derivative holds", Color: holds}, {Name: "beyond its range", Color: beyond}}
}

// least is the part of the makespan below which a change counts as none.
const least = 1e-6

// pieces divides a bar, in per cent, where a range ends.
func (s *swing) pieces(b *sensitivity.Bound, all float64) []float64 {
	within := math.Abs(s.Elasticity * (s.Bad(b.Factor) - 1))
	within = math.Copysign(min(within, math.Abs(all)), all)
	if b.Open || math.Abs(all-within) < least {
		within = all
	}
	return []float64{100 * within, 100 * (all - within)}
}

// side returns the pieces of a bar to the left (-1) or the right (+1), and the text at
// its end. The left side normally shows the gain from a better value. It shows the gain from a
// worse value if that gains more, which can happen when messages overtake each other. The
// right side is the opposite.
func (s *swing) side(sign float64) (pieces []float64, end string) {
	b, own, other, word := s.Better(), s.better, s.worse, " where it is worse"
	if sign > 0 {
		b, own, other, word = s.Worse(), s.worse, s.better, " where it is better"
	}
	if other*sign > max(own*sign, least) {
		return []float64{0, 100 * other}, percent(other) + word
	}
	if own*sign <= 0 {
		return []float64{0, 0}, ""
	}
	return s.pieces(b, own), s.end(b, own)
}

// end is the text at the end of a bar.
func (s *swing) end(b *sensitivity.Bound, all float64) string {
	text := percent(all)
	if bad := s.Bad(b.Factor); !b.Open && bad > sensitivity.TwiceAsGood && bad < sensitivity.HalfAgain && b.Takes != "" &&
		b.Takes != s.Parameter {
		text += ", then " + short(b.Takes)
	}
	return text
}

// short is the end of the name of a parameter.
func short(parameter string) string {
	parts := strings.Split(strings.TrimSuffix(parameter, ".rates"), ".")
	if last := len(parts) - 1; last > 0 && (parts[last] == "per_byte" || parts[last] == "base") {
		return parts[last-1] + "." + parts[last]
	}
	return parts[len(parts)-1]
}

// says is what the pointer shows of a parameter.
func says(s *swing, noise *float64) []string {
	lines := []string{"today " + Value(s.Slope) + ", elasticity " + elasticity(s.Sensitivity, noise)}
	for _, c := range []struct {
		name string
		bad  float64
	}{{"a tenth better", sensitivity.TenthBetter}, {"twice as good", sensitivity.TwiceAsGood}, {"1.5 times as bad", sensitivity.HalfAgain}} {
		lines = append(lines, c.name+": "+gain(s.Sensitivity, c.bad, noise))
	}
	return append(lines, limit("better", s.Better()), limit("worse", s.Worse()))
}

// limit says where a range ends.
func limit(side string, b *sensitivity.Bound) string {
	switch {
	case b.Noise:
		return side + ": " + NoiseNote
	case b.Open:
		return side + ": the derivative holds to " + times(b.Factor) + " its value, as far as it was tried"
	case b.Takes == "":
		return side + ": the derivative holds to " + Change(b)
	}
	return side + ": the derivative holds to " + Change(b) + ", then " + b.Takes + " counts"
}

// mostResponses is the largest number of parameters with a curve, leastResponse the
// smallest swing of one.
const mostResponses, leastResponse = 6, 0.01

// responses draws the makespan over each of the parameters that move it most, with the
// same axes; none if no parameter moves it.
func responses(all []sensitivity.Sensitivity, noise *float64) (figures []report.Figure) {
	var curves []*report.Curves
	low, high := math.Inf(1), 0.0
	for _, s := range swings(all, noise) {
		if s.size() < leastResponse || len(curves) == mostResponses {
			continue
		}
		c := response(s.Sensitivity)
		for _, line := range c.Curves {
			low, high = min(low, slices.Min(line.Y)), max(high, slices.Max(line.Y))
		}
		curves = append(curves, c)
	}
	for _, c := range curves {
		c.Y = report.Axis{Low: low, High: high}
		figures = append(figures, c)
	}
	return figures
}

// mostBad is how far the curves go.
const mostBad = 2

// response draws the makespan over the value of a parameter, relative to today's.
func response(s *sensitivity.Sensitivity) *report.Curves {
	from, to := s.Bad(s.Better().Factor), min(s.Bad(s.Worse().Factor), mostBad)
	at := places(s)
	c := &report.Curves{Title: s.Parameter, XName: "its value, of today's", XUnit: "×", YUnit: "s", X: report.Axis{Low: 0, High: mostBad},
		Small: true}
	if s.Elasticity < 0 {
		c.XName = "1 / value, of today's"
	}
	c.Curves = []report.Curve{
		line(s, "beyond its range", beyond, within(at, 0, from)),
		line(s, "beyond its range", beyond, within(at, to, mostBad)),
		line(s, "today's derivative holds", holds, within(at, from, to)),
		atMost(s, at),
		{Name: "run", Color: ink, Marks: report.DotsOnly},
		{Name: "today", Color: ink, Marks: report.Ring, X: []float64{1}},
	}
	runs, today := &c.Curves[4], &c.Curves[5]
	for _, p := range s.Samples {
		bad := s.BadAt(p.Cost)
		switch {
		case p.Cost == 1:
			today.Y = []float64{p.Makespan}
		case bad <= mostBad:
			runs.X, runs.Y = append(runs.X, bad), append(runs.Y, p.Makespan)
		}
	}
	c.Curves = slices.DeleteFunc(c.Curves, func(line report.Curve) bool {
		return len(line.X) == 0 || len(line.X) == 1 && line.Marks == report.LineOnly
	})
	return c
}

// places are those at which a curve is drawn: the runs, the points where the
// tangents of neighbours meet, and some in between for the pointer.
func places(s *sensitivity.Sensitivity) (at []float64) {
	for i, p := range s.Samples {
		at = append(at, s.BadAt(p.Cost))
		if i == 0 {
			continue
		}
		if meet := s.Samples[i-1].Meets(&p); meet > s.Samples[i-1].Cost && meet < p.Cost {
			at = append(at, s.BadAt(meet))
		}
	}
	for i := 1; i <= 40; i++ {
		at = append(at, mostBad*float64(i)/40)
	}
	slices.Sort(at)
	return within(slices.Compact(at), 0, mostBad)
}

func within(at []float64, from, to float64) (inside []float64) {
	for _, x := range at {
		if x >= from && x <= to {
			inside = append(inside, x)
		}
	}
	return inside
}

// line draws the lower bound of the makespan.
func line(s *sensitivity.Sensitivity, name, color string, at []float64) report.Curve {
	c := report.Curve{Name: name, Color: color, Marks: report.LineOnly}
	for _, x := range at {
		if y, _ := s.Makespan(x); !math.IsNaN(y) {
			c.X, c.Y = append(c.X, x), append(c.Y, y)
		}
	}
	return c
}

// unsure is the part of the makespan by which the bounds must differ for the upper one to be drawn.
const unsure = 0.005

// atMost draws the upper bound of the makespan, where it differs.
func atMost(s *sensitivity.Sensitivity, at []float64) report.Curve {
	c := report.Curve{Name: "no more than", Color: beyond, Dashed: true, Marks: report.LineOnly}
	wide := false
	for _, x := range at {
		low, most := s.Makespan(x)
		wide = wide || most-low > unsure*most
		if !math.IsNaN(most) {
			c.X, c.Y = append(c.X, x), append(c.Y, most)
		}
	}
	if !wide {
		c.X, c.Y = nil, nil
	}
	return c
}
