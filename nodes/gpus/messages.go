package gpus

import (
	"fmt"
	"math"

	"overlapsim/network/flow"
	"overlapsim/sim"
)

// Messages runs an operation message by message, on links that its messages share max-min fairly.
// It returns when each member ends. arrivals says when members arrive; nil: all at once. One
// message represents the messages of all channels, which are equal. The error names an operation
// that has no schedule.
//
// With equal arrivals, equal links and whole chunks, each member ends after the time that Time
// returns.
func (c *Communicator) Messages(op *Operation, bytes int64, arrivals []sim.Time) ([]sim.Time, error) {
	if arrivals == nil {
		arrivals = make([]sim.Time, len(c.Members))
	}
	cost, err := c.Time(op, bytes)
	if err != nil || cost.Algorithm == nil {
		return arrivals, err
	}
	if err := c.Schedules(op, bytes); err != nil {
		return nil, err
	}
	g, err := c.group()
	if err != nil {
		return nil, err
	}
	s := newSchedule(c, g)
	cost.Algorithm.messages(s, op, cost.Protocol, bytes)
	return s.run(arrivals)
}

// Schedules returns an error if an operation has no schedule of messages, or one that is too long.
func (c *Communicator) Schedules(op *Operation, bytes int64) error {
	cost, err := c.Time(op, bytes)
	if err != nil || cost.Algorithm == nil {
		return err
	}
	if cost.Algorithm.messages == nil || op == Broadcast || op == Reduce {
		return &ChoiceError{"algorithm", fmt.Sprintf("%s of %s has no schedule of messages; its time is known by formula", cost.Algorithm, op)}
	}
	n, rounds := float64(len(c.Members)), math.Ceil(float64(bytes)/float64(len(c.Members)*cost.Channels)/switchChunk)
	if tasks := rounds * 2 * n * n * float64(max(1, cost.Rings)); tasks > mostTasks {
		return &ChoiceError{"bytes",
			fmt.Sprintf("must be less to be sent message by message: they need about %.0f, the most is %d", tasks, mostTasks)}
	}
	return nil
}

// mostTasks limits the memory of a schedule.
const mostTasks = 4 << 20

// task is a message or a delay of a member. It begins when all that it waits for has ended. It
// ends a delay after its bytes have passed its links.
type task struct {
	member int
	route  []int32
	bytes  int64
	delay  sim.Time
	round  bool // the delay is the end of a round, and no latency
	waits  int
	next   []int32
}

// schedule is the messages of an operation.
type schedule struct {
	*group
	free     Free
	domain   []int // of each member, counted from 0
	capacity []sim.Rate
	tasks    []task
	last     []int32 // of each member: the task with which it ends; -1: none yet
}

func newSchedule(c *Communicator, g *group) *schedule {
	s := &schedule{group: g, free: c.Free}
	number := map[int]int{}
	for _, m := range c.Members {
		d := m / g.node.Domain
		if _, ok := number[d]; !ok {
			number[d] = len(number)
		}
		s.domain, s.last = append(s.domain, number[d]), append(s.last, -1)
	}
	return s
}

// links adds n links of a bandwidth, and returns the first.
func (s *schedule) links(count int, bandwidth float64) int32 {
	first := int32(len(s.capacity))
	for range count {
		s.capacity = append(s.capacity, sim.Rate(bandwidth))
	}
	return first
}

// add adds a task that comes after others. Negative numbers among them are ignored.
func (s *schedule) add(t task, after ...int32) int32 {
	id := int32(len(s.tasks))
	if s.free.Latency && !t.round || s.free.Bytes && t.round {
		t.delay = 0
	}
	if s.free.Bytes {
		t.bytes = 0
	}
	for _, a := range after {
		if a >= 0 {
			s.tasks[a].next = append(s.tasks[a].next, id)
			t.waits++
		}
	}
	s.tasks = append(s.tasks, t)
	return id
}

// begin adds the first task of each member.
func (s *schedule) begin(delay float64) {
	for i := range s.last {
		s.last[i] = s.add(task{member: i, delay: picoseconds(delay)})
	}
}

// way is the route between two members: a link from the one and a link to the other, and between
// domains also a link from each domain and a link to it.
func (s *schedule) way(from, to int, out, in, netOut, netIn int32) []int32 {
	if a, b := s.domain[from], s.domain[to]; a != b {
		return []int32{netOut + int32(a), netIn + int32(b)}
	}
	return []int32{out + int32(from), in + int32(to)}
}

// runner is a schedule under way.
type runner struct {
	*schedule
	kernel  *sim.Kernel
	network *flow.Network
	self    sim.HandlerID
	ends    []sim.Time
	done    int
}

// Kinds of events.
const (
	arrives = iota // Arg: member
	ends           // Arg: task
)

// run runs the schedule; members begin at their arrivals.
func (s *schedule) run(arrivals []sim.Time) ([]sim.Time, error) {
	r := &runner{schedule: s, kernel: sim.NewKernel(), ends: make([]sim.Time, s.n)}
	r.self = r.kernel.Register(r)
	var err error
	if r.network, err = flow.NewNetwork(r.kernel, r, s.capacity, false); err != nil {
		return nil, err
	}
	for i := range s.n { // the first task of each member
		r.kernel.Schedule(arrivals[i], r.self, arrives, uint64(i))
	}
	r.kernel.Run()
	if r.done != len(s.tasks) {
		panic(fmt.Sprintf("gpus: %d of %d tasks of a schedule have ended", r.done, len(s.tasks)))
	}
	return r.ends, nil
}

// Handle implements sim.Handler.
func (r *runner) Handle(e sim.Event) {
	if e.Kind == arrives {
		r.start(int32(e.Arg))
		return
	}
	r.end(int32(e.Arg))
}

func (r *runner) start(id int32) {
	t := &r.tasks[id]
	if t.route == nil {
		r.kernel.Schedule(r.kernel.Now()+t.delay, r.self, ends, uint64(id))
		return
	}
	r.network.Start(flow.Flow{ID: uint32(id), Route: t.route, Bytes: t.bytes, Latency: t.delay})
}

func (r *runner) end(id int32) {
	r.done++
	t := &r.tasks[id]
	r.ends[t.member] = max(r.ends[t.member], r.kernel.Now())
	for _, n := range t.next {
		if r.tasks[n].waits--; r.tasks[n].waits == 0 {
			r.start(n)
		}
	}
}

// Sent implements network.Sink.
func (r *runner) Sent(uint32, sim.Time, sim.Time) {}

// Arrived implements network.Sink.
func (r *runner) Arrived(id uint32, _ sim.Time) { r.end(int32(id)) }
