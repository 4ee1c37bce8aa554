package traces

import (
	"math/rand/v2"
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// cluster is a machine with eager messages and rendezvous.
func cluster(threshold int64) *machines.Machine {
	return &machines.Machine{Name: "cluster", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 5 * sim.Microsecond, SendOverhead: network.Constant(sim.Microsecond), ReceiveOverhead: network.Constant(sim.Microsecond),
		Transfer: network.PerByte(1000), Rendezvous: threshold,
	}}
}

// direct is a program of operations, one step a rank.
type direct [][]programs.Op

func (p direct) Ranks() int       { return len(p) }
func (p direct) Phases() []string { return nil }
func (p direct) Step(rank, step int, do *programs.Ops) bool {
	if step == 0 {
		do.Add(p[rank]...)
	}
	return step == 0
}

// author writes a random program twice: as a trace, and as operations. What happens between
// ranks happens to all of them in one order, so that the program ends.
type author struct {
	r     *rand.Rand
	trace *Memory
	ops   []programs.Ops
	open  [][]int32 // requests of messages of each rank that nothing has waited for
	found [][]int32 // of them, those that tests have completed
}

func write(seed uint64) *author {
	r := rand.New(rand.NewPCG(seed, 1))
	n := 2 + r.IntN(6)
	a := &author{r: r, ops: make([]programs.Ops, n), open: make([][]int32, n), found: make([][]int32, n)}
	a.trace = &Memory{Head: Header{Ranks: n, Comms: []Comm{{}, {Ranks: []int32{int32(n - 1), 0}}}}, Ranks: make([][]Call, n)}
	events := []func(){a.test, a.message, a.message, a.started, a.started, a.exchange, a.probed, a.waits, a.collective, a.nearby}
	for range 5 + r.IntN(30) {
		events[r.IntN(len(events))]()
	}
	for rank := range n {
		a.wait(rank, a.open[rank])
		a.waitsForFound(rank)
	}
	return a
}

// call adds a call behind a computation.
func (a *author) call(rank int, c Call) {
	c.Before = sim.Time(a.r.IntN(3000)) * sim.Nanosecond
	a.ops[rank].Compute(machines.Task{Time: c.Before}, 1)
	a.trace.Ranks[rank] = append(a.trace.Ranks[rank], c)
}

// pair draws two ranks and a message.
func (a *author) pair() (from, to int, c Call) {
	p := a.r.Perm(len(a.ops))
	return p[0], p[1], Call{Tag: int32(a.r.IntN(3)), Bytes: int64(a.r.IntN(3000))}
}

func (a *author) test() {
	rank, _, _ := a.pair()
	a.call(rank, Call{Kind: Test, Tries: 3})
	a.ops[rank].Test(0)
}

func (a *author) message() {
	from, to, c := a.pair()
	c.Kind, c.Peer = Send, int32(to)
	a.call(from, c)
	a.ops[from].Send(to, c.Bytes, int(c.Tag))
	a.waitsForFound(from)
	c.Kind, c.Peer = Recv, int32(from)
	a.call(to, c)
	a.ops[to].Recv(from, c.Bytes, int(c.Tag))
	a.waitsForFound(to)
}

// started is a message that both sides wait for later.
func (a *author) started() {
	from, to, c := a.pair()
	c.Kind, c.Peer, c.Request = Isend, int32(to), a.request(from)
	a.call(from, c)
	a.ops[from].Isend(to, c.Bytes, int(c.Tag), 100+int(c.Request))
	c.Kind, c.Peer, c.Request = Irecv, int32(from), a.request(to)
	a.call(to, c)
	a.ops[to].Irecv(from, c.Bytes, int(c.Tag), 100+int(c.Request))
}

// request is a number that a rank does not use.
func (a *author) request(rank int) int32 {
	for n := int32(0); ; n++ {
		if !slices.Contains(a.open[rank], n) && !slices.Contains(a.found[rank], n) {
			a.open[rank] = append(a.open[rank], n)
			return n
		}
	}
}

// waits waits for all that all ranks have started.
func (a *author) waits() {
	for rank := range a.ops {
		a.wait(rank, a.open[rank])
	}
}

func (a *author) wait(rank int, requests []int32) {
	kind, tries := []CallKind{Wait, WaitAny, WaitSome, Test}[a.r.IntN(4)], int64(a.r.IntN(2))
	if kind != WaitAny {
		a.call(rank, Call{Kind: kind, Requests: requests, Tries: tries})
	}
	if kind == Test && (tries == 0 || len(requests) == 0) {
		if tries > 0 || len(requests) > 0 { // else none is active, and nothing happens
			a.ops[rank].Test(0)
		}
		a.found[rank] = append(a.found[rank], requests...)
		a.open[rank] = nil
		return
	}
	for _, request := range requests {
		if kind == WaitAny {
			a.call(rank, Call{Kind: kind, Requests: []int32{request}})
		}
		a.ops[rank].Wait(100 + int(request))
		if kind == WaitAny {
			a.waitsForFound(rank)
		}
	}
	if kind != WaitAny {
		a.waitsForFound(rank)
	}
	a.open[rank] = nil
}

// waitsForFound waits, at the end of a call that waits, for what tests have completed.
func (a *author) waitsForFound(rank int) {
	for _, request := range a.found[rank] {
		a.ops[rank].Wait(100 + int(request))
	}
	a.found[rank] = nil
}

// exchange is a Sendrecv of all ranks around a ring; at the ends of an open one there is no peer.
func (a *author) exchange() {
	n, closed, bytes := len(a.ops), a.r.IntN(2) == 0, int64(a.r.IntN(3000))
	for rank := range n {
		c := Call{Kind: Sendrecv, Peer: int32((rank + 1) % n), From: int32((rank + n - 1) % n), Tag: 7, FromTag: 7, Bytes: bytes, In: bytes}
		if !closed && rank == 0 {
			c.From = Nobody
		}
		if !closed && rank == n-1 {
			c.Peer = Nobody
		}
		a.call(rank, c)
		if c.From != Nobody {
			a.ops[rank].Irecv(int(c.From), bytes, 7, 1)
		}
		if c.Peer != Nobody {
			a.ops[rank].Isend(int(c.Peer), bytes, 7, 0)
			a.ops[rank].Wait(0)
		}
		if c.From != Nobody {
			a.ops[rank].Wait(1)
		}
		a.waitsForFound(rank)
	}
}

// probed is a message that is probed for, twice, and then received.
func (a *author) probed() {
	from, to, c := a.pair()
	c.Tag = 9
	c.Kind, c.Peer = Send, int32(to)
	a.call(from, c)
	a.ops[from].Send(to, c.Bytes, 9)
	a.waitsForFound(from)
	c.Peer = int32(from)
	c.Kind = Probe
	a.call(to, c)
	a.ops[to].Recv(from, c.Bytes, 9)
	a.waitsForFound(to)
	for _, c.Kind = range []CallKind{Probe, Recv} {
		a.call(to, c)
	}
}

// collective is one that all members call.
func (a *author) collective() {
	comm := int32(a.r.IntN(2))
	ranks := &a.trace.Head.Comms[comm]
	n := ranks.Size(len(a.ops))
	c := Call{Comm: comm, Bytes: int64(n) * int64(a.r.IntN(1000))}
	c.Kind = []CallKind{Barrier, Broadcast, Reduce, Allreduce, Allgather, Alltoall, Gather, Scatter, Scan, Make}[a.r.IntN(10)]
	of := c.Kind.Collective()
	g := collectives.Group{Ranks: n, Bytes: c.Bytes, Rank: ranks.Rank, Tag: 1000 + int(comm)}
	if c.Kind.uses(fieldPeer) {
		g.Root = a.r.IntN(n)
		c.Peer = int32(ranks.Rank(g.Root))
	}
	if c.Kind == Make {
		of, g.Bytes = collectives.Allreduce, makeBytes
	}
	by, err := collectives.LibraryNamed("mpich-4").Choose(of, &g)
	if err != nil {
		panic(err)
	}
	for g.Me = range n {
		rank := ranks.Rank(g.Me)
		a.call(rank, c)
		by.Call(g, &a.ops[rank])
		a.waitsForFound(rank)
	}
}

// nearby is a neighbourhood: each rank sends to the next two and gets from the last two.
func (a *author) nearby() {
	n := len(a.ops)
	for rank := range n {
		c := Call{Kind: NeighbourExchange, Out: []int64{10, 20}, Into: []int64{10, 20},
			Sinks:   []int32{int32((rank + 1) % n), int32((rank + 2) % n)},
			Sources: []int32{int32((rank + n - 1) % n), int32((rank + n - 2) % n)}}
		a.call(rank, c)
		for i, from := range c.Sources {
			a.ops[rank].Irecv(int(from), c.Into[i], 500, i)
		}
		for i, to := range c.Sinks {
			a.ops[rank].Isend(int(to), c.Out[i], 500, 2+i)
		}
		for request := range 4 {
			a.ops[rank].Wait(request)
		}
		a.waitsForFound(rank)
	}
}

// lists are the operations of all ranks.
func (a *author) lists() (p direct) {
	for rank := range a.ops {
		p = append(p, a.ops[rank].List())
	}
	return p
}
