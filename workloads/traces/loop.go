package traces

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"overlapsim/sim"
)

// loopName is the name of the part of a trace that repeats itself.
const loopName = "loop"

// leastRepetitions is the smallest number of repetitions that is a loop.
const leastRepetitions = 3

// loop is where a rank repeats itself. Its marks are the calls that send, receive or are collectives; waits
// and tests may differ from repetition to repetition.
type loop struct {
	first  int // mark with which it begins, from 0
	period int // marks of a repetition
	times  int // repetitions
	begins []sim.Time
}

// mark returns what a call is compared by, if it is a mark: not by size, tag or the source of a receive, which may vary.
func (c *Call) mark() (id uint64, is bool) {
	peer := c.Peer
	switch c.Kind {
	case End, Probe, Wait, WaitAny, WaitSome, Test, Free:
		return 0, false
	case Recv, Irecv:
		peer = 0
	}
	return uint64(c.Kind)<<56 | uint64(uint16(c.Comm))<<40 | uint64(uint32(peer))<<1 | bit(c.Start), true
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// marks are the marks of a rank in their order, and the recorded time at which the computation before each begins.
type marks struct {
	ids []uint64
	at  []sim.Time // one more than ids: the end
}

// add notes a call.
func (m *marks) add(c *Call) {
	if m.at == nil {
		m.at = []sim.Time{0}
	}
	last := len(m.at) - 1
	if id, is := c.mark(); is {
		m.ids = append(m.ids, id)
		m.at = append(m.at, m.at[last])
		last++
	}
	m.at[last] = sim.Later(m.at[last], c.Before+c.Away+c.Took)
}

// loop returns the repetition that covers most of the recorded time, and of two that cover the same the shorter one.
func (m *marks) loop() (best loop, ok bool) {
	most := int64(0)
	for _, p := range m.periods() {
		for i := 0; i+p < len(m.ids); i++ {
			from := i
			for i+p < len(m.ids) && m.ids[i] == m.ids[i+p] {
				i++
			}
			times := (i - from + p) / p
			if i == from || times < leastRepetitions {
				continue
			}
			end := from + times*p
			// A mark counts as well, for traces without times.
			if covers := int64(m.at[end]-m.at[from]) + int64(times*p); covers > most {
				most, best, ok = covers, loop{first: from, period: p, times: times}, true
			}
		}
	}
	for k := range best.times {
		best.begins = append(best.begins, m.at[best.first+k*best.period])
	}
	return best, ok
}

// mostPeriods is how many periods are tried.
const mostPeriods = 64

// periods returns the distances at which marks, or eight of them in a row, come again: those that cover most, the shortest first.
func (m *marks) periods() []int {
	covers := map[int]int{}
	for _, row := range []int{1, 8} {
		last := map[uint64]int{}
		for i := 0; i+row <= len(m.ids); i++ {
			sum := uint64(0)
			for _, id := range m.ids[i : i+row] {
				sum = (sum ^ id) * 0x9e3779b97f4a7c15
				sum ^= sum >> 29
			}
			if before, ok := last[sum]; ok && (i-before)*leastRepetitions <= len(m.ids) {
				covers[i-before] += i - before
			}
			last[sum] = i
		}
	}
	all := slices.SortedFunc(maps.Keys(covers), func(a, b int) int { return cmp.Or(cmp.Compare(covers[b], covers[a]), a-b) })
	all = all[:min(len(all), mostPeriods)]
	slices.Sort(all)
	return all
}

// sameTimes gives all ranks as many repetitions as the rank that has fewest: several of another rank are one where its calls repeat
// themselves more often, and of those that are left it takes the ones that began at about the same time.
func sameTimes(all []loop) {
	fewest := slices.MinFunc(all, func(a, b loop) int { return a.times - b.times })
	for i := range all {
		l := &all[i]
		each := l.times / fewest.times
		best := 0
		for skip := range l.times - each*fewest.times + 1 {
			if apart(l.begins[skip], fewest.begins[0]) < apart(l.begins[best], fewest.begins[0]) {
				best = skip
			}
		}
		*l = loop{first: l.first + best*l.period, period: l.period * each, times: fewest.times}
	}
}

func apart(a, b sim.Time) sim.Time { return max(a-b, b-a) }

// place is where a call is in a loop: behind which mark of a repetition, and how many calls behind it.
type place struct{ mark, behind int }

// finder follows the calls of a rank through its loop.
type finder struct {
	loop   loop
	seen   int // marks so far
	behind int // calls since the last one
	last   int // most calls behind the last mark of a repetition, of all but the last repetition
}

// find returns where a call is. ok is false outside the loop. first says that nothing of the loop came before the call.
func (f *finder) find(c *Call) (at place, repetition int, ok bool) {
	if _, is := c.mark(); is {
		f.seen++
		f.behind = 0
	} else {
		f.behind++
	}
	n := f.seen - 1 - f.loop.first
	if n < 0 || f.loop.period == 0 || n >= f.loop.period*f.loop.times || c.Kind == End {
		return place{}, 0, false
	}
	at, repetition = place{n % f.loop.period, f.behind}, n/f.loop.period
	if at.mark == f.loop.period-1 {
		if repetition == f.loop.times-1 {
			return at, repetition, f.behind <= f.last
		}
		f.last = max(f.last, f.behind)
	}
	return at, repetition, true
}

// noLoop is the error of a rank without a loop.
func noLoop(rank int) error {
	return fmt.Errorf("the calls of rank %d do not repeat themselves at least %d times in a row, so the trace has no loop that can be found; "+
		"mark it with MPI_Pcontrol", rank, leastRepetitions)
}
