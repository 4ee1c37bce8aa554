package calibrate

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/calibrate/outputs"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// lateMachine is a machine whose library copies unexpected messages: a late receive takes longer
// than the whole one-way time of a pre-posted one.
func lateMachine(t *testing.T, agent string) *files.Machine {
	t.Helper()
	text := "base: william\nprocesses_per_node: 1\nruntime:\n  progress: {by: " + agent + "}\n" +
		"  unexpected: [{from: 0B, time: 1.6us, per_byte: 0.4ns/B}]\n"
	return must.Get(files.ReadMachine("late.yaml", []byte(text)))(t)
}

// A late receive that takes longer than the one-way time allows becomes an overhead and the cost
// of an unexpected message. Both the one-way time and the late receive are recovered, also with
// noise and without the library.
func TestLateReceives(t *testing.T) {
	must.Long(t)
	m := lateMachine(t, "calls")
	for _, c := range []struct {
		name, runtime  string
		noise          bool
		oneWay, lately float64 // median errors
	}{
		{"exact", "", false, 0.01, 0.02},
		{"noise", "", true, 0.02, 0.03},
		{"with a library", "openmpi-1.10", false, 0.01, 0.02},
		{"with a thread", "pami-threads", false, 0.02, 0.02},
	} {
		d := must.Get(behindNoBucket(m.Machine))(t)
		if c.noise {
			shake(d, rand.New(rand.NewPCG(7, 7)))
		}
		r := must.Get(Run(d, "late", c.runtime))(t)
		if !r.Late || r.Eager != m.Network.Rendezvous {
			t.Errorf("%s: late %v, threshold %d, want %d", c.name, r.Late, r.Eager, m.Network.Rendezvous)
		}
		way, lately := summarize(r.HeldOut[OneWay]), summarize(r.EagerOnly(r.HeldOut[LateReceive]))
		if way.Median > c.oneWay || lately.Median > c.lately {
			t.Errorf("%s: one-way time %+v, late receives %+v", c.name, way, lately)
		}
		if c.runtime == "" {
			sum := r.Machine.Network.ReceiveOverhead.Of(1000) + r.Machine.Runtime.Unexpected.Of(1000)
			want := m.Network.ReceiveOverhead.Of(1000) + m.Runtime.Unexpected.Of(1000)
			if e := math.Abs(float64(sum)/float64(want) - 1); e > 0.03 {
				t.Errorf("%s: %s, want %s", c.name, sum, want)
			}
		}
	}
}

// Late receives that fit into the one-way time are overhead, and no library is invented.
func TestNotLate(t *testing.T) {
	must.Long(t)
	d := must.Get(behindNoBucket(plain(t, "william")))(t)
	f := must.Get(newFit(d, "early", ""))(t)
	if f.Late || f.Machine.Runtime != nil {
		t.Errorf("late %v, runtime %+v", f.Late, f.Machine.Runtime)
	}
}

// Sizes whose calls take either of two times are found, with both times and their share; others are not.
func TestTwoTimes(t *testing.T) {
	for seed := range uint64(3) {
		d := must.Get(behindNoBucket(plain(t, "loggp")))(t)
		r := rand.New(rand.NewPCG(seed, 9))
		for _, p := range d.Samples[OneWay].Medians() {
			d.Samples[OneWay][p.Bytes] = nil
			for range 40 {
				s := p.Seconds * math.Exp(0.05*r.NormFloat64())
				if p.Bytes >= 256 && p.Bytes < 16384 && r.Float64() < 0.4 {
					s *= 2
				}
				d.Samples[OneWay][p.Bytes] = append(d.Samples[OneWay][p.Bytes], s)
			}
		}
		modes := d.Samples[OneWay].modes()
		if len(modes) != 6 || modes[0].From < 256 || modes[5].To >= 16384 {
			t.Errorf("seed %d: %+v", seed, modes)
		}
		for _, m := range modes {
			if math.Abs(m.Share-0.4) > 0.1 || math.Abs(m.Long/m.Short-2) > 0.2 {
				t.Errorf("seed %d: %+v", seed, m)
			}
		}
	}
	falsely := [3]int{} // neither uniform, nor normal, nor exponential times are two, but rarely
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var uniform, normal, exponential []float64
		for range 50 {
			uniform, normal = append(uniform, 1+r.Float64()), append(normal, math.Exp(0.3*r.NormFloat64()))
			exponential = append(exponential, 1+r.ExpFloat64())
		}
		for i, times := range [][]float64{uniform, normal, exponential} {
			if _, _, _, ok := two(times); ok {
				falsely[i]++
			}
		}
	}
	if most := slices.Max(falsely[:]); most > 15 {
		t.Errorf("of 300 each %v have two times", falsely)
	}
}

// The 95 % intervals of a straight piece contain the true value about as often as they should.
func TestIntervals(t *testing.T) {
	truth := Pieces{{0, 3e-6, 2e-9}}
	base, perByte, n := 0, 0, 400
	for seed := range uint64(n) {
		points := noisy(rand.New(rand.NewPCG(seed, 11)), truth, 24, 0.03, 0)
		c := curve{Pieces: robust(points, 1, grainOf(points))}
		c.measure(points)
		if math.Abs(c.Pieces[0].Base-truth[0].Base) <= c.bands[0].base {
			base++
		}
		if math.Abs(c.Pieces[0].PerByte-truth[0].PerByte) <= c.bands[0].perByte {
			perByte++
		}
	}
	if least := n * 92 / 100; base < least || perByte < least || base == n && perByte == n {
		t.Errorf("%d and %d of %d hold the truth", base, perByte, n)
	}
}

// If computation hides nothing of collectives, the library works in its calls.
func TestProgress(t *testing.T) {
	must.Long(t)
	for _, c := range []struct {
		overall string
		agent   string
		doubts  bool // of a library that works in calls that wait
	}{{"200.00", "calls", false}, {"110.00", "interrupts", true}, {"150.00", "calls", false}} {
		d := must.Get(behindNoBucket(plain(t, "loggp")))(t)
		beside, _, err := outputs.Parse("f", []byte("# OSU MPI Non-blocking Allreduce Latency Test v5.6.3\n# Size  Overall(us)  Compute(us) "+
			" Pure Comm.(us)  Overlap(%)\n131072  "+
			c.overall+"  100.00  100.00  0.00\n"))
		if err != nil {
			t.Fatal(err)
		}
		d.Beside = beside
		r := must.Get(Run(d, "progress", ""))(t)
		if !strings.Contains(string(r.Text), "by: {value: "+c.agent) {
			t.Errorf("%s: %s", c.overall, r.Text)
		}
		if r.Progress() == nil {
			t.Errorf("%s: nothing is said of progress", c.overall)
		}
		for runtime, doubts := range map[string]bool{"": false, "openmpi-4.1": c.doubts, "none": c.doubts, "madmpi": c.agent == "calls" && c.overall == "200.00"} {
			r := must.Get(Run(d, "progress", runtime))(t)
			if got := r.contradiction() != ""; got != doubts {
				t.Errorf("%s, --runtime %s: contradiction %v", c.overall, runtime, got)
			}
		}
	}
}

// Late receives of messages above the threshold alone do not jump; one-way times do. Late receives of smaller messages that do not jump say that a jump
// of one-way times is none.
func TestLateAboveAlone(t *testing.T) {
	m := must.Get(files.LoadMachine("slingshot-11"))(t)
	for least, want := range map[int64]int64{0: 18432, 19000: 18432, 30000: 18432, 4000: 0} {
		d := must.Get(Measure(m))(t)
		for bytes, times := range d.Samples[LateReceive] {
			if bytes < least {
				delete(d.Samples[LateReceive], bytes)
			} else if least == 4000 {
				times[0] = 5e-6
			}
		}
		if f := must.Get(newFit(d, "above", ""))(t); f.Eager != want {
			t.Errorf("late receives of %d B and more: threshold %d, want %d", least, f.Eager, want)
		}
	}
}

// Measured receives of eager messages that take four times as long no longer fit into the
// measured one-way times. Threshold and one-way time stay the same, and the late receives are
// recovered.
func TestMeasuredLate(t *testing.T) {
	var files []string
	for _, name := range []string{"Isend", "Recv", "PingPong"} {
		files = append(files, filepath.Join("testdata", "graphene-gige", name+".csv.gz"))
	}
	d := must.Get(Read(files))(t)
	early := must.Get(newFit(d, "early", ""))(t)
	for bytes, times := range d.Samples[LateReceive] {
		for i := range times {
			if bytes <= early.Eager {
				times[i] *= 4
			}
		}
	}
	late := must.Get(newFit(d, "late", ""))(t)
	if early.Late || !late.Late || late.Eager != early.Eager {
		t.Errorf("late %v and %v, threshold %d, was %d", early.Late, late.Late, late.Eager, early.Eager)
	}
	for _, q := range []Quantity{OneWay, LateReceive} {
		was, is := summarize(early.EagerOnly(early.Against[q])), summarize(late.EagerOnly(late.Against[q]))
		if is.Median > was.Median+0.01 {
			t.Errorf("%s: %+v, was %+v", q, is, was)
		}
	}
}

// The delay of requests is recovered, and so are all other parameters, also with noise. A machine
// without a delay gets none.
func TestRequestDelay(t *testing.T) {
	must.Long(t)
	for _, c := range []struct {
		delay         string
		noise         bool
		low, high     float64 // of the delay, in s
		oneWay, later float64 // median errors of sizes held out
	}{
		{"60us", false, 59e-6, 61e-6, 0.01, 0.01},
		{"60us", true, 50e-6, 70e-6, 0.02, 0.03},
		{"0us", false, 0, 0, 0.01, 0.01},
		{"0us", true, 0, 0, 0.02, 0.03},
	} {
		m := must.Get(files.ReadMachine("m.yaml", []byte("base: taurus-tcp\nnetwork: {request_delay: "+c.delay+"}\n")))(t)
		d := must.Get(behindNoBucket(m.Machine))(t)
		if c.noise {
			shake(d, rand.New(rand.NewPCG(7, 7)))
		}
		r := must.Get(Run(d, "held", ""))(t)
		if found := r.Machine.Network.Asking.Of(2 * r.Eager).Seconds(); found < c.low || found > c.high {
			t.Errorf("%s, noise %v: found %v", c.delay, c.noise, found)
		}
		way, late := summarize(r.HeldOut[OneWay]), summarize(r.HeldOut[LateReceive])
		if way.Median > c.oneWay || late.Median > c.later {
			t.Errorf("%s, noise %v: one-way time %+v, late receives %+v", c.delay, c.noise, way, late)
		}
	}
}

// A late receive that becomes many times as long from one size to the next, and longer than a one-way time, shows the threshold, also where it
// took more than half of that time before. If it does not jump, and one-way times end below the threshold of the library, the library has it.
func TestThresholdAbove(t *testing.T) {
	for _, c := range []struct {
		beyond float64 // s of a late receive above the threshold
		how    string
	}{
		{500e-6, "late receives jump"},
		{31e-6, "that of openmpi-4.1-tcp; the measurements do not show it"},
	} {
		d := newData(nil)
		for bytes := int64(1000); bytes <= 100e3; bytes += 1000 {
			if bytes <= 7000 { // a bucket holds back the others
				d.Samples[OneWay][bytes] = []float64{16e-6 + 0.5e-9*float64(bytes)}
			}
			d.Samples[SendCPU][bytes] = []float64{7e-6}
			late := 14e-6 + 0.25e-9*float64(bytes)
			if bytes > 65000 {
				late = c.beyond
			}
			d.Samples[LateReceive][bytes] = []float64{late}
		}
		fit := must.Get(newFit(d, "found", "openmpi-4.1-tcp"))(t)
		if fit.Eager != 65480 || fit.Before != 65000 || fit.Above != 66000 || fit.How != c.how {
			t.Errorf("%g s: %d B between %d and %d B: %s", c.beyond, fit.Eager, fit.Before, fit.Above, fit.How)
		}
	}
}
