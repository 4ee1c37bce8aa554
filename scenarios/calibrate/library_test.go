package calibrate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// around is an all-to-all of messages of 16 KiB on 8 nodes of a machine.
func around(t *testing.T, settings ...string) *scenarios.Study {
	t.Helper()
	return must.Get(scenarios.Load("alltoall-linear", append(slices.Clone(settings), "ranks=8", "processes_per_node=1")))(t)
}

// The threshold of a simulated machine is between the sizes that calibrate says, or exactly the library's if that is given; with the library, or if
// the NIC does its work, an all-to-all around the threshold takes as long as on the simulated machine, also from one-way times and windows alone
// where the library spends time to match messages. The gap per byte is within its interval. With -every-run: all machines and libraries.
func TestLibraryAgain(t *testing.T) {
	must.Long(t)
	names := []string{"bassi", "slingshot-11", "jacquard-free-nic", "bassi-interrupts", "miriel-shm"}
	runtimes := []string{"ucx-hardware-matching", "pami-threads", "mpich2-dcmf", "openmpi-4.1-shm"}
	if *everyRun {
		names, runtimes = files.Machines(), files.Runtimes()
	}
	for _, name := range names {
		m := around(t, "machine="+name).Runs[0].Machine
		f := must.Get(newFit(must.Get(Measure(m))(t), name, ""))(t)
		g, truth := f.named("gap per byte, large messages"), m.Network.Transfer.Further()*1e-12
		copies := strings.HasSuffix(name, "-shm") // without its library, what it copies is the NIC's
		if g.High > 0 && (truth < 0.98*g.Low && !copies || truth > 1.02*g.High) {
			t.Errorf("%s: gap per byte %g, %+v", name, truth, g)
		}
		if f.sees(m.Network.Rendezvous) && m.Runtime != nil && m.Runtime.Progress.By.OfNIC() {
			alike(t, f, 0.01, "machine="+name)
		} else if !f.sees(m.Network.Rendezvous) {
			t.Errorf("%s: threshold from %d to %d, want %d", name, f.Before, f.Above, m.Network.Rendezvous)
		}
	}
	for _, name := range runtimes {
		on := []string{"machine=hdr-infiniband", "machine.runtime=" + name}
		m := around(t, on...).Runs[0].Machine
		d := must.Get(Measure(m))(t)
		f := must.Get(newFit(d, name, ""))(t)
		copies := m.Runtime != nil && m.Runtime.Rendezvous == machines.Copy // a request that the target copies adds no round trip
		if !copies && !f.sees(m.Network.Rendezvous) {
			t.Errorf("%s: threshold from %d to %d, want %d", name, f.Before, f.Above, m.Network.Rendezvous)
		}
		const within = 0.06
		f = must.Get(newFit(d, name, name))(t)
		if f.Eager != m.Network.Rendezvous {
			t.Errorf("%s, given: threshold %d, want %d", name, f.Eager, m.Network.Rendezvous)
		}
		alike(t, f, within, on...)
		if m.Runtime != nil && m.Runtime.Matching > 0 {
			alike(t, must.Get(Run(read(t, m.Machine, nil, "osu_latency", "osu_bw"), "again", name))(t).Fit, within, on...)
		}
	}
}

// sees tells whether a threshold is where the fit found it; 0: neither has one.
func (f *Fit) sees(threshold int64) bool {
	return threshold >= f.Before && threshold < max(f.Above, 1)
}

// alike compares all-to-alls around the threshold on a fit with those on the machine that was measured.
func alike(t *testing.T, f *Fit, within float64, on ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "again.yaml")
	must.Do(t, os.WriteFile(file, f.Text, 0o666))
	for _, part := range []float64{0.25, 0.9, 1.1, 4} {
		size := fmt.Sprintf("workload.bytes=%.0fB", part*float64(max(f.Eager, 4096)))
		truth := must.Get(around(t, append(slices.Clone(on), size)...).Runs[0].Run(nodes.Options{}))(t)
		found := must.Get(around(t, "machine="+file, size).Runs[0].Run(nodes.Options{}))(t)
		if e := float64(found.Result.Makespan())/float64(truth.Result.Makespan()) - 1; math.Abs(e) > within {
			t.Errorf("%v, %s: off by %.3f", on, size, e)
		}
	}
}
