package goal

// The patterns below are the schedules of the benchmarks; they also show how to build
// schedules. Fields that a pattern leaves out are 0: tags, CPUs, NICs.

// chain makes operations of a rank wait for one another.
type chain struct {
	a    *Assembler
	last int // last operation of the chain so far, -1: none
}

// aside makes an operation wait for all of the chain up to now.
func (c *chain) aside(op int) int {
	if c.last >= 0 {
		c.a.Require(op, c.last)
	}
	return op
}

// then appends an operation to the chain.
func (c *chain) then(op int) { c.last = c.aside(op) }

// shift sends to one rank and receives from another; the chain continues when the receive
// has ended.
func (c *chain) shift(bytes uint64, to, from int) {
	c.aside(c.a.Send(bytes, uint32(to), 0))
	c.then(c.a.Recv(bytes, uint32(from), 0))
}

// LinearAllToAll makes every rank send bytes to every other, the next rank first, and
// receive the same number from every other, all at once.
func LinearAllToAll(ranks int, bytes uint64) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		for d := 1; d < ranks; d++ {
			a.Send(bytes, uint32((r+d)%ranks), 0)
		}
		for d := 1; d < ranks; d++ {
			a.Recv(bytes, uint32((r+ranks-d)%ranks), 0)
		}
		a.EndRank()
	}
	return a.Schedule()
}

// Dissemination is the barrier of Hensgen, Finkel and Manber (1988): in round i
// every rank sends to the one 2^i above and receives from the one 2^i below.
func Dissemination(ranks int, bytes uint64) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		c := chain{a, -1}
		for d := 1; d < ranks; d *= 2 {
			c.shift(bytes, (r+d)%ranks, (r+ranks-d)%ranks)
		}
		a.EndRank()
	}
	return a.Schedule()
}

// RingAllReduce is the bandwidth-optimal all-reduce of Patarasuk and Yuan
// (2009): 2(ranks-1) shifts of bytes/ranks to the next rank.
func RingAllReduce(ranks int, bytes uint64) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		c := chain{a, -1}
		for range 2 * (ranks - 1) {
			c.shift(bytes/uint64(ranks), (r+1)%ranks, (r+ranks-1)%ranks)
		}
		a.EndRank()
	}
	return a.Schedule()
}

// Halo exchanges faces on a side x side x side grid that does not wrap, with one rank per
// cell. Every iteration computes, then shifts bytes in each of the six directions in
// turn: to the neighbour in that direction, from the opposite one.
func Halo(side, iterations int, bytes, computeNs uint64) (*Schedule, error) {
	ranks := side * side * side
	a := NewAssembler(ranks)
	for r := range ranks {
		c := chain{a, -1}
		for range iterations {
			c.then(a.Calc(computeNs))
			for step := 1; step < ranks; step *= side {
				at := r / step % side
				c.shiftWithin(bytes, r-step, at > 0, r+step, at < side-1)
				c.shiftWithin(bytes, r+step, at < side-1, r-step, at > 0)
			}
		}
		a.EndRank()
	}
	return a.Schedule()
}

// shiftWithin is shift on a grid where either neighbour may be missing.
func (c *chain) shiftWithin(bytes uint64, to int, send bool, from int, receive bool) {
	if send {
		c.aside(c.a.Send(bytes, uint32(to), 0))
	}
	if receive {
		c.then(c.a.Recv(bytes, uint32(from), 0))
	}
}

// Pencils computes and sends in turn, message t of rank r to rank t+r. Then it receives
// all messages one after another, in the order of the messages or in reverse.
func Pencils(ranks, messages int, bytes, computeNs uint64, reverse bool) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		c := chain{a, -1}
		for t := range messages {
			c.then(a.Calc(computeNs))
			c.then(a.Send(bytes, uint32((t+r)%ranks), 0))
		}
		for t := range messages {
			if reverse {
				t = messages - 1 - t
			}
			c.then(a.Recv(bytes, uint32((r+ranks-t%ranks)%ranks), 0))
		}
		a.EndRank()
	}
	return a.Schedule()
}
