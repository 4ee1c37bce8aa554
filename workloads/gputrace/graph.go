package gputrace

import (
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
)

// changes are the changes that a replay asks for.
type changes struct {
	compute, communication, host, pauses, unexplained float64 // factors of times

	time    func(o *operation, bytes int64) (latency, all float64) // of a collective on the machine, in ns
	grown   func(o *operation) float64                             // ns that it takes longer on more GPUs; nil: there are as many as in the trace
	machine bool                                                   // collectives take that time; otherwise what the trace says
	bucket  int64                                                  // bytes of a bucket of gradients; 0: as in the trace
	flows   func(o *operation, bytes int64) []streams.Flow         // what it sends over a fabric
	join    sim.Time                                               // time of the host for each additional bucket
}

// meeting is a collective: the operation of each of its ranks that were traced together, and when
// the last one arrived and the first one left.
type meeting struct {
	members      []place
	came, leaves int64
}

// place is an operation of a rank.
type place struct{ rank, op int }

// meetings finds the collectives that ranks do together. They are the collectives of a group, in their
// order, if all of its ranks in the traces did the same number with the same names, as far as they fit
// the clocks that are set by them. The remaining operations are collectives of one rank.
func meetings(ranks []*rank) (of map[place]*meeting) {
	var all []*meeting
	type group struct {
		lists map[int][]int // by rank
	}
	groups := map[string]*group{}
	var names []string
	for i, r := range ranks {
		for n := range r.ops {
			o := &r.ops[n]
			if o.kind != collective || o.members == 1 {
				continue
			}
			key := o.group + "\x00" + fmt.Sprint(o.members)
			if groups[key] == nil {
				groups[key] = &group{map[int][]int{}}
				names = append(names, key)
			}
			groups[key].lists[i] = append(groups[key].lists[i], n)
		}
	}
	of = map[place]*meeting{}
	for _, name := range names {
		all = append(all, match(ranks, groups[name].lists)...)
	}
	all = align(ranks, all)
	for _, m := range all {
		for _, p := range m.members {
			of[p] = m
		}
	}
	for i, r := range ranks {
		for n := range r.ops {
			if p, o := (place{i, n}), &r.ops[n]; o.kind == collective && of[p] == nil {
				of[p] = &meeting{[]place{p}, o.start, o.end}
			}
		}
	}
	return of
}

// match pairs the collectives of a group by their order. It returns none if the lists differ.
func match(ranks []*rank, lists map[int][]int) (all []*meeting) {
	if len(lists) < 2 {
		return nil
	}
	var members []int
	for i := range ranks {
		if lists[i] != nil {
			members = append(members, i)
		}
	}
	first := lists[members[0]]
	for _, i := range members {
		if len(lists[i]) != len(first) {
			return nil
		}
	}
	for n := range first {
		m := &meeting{}
		for _, i := range members {
			if ranks[i].ops[lists[i][n]].name != ranks[members[0]].ops[first[n]].name {
				return nil
			}
			m.members = append(m.members, place{i, lists[i][n]})
		}
		all = append(all, m)
	}
	return all
}

// align sets the clocks of ranks by their collectives, and returns the collectives that fit them. A clock is shifted by the median of how much
// later collectives end on the rank than on the first rank of each. Ranks are in a collective at the same time. Those that are not
// were paired wrongly, and are left out: first with clocks set by the ends that agree best, as most pairs may be wrong. If none is left,
// clocks stay as traced.
func align(ranks []*rank, all []*meeting) []*meeting {
	moved := make([]int64, len(ranks))
	set := func(middle func([]int64) int64) {
		late := map[int][]int64{}
		for _, m := range all {
			first := m.members[0]
			if first.rank != 0 {
				continue
			}
			for _, p := range m.members[1:] {
				late[p.rank] = append(late[p.rank], ranks[p.rank].ops[p.op].end-ranks[0].ops[first.op].end)
			}
		}
		for i, later := range late {
			slices.Sort(later)
			by := middle(later)
			moved[i] += by
			ranks[i].shift(-by)
		}
	}
	wrong := func(m *meeting) bool { return !m.fits(ranks) }
	set(mode)
	all = slices.DeleteFunc(all, wrong)
	for before := -1; before != len(all); {
		before = len(all)
		set(median)
		all = slices.DeleteFunc(all, wrong)
	}
	if len(all) == 0 {
		for i, r := range ranks {
			r.shift(moved[i])
		}
	}
	return all
}

// median is the median of sorted numbers.
func median(sorted []int64) int64 {
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}

// mode is the half-sample mode of sorted numbers (Robertson and Cryer 1974): the half that is closest together, of it again, until two are left.
func mode(sorted []int64) int64 {
	for len(sorted) > 2 {
		half, at := (len(sorted)+1)/2, 0
		for i := range len(sorted) - half + 1 {
			if sorted[i+half-1]-sorted[i] < sorted[at+half-1]-sorted[at] {
				at = i
			}
		}
		sorted = sorted[at : at+half]
	}
	return median(sorted)
}

// fits finds when the last rank came to a collective and the first one left it, and tells whether it came before that. If the trace does not
// say the group, ranks must also be in it together for as long as one stays after the first one left.
func (m *meeting) fits(ranks []*rank) bool {
	last, named := int64(0), false
	for i, p := range m.members {
		o := &ranks[p.rank].ops[p.op]
		if i == 0 || o.start > m.came {
			m.came = o.start
		}
		if i == 0 || o.end < m.leaves {
			m.leaves = o.end
		}
		if i == 0 || o.end > last {
			last = o.end
		}
		named = o.members > 0
	}
	return m.came <= m.leaves && (named || last-m.leaves <= m.leaves-m.came)
}

// shift moves all times.
func (r *rank) shift(by int64) {
	for i := range r.ops {
		o := &r.ops[i]
		o.start, o.end, o.launch, o.arrives = o.start+by, o.end+by, o.launch+by, o.arrives+by
	}
	for i := range r.pauses {
		r.pauses[i].start, r.pauses[i].end = r.pauses[i].start+by, r.pauses[i].end+by
	}
}

// writer makes a graph of ranks.
type writer struct {
	graph    streams.Graph
	changes  changes
	origin   int64 // first launch of all ranks
	numbers  map[*meeting]int32
	of       map[place]*meeting
	replayed [][]int32 // by rank and operation: its number in the graph; -1 for a collective whose bytes are in other buckets
	last     [][]int32 // as replayed, with what follows a collective, or with the bucket that has its last byte
	ranks    []*rank
	plan     *plan
	names    map[[2]string]string // of pauses, each once: names of kernels are long
}

// called is the name of a pause before or after an operation.
func (w *writer) called(side, name string) string {
	key := [2]string{side, name}
	if w.names[key] == "" {
		w.names[key] = side + name
	}
	return w.names[key]
}

// write writes the graph of ranks.
func write(ranks []*rank, c changes) *writer {
	w := &writer{ranks: ranks, changes: c, numbers: map[*meeting]int32{}, names: map[[2]string]string{}, graph: streams.Graph{Kinds: kindNames}}
	w.of = meetings(ranks)
	w.plan = newPlan(ranks, w.of, c.bucket)
	for i, r := range ranks {
		if first := r.ops[0].launch; i == 0 || first < w.origin {
			w.origin = first
		}
	}
	operations := 0
	for _, r := range ranks {
		operations += len(r.ops)
	}
	w.graph.Ops = make([]streams.Op, 0, 2*operations) // each with the pause before it
	for i, r := range ranks {
		w.rank(i, r)
	}
	return w
}

// rank writes what a rank did.
func (w *writer) rank(i int, r *rank) {
	d := streams.Device{Name: fmt.Sprint(i), SMs: 1}
	for _, s := range r.streams {
		d.Streams = append(d.Streams, streams.Stream{Name: fmt.Sprint("stream ", s)})
	}
	w.graph.Devices = append(w.graph.Devices, d)
	w.replayed, w.last = append(w.replayed, make([]int32, len(r.ops))), append(w.last, make([]int32, len(r.ops)))
	host, ends := w.origin, make([]int64, len(r.streams)) // of the streams
	for s := range ends {
		ends[s] = w.origin
	}
	for n := range r.ops {
		o := &r.ops[n]
		stream := slices.Index(r.streams, o.stream)
		first := streams.Op{Name: w.called("before ", o.name), Kind: uint8(between), Role: streams.Pauses, Device: int32(i), Stream: int32(stream)}
		ready := max(ends[stream], o.arrives)
		if o.wait >= 0 {
			host = max(host, r.ops[o.wait].end)
			if number := w.last[i][o.wait]; number >= 0 {
				first.Wait = []int32{number}
			}
		}
		for _, other := range o.needed() {
			ready = max(ready, r.ops[other].end)
			if number := w.last[i][other]; number >= 0 {
				first.After = append(first.After, number)
			}
		}
		pause := r.paused(host, o.arrives)
		if pause > 0 { // the host pauses after it has waited
			w.graph.Ops = append(w.graph.Ops, streams.Op{Name: w.called("host before ", o.name), Kind: uint8(between), Role: streams.HostPauses,
				Device: int32(i), Stream: int32(stream), Wait: first.Wait, Launch: scaled(pause, w.changes.pauses)})
			first.Wait = nil
		}
		first.Launch = scaled(o.arrives-host-pause, w.changes.host)
		host, ends[stream] = o.arrives, o.end
		first.Work = scaled(o.start-ready, w.changes.unexplained)
		w.graph.Ops = append(w.graph.Ops, first)
		at := place{i, n}
		if w.plan.replaced[at] {
			w.replayed[i][n], w.last[i][n] = -1, -1
		} else {
			w.operation(at, o, streams.Op{Name: o.name, Kind: uint8(o.kind), Device: int32(i), Stream: int32(stream)})
		}
		w.buckets(at, r)
	}
}

// operation writes an operation. After a collective it also writes the time between its end and
// the end on this rank.
func (w *writer) operation(at place, o *operation, own streams.Op) {
	tail := int64(0)
	if o.kind != collective {
		own.Work = scaled(o.end-o.start, w.changes.compute)
	} else {
		m := w.of[at]
		if w.numbers[m] == 0 {
			w.numbers[m] = w.begin(o, o.bytes, w.changes.took(o, m))
		}
		own.Collective, tail = w.numbers[m], o.end-m.leaves
	}
	w.replayed[at.rank][at.op] = int32(len(w.graph.Ops))
	w.last[at.rank][at.op] = w.replayed[at.rank][at.op]
	w.graph.Ops = append(w.graph.Ops, own)
	if tail > 0 {
		w.graph.Ops = append(w.graph.Ops, streams.Op{Name: w.called("after ", o.name), Kind: uint8(between), Role: streams.Lingers, Device: own.Device,
			Stream: own.Stream, Work: scaled(tail, w.changes.communication)})
		w.last[at.rank][at.op]++
	}
}

// took is the time of a collective from its last arrival, in ns.
func (c *changes) took(o *operation, m *meeting) float64 {
	if c.machine {
		_, all := c.time(o, o.bytes)
		return all
	}
	ns := float64(m.leaves - m.came)
	if c.grown != nil {
		ns = max(0, ns+c.grown(o))
	}
	return ns
}

// begin adds a collective like an operation, with its bytes, that takes this number of ns.
func (w *writer) begin(like *operation, bytes int64, ns float64) int32 {
	c := streams.Collective{Transfer: sim.Time(ns * w.changes.communication * 1e3), Whole: !w.changes.machine}
	if w.changes.machine {
		latency, _ := w.changes.time(like, bytes)
		c.Latency = sim.Time(min(ns, latency) * w.changes.communication * 1e3)
		c.Transfer -= c.Latency
		c.Flows = w.changes.flows(like, bytes)
	}
	if like.collective == gpus.SendReceive.Name {
		c.Way = streams.Stage
	}
	w.graph.Collectives = append(w.graph.Collectives, c)
	return int32(len(w.graph.Collectives))
}

// scaled returns ns times a factor.
func scaled(ns int64, factor float64) sim.Time {
	if factor == 1 {
		return sim.Time(ns) * sim.Nanosecond
	}
	return sim.Time(float64(ns) * factor * 1e3)
}
