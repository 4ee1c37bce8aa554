package report

import "math"

// Ticks returns round values of an axis, at most the given number; powers of two on a logarithmic axis of bytes.
func Ticks(low, high float64, log, bytes bool, most int) (all []float64) {
	part := func(v float64) float64 { return (v - low) / (high - low) }
	if log {
		part = func(v float64) float64 { return math.Log(v/low) / math.Log(high/low) }
	}
	apart, last := 1/float64(most), math.Inf(-1)
	for _, v := range rounds(low, high, log, bytes, most) {
		if at := part(v); v >= low*(1-1e-12) && v <= high*(1+1e-12) && at-last >= apart {
			all, last = append(all, v), at
		}
	}
	return all
}

// rounds returns round values around an axis.
func rounds(low, high float64, log, bytes bool, most int) (all []float64) {
	switch {
	case log && bytes:
		for v := math.Exp2(math.Floor(math.Log2(low))); v <= high; v *= 2 {
			all = append(all, v)
		}
	case log:
		for p := math.Floor(math.Log10(low)); p <= math.Log10(high); p++ {
			for _, f := range []float64{1, 2, 5} {
				all = append(all, f*math.Pow(10, p))
			}
		}
	default:
		step := roundStep((high - low) / float64(most))
		for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
			all = append(all, i*step+0) // no -0
		}
	}
	return all
}

// roundStep returns the smallest of 1, 2, 5, 10, ... that is not below x.
func roundStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*step >= x*(1-1e-12) {
			return f * step
		}
	}
	return 10 * step
}

// extremes returns the smallest and the largest of the finite values.
func extremes(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

// Extent returns the ends of both axes.
func (c *Curves) Extent() (left, right, low, high float64) {
	var xs, ys []float64
	for _, line := range c.Curves {
		for i := range line.X {
			if !math.IsNaN(line.X[i]) && !math.IsNaN(line.Y[i]) {
				xs, ys = append(xs, line.X[i]), append(ys, line.Y[i])
			}
		}
	}
	if left, right = extremes(xs); c.X.given() {
		left, right = c.X.round()
	}
	if low, high = extremes(ys); c.Y.given() {
		low, high = c.Y.round()
	} else if !c.YLog {
		low, high = min(0, low), high+0.04*math.Abs(high)
	}
	return left, right, low, high
}

// Extent returns the ends of the axis of values: the sums of the parts below and above
// zero.
func (b *Bars) Extent() (least, most float64) {
	for g := range b.Groups {
		for m := range b.Members {
			below, above := b.Stack(g, m, func(int, float64, float64) {})
			least, most = min(least, below), max(most, above)
		}
	}
	if least == most {
		most = 1
	}
	return least, most
}

// Stack calls draw with each part of a member's bar that is not zero, and where it begins
// and ends: parts above zero stand on each other, and those below hang. It returns the
// ends of both.
func (b *Bars) Stack(g, m int, draw func(part int, from, to float64)) (below, above float64) {
	if b.Starts != nil {
		return b.float(g, draw)
	}
	for i, p := range b.Parts {
		v := p.Values[g][m]
		if math.IsNaN(v) || v == 0 {
			continue
		}
		end := &above
		if v < 0 {
			end = &below
		}
		draw(i, *end, *end+v)
		*end += v
	}
	return below, above
}

// float is Stack of a bar of a waterfall.
func (b *Bars) float(g int, draw func(part int, from, to float64)) (below, above float64) {
	start := b.Starts[g]
	for i, p := range b.Parts {
		if v := p.Values[g][0]; v != 0 {
			draw(i, start, start+v)
			return min(start, start+v), max(start, start+v)
		}
	}
	return start, start
}
