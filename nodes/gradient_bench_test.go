package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// exchanging sends a message to both neighbours in a ring in every step, and computes
// meanwhile for a time that differs from rank to rank.
type exchanging struct{ ranks, steps int }

func (p *exchanging) Ranks() int       { return p.ranks }
func (p *exchanging) Phases() []string { return nil }
func (p *exchanging) Step(me, step int, do *programs.Ops) bool {
	if step == p.steps {
		return false
	}
	after, before := (me+1)%p.ranks, (me+p.ranks-1)%p.ranks
	do.Irecv(after, 4096, 0, 0)
	do.Irecv(before, 4096, 1, 1)
	do.Isend(before, 4096, 0, 2)
	do.Isend(after, 4096, 1, 3)
	do.Compute(machines.Task{Time: sim.Time(5_000_000 + 1000*(me*me+step)%17_000)}, 1)
	for q := range 4 {
		do.Wait(q)
	}
	return true
}

func exchangeMachine() *machines.Machine {
	return &machines.Machine{Name: "m", Cores: 4, Processes: 4, Network: network.LogGOPS{
		Latency: 430_000, SendOverhead: network.Constant(420_000), ReceiveOverhead: network.Constant(420_000), Gap: 420_000,
		Transfer: network.PerByte(277),
	}}
}

func benchmarkExchange(b *testing.B, o Options) {
	p, m := &exchanging{256, 500}, exchangeMachine()
	messages := uint64(2 * p.ranks * p.steps)
	for b.Loop() {
		r := must.Get(Run(m, p, 4, o))(b)
		if r.Messages != messages {
			b.Fatalf("%d messages, want %d", r.Messages, messages)
		}
	}
	b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// A run with its critical path takes 1.7 times as long as one without, and 1.5 times on two processors.
func BenchmarkExchange(b *testing.B)         { benchmarkExchange(b, Options{}) }
func BenchmarkExchangeCritical(b *testing.B) { benchmarkExchange(b, Options{Critical: true}) }
func BenchmarkExchangeTimeline(b *testing.B) { benchmarkExchange(b, Options{Timeline: true}) }
