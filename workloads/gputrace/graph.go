package gputrace

import (
	"fmt"
	"slices"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
)

// changes are what a replay asks.
type changes struct {
	compute, communication, host, pauses float64                       // factors of times
	collective                           func(*operation) (ns float64) // nil: as in the trace
}

// meeting is a collective of several ranks: an operation of each, and when the last one came and the first one left.
type meeting struct {
	members      []place
	came, leaves int64
}

// place is an operation of a rank.
type place struct{ rank, op int }

// meetings finds the collectives that ranks do together: those of a group, in their order, if all of its ranks in the
// traces did as many of the same names. Clocks of ranks are set so that collectives end together.
func meetings(ranks []*rank) (all []*meeting, of map[place]*meeting) {
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
	align(ranks, all)
	all = slices.DeleteFunc(all, func(m *meeting) bool {
		for i, p := range m.members {
			o := &ranks[p.rank].ops[p.op]
			if i == 0 || o.end < m.leaves {
				m.leaves = o.end
			}
			m.came = max(m.came, o.start)
		}
		return m.came > m.leaves // the clocks do not fit
	})
	for _, m := range all {
		for _, p := range m.members {
			of[p] = m
		}
	}
	return all, of
}

// match joins the collectives of a group by their order; none if the lists differ.
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

// align shifts the times of ranks by the median of what their collectives end later than those of the first rank of each.
func align(ranks []*rank, all []*meeting) {
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
	for i, by := range late {
		slices.Sort(by)
		ranks[i].shift(-by[len(by)/2])
	}
}

// shift moves all times.
func (r *rank) shift(by int64) {
	for i := range r.ops {
		o := &r.ops[i]
		o.start, o.end, o.launch = o.start+by, o.end+by, o.launch+by
	}
}

// writer makes a graph of ranks.
type writer struct {
	graph    streams.Graph
	changes  changes
	origin   int64 // the first launch of all ranks
	numbers  map[*meeting]int32
	of       map[place]*meeting
	replayed [][]int32 // by rank and operation: its number in the graph
	last     [][]int32 // the same, with what follows a collective
}

// write writes the graph of ranks.
func write(ranks []*rank, c changes) *writer {
	w := &writer{changes: c, numbers: map[*meeting]int32{}, graph: streams.Graph{Kinds: kindNames}}
	_, w.of = meetings(ranks)
	for i, r := range ranks {
		if first := r.ops[0].launch; i == 0 || first < w.origin {
			w.origin = first
		}
	}
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
		first := streams.Op{Name: "before " + o.name, Kind: uint8(between), Device: int32(i), Stream: int32(stream)}
		ready := max(ends[stream], o.launch)
		if o.wait >= 0 {
			host = max(host, r.ops[o.wait].end)
			first.Wait = []int32{w.last[i][o.wait]}
		}
		if o.after >= 0 {
			ready = max(ready, r.ops[o.after].end)
			first.After = []int32{w.last[i][o.after]}
		}
		first.Launch = scaled(o.launch-host, w.changes.host)
		host, ends[stream] = o.launch, o.end
		first.Work = scaled(o.start-ready, w.changes.pauses)
		w.graph.Ops = append(w.graph.Ops, first)
		w.operation(place{i, n}, o, streams.Op{Name: o.name, Kind: uint8(o.kind), Device: int32(i), Stream: int32(stream)})
	}
}

// operation writes an operation, and after a collective what lies between its end and that of its rank.
func (w *writer) operation(at place, o *operation, own streams.Op) {
	length := o.end - o.start
	tail := int64(0)
	switch m := w.of[at]; {
	case o.kind != collective:
		own.Work = scaled(length, w.changes.compute)
	case m == nil:
		own.Collective = w.begin(o, length)
	default:
		if w.numbers[m] == 0 {
			w.numbers[m] = w.begin(o, m.leaves-m.came)
		}
		own.Collective, tail = w.numbers[m], o.end-m.leaves
	}
	w.replayed[at.rank][at.op] = int32(len(w.graph.Ops))
	w.last[at.rank][at.op] = w.replayed[at.rank][at.op]
	w.graph.Ops = append(w.graph.Ops, own)
	if tail > 0 {
		w.graph.Ops = append(w.graph.Ops, streams.Op{Name: "after " + o.name, Kind: uint8(between), Device: own.Device, Stream: own.Stream,
			Work: scaled(tail, w.changes.pauses)})
		w.last[at.rank][at.op]++
	}
}

// begin adds a collective that took so long from its last arrival.
func (w *writer) begin(o *operation, length int64) int32 {
	took := float64(length)
	if w.changes.collective != nil {
		took = w.changes.collective(o)
	}
	w.graph.Collectives = append(w.graph.Collectives, streams.Collective{Transfer: sim.Time(took * w.changes.communication * 1e3)})
	return int32(len(w.graph.Collectives))
}

// scaled returns ns times a factor.
func scaled(ns int64, factor float64) sim.Time {
	if factor == 1 {
		return sim.Time(ns) * sim.Nanosecond
	}
	return sim.Time(float64(ns) * factor * 1e3)
}
