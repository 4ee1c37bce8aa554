package nodes

import (
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim/must"
)

// exchanges is a program in which two ranks send each other n messages by
// rendezvous and compute meanwhile.
type exchanges struct{ n int }

func (exchanges) Ranks() int       { return 2 }
func (exchanges) Phases() []string { return nil }

func (e exchanges) Step(rank, step int, do *programs.Ops) bool {
	if step == e.n {
		return false
	}
	do.Irecv(1-rank, 90, 0, 0)
	do.Isend(1-rank, 90, 0, 1)
	do.Compute(machines.Task{Time: 300}, 1)
	do.Wait(0)
	do.Wait(1)
	return true
}

// BenchmarkLibrary sends messages through each kind of library.
func BenchmarkLibrary(b *testing.B) {
	for _, c := range []struct {
		name   string
		change func(*machines.Machine, *machines.Runtime)
		events uint64 // of an exchange
	}{
		{"read", func(*machines.Machine, *machines.Runtime) {}, 28},
		{"write-testing", func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Progress = machines.Write, machines.Progression{By: machines.Testing, Every: 50, Test: 1}
		}, 32},
		{"pipelined-thread", func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Rendezvous, rt.Progress.By = machines.Pipelined, machines.Thread
		}, 48},
		{"chunks", func(m *machines.Machine, _ *machines.Runtime) {
			m.Copying = &machines.Copying{SendPerByte: 3, ReceivePerByte: 4, Buffer: 40, Chunk: 20}
		}, 58},
	} {
		b.Run(c.name, func(b *testing.B) {
			const n = 10_000
			m := runtimeMachine(c.change)
			for b.Loop() {
				r := must.Get(Run(m, exchanges{n}, 1, Options{}))(b)
				if per := (r.Events + n/2) / n; per != c.events {
					b.Fatalf("%d events, %d for each exchange, want %d", r.Events, per, c.events)
				}
			}
			b.ReportMetric(2*n*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
