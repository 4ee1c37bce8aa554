package calibrate

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// How large a jump must be to be the jump of a rendezvous.
const (
	// present divides late receives by their part of the one-way time. The receive of an
	// eager message takes less, because its bytes are there already. A receive of a rendezvous
	// takes more, because its bytes only leave then.
	present = 0.5
	// abrupt is the factor of a jump to more than the one-way time that no copy of an eager message makes, whatever it took before.
	abrupt = 4
	// fall is the part of the CPU time of MPI_Isend that is left when the sender copies no more.
	fall = 0.7
	// rise is the smallest factor by which a rendezvous makes a one-way time longer, if
	// another quantity shows the jump too.
	rise = 1.05
	// alone is the least part of the one-way time above it that a step is, if no other quantity shows it: where a cache ends, times
	// bend as much.
	alone = 0.1
	// roundTrip is the least time that a request and its reply add, over the one-way time of the smallest message.
	roundTrip = 0.7
)

// threshold finds the largest eager size: by late receives where the CPU time of MPI_Isend
// falls, by one of the two, by one-way times, or as the library has it. The first of these
// that shows a jump counts. Late receives alone mislead if unexpected messages are copied:
// an eager one may then take as long as its way. Where all of them are above the threshold, they do not jump.
func (s *fitting) threshold() error {
	oneWay, send := s.Curves[OneWay], s.Curves[SendCPU]
	lates := s.fromNothing(LateReceive)
	late := s.Curves[LateReceive]
	if len(lates) > len(s.points[LateReceive]) && len(late) > 0 {
		late = append(Pieces{{}}, from(s.points[LateReceive][0].Bytes, slices.Clone(late))...)
	}
	fell := int64(0)
	if len(send) > 0 && len(oneWay) > 0 {
		fell = sendFall(send, oneWay, late)
	}
	switch {
	case fell > 0 && s.found(lates, jumpNear(late, fell)):
		s.How = "late receives jump"
	case fell == 0 && len(late) > 0 && len(oneWay) > 0 && s.found(lates, lateJump(late, oneWay)):
		s.How = "late receives jump"
	case s.found(s.points[SendCPU], fell):
		s.How = "the CPU time of MPI_Isend falls, and one-way times jump"
	case len(oneWay) > 0 && s.found(s.points[OneWay], s.belowLate(s.oneWayJump())):
		s.How = "one-way times jump by a round trip"
		s.Curves[OneWay] = s.regimes(s.points[OneWay])
	default:
		return s.libraryThreshold()
	}
	return s.byLibrary()
}

// fromNothing are the points of a quantity, and before them the sizes whose times are all too short for the clock: a library that
// makes progress by itself has received eager messages before a late receive.
func (s *fitting) fromNothing(q Quantity) (points []Point) {
	all := s.points[q]
	for bytes, times := range s.data.Samples[q] {
		if median(times) == 0 && (len(all) == 0 || bytes < all[0].Bytes) {
			points = append(points, Point{Bytes: bytes})
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return append(points, all...)
}

// found notes the threshold in the gap below a size where a quantity jumps; 0: it does not.
func (s *fitting) found(points []Point, at int64) bool {
	if at == 0 {
		return false
	}
	first := sort.Search(len(points), func(i int) bool { return points[i].Bytes >= at })
	if first == 0 || first == len(points) {
		return false
	}
	s.Before, s.Above = points[first-1].Bytes, at
	s.Eager = between(s.Before, s.Above)
	return true
}

// belowLate is a size, or the first one of a late receive just below it; 0 if there are late receives of smaller sizes: they do not jump.
func (s *fitting) belowLate(at int64) int64 {
	late := s.points[LateReceive]
	switch {
	case len(late) == 0 || late[0].Bytes >= at:
		return at
	case float64(late[0].Bytes) > 0.9*float64(at):
		return late[0].Bytes
	}
	return 0
}

// byLibrary takes the threshold of the library in place of a round one, if it is in the gap that was measured: it
// may be less than a round one by a header.
func (s *fitting) byLibrary() error {
	known, err := s.ofLibrary()
	if known >= s.Before && known < s.Above && s.Above > 0 {
		s.Eager, s.within = known, true
	}
	return err
}

// ofLibrary is the threshold of the library; 0: there is none.
func (s *fitting) ofLibrary() (int64, error) {
	if s.base == "" {
		return 0, nil
	}
	m, err := bare(s.Name, "runtime: "+s.base)
	if err != nil {
		return 0, err
	}
	return m.Network.Rendezvous, nil
}

// jumps calls a function for every break of a curve, with the times before and after it.
func jumps(c Pieces, visit func(at int64, before, after float64)) {
	for i := 1; i < len(c); i++ {
		at := c[i].From
		visit(at, c[i-1].time(at), c[i].time(at))
	}
}

// lateJump is the largest jump by a round trip from below present to above it, or abruptly to more than the one-way time.
func lateJump(late, oneWay Pieces) (size int64) {
	highest, least := 0.0, roundTrip*oneWay.At(0)
	jumps(late, func(at int64, before, after float64) {
		way := oneWay.At(at)
		divides := before < present*way && after > present*way || after > max(way, abrupt*before)
		if divides && after-before > least && after/before > highest {
			highest, size = after/before, at
		}
	})
	return size
}

// sendFall is the largest fall of the CPU time of a send at which one-way times rise, within a factor of 2 in size, or late receives
// by a round trip: where eager messages are copied, a one-way time may be shorter above the threshold than below it.
func sendFall(send, oneWay, late Pieces) (size int64) {
	lowest := fall
	jumps(send, func(at int64, before, after float64) {
		if after/before >= lowest {
			return
		}
		if there := jumpNear(late, at); there > 0 && late.At(there)-late.At(there-1) > roundTrip*oneWay.At(0) {
			lowest, size = after/before, at
		}
		jumps(oneWay, func(there int64, low, high float64) {
			if there < 2*at && at < 2*there && high/low > rise {
				lowest, size = after/before, at
			}
		})
	})
	return size
}

// jumpNear is the largest jump of late receives within a tenth of a size.
func jumpNear(late Pieces, near int64) (size int64) {
	highest := rise
	jumps(late, func(at int64, before, after float64) {
		if ratio := float64(at) / float64(near); ratio > 0.9 && ratio < 1.1 && after/before > highest {
			highest, size = after/before, at
		}
	})
	return size
}

// oneWayJump is the size above a step of one-way times that may be a request and its reply.
func (s *fitting) oneWayJump() int64 {
	s.Least = roundTrip * smallest(s.points[OneWay])
	if s.Step = oneWayStep(s.points[OneWay], s.Least); !s.Step.rendezvous {
		return 0
	}
	return s.Step.Above
}

// between returns a size in the gap between the last eager size and the first other one:
// the multiple of the highest power of two, since libraries choose such limits.
func between(before, above int64) int64 {
	for step := int64(1) << 62; ; step /= 2 {
		if last := (above - 1) / step * step; last >= before {
			return last
		}
	}
}

// libraryThreshold takes the threshold of the library, whether sizes around it were measured or not.
func (s *fitting) libraryThreshold() error {
	known, err := s.ofLibrary()
	if err != nil || known == 0 {
		return err
	}
	s.Eager = known
	for _, q := range []Quantity{OneWay, LateReceive, SendCPU} {
		all := s.points[q]
		first := sort.Search(len(all), func(i int) bool { return all[i].Bytes > known })
		if first > 0 && first < len(all) {
			s.Before, s.Above = all[first-1].Bytes, all[first].Bytes
			s.How = fmt.Sprintf("that of %s; the measurements do not show it", s.base)
			return nil
		}
	}
	return nil
}
