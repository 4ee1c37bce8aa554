package streams

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
)

// mostMistakes is the number of mistakes of a graph that an error lists.
const mostMistakes = 10

// Wrong says why a graph cannot run. It holds at least one mistake.
type Wrong struct{ Mistakes []error }

func (w *Wrong) Error() string { return errors.Join(w.Mistakes...).Error() }

// Check returns all mistakes of a graph as *Wrong, with the names of its operations.
func (g *Graph) Check() error {
	_, err := g.checked()
	return err
}

// checked lays a graph out, if it has no mistakes.
func (g *Graph) checked() (*laid, error) {
	c := checker{Graph: g}
	for i := range g.Devices {
		d := &g.Devices[i]
		if d.SMs < 1 || d.Bandwidth < 0 || d.Delay < 0 || d.Begins < 0 || d.Ahead < 0 {
			c.wrong("GPU %s: SMs must be positive, bandwidth, delay and launches ahead must not be negative", d.Name)
		}
	}
	for i := range g.Ops {
		c.op(int32(i))
	}
	if c.errs != nil {
		return nil, &Wrong{c.errs}
	}
	l := lay(g)
	if c.members(l); c.errs != nil {
		return nil, &Wrong{c.errs}
	}
	return l, nil
}

// members checks that the members of a collective are on different GPUs.
func (c *checker) members(l *laid) {
	var one [1]int32
	l.members = listsOf(len(c.Collectives), len(l.joins), func(n int) []int32 {
		one[0] = l.joins[n] - 1
		return one[:min(1, l.joins[n])]
	})
	newest := make([]int32, len(c.Devices)) // the latest collective of each GPU, counted from 1
	for i := range int32(len(c.Collectives)) {
		members := l.members.of(i)
		for _, n := range members {
			d := l.devices[n]
			if newest[d] == i+1 {
				c.wrong("%s: GPU %s is in the collective twice", l.op(n).Name, l.nameOf(n))
			}
			newest[d] = i + 1
		}
		c.collective(int(i), len(members))
	}
}

type checker struct {
	*Graph
	errs []error
}

func (c *checker) wrong(format string, args ...any) {
	if len(c.errs) < mostMistakes {
		c.errs = append(c.errs, fmt.Errorf(format, args...))
	}
}

// op checks an operation.
func (c *checker) op(i int32) {
	o := &c.Ops[i]
	if o.Device < 0 || int(o.Device) >= len(c.Devices) {
		c.wrong("%s: there is no GPU %d", o.Name, o.Device)
		return
	}
	d := &c.Devices[o.Device]
	if o.Stream < 0 || int(o.Stream) >= len(d.Streams) {
		c.wrong("%s: GPU %s has no stream %d", o.Name, d.Name, o.Stream)
	}
	if int(o.Kind) >= len(c.Kinds) {
		c.wrong("%s: there is no kind %d", o.Name, o.Kind)
	}
	for _, list := range [][]int32{o.After, o.Wait} {
		for _, other := range list {
			if other < 0 || int(other) >= len(c.Ops) || other == i {
				c.wrong("%s: it cannot come after operation %d", o.Name, other)
			}
		}
	}
	c.amounts(o)
	if o.Collective != 0 {
		c.member(o)
	}
}

// amounts checks the numbers of an operation.
func (c *checker) amounts(o *Op) {
	switch {
	case o.Work > machines.Longest:
		c.wrong("%s takes %v%s, a run at most %v", o.Name, o.Work, each(o.Blocks), machines.Longest)
	case o.Blocks < 0 || o.Work < 0 || o.Demand < 0 || o.Demand > MostDemand || o.Incoming < 0 || o.Incoming > MostDemand || o.Launch < 0:
		c.wrong("%s: blocks %d, work %v, demand %d, incoming %d, launch %v are not all within bounds", o.Name, o.Blocks, o.Work, o.Demand, o.Incoming, o.Launch)
	case o.Blocks > 0 && o.Work == 0 && o.Collective == 0:
		c.wrong("%s: its %d blocks have no work", o.Name, o.Blocks)
	}
}

// each returns words saying that a time holds for one block, if there are blocks.
func each(blocks int32) string {
	if blocks == 0 {
		return ""
	}
	return fmt.Sprintf(" for each of its %d blocks", blocks)
}

// MostDemand is the largest number of bytes per second that a block may move.
const MostDemand = 1 << 50

func (c *checker) member(o *Op) {
	n := o.Collective - 1
	switch {
	case n < 0 || int(n) >= len(c.Collectives):
		c.wrong("%s: there is no collective %d", o.Name, o.Collective)
	case o.Blocks > c.Devices[o.Device].SMs:
		c.wrong("%s: its %d blocks must be resident together, GPU %s has %d SMs",
			o.Name, o.Blocks, c.Devices[o.Device].Name, c.Devices[o.Device].SMs)
	default:
		if k := &c.Collectives[n]; o.Blocks > 0 && k.Latency+k.Transfer == 0 {
			c.wrong("%s: its collective takes no time", o.Name)
		}
	}
}

func (c *checker) collective(i, members int) {
	k := &c.Collectives[i]
	if members == 0 {
		c.wrong("collective %d has no members", i+1)
	}
	if k.Latency < 0 || k.Transfer < 0 || k.Latency > machines.Longest || k.Transfer > machines.Longest {
		c.wrong("collective %d takes %v, and %v for its bytes; a run takes at most %v", i+1, k.Latency, k.Transfer, machines.Longest)
	}
	for _, f := range k.Flows {
		if f.From < 0 || f.To < 0 || f.Bytes < 0 {
			c.wrong("collective %d sends %d bytes from %d to %d", i+1, f.Bytes, f.From, f.To)
		}
	}
	if k.Link < 0 || int(k.Link) > len(c.Links) {
		c.wrong("collective %d: there is no link %d", i+1, k.Link)
	}
}
