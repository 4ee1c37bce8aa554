package streams

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Run runs a graph. The error names operations that cannot start, such as two collectives that
// two GPUs start in different order. It is a *Wrong if the graph has mistakes or takes longer
// than a run can, and Late if it takes longer than is of interest.
func Run(g *Graph) (*Result, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	e, err := newEngine(g)
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
	*Graph
	kernel  *sim.Kernel
	me      sim.HandlerID
	result  *Result
	ops     []state
	devices []device
	groups  []group
	links   []link
	fabric  *fabric // nil: there is none
	after   lists   // by operation: the operations that come after it
	wait    lists   // by operation: the operations whose launch waits for it
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
	pending  int32    // number of ends that it waits for, plus one until its launch
	holds    int32    // number of ends that its launch waits for
	next     int32    // of its stream; -1: none
	launched sim.Time // the time from which it can start after its launch
	met      sim.Time // when the last event that it waited for happened
	by       int32    // the operation that this was
	pace     uint64   // of a member of a collective: the speed that its memory allows
	ended    bool
}

// Kinds of events. Each comment says what has happened.
const (
	reached  uint32 = iota // the launch of an operation has reached the GPU
	over                   // an operation without blocks has ended
	moved                  // blocks of a device are done
	advanced               // a phase of a collective is over
	settle                 // all ends of this instant have been handled
)

func newEngine(g *Graph) (*engine, error) {
	e := &engine{Graph: g, kernel: sim.NewKernel(), ops: make([]state, len(g.Ops)), left: len(g.Ops)}
	e.me = e.kernel.Register(e)
	e.result = newResult(g)
	e.devices, e.groups, e.links = make([]device, len(g.Devices)), make([]group, len(g.Collectives)), make([]link, len(g.Links))
	for i := range e.devices {
		d := &e.devices[i]
		d.Device, d.index, d.free, d.freed = &g.Devices[i], int32(i), g.Devices[i].SMs, -1
		d.streams = make([]stream, len(d.Streams))
		for s := range d.streams {
			d.streams[s] = stream{last: -1, ledger: e.result.Ledgers[i][s], record: g.Record}
		}
	}
	e.enter()
	e.after = listsOf(len(g.Ops), len(g.Ops), func(i int) []int32 { return g.Ops[i].After })
	e.wait = listsOf(len(g.Ops), len(g.Ops), func(i int) []int32 { return g.Ops[i].Wait })
	return e, e.wire()
}

// enter puts every operation into its stream and its host's queue.
func (e *engine) enter() {
	for i := range e.Ops {
		o, s := &e.Ops[i], &e.ops[i]
		d := &e.devices[o.Device]
		s.next, e.result.places[i] = -1, int32(len(d.queue))
		s.pending, s.holds = int32(len(o.After))+1, int32(len(o.Wait))
		if last := d.streams[o.Stream].last; last >= 0 {
			e.ops[last].next = int32(i)
			s.pending++
		}
		d.streams[o.Stream].last = int32(i)
		d.queue = append(d.queue, int32(i))
		if o.Collective > 0 {
			k := &e.groups[o.Collective-1]
			k.members, k.missing = append(k.members, int32(i)), k.missing+1
		}
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
		e.satisfied(n, cause{-1, Launched})
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
		s.met, s.by = now, by.op
		return
	}
	e.result.causes[n], e.result.tied[n] = by, now > 0 && s.met == now && s.by != by.op
	e.ready(n)
}

// ready lets an operation start.
func (e *engine) ready(n int32) {
	o, now := &e.Ops[n], e.kernel.Now()
	e.result.began[n] = now
	e.await(n, now)
	d := &e.devices[o.Device]
	switch {
	case o.Blocks > 0:
		d.fresh = append(d.fresh, n)
		e.touch(o.Device)
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
	o, s, now := &e.Ops[n], &e.ops[n], e.kernel.Now()
	s.ended = true
	e.left--
	e.result.Ends[n] = now
	e.result.Makespan = max(e.result.Makespan, now)
	if o.Blocks == 0 && o.Collective == 0 {
		e.book(n, Compute, now-e.stream(n).cursor)
	}
	if s.next >= 0 {
		e.satisfied(s.next, cause{n, Before})
	}
	for _, other := range e.after.of(n) {
		e.satisfied(other, cause{n, After})
	}
	for _, other := range e.wait.of(n) {
		if e.ops[other].holds--; e.ops[other].holds == 0 {
			e.release(other, n)
		}
	}
	d := &e.devices[o.Device]
	if next := d.launched; d.Ahead > 0 && next < len(d.queue) && next-d.Ahead == int(e.result.places[n]) {
		e.release(d.queue[next], n)
	}
}

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
		if k := e.Ops[i].Collective; k > 0 && !e.ops[i].ended && e.groups[k-1].missing > 0 && e.groups[k-1].came > 0 {
			return Stuck(fmt.Sprintf("%d operations never end; %s on %s waits for %d other members of its collective, such as on %s", e.left,
				e.Ops[i].Name, e.Devices[e.Ops[i].Device].Name, e.groups[k-1].missing, e.absent(k-1)))
		}
	}
	for i := range e.ops {
		if k := e.Ops[i].Collective; k > 0 && !e.ops[i].ended && e.groups[k-1].missing == 0 { // its bytes need longer
			return tooLong()
		}
	}
	for i := range e.ops {
		if !e.ops[i].ended {
			return Stuck(fmt.Sprintf("%d operations never end, as each waits for another one; the first is %s on %s", e.left, e.Ops[i].Name,
				e.Devices[e.Ops[i].Device].Name))
		}
	}
	return nil
}

// absent names a GPU that has not arrived at a collective.
func (e *engine) absent(group int32) string {
	for _, n := range e.groups[group].members {
		if !e.ops[n].ended && e.result.Starts[n] < 0 {
			return e.Devices[e.Ops[n].Device].Name
		}
	}
	return "none"
}

// finish books the rest of each stream and returns the result.
func (e *engine) finish() *Result {
	r := e.result
	r.Events = e.kernel.Processed() + e.settled
	for i := range e.devices {
		r.queues = append(r.queues, e.devices[i].queue)
	}
	for i := range e.devices {
		spans := make([][]Span, len(e.devices[i].streams))
		for s := range e.devices[i].streams {
			x := &e.devices[i].streams[s]
			x.book(e.kindOf(x.last), Idle, r.Makespan-x.cursor)
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

// kindOf returns the kind of an operation, or 0 if there is none.
func (e *engine) kindOf(n int32) uint8 {
	if n < 0 {
		return 0
	}
	return e.Ops[n].Kind
}

func newResult(g *Graph) *Result {
	r := &Result{graph: g, Starts: make([]sim.Time, len(g.Ops)), Ends: make([]sim.Time, len(g.Ops)), causes: make([]cause, len(g.Ops)),
		Begun: make([]sim.Time, len(g.Collectives)), last: make([]int32, len(g.Collectives)), began: make([]sim.Time, len(g.Ops)),
		launched: make([]sim.Time, len(g.Ops)), places: make([]int32, len(g.Ops)), held: map[int32]int32{}, tied: make([]bool, len(g.Ops))}
	for i := range r.Starts {
		r.Starts[i] = -1
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
