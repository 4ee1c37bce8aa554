package calibrate

import (
	"math"
	"slices"
)

// requestDelay finds how long the request of a rendezvous is held back, by the size of its message. A
// late receive finds the request there already, and takes less time by the delay. If there is a delay,
// late receives tell the time of the bytes, and one-way times what they have beyond it.
func (s *fitting) requestDelay() error {
	_, late := s.split(s.points[LateReceive])
	below, above := s.split(s.points[OneWay])
	if len(late) == 0 || len(below) == 0 || len(above) == 0 {
		return nil
	}
	rest, err := s.left(LateReceive, late)
	if err != nil {
		return err
	}
	if certain(opposite(rest)) == nil {
		return nil
	}
	without := misfit(rest)
	if rest, err = s.left(OneWay, above); err != nil {
		return err
	}
	without += misfit(rest)
	tail := s.tail()
	before := *tail
	*tail = s.eagerOnly(*tail)
	eager := *tail
	tail.Pieces = append(tail.Pieces, Piece{From: s.Eager + 1})
	bytes, err := s.left(LateReceive, late)
	if err != nil {
		return err
	}
	s.above(eager, bytes)
	if rest, err = s.left(OneWay, above); err != nil {
		return err
	}
	if over := certain(opposite(rest)); over != nil { // bytes of one-way times take less than the bytes of late receives
		for i, p := range bytes {
			bytes[i].Seconds -= over.At(p.Bytes)
		}
		s.above(eager, bytes)
		if rest, err = s.left(OneWay, above); err != nil {
			return err
		}
	}
	delay := certain(rest)
	if delay == nil {
		*tail = before
		return nil
	}
	s.asking = curve{Pieces: delay, kind: derived,
		source: join(s.data.says(LateReceive), s.data.says(OneWay)+", which leave this more of messages above the threshold")}
	s.asking.measure(rest)
	return s.unless(without, late, above, func() { *tail, s.asking = before, curve{} })
}

// unless takes back a change that does not make late receives and one-way times together nearer to those that
// were measured.
func (s *fitting) unless(before float64, late, oneWay []Point, back func()) error {
	first, err := s.left(LateReceive, late)
	if err != nil {
		return err
	}
	second, err := s.left(OneWay, oneWay)
	if err == nil && misfit(first)+misfit(second) >= before {
		back()
	}
	return err
}

// misfit is the mean relative error, given what is left of each time.
func misfit(rest []Point) (sum float64) {
	for _, p := range rest {
		sum += min(math.Abs(p.Seconds)/p.whole, outlier) / float64(len(rest))
	}
	return sum
}

// opposite are points with the other sign.
func opposite(points []Point) []Point {
	all := slices.Clone(points)
	for i := range all {
		all[i].Seconds = -all[i].Seconds
	}
	return all
}

// certain is a curve of straight pieces without the pieces that may as well be nothing: those whose points do
// not have a median above 0 in 95 % of the cases, or one that is negligible. If all are, there is none.
func certain(points []Point) Pieces {
	c := from(0, straight(points))
	found := false
	for i := range c {
		var values, wholes []float64
		for _, p := range points {
			if p.Bytes >= c[i].From && (i+1 == len(c) || p.Bytes < c[i+1].From) {
				values, wholes = append(values, p.Seconds), append(wholes, p.scale())
			}
		}
		if middle, low, _ := middleOf(values); low <= 0 || middle < negligible*median(wholes) {
			c[i].Base, c[i].PerByte = 0, 0
			continue
		}
		found = true
	}
	if !found {
		return nil
	}
	return c
}

// middleOf is the median of some values, and the two values between which the true median
// lies in 95 % of the cases, for any distribution: the number of values below the true
// median is distributed as heads in fair throws.
func middleOf(all []float64) (middle, low, high float64) {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	out := int(math.Floor(float64(n)/2 - 0.98*math.Sqrt(float64(n))))
	if out < 0 {
		return median(sorted), math.Inf(-1), math.Inf(1)
	}
	return median(sorted), sorted[out], sorted[n-1-out]
}
