package streams

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"testing"

	"overlapsim/sim"

	"pgregory.net/rapid"
)

// slow is the obvious version of the rules: it simulates every block by itself, in exact
// arithmetic, and looks at everything again at every instant.
type slow struct {
	*Graph
	now    sim.Time
	ops    []slowOp
	hosts  []slowHost
	groups []slowGroup
}

type slowOp struct {
	launched sim.Time // -1: not yet
	ready    sim.Time // -1: not yet
	start    sim.Time
	end      sim.Time // -1: not yet
	waiting  int32
	blocks   []*big.Int // work left of those on SMs, in 2^-32 ps
	until    sim.Time   // of an operation without blocks
}

type slowHost struct {
	queue []int
	next  int
	free  sim.Time
}

type slowGroup struct {
	begun sim.Time // -1: not yet
	left  *big.Int // of the transfer; nil: not begun
	over  bool
}

var one = new(big.Int).Lsh(big.NewInt(1), 32) // speed 1, and the work of a picosecond

func newSlow(g *Graph) *slow {
	s := &slow{Graph: g, ops: make([]slowOp, len(g.Ops)), hosts: make([]slowHost, len(g.Devices)),
		groups: make([]slowGroup, len(g.Collectives))}
	for i := range s.ops {
		s.ops[i] = slowOp{launched: -1, ready: -1, start: -1, end: -1, waiting: g.Ops[i].Blocks, until: -1}
		h := &s.hosts[g.Ops[i].Device]
		h.queue = append(h.queue, i)
	}
	for i := range s.groups {
		s.groups[i].begun = -1
	}
	return s
}

// run returns whether all operations end.
func (s *slow) run() bool {
	for {
		for s.launch() || s.finish() || s.prepare() {
		}
		s.place()
		next := s.next()
		if next == sim.Forever {
			break
		}
		s.move(next - s.now)
		s.now = next
	}
	return !slices.ContainsFunc(s.ops, func(o slowOp) bool { return o.end < 0 })
}

func (s *slow) ended(list []int32) bool {
	return !slices.ContainsFunc(list, func(n int32) bool { return s.ops[n].end < 0 })
}

func (s *slow) launch() bool {
	for d := range s.hosts {
		h := &s.hosts[d]
		if h.free > s.now || h.next == len(h.queue) {
			continue
		}
		n, ahead := h.queue[h.next], s.Devices[d].Ahead
		if !s.ended(s.Ops[n].Wait) || ahead > 0 && s.behind(h.queue[:h.next], s.Ops[n].Stream) >= ahead {
			continue
		}
		h.free = s.now + s.Ops[n].Launch
		s.ops[n].launched = h.free + s.Devices[d].Delay
		h.next++
		return true
	}
	return false
}

// behind is how many of the launched operations of a GPU are in a stream and have not ended.
func (s *slow) behind(launched []int, stream int32) (n int) {
	for _, i := range launched {
		if s.Ops[i].Stream == stream && s.ops[i].end < 0 {
			n++
		}
	}
	return n
}

// finish ends one operation, or collective, that is done.
func (s *slow) finish() bool {
	for i := range s.ops {
		o := &s.ops[i]
		if o.end >= 0 || o.ready < 0 || s.Ops[i].Collective > 0 {
			continue
		}
		n := len(o.blocks)
		o.blocks = slices.DeleteFunc(o.blocks, func(left *big.Int) bool { return left.Sign() <= 0 })
		if s.Ops[i].Blocks == 0 && s.now >= o.until || n > 0 && len(o.blocks) == 0 && o.waiting == 0 {
			o.end = s.now
			return true
		}
	}
	for k := range s.groups {
		g := &s.groups[k]
		if g.left != nil && g.left.Sign() <= 0 && !g.over {
			g.over = true
			for i := range s.ops {
				if int(s.Ops[i].Collective) == k+1 {
					s.ops[i].end, s.ops[i].blocks = s.now, nil
				}
			}
			return true
		}
	}
	return s.begin()
}

// begin lets a collective begin whose members have all arrived, or its transfer.
func (s *slow) begin() bool {
	for k := range s.groups {
		g := &s.groups[k]
		missing := false
		for i := range s.ops {
			o := &s.ops[i]
			if int(s.Ops[i].Collective) == k+1 && (o.ready < 0 || o.waiting > 0) {
				missing = true
			}
		}
		if missing || g.left != nil {
			continue
		}
		if g.begun < 0 {
			g.begun = s.now
		}
		if s.now >= g.begun+s.Collectives[k].Latency {
			g.left = new(big.Int).Mul(one, big.NewInt(int64(s.Collectives[k].Transfer)))
			return true
		}
	}
	return false
}

// prepare makes one operation ready.
func (s *slow) prepare() bool {
	for i := range s.ops {
		o := &s.ops[i]
		if o.ready >= 0 || o.launched < 0 || o.launched > s.now || !s.ended(s.Ops[i].After) {
			continue
		}
		before := -1
		for j := range i {
			if s.Ops[j].Device == s.Ops[i].Device && s.Ops[j].Stream == s.Ops[i].Stream {
				before = j
			}
		}
		if before >= 0 && s.ops[before].end < 0 {
			continue
		}
		o.ready, o.until = s.now, s.now+s.Ops[i].Work
		return true
	}
	return false
}

// on returns the operations of a device that are ready and have blocks, the first to get SMs first.
func (s *slow) on(d int) (all []int) {
	for i := range s.ops {
		if int(s.Ops[i].Device) == d && s.ops[i].ready >= 0 && s.ops[i].end < 0 && s.Ops[i].Blocks > 0 {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b int) int {
		x, y := s.Devices[d].Streams[s.Ops[a].Stream].Priority, s.Devices[d].Streams[s.Ops[b].Stream].Priority
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(s.ops[a].ready, s.ops[b].ready), s.order(int32(a), int32(b)))
	})
	return all
}

func (s *slow) place() {
	for d := range s.Devices {
		free := int(s.Devices[d].SMs)
		for _, i := range s.on(d) {
			free -= len(s.ops[i].blocks)
		}
		for _, i := range s.on(d) {
			o := &s.ops[i]
			if s.Apart {
				free = int(s.Devices[d].SMs) - len(o.blocks)
			}
			for ; free > 0 && o.waiting > 0; free-- {
				o.waiting--
				o.blocks = append(o.blocks, new(big.Int).Mul(one, big.NewInt(int64(s.Ops[i].Work))))
				if o.start < 0 {
					o.start = s.now
				}
			}
		}
	}
	for s.begin() {
	}
}

func (s *slow) transferring(i int) bool {
	k := s.Ops[i].Collective
	return k > 0 && s.groups[k-1].left != nil && !s.groups[k-1].over
}

// speed is the speed of the blocks of an operation, times 2^32, rounded up.
func (s *slow) speed(i int) *big.Int {
	d := int(s.Ops[i].Device)
	var demands []int64
	incoming, memory := int64(0), s.Devices[d].Bandwidth
	for _, j := range s.on(d) {
		if s.Apart && j != i {
			continue
		}
		if s.transferring(j) {
			incoming += s.Ops[j].Incoming / s.sharing(int(s.Ops[j].Collective)-1)
		}
		for range s.ops[j].blocks {
			demands = append(demands, s.asks(j))
		}
	}
	if memory == 0 {
		return one
	}
	level := levelBySearch(demands, memory-min(incoming, memory/2))
	if s.asks(i) <= level {
		return one
	}
	return quotientUp(new(big.Int).Mul(one, big.NewInt(level)), big.NewInt(s.asks(i)))
}

// asks is what a block asks of the memory.
func (s *slow) asks(i int) int64 {
	if s.Ops[i].Collective == 0 {
		return s.Ops[i].Demand
	}
	if !s.transferring(i) {
		return 0
	}
	return s.Ops[i].Demand / s.sharing(int(s.Ops[i].Collective)-1)
}

// levelBySearch is the largest share for each with which all together do not exceed the
// bandwidth.
func levelBySearch(demands []int64, bandwidth int64) int64 {
	all := func(level int64) (sum int64) {
		for _, d := range demands {
			sum += min(d, level)
		}
		return sum
	}
	low, high := int64(0), int64(1)<<40
	if all(high) <= bandwidth {
		return high
	}
	for low+1 < high {
		if middle := (low + high) / 2; all(middle) <= bandwidth {
			low = middle
		} else {
			high = middle
		}
	}
	return max(1, low)
}

func quotientUp(a, b *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// sharing is how many transfers share the link of a collective, at least 1.
func (s *slow) sharing(k int) (n int64) {
	for j := range s.groups {
		if s.groups[j].left != nil && !s.groups[j].over && s.Collectives[j].Link == s.Collectives[k].Link {
			n++
		}
	}
	if s.Collectives[k].Link == 0 {
		return 1
	}
	return max(1, n)
}

// linkSpeed is the speed of the transfer of a collective.
func (s *slow) linkSpeed(k int) *big.Int {
	pace := one
	for i := range s.Ops {
		if int(s.Ops[i].Collective) == k+1 && s.Ops[i].Blocks > 0 {
			if own := s.speed(i); own.Cmp(pace) < 0 {
				pace = own
			}
		}
	}
	return quotientUp(new(big.Int).Mul(quotientUp(one, big.NewInt(s.sharing(k))), pace), one)
}

// next returns the time of the next event.
func (s *slow) next() sim.Time {
	next := sim.Forever
	at := func(t sim.Time) {
		if t > s.now {
			next = min(next, t)
		}
	}
	after := func(left, speed *big.Int) { at(s.now + sim.Time(quotientUp(left, speed).Int64())) }
	for d := range s.hosts {
		at(s.hosts[d].free)
	}
	for i := range s.ops {
		o := &s.ops[i]
		at(o.launched)
		if o.ready >= 0 && o.end < 0 && s.Ops[i].Collective == 0 {
			if s.Ops[i].Blocks == 0 {
				at(o.until)
			}
			for _, left := range o.blocks {
				after(left, s.speed(i))
			}
		}
	}
	for k := range s.groups {
		if g := &s.groups[k]; g.left == nil && g.begun >= 0 {
			at(g.begun + s.Collectives[k].Latency)
		} else if g.left != nil && !g.over {
			after(g.left, s.linkSpeed(k))
		}
	}
	return next
}

// move does the work of a stretch of time.
func (s *slow) move(time sim.Time) {
	speeds := make([]*big.Int, len(s.ops))
	for i := range s.ops {
		speeds[i] = s.speed(i)
	}
	links := make([]*big.Int, len(s.groups))
	for k := range s.groups {
		links[k] = s.linkSpeed(k)
	}
	for i := range s.ops {
		if s.Ops[i].Collective == 0 {
			for _, left := range s.ops[i].blocks {
				left.Sub(left, new(big.Int).Mul(speeds[i], big.NewInt(int64(time))))
			}
		}
	}
	for k := range s.groups {
		if g := &s.groups[k]; g.left != nil && !g.over {
			g.left.Sub(g.left, new(big.Int).Mul(links[k], big.NewInt(int64(time))))
		}
	}
}

// randomGraph draws a small graph in which many events coincide.
func randomGraph(t *rapid.T) *Graph {
	small := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	g := &Graph{Kinds: []string{"a", "b"}, Links: []string{"x"}, Apart: small("apart", 3) == 0,
		Ties: uint64(max(0, small("ties", 5)-3))}
	for range 1 + small("devices", 2) {
		d := Device{SMs: int32(2 + small("SMs", 6)), Bandwidth: small("bandwidth", 3) * 10, Delay: sim.Time(small("delay", 3)),
			Ahead: int(small("ahead", 5))}
		for range 1 + small("streams", 2) {
			d.Streams = append(d.Streams, Stream{Priority: int(small("priority", 1))})
		}
		g.Devices = append(g.Devices, d)
	}
	for range 1 + small("operations", 9) {
		if small("collective", 3) > 0 {
			g.Ops = append(g.Ops, randomOp(t, g, rapid.IntRange(0, len(g.Devices)-1).Draw(t, "device"), 0))
			continue
		}
		g.Collectives = append(g.Collectives,
			Collective{Latency: sim.Time(small("latency", 4)), Transfer: 1 + sim.Time(small("transfer", 20)), Link: int32(small("link", 1))})
		first := len(g.Ops)
		for d := range g.Devices {
			o := randomOp(t, g, d, int32(len(g.Collectives)))
			o.After = slices.DeleteFunc(o.After, func(n int32) bool { return int(n) >= first })
			o.Wait = slices.DeleteFunc(o.Wait, func(n int32) bool { return int(n) >= first })
			g.Ops = append(g.Ops, o)
		}
	}
	return g
}

func randomOp(t *rapid.T, g *Graph, device int, collective int32) Op {
	small := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	o := Op{Device: int32(device), Collective: collective, Kind: uint8(small("kind", 1)), Launch: sim.Time(small("launch", 5)),
		Demand: small("demand", 20), Incoming: small("incoming", 8)}
	o.Stream = int32(rapid.IntRange(0, len(g.Devices[device].Streams)-1).Draw(t, "stream"))
	if o.Blocks = int32(small("blocks", 40)); collective > 0 {
		o.Blocks %= g.Devices[device].SMs
	}
	o.Work = sim.Time(small("work", 20))
	if o.Blocks > 0 {
		o.Work++
	}
	if n := len(g.Ops); n > 0 && small("after", 2) == 0 {
		o.After = append(o.After, int32(rapid.IntRange(0, n-1).Draw(t, "of")))
	}
	if n := len(g.Ops); n > 0 && small("wait", 4) == 0 {
		o.Wait = append(o.Wait, int32(rapid.IntRange(0, n-1).Draw(t, "for")))
	}
	return o
}

// TestAgainstSlow compares all times with the times of the slow version.
func TestAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		r, err := Run(g)
		s := newSlow(g)
		if all := s.run(); all != (err == nil) {
			t.Fatalf("error %v, the slow version ends: %v", err, all)
		}
		if err != nil {
			return
		}
		for i := range g.Ops {
			if r.Ends[i] != s.ops[i].end {
				t.Fatalf("operation %d ends at %d, the slow version says %d", i, r.Ends[i], s.ops[i].end)
			}
			if g.Ops[i].Collective == 0 && g.Ops[i].Blocks > 0 && r.Starts[i] != s.ops[i].start {
				t.Fatalf("operation %d starts at %d, the slow version says %d", i, r.Starts[i], s.ops[i].start)
			}
		}
		checkPath(t, g, r)
		checkWithin(t, g, r)
	})
}

// checkWithin checks that a run is told to be late if it takes longer than is of interest, and only then.
func checkWithin(t *rapid.T, g *Graph, r *Result) {
	g.Within = r.Makespan
	if again, err := Run(g); g.Within > 0 && (err != nil || again.Makespan != r.Makespan) {
		t.Fatalf("within %d: %v, %v", g.Within, again, err)
	}
	g.Within = sim.Time(rapid.Int64Range(0, int64(r.Makespan)).Draw(t, "within"))
	var late Late
	if _, err := Run(g); errors.As(err, &late) != (g.Within > 0 && g.Within < r.Makespan) {
		t.Fatalf("within %d of %d: %v", g.Within, r.Makespan, err)
	}
}

// A run that is certain to be late is not begun: here each of two kernels takes three waves, and an all-reduce comes between them.
func TestLateBefore(t *testing.T) {
	g := &Graph{Kinds: []string{""}, Collectives: []Collective{{Latency: 5, Transfer: 20}}}
	for d := range int32(2) {
		g.Devices = append(g.Devices, Device{Name: "x", SMs: 10, Streams: []Stream{{}, {}}})
		kernel := Op{Device: d, Blocks: 21, Work: 10}
		g.Ops = append(g.Ops, kernel, Op{Device: d, Stream: 1, Collective: 1, After: []int32{3 * d}}, kernel)
		g.Ops[3*d+2].After = []int32{3*d + 1}
	}
	const all = 30 + 25 + 30
	for within, events := range map[sim.Time]bool{all: true, all - 1: false} {
		g.Within = within
		r, err := Run(g)
		var late Late
		if events && (err != nil || r.Makespan != all) || !events && (!errors.As(err, &late) || late.Events > 0) {
			t.Errorf("within %d: %+v, %v", within, r, err)
		}
	}
}
