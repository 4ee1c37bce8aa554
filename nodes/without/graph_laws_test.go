package without

import (
	"slices"
	"testing"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// drawn draws a small graph with all that causes change. On a plain one nothing shares SMs, memory or links.
func drawn(t *rapid.T, plain bool) *streams.Graph {
	small := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	g := &streams.Graph{Kinds: []string{"a"}, Links: []string{"x"}, Apart: plain}
	for range 1 + small("devices", 2) {
		d := streams.Device{SMs: int32(2 + small("SMs", 6)), Delay: sim.Time(small("delay", 3)), Ahead: int(small("ahead", 5)),
			Streams: []streams.Stream{{}, {Priority: int(small("priority", 1))}}}
		if !plain {
			d.Bandwidth = small("bandwidth", 3) * 10
		}
		g.Devices = append(g.Devices, d)
	}
	for range 1 + small("operations", 9) {
		if small("collective", 2) > 0 {
			g.Ops = append(g.Ops, drawnOp(t, g, int32(small("device", int64(len(g.Devices)-1))), 0))
			continue
		}
		c := streams.Collective{Latency: sim.Time(small("latency", 9)), Transfer: 1 + sim.Time(small("transfer", 20)),
			Way: streams.Way(small("way", 2)), Whole: small("whole", 3) == 0}
		if c.Whole {
			c.Transfer, c.Latency = c.Transfer+c.Latency, 0
		}
		if c.Compute = min(c.Transfer, sim.Time(max(0, small("compute", 9)-5))); !plain {
			c.Link = int32(small("link", 1))
		}
		g.Collectives = append(g.Collectives, c)
		first := int32(len(g.Ops))
		for d := range g.Devices {
			o := drawnOp(t, g, int32(d), int32(len(g.Collectives)))
			earlier := func(n int32) bool { return n >= first }
			o.After, o.Wait = slices.DeleteFunc(o.After, earlier), slices.DeleteFunc(o.Wait, earlier)
			g.Ops = append(g.Ops, o)
		}
	}
	return g
}

func drawnOp(t *rapid.T, g *streams.Graph, device, collective int32) streams.Op {
	small := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	o := streams.Op{Device: device, Collective: collective, Launch: sim.Time(small("launch", 9)),
		Stream: int32(small("stream", 1)), Work: sim.Time(small("work", 90)), Demand: small("demand", 20)}
	if collective > 0 {
		o.Blocks, o.Work = int32(small("blocks", 2)), 0
	} else if o.Role = streams.Role(max(0, small("role", 6)-3)); o.Role == streams.Computes {
		if o.Blocks = int32(small("blocks", 20)); o.Blocks > 0 {
			o.Work++
		}
	}
	if n := len(g.Ops); n > 0 && small("after", 2) == 0 {
		o.After = append(o.After, int32(rapid.IntRange(0, n-1).Draw(t, "of")))
	}
	if n := len(g.Ops); n > 0 && small("wait", 4) == 0 {
		o.Wait = append(o.Wait, int32(rapid.IntRange(0, n-1).Draw(t, "for")))
	}
	return o
}

// present is the causes of a set that a graph has.
func present(g *streams.Graph, s Set) (has Set) {
	for i := range Causes {
		if one := Set(1 << i); one.In(s) && one.Streams(clone(g)) == nil {
			has |= one
		}
	}
	return has
}

// chain is the longest chain of a graph on which nothing slows anything else down: when each operation ends.
type chain struct {
	*streams.Graph
	ends   []sim.Time // -1: not known
	queues [][]int32
	places []int
}

func newChain(g *streams.Graph) *chain {
	c := &chain{Graph: g, ends: slices.Repeat([]sim.Time{-1}, len(g.Ops)), queues: make([][]int32, len(g.Devices)), places: make([]int, len(g.Ops))}
	for i := range g.Ops {
		d := g.Ops[i].Device
		c.places[i] = len(c.queues[d])
		c.queues[d] = append(c.queues[d], int32(i))
	}
	return c
}

// host is when the host has launched the operation at a place of its queue.
func (c *chain) host(device int32, place int) (at sim.Time) {
	if place < 0 {
		return 0
	}
	n := c.queues[device][place]
	at = c.host(device, place-1)
	for _, other := range c.Ops[n].Wait {
		at = max(at, c.end(other))
	}
	ahead := c.Devices[device].Ahead
	for before := place - 1; before >= 0 && c.Devices[device].Ahead > 0; before-- { // the one that is as many places before it in its stream
		other := c.queues[device][before]
		if c.Ops[other].Stream != c.Ops[n].Stream {
			continue
		}
		if ahead--; ahead == 0 {
			at = max(at, c.end(other))
		}
	}
	return at + c.Ops[n].Launch
}

// ready is when all that an operation waits for has happened.
func (c *chain) ready(n int32) sim.Time {
	o := &c.Ops[n]
	at := c.host(o.Device, c.places[n]) + c.Devices[o.Device].Delay
	for _, other := range o.After {
		at = max(at, c.end(other))
	}
	for place := c.places[n] - 1; place >= 0; place-- {
		if before := c.queues[o.Device][place]; c.Ops[before].Stream == o.Stream {
			return max(at, c.end(before))
		}
	}
	return at
}

func (c *chain) end(n int32) sim.Time {
	if c.ends[n] >= 0 {
		return c.ends[n]
	}
	o := &c.Ops[n]
	at := c.ready(n)
	if o.Collective == 0 {
		waves := sim.Time(1)
		if o.Blocks > 0 {
			waves = sim.Time((o.Blocks + c.Devices[o.Device].SMs - 1) / c.Devices[o.Device].SMs)
		}
		at += waves * o.Work
	} else {
		for i := range c.Ops {
			if c.Ops[i].Collective == o.Collective {
				at = max(at, c.ready(int32(i)))
			}
		}
		at += c.Collectives[o.Collective-1].Latency + c.Collectives[o.Collective-1].Transfer
	}
	c.ends[n] = at
	return at
}

// A run in which nothing slows anything else down ends with its longest chain of kernels, communication and launches,
// regardless of what is taken away from it: without communication, of kernels and launches.
func TestChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t, true)
		if _, err := streams.Run(clone(g)); err != nil {
			t.Skip("it does not end")
		}
		s := present(g, Set(rapid.Uint32Range(0, 1<<len(Causes)-1).Draw(t, "causes")))
		r := onStreams(t, s, g)
		left := clone(g)
		must.Do(t, s.Streams(left))
		c := newChain(left)
		for n := range left.Ops {
			if c.end(int32(n)) != r.Ends[n] {
				t.Fatalf("without %v operation %d ends at %d, its longest chain at %d", s, n, r.Ends[n], c.end(int32(n)))
			}
		}
	})
}

// A cause that is taken away twice is taken away once, and the order does not matter.
func TestOrderOnGPUs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t, false)
		if _, err := streams.Run(clone(g)); err != nil {
			t.Skip("it does not end")
		}
		s := present(g, Set(rapid.Uint32Range(0, 1<<len(Causes)-1).Draw(t, "causes")))
		first, again := clone(g), clone(g)
		must.Do(t, s.Streams(first))
		want, err := streams.Run(first)
		if err != nil {
			t.Skip("collectives that hold SMs block each other")
		}
		all := s.all()
		slices.Reverse(all)
		for _, c := range append(all, s.Less(Imbalance).all()...) { // a mean of rounded times is rounded again
			c.GPUs.take(graph{again})
		}
		graph{again}.idle()
		if r, err := streams.Run(again); err != nil || !slices.Equal(r.Ends, want.Ends) {
			t.Fatalf("without %v operations end at %d, in the other order at %d (%v)", s, want.Ends, r.Ends, err)
		}
	})
}

// pathShare is how much of a critical path a cause has at most, where nothing slows anything else down.
func pathShare(g *streams.Graph, r *streams.Result, cause string) (sum sim.Time) {
	for _, p := range r.Critical() {
		o, time := &g.Ops[p.Op], p.End-p.Start
		if p.Launch {
			if slices.Contains([]string{"launches", "overhead", "communication", "computation"}, cause) {
				sum += time
			}
			continue
		}
		var c streams.Collective
		if o.Collective > 0 {
			c = g.Collectives[o.Collective-1]
		}
		switch cause {
		case "communication":
			if o.Collective > 0 {
				sum += time - c.Compute
			} else if o.Role == streams.Lingers {
				sum += time
			}
		case "computation":
			if sum += c.Compute; o.Collective == 0 && o.Role != streams.Lingers {
				sum += time
			}
		case "latency":
			if !c.Whole {
				sum += c.Latency
			}
		case "bandwidth":
			if o.Collective > 0 && !c.Whole {
				sum += c.Transfer - c.Compute
			}
		case "collectives":
			if o.Collective > 0 && c.Way == streams.Together {
				sum += time - c.Compute
			}
		case "launches":
			if o.Collective == 0 && o.Role == streams.Hosts {
				sum += time
			}
		}
	}
	return sum
}

// Where nothing slows anything else down, the absence of a cause saves no more than its share of the critical path, and no cause makes
// the run slower. Launches are bound to this only if hosts may be as far ahead as they like, as they are then.
func TestShareOfThePath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t, true)
		for i := range g.Devices {
			g.Devices[i].Ahead, g.Devices[i].Delay = 0, 0
		}
		r, err := streams.Run(clone(g))
		if err != nil {
			t.Skip("it does not end")
		}
		for _, name := range []string{"communication", "computation", "latency", "bandwidth", "collectives", "launches", "overhead"} {
			s, _ := Of(name)
			if present(g, s) == 0 {
				continue
			}
			saves, share := r.Makespan-onStreams(t, s, g).Makespan, pathShare(g, r, name)
			if saves < 0 || saves > share {
				t.Fatalf("without %s the run saves %d, its share of the path is %d", name, saves, share)
			}
		}
	})
}
