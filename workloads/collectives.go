package workloads

import (
	"errors"
	"math/bits"

	"overlapsim/nodes"
)

// Schedules made of nothing but messages: collectives by named algorithms.
func init() {
	Register(Kind{"dissemination", "dissemination barrier: in round k, a message to the rank 2^k ahead",
		func() Workload { return &collective{step: dissemination, Bytes: 1, Repeat: 1} }})
	Register(Kind{"allreduce-doubling", "all-reduce by recursive doubling: in round k, exchange with rank XOR 2^k",
		func() Workload { return &collective{step: doubling, Bytes: 4096, Repeat: 1, powerOfTwo: true} }})
	Register(Kind{"alltoall-linear", "all-to-all: every rank sends to every other one, starting with the next",
		func() Workload { return &collective{step: linear, Bytes: 65536, Repeat: 1} }})
	Register(Kind{"token-ring", "a token goes round through all ranks",
		func() Workload { return &collective{step: token, Bytes: 8, Repeat: 1} }})
}

type collective struct {
	Bytes      int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
	Repeat     int64 `key:"repeat" unit:"count" doc:"how many times, one after the other"`
	step       stepFunc
	powerOfTwo bool
}

// stepFunc is a step of an algorithm: it returns false when there is no such
// step.
type stepFunc func(p *collectiveProgram, me, step int, do *nodes.Ops) bool

type collectiveProgram struct {
	ranks, repeat int
	bytes         int64
	step          stepFunc
}

func (w *collective) Program(_ *nodes.Machine, ranks int) (nodes.Program, error) {
	var errs []error
	if w.Bytes < 1 {
		errs = append(errs, &KeyError{"bytes", "must be at least 1"})
	}
	if w.Repeat < 1 {
		errs = append(errs, &KeyError{"repeat", "must be at least 1"})
	}
	if w.powerOfTwo && bits.OnesCount(uint(ranks)) != 1 {
		errs = append(errs, &KeyError{"name", "recursive doubling needs a power of two of ranks"})
	}
	return &collectiveProgram{ranks, int(w.Repeat), w.Bytes, w.step}, errors.Join(errs...)
}

func (w *collective) Metrics(*nodes.Machine, *nodes.Result) (m Metrics) { return m }

func (p *collectiveProgram) Ranks() int       { return p.ranks }
func (p *collectiveProgram) Phases() []string { return []string{"communication"} }

func (p *collectiveProgram) Step(me, step int, do *nodes.Ops) bool { return p.step(p, me, step, do) }

// rounds is ceil(log2 P).
func (p *collectiveProgram) rounds() int { return bits.Len(uint(p.ranks - 1)) }

// dissemination: Hensgen, Finkel, Manber, Int. J. Parallel Programming 17(1), 1988.
func dissemination(p *collectiveProgram, me, step int, do *nodes.Ops) bool {
	if step >= p.rounds()*p.repeat {
		return false
	}
	ahead := 1 << (step % p.rounds())
	do.Isend((me+ahead)%p.ranks, p.bytes, step, 0)
	do.Recv((me-ahead+p.ranks)%p.ranks, p.bytes, step)
	do.Wait(0)
	return true
}

func doubling(p *collectiveProgram, me, step int, do *nodes.Ops) bool {
	if step >= p.rounds()*p.repeat {
		return false
	}
	peer := me ^ 1<<(step%p.rounds())
	do.Isend(peer, p.bytes, step, 0)
	do.Recv(peer, p.bytes, step)
	do.Wait(0)
	return true
}

// linear posts the send to and the receive from the ranks t ahead and behind in
// step t of a repetition, and waits for all in the end.
func linear(p *collectiveProgram, me, step int, do *nodes.Ops) bool {
	per := 2*p.ranks - 1 // posts, waits
	if step >= per*p.repeat {
		return false
	}
	tag, t := step/per, step%per
	switch {
	case t < p.ranks-1:
		t++
		do.Irecv((me-t+p.ranks)%p.ranks, p.bytes, tag, 2*t)
		do.Isend((me+t)%p.ranks, p.bytes, tag, 2*t+1)
	case t < 2*(p.ranks-1):
		t -= p.ranks - 2
		do.Wait(2 * t)
		do.Wait(2*t + 1)
	}
	return true
}

func token(p *collectiveProgram, me, step int, do *nodes.Ops) bool {
	if step >= p.repeat || p.ranks == 1 {
		return false
	}
	if me > 0 {
		do.Recv(me-1, p.bytes, step)
	}
	do.Send((me+1)%p.ranks, p.bytes, step)
	if me == 0 {
		do.Recv(p.ranks-1, p.bytes, step)
	}
	return true
}
