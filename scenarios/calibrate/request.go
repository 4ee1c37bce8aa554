package calibrate

import (
	"math"
	"slices"
	"sort"
)

// requestDelay finds how long the request of a rendezvous is held back. A late receive
// finds the request there already, and takes less time by the delay. The delay is not part
// of the time of the bytes, which is then found again without it.
func (s *fitting) requestDelay() error {
	_, late := s.split(s.points[LateReceive])
	below, above := s.split(s.points[OneWay])
	if len(late) == 0 || len(below) == 0 || len(above) == 0 {
		return nil
	}
	m, err := s.machine()
	if err != nil {
		return err
	}
	more := make([]float64, len(late))
	for i, p := range late {
		t, err := simulate(m.Machine, LateReceive, p.Bytes)
		if err != nil {
			return err
		}
		more[i] = t.Seconds() - p.Seconds
	}
	middle, low, high := middleOf(more)
	if low <= 0 || middle < negligible*smallest(late) {
		return nil
	}
	s.asking = value{value: middle, low: low, high: high, kind: derived,
		source: join(s.data.says(LateReceive), s.data.says(OneWay)+", which leave this more of messages above the threshold")}
	eager := sort.Search(len(s.transfer.Pieces), func(i int) bool { return s.transfer.Pieces[i].From > s.Eager })
	s.transfer.Pieces, s.transfer.bands = s.transfer.Pieces[:eager], s.transfer.bands[:eager]
	return s.beyond(above)
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
