package ti

import (
	"fmt"
	"slices"

	"overlapsim/sim"
	"overlapsim/workloads/traces"
)

// converter turns the actions of a rank into calls.
type converter struct {
	rank, ranks int
	rate        float64 // flops per second
	before      sim.Time
	open        []request // oldest first
	numbers     traces.Requests
}

// request is an open request, with the message that it is for.
type request struct {
	from, to, tag int
	number        int32
}

// plain are the kinds of calls that do nothing but start a message or a collective.
var plain = map[ActionKind]traces.CallKind{
	Send: traces.Send, Isend: traces.Isend, Recv: traces.Recv, Irecv: traces.Irecv, SendRecv: traces.Sendrecv, Wait: traces.Wait,
	Test: traces.Test, Waitall: traces.Wait, Barrier: traces.Barrier, Broadcast: traces.Broadcast, Reduce: traces.Reduce,
	Allreduce: traces.Allreduce, Alltoall: traces.Alltoall, Alltoallv: traces.Alltoall, Gather: traces.Gather, Gatherv: traces.Gather,
	Allgather: traces.Allgather, Allgatherv: traces.Allgather, Scatter: traces.Scatter, Scatterv: traces.Scatter,
	ReduceScatter: traces.ReduceScatter, Scan: traces.Scan, Exscan: traces.Scan,
}

// call fills in the call of an action, and tells whether the action is a call. The error says
// what is wrong with the action.
func (c *converter) call(a *Action, to *traces.Call) (ok bool, err error) {
	kind, ok := plain[a.Kind]
	if !ok {
		return false, c.spend(a)
	}
	*to = traces.Call{Kind: kind, Before: c.before, Request: traces.NoRequest, Requests: to.Requests[:0]}
	c.before = 0
	switch a.Kind {
	case Send, Isend, Recv, Irecv, SendRecv:
		c.message(a, to)
	case Wait, Test:
		err = c.wait(a, to)
	case Waitall:
		c.waitAll(to)
	default:
		err = c.collective(a, to)
	}
	return true, err
}

// spend adds what a rank computes before its next call.
func (c *converter) spend(a *Action) error {
	t := sim.Seconds(a.Seconds)
	if a.Flops > 0 {
		if c.rate == 0 {
			return traces.ErrFlopRate
		}
		t = sim.Seconds(a.Flops / c.rate)
	}
	if c.before = sim.Later(c.before, t); c.before >= sim.Forever {
		return fmt.Errorf("the computation before it takes longer than a run may")
	}
	return nil
}

// end fills in the end of the rank.
func (c *converter) end(to *traces.Call) {
	*to = traces.Call{Kind: traces.End, Before: c.before, Request: traces.NoRequest, Requests: to.Requests[:0]}
}

func (c *converter) message(a *Action, to *traces.Call) {
	to.Tag, to.Bytes = int32(a.Tag), a.Sends
	switch a.Kind {
	case Recv, Irecv:
		to.Peer, to.Bytes = int32(a.From), max(0, a.Receives)
	case SendRecv:
		to.From, to.In = int32(a.From), a.Receives
		fallthrough
	default:
		to.Peer = int32(a.To)
	}
	if a.Kind == Isend || a.Kind == Irecv {
		to.Request = c.numbers.Take()
		c.open = append(c.open, request{a.From, a.To, a.Tag, to.Request})
	}
}

func (c *converter) wait(a *Action, to *traces.Call) error {
	at := slices.IndexFunc(c.open, func(r request) bool { return r.from == a.From && r.to == a.To && r.tag == a.Tag })
	if at < 0 {
		return fmt.Errorf("no request of rank %d is open for a message from %d to %d with tag %d", c.rank, a.From, a.To, a.Tag)
	}
	if a.Kind == Test {
		to.Tries, to.Among = 1, 1
		return nil
	}
	to.Requests = append(to.Requests, c.open[at].number)
	c.numbers.Return(c.open[at].number)
	c.open = slices.Delete(c.open, at, at+1)
	return nil
}

func (c *converter) waitAll(to *traces.Call) {
	for _, r := range c.open {
		to.Requests = append(to.Requests, r.number)
		c.numbers.Return(r.number)
	}
	c.open = c.open[:0]
}

// collective fills in a collective. Its bytes are the bytes of the vector, or of the blocks of all
// ranks together.
func (c *converter) collective(a *Action, to *traces.Call) error {
	to.Peer, to.Bytes = int32(a.Root), a.Sends
	all := int64(c.ranks)
	switch a.Kind {
	case Gather, Allgather, Alltoall:
		to.Bytes = all * a.Sends
	case Scatter:
		if to.Bytes = all * a.Receives; c.rank == a.Root {
			to.Bytes = all * a.Sends
		}
	case Gatherv, Allgatherv:
		to.Uneven, to.Into, to.Bytes = true, a.In, sum(a.In)
	case Alltoallv:
		to.Uneven, to.Out, to.Into, to.Bytes = true, a.Out, a.In, sum(a.Out)
	case Scatterv:
		to.Uneven, to.Out, to.Bytes = true, a.Out, sum(a.Out)
	case ReduceScatter:
		to.Uneven, to.Out, to.Bytes = true, a.In, sum(a.In)
	}
	return c.spend(&Action{Flops: a.Flops})
}

func sum(sizes []int64) (all int64) {
	for _, s := range sizes {
		all += s
	}
	return all
}
