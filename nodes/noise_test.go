package nodes

import (
	"math"
	"slices"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// The CPU loses a share of its time that is the rate times the length.
func TestNoiseRate(t *testing.T) {
	const n = 200_000
	m := &machines.Machine{Name: "noisy", Cores: 1, Processes: 1, Noise: &machines.Noise{Rate: 1000, Length: 50 * sim.Microsecond}}
	p := &script{1, [][]programs.Op{slices.Repeat([]programs.Op{{Kind: programs.OpCompute, Amount: int64(100 * sim.Microsecond)}}, n)}, 1000}
	r := must.Get(Run(m, p, 1, Options{Seed: 3}))(t)
	l := r.Ledgers[0][0]
	share := l[results.Interference].Seconds() / r.Makespan().Seconds()
	if events := share * r.Makespan().Seconds() / 50e-6; math.Abs(share-0.05) > 5*0.05/math.Sqrt(events) {
		t.Errorf("noise takes %.4f of the time, want 0.05", share)
	}
	if l[results.Compute] != n*100*sim.Microsecond {
		t.Errorf("computed %v", l[results.Compute])
	}
	again, _ := Run(m, p, 1, Options{Seed: 3})
	other, _ := Run(m, p, 1, Options{Seed: 4})
	if again.Makespan() != r.Makespan() || other.Makespan() == r.Makespan() {
		t.Error("the seed does not make the noise")
	}
}

// What interrupts a wait takes no time but what is left of it when the wait ends: rate times length squared by 2 on average, of moments that
// do not meet. In a chain of ranks that wait for 100 ms, each pays that, and not all that came in 100 ms.
func TestNoiseOfWaits(t *testing.T) {
	const ranks, latency = 2001, sim.Microsecond
	m := &machines.Machine{Name: "noisy", Cores: 1, Processes: 1, Noise: &machines.Noise{Rate: 100, Length: sim.Millisecond}}
	m.Network.Latency = latency
	p := &script{1, make([][]programs.Op, ranks), 100}
	var rests, squares float64
	p.ops[0] = []programs.Op{{Kind: programs.OpCompute, Amount: int64(100 * sim.Millisecond)}, isend(1, 8, 0, 0), wait(0)}
	for r := 1; r < ranks; r++ {
		p.ops[r] = []programs.Op{irecv(int32(r-1), 0, 0), wait(0)}
		if r+1 < ranks {
			p.ops[r] = append(p.ops[r], isend(int32(r+1), 8, 0, 1), wait(1))
		}
	}
	r := must.Get(Run(m, p, 1, Options{Seed: 5}))(t)
	for rank := 1; rank+1 < ranks; rank++ {
		rest := r.Ledgers[rank][0][results.Interference].Seconds() / 1e-3
		rests, squares = rests+rest, squares+rest*rest
	}
	mean := rests / ranks
	deviation := math.Sqrt(squares/ranks-mean*mean) / math.Sqrt(ranks)
	const load = 100 * 1e-3
	const least, most = load / 2, load / 2 / (1 - load) / (1 - load) // where moments meet, and come while others are paid
	if mean < least-4*deviation || mean > most+4*deviation {
		t.Errorf("a rank that waits loses %.4f ms, want %.4f to %.4f, deviation %.4f", mean, least, most, deviation)
	}
	if last := 0.12 + ranks*(most+4*deviation+0.001)*1e-3; r.Makespan().Seconds() > last {
		t.Errorf("the chain ends at %v, want at most %.3f s", r.Makespan(), last)
	}
}

// Moments too many to be drawn one by one have the mean and the variance of a Poisson process.
func TestManyMoments(t *testing.T) {
	n := &machines.Noise{Rate: 1e6, Length: 1}
	const runs = 400
	span := 2 * manyMoments * sim.Microsecond
	var sum, squares float64
	for seed := range uint64(runs) {
		d := newNoise(n, 1, seed).delays[0]
		first := d.next
		expected := (span - first).Seconds() * n.Rate
		off := (float64(d.until(n, span)) - expected) / math.Sqrt(expected)
		sum, squares = sum+off, squares+off*off
		if d.next <= span {
			t.Fatalf("the next moment is at %v, before %v", d.next, span)
		}
	}
	mean, variance := sum/runs, squares/runs
	if math.Abs(mean) > 4/math.Sqrt(runs) || math.Abs(variance-1) > 4*math.Sqrt(2./runs) {
		t.Errorf("moments are off by %.3f standard deviations in the mean, their variance is %.3f of what it should be", mean, variance)
	}
}
