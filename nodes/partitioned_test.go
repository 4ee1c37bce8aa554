package nodes

import (
	"slices"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// inPartitions is a program of two ranks with a message of 3 partitions, of which the last one is ready first.
type inPartitions machines.Partitioning

func (inPartitions) Ranks() int       { return 2 }
func (inPartitions) Phases() []string { return []string{"all"} }

func (p inPartitions) message(peer int) *programs.Partitioned {
	return &programs.Partitioned{Peer: peer, Bytes: 30, Parts: 3, Tag: 4, Requests: []int{0, 1, 2}, Library: machines.Partitioning(p)}
}

// rank does what a rank does.
func (p inPartitions) rank(rank int, do interface {
	programs.Poster
	Compute(t machines.Task, n int)
	Wait(request int)
}) {
	m := p.message(1 - rank)
	if rank == 0 {
		for _, part := range []int{2, 0, 1} {
			do.Compute(machines.Task{Time: 1000}, 1)
			m.Ready(do, part)
		}
		for _, request := range m.Sent() {
			do.Wait(request)
		}
		return
	}
	m.Receive(do)
	do.Wait(m.Arrives(2))
	for _, request := range m.Received() {
		if request != m.Arrives(2) {
			do.Wait(request)
		}
	}
}

// Step implements programs.Program.
func (p inPartitions) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	p.rank(rank, do)
	return true
}

// A message in partitions, live and compiled. L is 100, o 10, p 20, G 2 per byte, S 50: partitions are eager, and the message is
// a rendezvous. Each: the last one is ready at 3020 and posted at 3030; it is there 60 + 100 later, and costs 3 + 20. Whole:
// the receiver's message came long before and is taken in by the wait, 3 + 20 after 3000.
func TestPartitioned(t *testing.T) {
	for kind, want := range map[machines.Partitioning][]sim.Time{
		machines.EachPartition: {3030, 3030 + 160 + 23},
		machines.WholeMessage: {3023 + 10 + 100 + 23 + 10 + 100 + 180 + 100 + 30 + 100 + 20,
			3023 + 10 + 100 + 23 + 10 + 100 + 180 + 100 + 30},
	} {
		m := runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.Partitioned, rt.Unexpected = kind, nil })
		compiled := must.Get(Run(m, inPartitions(kind), 1, Options{}))(t)
		live := must.Get(RunLive(m, 2, nil, func(p *Process) { inPartitions(kind).rank(p.Rank(), p) }, 1, Options{}))(t)
		if !slices.Equal(compiled.Finish, want) || !slices.Equal(live.Finish, want) {
			t.Errorf("%d: ranks end at %v, live at %v, want %v", kind, compiled.Finish, live.Finish, want)
		}
	}
}

// A partition is made ready once, and only one that there is.
func TestPartitionsAreReadyOnce(t *testing.T) {
	for _, library := range []machines.Partitioning{machines.EachPartition, machines.WholeMessage} {
		for _, parts := range [][]int{{0, 0}, {0, 1, 1}, {-1}, {3}} {
			m := inPartitions(library).message(1)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("partitions %v are made ready", parts)
					}
				}()
				var do programs.Ops
				for _, part := range parts {
					m.Ready(&do, part)
				}
			}()
		}
	}
}
