package traces

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// Options say how a trace is run.
type Options struct {
	Compute    float64            // factor on all computation; 0: 1
	Phases     map[string]float64 // further factors on the computation in phases, by their names
	Kernels    map[string]Kernel  // kernels of the computation in phases, by their names; "": in all other phases
	Wall       bool               // wall time between calls in which a rank did not run counts as computation
	Incomplete bool               // run even if functions are missing from the trace, with synchronous sends as ordinary ones

	Partitioned machines.Partitioning // how the library sends messages in partitions

	// Blocking and Started choose the algorithms of collectives.
	Blocking, Started *collectives.Library
	// Unblocked says that Started chooses for blocking ones, too, except barriers and those that make a communicator.
	Unblocked bool
	// Group gives the costs of collectives of a size on the machine; nil: they cost nothing.
	Group func(bytes int64) collectives.Group
}

// Kernel says which kernel of the machine a computation is, and by which factor its time is
// multiplied.
type Kernel struct {
	Like   machines.Task // its activity and number
	Factor float64
}

// Refused lists what a trace contains and a program cannot do.
type Refused struct {
	Counts []Count
	Anyway bool // it has not been asked to run all the same
}

func (e *Refused) Error() string {
	var list []string
	for _, c := range e.Counts {
		list = append(list, fmt.Sprintf("%s (%d calls)", c.Name, c.Calls))
	}
	text := "the trace has calls that cannot be simulated: " + strings.Join(list, ", ")
	if e.Anyway {
		text += "; 'incomplete: true' leaves out those that were not recorded, and takes synchronous sends for ordinary ones"
	}
	return text
}

// Program is a trace as a program. Its ranks do what they did when it was recorded, in the order
// of their calls. A wait waits for what it received in the recording.
//
//   - A receive from any source or with any tag receives the message that it received.
//   - Consecutive tests that found nothing are one test. If one of them finally finds
//     something, all of them together are a wait for that: the program polled.
//   - A test of requests none of which was active is a test of those that earlier tests completed and no call has
//     waited for since: here they may still be active. If all of them are over, or there are none, it does nothing.
//   - Any other test is a test, which may find nothing. What it found in the recording is complete at the latest when
//     the rank's next call that waits ends: a wait, a blocking send, receive or collective, or a probe.
//   - MPI_Waitany and similar calls wait for the requests that they completed.
//   - A probe receives the message, and the receive after it does nothing.
//   - A one-sided operation ends where the rank's own calls require it: at a fence, an
//     unlock, a flush or a complete. Waiting for a lock that another rank holds takes no
//     time, and neither does the addition of an accumulate.
//   - A message in partitions has those that the library sends for them.
//   - A collective has the messages of the algorithm that the library takes. A
//     non-blocking one is a schedule: the agent of the library begins its rounds.
type Program struct {
	s       *Survey
	o       Options
	factors []float64       // by phase
	likes   []machines.Task // by phase: what computation is; no kernel: nothing is known about it

	mutex sync.Mutex // for the stream below, which is used for ranks that do not run
	rank  int
	next  int
	alone *player
}

// Program returns the trace as a program, or all that stands in the way.
func (s *Survey) Program(o Options) (*Program, error) {
	p := &Program{s: s, o: o, rank: -1}
	return p, errors.Join(p.scale(), p.choose(), s.refusal(o.Incomplete))
}

// refusal returns what cannot be done, by name.
func (s *Survey) refusal(incomplete bool) error {
	refused := maps.Clone(s.refused)
	if incomplete {
		delete(refused, synchronous)
	}
	for _, c := range s.h.Missing {
		if !incomplete {
			refused[c.Name] += c.Calls
		}
	}
	if len(refused) == 0 {
		return nil
	}
	e := &Refused{Anyway: !incomplete}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		e.Counts = append(e.Counts, Count{name, refused[name]})
	}
	return e
}

// scale finds the factors of the phases.
func (p *Program) scale() error {
	all := p.o.Compute
	if all == 0 {
		all = 1
	}
	p.factors = make([]float64, max(1, len(p.s.h.Phases)))
	for i := range p.factors {
		p.factors[i] = all
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(p.o.Phases)) {
		i := slices.Index(p.s.h.Phases, name)
		if i < 0 {
			wrong = append(wrong, fmt.Errorf("the trace has no phase %q; it has %s", name, phaseNames(p.s.h)))
			continue
		}
		p.factors[i] *= p.o.Phases[name]
	}
	return errors.Join(append(wrong, p.kernels()...)...)
}

// kernels gives the computation of phases its kernels.
func (p *Program) kernels() (wrong []error) {
	p.likes = make([]machines.Task, len(p.factors))
	for _, name := range slices.Sorted(maps.Keys(p.o.Kernels)) {
		k, found := p.o.Kernels[name], name == ""
		for i := range p.likes {
			of := i < len(p.s.h.Phases) && p.s.h.Phases[i] == name
			_, own := p.o.Kernels[p.phaseName(i)]
			if of || name == "" && !own {
				p.likes[i], found = k.Like, true
				p.factors[i] *= k.Factor
			}
		}
		if !found {
			wrong = append(wrong, fmt.Errorf("the trace has no phase %q; it has %s", name, phaseNames(p.s.h)))
		}
	}
	return wrong
}

func (p *Program) phaseName(i int) string {
	if i < len(p.s.h.Phases) {
		return p.s.h.Phases[i]
	}
	return "-" // a trace without phases: no name fits it
}

func phaseNames(h *Header) string {
	if len(h.Phases) == 0 {
		return "none"
	}
	return strings.Join(h.Phases, ", ")
}

// Ranks implements programs.Program.
func (p *Program) Ranks() int { return p.s.h.Ranks }

// Phases implements programs.Program.
func (p *Program) Phases() []string { return p.s.h.Phases }

// Step implements programs.Program for ranks that do not run. It continues reading where it stopped, or from the beginning.
func (p *Program) Step(rank, step int, do *programs.Ops) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if rank != p.rank || step < p.next {
		p.rank, p.next, p.alone = rank, 0, newPlayer(p, rank)
	}
	for ; p.next < step; p.next++ {
		var skipped programs.Ops
		if !p.alone.step(&skipped) {
			return false
		}
	}
	if !p.alone.step(do) {
		return false
	}
	p.next++
	return true
}

// Begin implements programs.Reactive.
func (p *Program) Begin() programs.Program {
	return &running{p, make([]*player, p.Ranks())}
}

// running is a run of a trace.
type running struct {
	*Program
	ranks []*player // nil: has not begun, or has ended
}

// Step implements programs.Program.
func (p *running) Step(rank, step int, do *programs.Ops) bool {
	if step == 0 {
		p.ranks[rank] = newPlayer(p.Program, rank)
	}
	if p.ranks[rank].step(do) {
		return true
	}
	p.ranks[rank] = nil
	return false
}

// Doing implements programs.Told.
func (p *running) Doing(rank int) string {
	x := p.ranks[rank]
	if x == nil || x.call.Kind == End {
		return ""
	}
	return fmt.Sprintf("in call %d, %s", x.at-1, x.call.Kind)
}

// Sent implements programs.Told.
func (p *running) Sent(_, _, _ int) string { return "" }

// Message implements programs.Told.
func (p *running) Message(tag int) string {
	s := p.s
	if over := tag - int(s.largest) - 1; over >= 0 {
		return fmt.Sprintf("of a collective on communicator %d", over/perComm)
	}
	text, begins := fmt.Sprintf("with tag %d", tag), int32(-1)
	for at, number := range s.tags {
		if !s.unitary && int(number) == tag {
			text = fmt.Sprintf("with tag %d on communicator %d", at.tag, at.comm)
		}
	}
	for at, first := range s.partTags { // the tags of a message's partitions follow its first one
		if int(first) <= tag && first > begins {
			text, begins = fmt.Sprintf("in partitions with tag %d", at.tag), first
		}
	}
	return text
}

// Numbers of the requests of messages that a call starts and completes itself.
const (
	own int32 = iota
	ownToo
	probing
	owned // number of them; the numbers of the trace's requests follow
)

// player is a rank. In each step it does a call, or a round of a collective.
type player struct {
	*Program
	me       int
	in       Stream
	call     Call
	at       int64 // calls that it has read
	phase    uint8
	slots    []slot            // by the trace's request
	free     []int32           // numbers that requests may have
	used     int32             // numbers that requests have had
	found    []int32           // numbers of requests that a test completed in the recording, and that no call has waited for
	inner    map[int32][]int32 // numbers that are free when another one is
	orphans  []int32           // numbers of requests that no call completes
	probed   map[probe]bool
	counts   map[int32]int // collectives of each communicator so far
	blocking *blocking
	places   []int32 // numbers of non-blocking collectives, by the place of the requests of their messages
	pending  []int32 // numbers of what it waits for
}

// slot is what a request of the trace stands for: a request with a number, or nothing.
type slot struct {
	request bool
	number  int32
	parts   *partitioned // instead: a message in partitions
}

type probe struct{ comm, from, tag int32 }

func newPlayer(p *Program, rank int) *player {
	return &player{Program: p, me: rank, in: p.s.t.Calls(rank), probed: map[probe]bool{}, counts: map[int32]int{}, inner: map[int32][]int32{}}
}

// step appends the next operations. It returns false if there are none.
func (x *player) step(do *programs.Ops) bool {
	had := len(do.List())
	for len(do.List()) == had {
		switch {
		case x.blocking != nil:
			x.goOn(do)
		case len(x.pending) > 0:
			x.wait(do)
		case !x.read(do):
			return false
		}
	}
	return true
}

// read does the next call. It returns false if there is none.
func (x *player) read(do *programs.Ops) bool {
	switch err := x.in.Next(&x.call); {
	case err == io.EOF:
		return x.end()
	case err != nil:
		panic(err) // the whole trace was read before, so the file has changed
	}
	x.at++
	c := &x.call
	if c.Phase != x.phase {
		do.Phase(int(c.Phase))
		x.phase = c.Phase
	}
	x.compute(c, do)
	x.perform(c, do)
	if c.waits() {
		x.pending, x.found = append(x.pending, x.found...), x.found[:0]
	}
	return true
}

// end waits for what no call completes. It returns false if there is nothing.
func (x *player) end() bool {
	x.pending = append(append(x.pending, x.found...), x.orphans...)
	for _, number := range x.places {
		if number != noNumber && !slices.Contains(x.pending, number) {
			x.pending = append(x.pending, number)
		}
	}
	x.found, x.orphans = nil, nil
	return len(x.pending) > 0
}

// compute does what the rank computed before a call.
func (x *player) compute(c *Call, do *programs.Ops) {
	time := c.Before
	if x.o.Wall {
		time += c.Away
	}
	scaled := math.Round(float64(time) * x.factors[c.Phase])
	task := x.likes[c.Phase]
	task.Time = sim.Time(min(scaled, float64(maxTime)))
	do.Compute(task, 1)
}

// perform does a call.
func (x *player) perform(c *Call, do *programs.Ops) {
	switch c.Kind {
	case Send, Isend:
		x.send(c, do)
	case Recv, Irecv:
		x.receive(c, do)
	case Sendrecv:
		x.exchange(c, do)
	case Probe:
		x.probe(c, do)
	case Put, Get:
		x.remote(c, do)
	case Psend, Precv:
		x.partitioned(c, do)
	case Pready:
		x.ready(c, do)
	case Parrived:
		x.arrived(c, do)
	case Wait, WaitAny, WaitSome:
		x.complete(c.Requests)
	case Test:
		x.test(c, do)
	case Free:
		for _, request := range c.Requests {
			x.orphans = x.taken(x.orphans, request)
		}
	case End:
	default:
		x.collective(c, do)
	}
}

// asksNothing tells whether a test asked for requests none of which was active any more: in the recording, it had nothing to do.
func (c *Call) asksNothing() bool { return c.Kind == Test && c.Tries == 0 && len(c.Requests) == 0 }

// polled tells whether a test is the end of tests in a row that found nothing until this one did.
func (c *Call) polled() bool { return c.Tries > 0 && len(c.Requests) > 0 }

// waits tells whether a call returns only when something is complete.
func (c *Call) waits() bool {
	switch c.Kind {
	case Send, Recv, Probe:
		return c.Peer != Nobody && !c.Copied
	case Sendrecv:
		return c.Peer != Nobody || c.From != Nobody
	case Wait, WaitAny, WaitSome:
		return true
	case Test:
		return c.polled()
	case Parrived:
		return c.Tries > 0
	}
	return !c.Start && (c.Kind == Make || c.Kind.Collective() != nil)
}

// test does a test, which may find nothing here. If the program polled, it waits.
func (x *player) test(c *Call, do *programs.Ops) {
	switch {
	case c.asksNothing():
		if len(x.found) > 0 {
			do.TestOpen(x.found...)
		}
		return
	case c.polled():
		x.complete(c.Requests)
		return
	}
	do.Test(int(own))
	for _, request := range c.Requests {
		x.found = x.taken(x.found, request)
	}
}

// send starts a message, and waits for it if the call does.
func (x *player) send(c *Call, do *programs.Ops) {
	if c.Peer == Nobody {
		x.assign(c, slot{})
		return
	}
	number := own
	if c.Kind == Isend || c.Copied {
		number = x.number()
	}
	x.post(c, number, do)
	switch {
	case c.Copied || c.Kind == Isend && c.Request == NoRequest:
		x.orphans = append(x.orphans, number)
		x.assign(c, slot{})
	case c.Kind == Isend:
		x.assign(c, slot{request: true, number: number})
	default:
		x.pending = append(x.pending, number)
	}
}

func (x *player) post(c *Call, number int32, do *programs.Ops) {
	tag := x.s.tagOf(c.Comm, c.Tag)
	if c.Strided {
		do.IsendStrided(int(c.Peer), c.Bytes, tag, int(number))
		return
	}
	do.Isend(int(c.Peer), c.Bytes, tag, int(number))
}

// receive posts a receive, and waits for it if the call does.
func (x *player) receive(c *Call, do *programs.Ops) {
	if at := (probe{c.Comm, c.Peer, c.Tag}); c.Peer == Nobody || x.probed[at] {
		delete(x.probed, at)
		x.assign(c, slot{})
		return
	}
	number := own
	if c.Kind == Irecv {
		number = x.number()
		x.assign(c, slot{request: true, number: number})
		if c.Request == NoRequest {
			x.orphans = append(x.orphans, number)
		}
	} else {
		x.pending = append(x.pending, number)
	}
	do.Irecv(int(c.Peer), c.Bytes, x.s.tagOf(c.Comm, c.Tag), int(number))
}

// exchange receives and sends at the same time.
func (x *player) exchange(c *Call, do *programs.Ops) {
	if c.From != Nobody {
		do.Irecv(int(c.From), c.In, x.s.tagOf(c.Comm, c.FromTag), int(ownToo))
	}
	if c.Peer != Nobody {
		x.post(c, own, do)
		x.pending = append(x.pending, own)
	}
	if c.From != Nobody {
		x.pending = append(x.pending, ownToo)
	}
}

// remote starts to write another rank's memory, or to read it.
func (x *player) remote(c *Call, do *programs.Ops) {
	if c.Peer == Nobody {
		x.assign(c, slot{})
		return
	}
	number := x.number()
	if c.Kind == Put {
		do.Put(int(c.Peer), c.Bytes, int(number))
	} else {
		do.Get(int(c.Peer), c.Bytes, int(number))
	}
	if c.Request == NoRequest {
		x.orphans = append(x.orphans, number)
	}
	x.assign(c, slot{request: true, number: number})
}

// probe receives the message that is probed for, unless an earlier probe has done so.
func (x *player) probe(c *Call, do *programs.Ops) {
	at := probe{c.Comm, c.Peer, c.Tag}
	if c.Peer == Nobody || x.probed[at] {
		return
	}
	x.probed[at] = true
	do.Irecv(int(c.Peer), c.Bytes, x.s.tagOf(c.Comm, c.Tag), int(probing))
	x.pending = append(x.pending, probing)
}

// number returns a number for a message.
func (x *player) number() int32 {
	if last := len(x.free) - 1; last >= 0 {
		number := x.free[last]
		x.free = x.free[:last]
		return number
	}
	x.used++
	return owned + x.used - 1
}

// assign lets the request that a call starts stand for something.
func (x *player) assign(c *Call, s slot) {
	if !c.starts() || c.Request == NoRequest {
		return
	}
	for int(c.Request) >= len(x.slots) {
		x.slots = append(x.slots, slot{})
	}
	x.slots[c.Request] = s
}

// taken appends the numbers of what a request stood for, which it does no more.
func (x *player) taken(list []int32, request int32) []int32 {
	s := x.slots[request]
	x.slots[request] = slot{}
	if s.request {
		list = append(list, s.number)
	}
	return append(list, s.parts.open()...)
}

// complete waits for requests of the trace.
func (x *player) complete(requests []int32) {
	for _, request := range requests {
		x.pending = x.taken(x.pending, request)
	}
}
