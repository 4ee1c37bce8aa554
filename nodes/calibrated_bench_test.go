package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim/must"
)

// shifting puts two blocks to neighbours of a grid in every step, as Cannon's
// algorithm does.
type shifting struct{ ranks, side, steps int }

func (p *shifting) Ranks() int       { return p.ranks }
func (p *shifting) Phases() []string { return nil }
func (p *shifting) Step(me, step int, do *programs.Ops) bool {
	if step == p.steps {
		return false
	}
	do.Pattern(1, true)
	do.Put((me+1)%p.ranks, 1<<20, 0)
	do.Wait(0)
	do.Pattern(p.side, true)
	do.Put((me+p.side)%p.ranks, 1<<20, 0)
	do.Wait(0)
	return true
}

func benchmarkShifting(b *testing.B, c *calibrated.Calibration) {
	p := &shifting{1 << 16, 1 << 8, 8}
	m := &machines.Machine{Name: "m", Cores: 4, Processes: 4, Network: network.LogGOPS{
		Latency: 430000, SendOverhead: network.Constant(420000), Gap: 420000, Transfer: network.PerByte(277),
	}}
	messages := uint64(2 * p.ranks * p.steps)
	for b.Loop() {
		r := must.Get(Run(m, p, 4, Options{Calibration: c}))(b)
		if r.Messages != messages || r.Events != 2*messages+uint64(p.ranks) {
			b.Fatalf("%d messages, %d events", r.Messages, r.Events)
		}
	}
	b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// A run on a calibrated fabric costs what one on an ideal fabric costs.
func BenchmarkShiftsIdeal65536(b *testing.B)      { benchmarkShifting(b, nil) }
func BenchmarkShiftsCalibrated65536(b *testing.B) { benchmarkShifting(b, testCalibration(b)) }
