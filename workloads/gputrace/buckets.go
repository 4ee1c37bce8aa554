package gputrace

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
)

// bucket is a collective of gradients that the trace does not have.
type bucket struct {
	like   *operation
	bytes  int64
	took   []share // parts of collectives of which it is made
	number int32   // number in the graph; 0: not begun
}

// share is a part of a collective of the trace.
type share struct {
	of   *meeting
	part float64
}

// arrival is a bucket on a rank, with the collectives of the trace whose last byte it contains.
type arrival struct {
	*bucket
	name int // an operation of the rank, from which the stream follows
	ends []int
}

// plan says how gradients are divided into buckets.
type plan struct {
	replaced map[place]bool      // collectives of the trace whose bytes are in other buckets
	arrivals map[place][]arrival // by the operation that they come after
	series   int
	buckets  int64
}

// newPlan makes the plan for buckets of a size; 0: the buckets of the trace.
func newPlan(ranks []*rank, of map[place]*meeting, size int64) *plan {
	p := &plan{replaced: map[place]bool{}, arrivals: map[place][]arrival{}}
	if size == 0 {
		return p
	}
	for _, s := range allSeries(ranks, of) {
		p.series++
		for _, g := range s.groups(size) {
			if p.buckets += g.parts; p.buckets <= mostBuckets {
				p.add(ranks, s, g)
			}
		}
	}
	return p
}

// series are the collectives of gradients of one pass, on each of their ranks.
type series struct {
	meetings []*meeting
	bytes    []int64
}

// joined are neighbours in a series, with the number of equal buckets into which their bytes are
// cut.
type joined struct {
	from, to int
	parts    int64
}

// groups joins neighbours until they reach a size.
func (s *series) groups(size int64) (all []joined) {
	from, sum := 0, int64(0)
	for i, bytes := range s.bytes {
		if sum += bytes; sum >= size || i == 0 || i == len(s.bytes)-1 {
			all = append(all, joined{from, i + 1, max(1, sum/size)})
			from, sum = i+1, 0
		}
	}
	return all
}

// allSeries finds the series of two or more collectives. A series ends on all ranks where it ends
// on one.
func allSeries(ranks []*rank, of map[place]*meeting) (all []*series) {
	begins := map[*meeting]bool{}
	for i, r := range ranks {
		r.beginnings(i, of, begins)
	}
	for i, r := range ranks {
		current := map[adder]*series{}
		for n := range r.ops {
			o, m := &r.ops[n], of[place{i, n}]
			if !o.sums() || m.members[0].rank != i {
				continue
			}
			by := o.adder(m)
			if current[by] == nil || begins[m] {
				current[by] = &series{}
				all = append(all, current[by])
			}
			current[by].meetings, current[by].bytes = append(current[by].meetings, m), append(current[by].bytes, o.bytes)
		}
	}
	return slices.DeleteFunc(all, func(s *series) bool { return len(s.meetings) < 2 })
}

// adder is what sums up gradients: a group of ranks with one kind of collective.
type adder struct {
	stream            int64
	group, collective string
	ranks             int // that were traced together
}

func (o *operation) adder(m *meeting) adder {
	return adder{o.stream, o.group, o.collective, len(m.members)}
}

// sums tells whether an operation may sum up gradients.
func (o *operation) sums() bool {
	return (o.collective == gpus.AllReduce.Name || o.collective == gpus.ReduceScatter.Name) && o.bytes > 0 && o.members > 1
}

// beginnings notes the collectives with which series begin on a rank. Before such a collective,
// something waited for one of the series, or a step ended.
func (r *rank) beginnings(i int, of map[place]*meeting, begins map[*meeting]bool) {
	open := map[adder]bool{}
	for n := range r.ops {
		o := &r.ops[n]
		if n > 0 && r.stepBetween(r.ops[n-1].launch, o.launch) {
			clear(open)
		}
		for _, other := range r.awaited(o) {
			if c := &r.ops[other]; c.kind == collective {
				open[c.adder(of[place{i, other}])] = false
			}
		}
		if o.kind != collective { // it waits for all that is in its stream
			maps.DeleteFunc(open, func(by adder, _ bool) bool { return by.stream == o.stream })
		}
		if !o.sums() {
			continue
		}
		m := of[place{i, n}]
		if by := o.adder(m); !open[by] {
			begins[m], open[by] = true, true
		}
	}
}

// stepBetween tells whether a step or an optimizer began between two times of the host.
func (r *rank) stepBetween(from, to int64) bool {
	n, _ := slices.BinarySearch(r.steps, from)
	return n < len(r.steps) && r.steps[n] < to
}

// awaited are operations for which others and the host wait, by events if the trace has any.
func (r *rank) awaited(o *operation) (all []int) {
	all = o.events
	if len(r.eventCalls) == 0 {
		all = o.needed()
	}
	if o.wait >= 0 {
		all = append(slices.Clip(all), o.wait)
	}
	return all
}

// add plans the buckets for neighbours of a series.
func (p *plan) add(ranks []*rank, s *series, g joined) {
	if g.parts == 1 && g.to == g.from+1 {
		return // as in the trace
	}
	ends, sum := make([]int64, g.to-g.from), int64(0)
	for i, bytes := range s.bytes[g.from:g.to] {
		sum += bytes
		ends[i] = sum
	}
	for _, m := range s.meetings[g.from:g.to] {
		for _, at := range m.members {
			p.replaced[at] = true
		}
	}
	from := int64(0)
	for q := range g.parts {
		to := sum/g.parts*(q+1) + min(q+1, sum%g.parts)
		p.part(ranks, s, g.from, ends, from, to)
		from = to
	}
}

// part plans the bucket of the bytes between two offsets of neighbours. The argument first is the
// first neighbour, and ends are the offsets at which the bytes of each neighbour end.
func (p *plan) part(ranks []*rank, s *series, first int, ends []int64, from, to int64) {
	final, _ := slices.BinarySearch(ends, to) // the collective that has the last byte of the bucket
	b := &bucket{like: s.meetings[first].operation(ranks), bytes: to - from}
	var whole []int
	for i, end := range ends {
		bytes := s.bytes[first+i]
		if both := min(to, end) - max(from, end-bytes); both > 0 {
			b.took = append(b.took, share{s.meetings[first+i], float64(both) / float64(bytes)})
		}
		if from < end && end <= to {
			whole = append(whole, first+i)
		}
	}
	left := float64(ends[final]-to) / float64(s.bytes[first+final])
	for member, at := range s.meetings[first].members {
		a := arrival{bucket: b, name: at.op}
		for _, i := range whole {
			a.ends = append(a.ends, s.meetings[i].members[member].op)
		}
		at.op = s.meetings[first+final].members[member].op
		if left > 0 && first+final > 0 {
			at.op = ranks[at.rank].complete(s.meetings[first+final-1].members[member].op, at.op, 1-left)
		}
		p.arrivals[at] = append(p.arrivals[at], a)
	}
}

// operation returns a collective as the operation of its first rank.
func (m *meeting) operation(ranks []*rank) *operation {
	return &ranks[m.members[0].rank].ops[m.members[0].op]
}

// complete returns the operation with which a part of the gradients of a collective is complete.
// The collective follows another one of its series. The operation is the one by whose end this
// part of the kernels between the sources of both is over. If that is not known, it is the
// collective itself.
func (r *rank) complete(before, own int, part float64) int {
	o := &r.ops[own]
	source := o.source()
	if source < 0 {
		return own
	}
	first := max(before, r.ops[before].source())
	for n := first + 1; n < own; n++ {
		if r.ops[n].stream == o.stream {
			first = n // belongs to another series
		}
	}
	var kernels []int
	sum, sofar := 0.0, 0.0
	for n := first + 1; n <= source; n++ {
		if k := &r.ops[n]; k.stream == r.ops[source].stream {
			kernels, sum = append(kernels, n), sum+float64(k.end-k.start)
		}
	}
	for _, n := range kernels {
		if sofar += float64(r.ops[n].end - r.ops[n].start); sofar >= part*sum*(1-1e-9) {
			return n
		}
	}
	return own
}

// source returns the operation from which a collective gets its data; -1 if it is not known.
func (o *operation) source() int {
	if n := len(o.events); n > 0 {
		return o.events[n-1]
	}
	return o.after
}

// buckets writes the buckets that come after an operation.
func (w *writer) buckets(at place, r *rank) {
	for _, a := range w.plan.arrivals[at] {
		if a.number == 0 {
			a.number = w.begin(a.like, a.bytes, w.length(a.bucket))
		}
		o := streams.Op{Name: r.ops[a.name].name, Kind: uint8(collective), Device: int32(at.rank), Collective: a.number,
			Stream: int32(slices.Index(r.streams, r.ops[a.name].stream))}
		if before := w.last[at.rank][at.op]; before >= 0 {
			o.After = []int32{before}
		}
		if !slices.Contains(a.ends, at.op) {
			o.Launch = sim.Time(float64(w.changes.join) * w.changes.host)
		}
		for _, end := range a.ends {
			w.last[at.rank][end] = int32(len(w.graph.Ops))
		}
		w.graph.Ops = append(w.graph.Ops, o)
	}
}

// length is the time of a bucket, in ns.
func (w *writer) length(b *bucket) float64 {
	_, sum := w.changes.time(b.like, b.bytes)
	for _, s := range b.took {
		o := s.of.operation(w.ranks)
		_, own := w.changes.time(o, o.bytes)
		sum += s.part * (w.changes.took(o, s.of) - own)
	}
	return max(0, sum)
}

// mostBuckets is the largest number of collectives of gradients in a replay.
const mostBuckets = 1 << 20

// check returns an error if a trace cannot have buckets of the size asked for.
func (p *plan) check(m *gpus.Machine, size int64) error {
	switch {
	case p.series == 0:
		return errors.New("the trace has no buckets whose sizes are known: two or more all-reduces or reduce-scatters of a group, of which " +
			"the last one is launched before one is waited for")
	case p.buckets > mostBuckets:
		return fmt.Errorf("%d bytes make %d buckets of the trace, the most is %d", size, p.buckets, mostBuckets)
	}
	for _, all := range p.arrivals {
		for _, a := range all {
			if _, err := costOf(m, a.like, a.bytes); err != nil {
				return err
			}
		}
	}
	return nil
}
