package streams

import (
	"fmt"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Run runs a graph. The error names operations that cannot start, such as two collectives that
// two GPUs start in different order. It is a *Wrong if the graph has mistakes or takes longer
// than a run can, and Late if it takes longer than is of interest.
func Run(g *Graph) (*Result, error) {
	l, err := g.checked()
	if err != nil {
		return nil, err
	}
	e, err := newEngine(l)
	if err != nil {
		return nil, err
	}
	if g.Within > 0 && e.earliest() > g.Within {
		return nil, Late{}
	}
	for i := range e.devices {
		e.launch(&e.devices[i])
	}
	e.settleSoon(0)
	e.kernel.Run()
	if e.late {
		return nil, Late{e.kernel.Processed() + e.settled}
	}
	if e.endless {
		return nil, tooLong()
	}
	if err := e.stuck(); err != nil {
		return nil, err
	}
	return e.finish(), nil
}

// engine is a run under way.
type engine struct {
	*laid
	kernel  *sim.Kernel
	me      sim.HandlerID
	result  *Result
	ops     []state
	devices []device
	groups  []group
	links   []link
	fabric  *fabric // nil: there is none
	next    []int32 // by place in Ops: the next operation of its stream; -1: none
	after   lists   // by place in Ops: the operations that come after it
	wait    lists   // by place in Ops: the operations whose launch waits for it
	touched []int32
	paced   []int32 // collectives with a member whose memory has another speed now
	ending  []int32 // operations that end at this instant, in this order
	due     bool    // SMs must be assigned at this instant
	planned bool    // an event is scheduled for that
	settled uint64  // assignments without an event
	left    int
	late    bool // it lasts longer than is of interest
	endless bool // it lasts longer than a run can, or blocks would be done later than any time
}

// state is the state of an operation.
type state struct {
	pending int32    // number of ends that it waits for, plus one until its launch
	holds   int32    // number of ends that its launch waits for
	met     sim.Time // when the last event that it waited for happened
}

// Kinds of events. Each comment says what has happened.
const (
	reached  uint32 = iota // the launch of an operation has reached the GPU
	over                   // an operation without blocks has ended
	moved                  // blocks of a device are done
	advanced               // a phase of a collective is over
	settle                 // all ends of this instant have been handled
)

func newEngine(g *laid) (*engine, error) {
	e := &engine{laid: g, kernel: sim.NewKernel(), ops: make([]state, len(g.devices)), left: len(g.devices)}
	e.me = e.kernel.Register(e)
	e.result = newResult(g)
	e.devices, e.groups, e.links = make([]device, len(g.Devices)), make([]group, len(g.Collectives)), make([]link, len(g.Links))
	for i := range e.devices {
		d := &e.devices[i]
		d.Device, d.index, d.free, d.freed, d.host = &g.Devices[i], int32(i), g.Devices[i].SMs, -1, g.Devices[i].Begins
		d.queue, d.behind = g.queues[i], g.behind[i]
		d.streams = make([]stream, len(d.Streams))
		for s := range d.streams {
			d.streams[s] = stream{ledger: e.result.Ledgers[i][s], record: g.Record}
		}
	}
	e.enter()
	e.after = listsOf(len(g.Ops), len(g.Ops), func(i int) []int32 { return g.Ops[i].After })
	e.wait = listsOf(len(g.Ops), len(g.Ops), func(i int) []int32 { return g.Ops[i].Wait })
	return e, e.wire()
}

// enter counts what every operation waits for, and chains those of a stream.
func (e *engine) enter() {
	e.next = make([]int32, len(e.Ops))
	first := make([]bool, len(e.Ops)) // of its stream
	for d := range e.devices {
		if e.Devices[d].Like == 0 {
			e.chain(&e.devices[d], first)
		}
	}
	for n := range e.ops {
		i := int32(n) - e.behind[e.laid.devices[n]]
		o, s := &e.Ops[i], &e.ops[n]
		s.pending, s.holds = int32(len(o.After))+1, int32(len(o.Wait))
		if !first[i] {
			s.pending++
		}
		if k := e.joins[n]; k > 0 {
			e.groups[k-1].missing++
		}
	}
}

// chain finds the next operation of the stream of each operation of a device.
func (e *engine) chain(d *device, first []bool) {
	last := make([]int32, len(d.streams))
	for s := range last {
		last[s] = -1
	}
	for _, i := range d.queue {
		s := e.Ops[i].Stream
		e.next[i], first[i] = -1, last[s] < 0
		if last[s] >= 0 {
			e.next[last[s]] = i
		}
		last[s] = i
	}
}

// Handle implements sim.Handler.
func (e *engine) Handle(event sim.Event) {
	now, n := event.At, int32(event.Arg)
	if now > machines.Longest { // no sum of a time and of what an operation takes exceeds sim.Forever before
		e.endless = true
		e.kernel.Stop()
		return
	}
	if e.Within > 0 && now > e.Within && e.left > 0 {
		e.late = true
		e.kernel.Stop()
		return
	}
	switch event.Kind {
	case reached:
		e.satisfied(n, cause{op: -1, why: Launched})
	case over:
		e.end(n)
	case moved:
		if d := &e.devices[n]; d.generation == uint32(event.Arg>>32) {
			e.advance(d, now)
			e.touch(n)
		}
	case advanced:
		e.phase(n, uint32(event.Arg>>32))
	case settle:
		e.planned = false
		e.settle(now)
	}
	e.settleSoon(now)
}

func (e *engine) schedule(at sim.Time, kind uint32, n int32, generation uint32) {
	e.kernel.Schedule(at, e.me, kind, uint64(generation)<<32|uint64(uint32(n)))
}

// touch notes that the SMs or the memory of a device must be assigned again.
func (e *engine) touch(device int32) {
	if d := &e.devices[device]; !d.touched {
		d.touched = true
		e.touched = append(e.touched, device)
	}
	e.due = true
}

// settleSoon assigns the SMs at once if nothing else happens at this instant, or else plans an event for it.
func (e *engine) settleSoon(now sim.Time) {
	if !e.due || e.planned {
		return
	}
	if next, ok := e.kernel.Peek(); ok && next == now {
		e.settleAfter()
		return
	}
	e.settled++
	e.settle(now)
}

// settleAfter plans an event that assigns the SMs after all that happens at this instant.
func (e *engine) settleAfter() {
	if e.due && !e.planned {
		e.planned = true
		e.schedule(e.kernel.Now(), settle, 0, 0)
	}
}

// settle assigns the SMs of all devices on which something has happened.
func (e *engine) settle(now sim.Time) {
	for i := 0; i < len(e.touched); i++ { // the list grows meanwhile
		d := &e.devices[e.touched[i]]
		d.touched = false
		e.share(d, now)
	}
	e.touched, e.due = e.touched[:0], false
	for _, number := range e.paced {
		e.repace(number, now)
	}
	e.paced = e.paced[:0]
}

// satisfied notes that one event that an operation waits for has happened.
func (e *engine) satisfied(n int32, by cause) {
	s, now := &e.ops[n], e.kernel.Now()
	if s.pending--; s.pending > 0 {
		s.met, e.result.causes[n].op = now, by.op
		return
	}
	by.tied = now > 0 && s.met == now && e.result.causes[n].op != by.op
	e.result.causes[n] = by
	e.ready(n)
}

// ready lets an operation start.
func (e *engine) ready(n int32) {
	o, now := e.op(n), e.kernel.Now()
	e.await(n, now)
	switch {
	case o.Blocks > 0:
		d := &e.devices[e.laid.devices[n]]
		d.fresh = append(d.fresh, n)
		e.touch(d.index)
	case o.Collective > 0:
		e.arrive(n)
	default:
		e.result.Starts[n] = now
		if o.Work == 0 {
			e.end(n)
			return
		}
		e.schedule(sim.Later(now, o.Work), over, n, 0)
	}
}

// end ends an operation, and what ends with it because it takes no time: one after the other, as chains of these can be long.
func (e *engine) end(n int32) {
	if e.ending = append(e.ending, n); len(e.ending) > 1 {
		return // under way
	}
	for i := 0; i < len(e.ending); i++ {
		e.endOne(e.ending[i])
	}
	e.ending = e.ending[:0]
}

// endOne ends an operation.
func (e *engine) endOne(n int32) {
	now, d := e.kernel.Now(), &e.devices[e.laid.devices[n]]
	i := n - d.behind // in Ops
	o := &e.Ops[i]
	s := &d.streams[o.Stream]
	s.last = o.Kind
	s.launched--
	e.left--
	e.result.Ends[n] = now
	e.result.Makespan = max(e.result.Makespan, now)
	if o.Blocks == 0 && o.Collective == 0 {
		e.book(n, Compute, now-e.stream(n).cursor)
	}
	if next := e.next[i]; next >= 0 {
		e.satisfied(next+d.behind, cause{op: n, why: Before})
	}
	for _, other := range e.after.of(i) {
		e.satisfied(other+d.behind, cause{op: n, why: After})
	}
	for _, other := range e.wait.of(i) {
		other += d.behind
		if e.ops[other].holds--; e.ops[other].holds == 0 {
			e.release(other, n)
		}
	}
	if d.Ahead > 0 && s.launched == d.Ahead-1 && d.launched < len(d.queue) {
		if next := d.queued(d.launched); e.stream(next) == s {
			e.release(next, n)
		}
	}
}

// ended tells whether an operation has ended.
func (e *engine) ended(n int32) bool { return e.result.Ends[n] >= 0 }

func tooLong() error {
	return &Wrong{[]error{fmt.Errorf("the run takes more than %.0f days of simulated time", machines.Longest.Seconds()/86400)}}
}

// Stuck says which operations wait for each other, and never end.
type Stuck string

func (s Stuck) Error() string { return string(s) }

// stuck returns an error if some operations have not ended.
func (e *engine) stuck() error {
	if e.left == 0 {
		return nil
	}
	for i := range e.ops {
		n, k := int32(i), e.joins[i]
		if k == 0 || e.ended(n) || e.groups[k-1].missing == 0 || e.groups[k-1].came == 0 {
			continue
		}
		if missing, _ := e.missing(n); !missing {
			others := "another member of its collective,"
			if missing := e.groups[k-1].missing; missing > 1 {
				others = fmt.Sprintf("%d other members of its collective, such as", missing)
			}
			return Stuck(fmt.Sprintf("%d operations never end; %s on %s waits for %s on %s", e.left, e.op(n).Name, e.nameOf(n), others, e.absent(k-1)))
		}
	}
	for i := range e.ops {
		if k := e.joins[i]; k > 0 && !e.ended(int32(i)) && e.groups[k-1].missing == 0 { // its bytes need longer
			return tooLong()
		}
	}
	for i := range e.ops {
		if n := int32(i); !e.ended(n) {
			return Stuck(fmt.Sprintf("%d operations never end, as each waits for another one; the first is %s on %s", e.left, e.op(n).Name,
				e.nameOf(n)))
		}
	}
	return nil
}

// absent names a GPU that has not arrived at a collective.
func (e *engine) absent(group int32) string {
	for _, n := range e.members.of(group) {
		switch missing, starved := e.missing(n); {
		case starved:
			return e.nameOf(n) + ", where others hold SMs that it needs"
		case missing:
			return e.nameOf(n)
		}
	}
	return "none"
}

// missing tells whether a member of a collective has not arrived, and whether that is because others hold SMs.
func (e *engine) missing(n int32) (missing, starved bool) {
	kernels := e.devices[e.laid.devices[n]].kernels
	starved = slices.ContainsFunc(kernels, func(k kernel) bool { return k.op == n && k.waiting > 0 })
	return starved || e.result.Starts[n] < 0, starved
}

// finish books the rest of each stream and returns the result.
func (e *engine) finish() *Result {
	r := e.result
	r.Events = e.kernel.Processed() + e.settled
	for i := range e.devices {
		spans := make([][]Span, len(e.devices[i].streams))
		for s := range e.devices[i].streams {
			x := &e.devices[i].streams[s]
			x.book(x.last, Idle, r.Makespan-x.cursor)
			total := r.Total(i, s)
			if sum := total.Sum(); sum != r.Makespan {
				panic(fmt.Sprintf("streams: the ledger of %s %s has %v of %v", e.Devices[i].Name, e.Devices[i].Streams[s].Name, sum, r.Makespan))
			}
			spans[s] = x.spans
		}
		if e.Record {
			r.Spans = append(r.Spans, spans)
		}
	}
	return r
}

func newResult(g *laid) *Result {
	ops := len(g.devices)
	r := &Result{graph: g, Starts: make([]sim.Time, ops), Ends: make([]sim.Time, ops), causes: make([]cause, ops),
		Begun: make([]sim.Time, len(g.Collectives)), last: make([]int32, len(g.Collectives)), launched: make([]sim.Time, ops),
		waited: map[int32]sim.Time{}, held: map[int32]int32{}}
	for i := range r.Starts {
		r.Starts[i], r.Ends[i] = -1, -1
	}
	for i := range g.Devices {
		all := make([][]Ledger, len(g.Devices[i].Streams))
		for s := range all {
			all[s] = make([]Ledger, max(1, len(g.Kinds)))
		}
		r.Ledgers = append(r.Ledgers, all)
	}
	return r
}
