package calibrate

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// behindNoBucket simulates the measurements of a machine as if it had no token bucket.
func behindNoBucket(m *machines.Machine) (*Data, error) {
	return measure(m, nodes.Options{}, manySizes(), SendCPU, LateReceive, OneWay)
}

// Measurements of a simulated machine give that machine again.
func TestClosedLoop(t *testing.T) {
	must.Long(t)
	for _, name := range []string{"william", "jacquard", "loggp", "bluewaters"} {
		m := must.Get(files.LoadMachine(name))(t)
		truth := *m.Machine
		truth.Processes, truth.Runtime = 1, nil
		d := must.Get(behindNoBucket(&truth))(t)
		r := must.Get(Run(d, name, ""))(t)
		if r.Eager != m.Network.Rendezvous {
			t.Errorf("%s: threshold %d, want %d", name, r.Eager, m.Network.Rendezvous)
		}
		for _, q := range []Quantity{SendCPU, LateReceive, OneWay} {
			if most := summarize(r.Against[q]).Most; most > 0.015 { // jacquard: requests take the NIC Startup, which shows as latency
				t.Errorf("%s: %s is off by %g", name, q, most)
			}
		}
	}
}

// The same with a library that sends bytes in another way above its threshold.
func TestClosedLoopRuntime(t *testing.T) {
	must.Long(t)
	for _, runtime := range []string{"openmpi-1.10", "mvapich2-2.2", "pami"} {
		study := must.Get(scenarios.Load("overlap", []string{"machine.runtime=" + runtime}))(t)
		m := study.Runs[0].Machine
		d := must.Get(behindNoBucket(m.Machine))(t)
		r := must.Get(Run(d, runtime, runtime))(t)
		for _, q := range []Quantity{SendCPU, LateReceive, OneWay} {
			if fit := summarize(r.Against[q]); fit.Tenth > 0.02 {
				t.Errorf("%s: %s: %+v", runtime, q, fit)
			}
		}
	}
}

// With noise on every call and some calls far too long, sizes that the fit has not seen
// are predicted to a fraction of the noise.
func TestNoise(t *testing.T) {
	m := must.Get(files.LoadMachine("william"))(t)
	m.Runtime = nil
	for seed := range uint64(2) {
		d := must.Get(behindNoBucket(m.Machine))(t)
		shake(d, rand.New(rand.NewPCG(seed, 0)))
		r := must.Get(Run(d, "noise", ""))(t)
		if r.Eager != m.Network.Rendezvous {
			t.Errorf("seed %d: threshold %d, want %d", seed, r.Eager, m.Network.Rendezvous)
		}
		for _, q := range []Quantity{SendCPU, LateReceive, OneWay} {
			if held := summarize(r.HeldOut[q]); held.Median > 0.03 || held.Tenth > 0.08 {
				t.Errorf("seed %d: %s of unseen sizes: %+v", seed, q, held)
			}
			for _, c := range r.Against[q] {
				if want, _ := simulate(m.Machine, q, c.Bytes); math.Abs(c.Simulated/want.Seconds()-1) > 0.2 {
					t.Errorf("seed %d: %s of %d B: %g, want %s", seed, q, c.Bytes, c.Simulated, want)
				}
			}
		}
	}
}

// shake turns each call into twenty, with 5 percent of noise; one in ten takes up to ten
// times as long.
func shake(d *Data, r *rand.Rand) {
	for _, s := range d.Samples {
		for _, p := range s.Medians() {
			s[p.Bytes] = nil
			for range 20 {
				t := p.Seconds * math.Exp(0.05*r.NormFloat64())
				if r.IntN(10) == 0 {
					t *= 1 + 9*r.Float64()
				}
				s[p.Bytes] = append(s[p.Bytes], t)
			}
		}
	}
}

// Without a rendezvous none is found, though the overhead of a receive jumps.
func TestNoRendezvous(t *testing.T) {
	m := must.Get(files.LoadMachine("william"))(t)
	plain := *m.Machine
	plain.Network.Rendezvous, plain.Runtime = 0, nil
	over := plain.Network.ReceiveOverhead[0]
	over.From, over.Base = 1000, 3*over.Base
	plain.Network.ReceiveOverhead = append(plain.Network.ReceiveOverhead[:1:1], over)
	d := must.Get(behindNoBucket(&plain))(t)
	f := must.Get(newFit(d, "plain", ""))(t)
	if f.Above != 0 || f.Machine.Network.Rendezvous != 0 {
		t.Errorf("threshold between %d and %d", f.Before, f.Above)
	}
}

// The measurements of the three clusters: their thresholds, found by the fit, their
// residuals, and the machines of the library.
func TestMeasured(t *testing.T) {
	must.Long(t)
	for _, c := range []struct {
		name      string
		threshold int64
		median    [numQuantities]float64 // relative errors seen, rounded up
		late      float64                // the same of late receives above the threshold
	}{
		{"graphene-gige", 64 << 10, [numQuantities]float64{0.015, 0.06, 0.035}, 0.043},
		{"miriel-mpich", 128 << 10, [numQuantities]float64{0.015, 0.09, 0.14}, 0.045},
		{"taurus-tcp", 64 << 10, [numQuantities]float64{0.015, 0.03, 0.13}, 0.06},
	} {
		folder, all, room := filepath.Join("..", "..", "..", "shared", "data", "mpi", c.name), true, 1.0
		if _, err := os.Stat(folder); err != nil {
			folder, all, room = filepath.Join("testdata", c.name), false, 2.7 // with fewer calls, errors are larger
		}
		if _, err := os.Stat(folder); err != nil {
			continue // only one of them is kept here
		}
		files := []string{filepath.Join(folder, "Isend.csv.gz"), filepath.Join(folder, "Recv.csv.gz"), filepath.Join(folder, "PingPong.csv.gz")}
		d := must.Get(Read(files))(t)
		r := must.Get(Run(d, c.name, ""))(t)
		if r.Eager != c.threshold {
			t.Errorf("%s: threshold %d, want %d", c.name, r.Eager, c.threshold)
		}
		for _, q := range []Quantity{SendCPU, LateReceive, OneWay} {
			fit, held := summarize(r.Against[q]), summarize(r.HeldOut[q])
			if fit.Median > room*c.median[q] || held.Median > 1.2*room*c.median[q] {
				t.Errorf("%s: %s: %+v, unseen %+v", c.name, q, fit, held)
			}
		}
		if late, held := summarize(r.RendezvousOnly(r.Against[LateReceive])), summarize(r.RendezvousOnly(r.HeldOut[LateReceive])); late.Median >
			room*c.late || held.Median > 1.2*room*c.late {
			t.Errorf("%s: late receives above the threshold: %+v, unseen %+v", c.name, late, held)
		}
		if !all {
			continue // a part of the calls gives about the same numbers
		}
		if kept, err := os.ReadFile(filepath.Join("..", "files", "machines", c.name+".yaml")); err != nil || !bytes.Equal(kept, r.Text) {
			t.Errorf("machines/%s.yaml is not what the fit gives (%v); overlapsim calibrate %s --out scenarios/files/machines/%s.yaml",
				c.name, err, strings.Join(files, " "), c.name)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	m := must.Get(files.LoadMachine("william"))(b)
	d := must.Get(behindNoBucket(m.Machine))(b)
	for b.Loop() {
		must.Get(Run(d, "bench", ""))(b)
	}
}
