package optimize

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/points"
	"overlapsim/sim/must"
)

// The optimum is that of trying all values; on one of the machines it is inside the
// range. The resources of a result add up to it, and the binding ones are those that the
// closed form names: the cost of each message on one side, the wait for the first message
// to be computed on the other.
func TestGranularity(t *testing.T) {
	must.Long(t)
	r := Request{
		Scenario: "ft-granularity", Over: "workload.granularity", Minimize: "makespan_s", Why: true,
		Set: []string{"workload.rows=1024", "workload.computation=0.5"},
	}
	found := must.Get(Find(r))(t)
	r.Over, r.Why = "workload.granularity=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32", false
	if found.Values != 32 || found.From != "1" || found.To != "32" {
		t.Errorf("%d values from %s to %s", found.Values, found.From, found.To)
	}
	inside := 0
	for run, o := range found.Optima {
		least := math.Inf(1)
		for i := range 32 {
			f := newFinder(r, found, run, o.Run)
			result := must.Get(points.One(f.pool, points.Point{Set: f.settings(i)}, f.number))(t)
			least = min(least, result)
		}
		if got := *o.Best.Result; got > least*(1+tolerance) {
			t.Errorf("%s: %g s at %s, the least is %g s", o.Run, got, o.Best.Value, least)
		}
		for _, why := range o.Why {
			if math.Abs(why.Rest) > 0.0005*why.Result {
				t.Errorf("%s: %g of %g s at %s are nobody's: %v", o.Run, why.Rest, why.Result, why.Value, why.Resources)
			}
		}
		below, above := o.Reason(Below), o.Reason(Above)
		if below != nil && below.Binds != "startup" && below.Binds != "o" {
			t.Errorf("%s: below binds %+v", o.Run, below)
		}
		if above != nil && above.Binds != "compute" {
			t.Errorf("%s: above binds %+v", o.Run, above)
		}
		if below != nil && above != nil {
			inside++
		}
	}
	if inside == 0 {
		t.Errorf("no machine has its optimum inside the range")
	}
}

// The direction in which a factor makes times longer, which depends on how the value is written.
func TestLonger(t *testing.T) {
	for _, c := range []struct {
		path, value string
		inList      bool
		want        string
	}{
		{"network.latency", "3us", false, lengthened},
		{"network.send_overhead", "1GB/s", true, lengthened},
		{"network.bandwidth", "1GB/s", false, shorter},
		{"network.bandwidth", "1ns/B", false, shorter},
		{"network.gap_per_byte", "1GB/s", false, lengthened},
		{"intra_node.per_byte", "5GB/s", false, lengthened},
		{"intra_node.per_byte", "0.2ns/B", false, lengthened},
		{"kernels.spmv.demand", "2GB/s", true, shorter},
		{"copying.send", "1ns/B", false, lengthened},
		{"copying.send", "1GB/s", false, shorter},
		{"kernels.fft.rates", "1GF/s", true, shorter},
		{"links.bandwidth", "1GB/s", true, shorter},
		{"copying.buffer", "64KiB", false, ""},
		{"network.queue_depth", "3", false, ""},
	} {
		if got, _ := longer(c.path, c.value, c.inList); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.path, c.value, got, c.want)
		}
	}
}

// A scenario that cannot run as it is still has an optimum. Values that cannot run are counted,
// and a mistake names the flag.
func TestScenarioThatNeedsAValue(t *testing.T) {
	text := "machine: hopper-models\nworkload: {name: cannon, size: 1024}\nranks: 128\nfabric: {kind: calibrated, calibration: " +
		"hopper-models}\n"
	scenario := filepath.Join(t.TempDir(), "cannon.yaml")
	must.Do(t, os.WriteFile(scenario, []byte(text), 0o666))
	found := must.Get(Find(Request{Scenario: scenario, Over: "workload.layers=1..8*2", Minimize: "makespan_s"}))(t)
	n, first := found.Optima[0].Failed()
	if best := found.Optima[0].Best; best.Value != "2" || n != 3 || first.Value != "1" {
		t.Errorf("best at %s, %d failed, the first %+v", best.Value, n, first)
	}
	if _, err := Find(Request{Scenario: scenario, Over: "workload.layerz=1,2"}); err == nil ||
		err.Error() != "--over workload.layerz=1,2: unknown key, did you mean layers?" {
		t.Errorf("got %v", err)
	}
}

// The default ranges of workloads and machines.
func TestRangeOf(t *testing.T) {
	dense := []string{"workload.layers=1", "workload.size=4096", "workload.overlap=false", "ranks=256"}
	for _, c := range []struct{ scenario, workload, path, want string }{
		{"ft-granularity", "", "workload.granularity", "1..256"},
		{"ft-granularity", "", "workload.messages", "32..8192"},
		{"spmv-gather-jacquard", "", "workload.prefetch", "1..32"},
		{"spmv-gather-jacquard", "spmv-bulk-gather", "workload.prefetch", ""},
		{"advection-xenon", "", "workload.tile", "1..256*2"},
		{"dense-hopper", "cannon", "workload.layers", "1,4"},
		{"dense-hopper", "cannon", "workload.blocks", ""},
		{"dense-hopper", "trsm", "workload.blocks", "1,2,4,8,16,32,64"},
		{"rdma", "", "machine.network.queue_depth", "1..64"},
		{"rdma", "", "workload.rows", ""},
		{"gpu-all-reduce", "", "workload.algorithm", "auto,tree"},
		{"gpt-18b", "", "workload.stage_layers", ""},
	} {
		var set []string
		if c.workload != "" {
			set = []string{"workload.name=" + c.workload}
		}
		if c.scenario == "dense-hopper" {
			set = append(set, dense...)
		}
		s := must.Get(scenarios.LoadRun(c.scenario, 0, set))(t)
		if got := rangeOf(c.path, s); got != c.want {
			t.Errorf("%s %s of %s: %q, want %q", c.scenario, c.workload, c.path, got, c.want)
		}
	}
}

// A library that works in its calls does not continue a rendezvous while the processor
// computes: its progress binds, not the bytes, which the network takes longer to move than processors to copy.
func TestProgressBinds(t *testing.T) {
	text := `
machine: {base: loggp, nodes: 8, network: {send_overhead: 1us, receive_overhead: 1us, bandwidth: 1GB/s}, runtime: openmpi-1.10}
workload: {name: halo, bytes: 256KiB, compute: 1ms, iterations: 5}
ranks: 8
`
	scenario := filepath.Join(t.TempDir(), "halo.yaml")
	must.Do(t, os.WriteFile(scenario, []byte(text), 0o666))
	r := Request{Scenario: scenario, Over: "machine.runtime.rendezvous.threshold=64KiB,512KiB", Minimize: "makespan_s", Why: true}
	found, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	o := found.Optima[0]
	if below := o.Reason(Below); o.Best.Value != "512KiB" || below == nil || below.Binds != "progress" || *below.Moved >= below.Result {
		t.Errorf("best at %s, %+v", o.Best.Value, below)
	}
	r.Set = []string{"machine.runtime.progress.by=nic"}
	if found, err = Find(r); err != nil {
		t.Fatal(err)
	}
	for _, why := range found.Optima[0].Why {
		if why.Binds == "progress" || why.Moved != nil {
			t.Errorf("the NIC moves messages on, and %+v", why)
		}
	}
}

// Tests that come more often cost processors' time, and nothing waits: 400 us of computation have 24 tests of 0.3 us with one each 16 us, and
// 3 with one each 128 us, so that five steps take 31.5 us more. The reason and the time breakdown say the same.
func TestTestsBind(t *testing.T) {
	found := must.Get(Find(Request{Scenario: "halo-libraries", Run: "with MPI_Test every 50 us", Set: []string{"workload.iterations=5"},
		Over: "machine.runtime.progress.every=16us,128us", Minimize: makespan, Why: true}))(t)
	below, more := found.Optima[0].Reason(Below), 5*(24-3)*0.3e-6
	if below == nil || math.Abs(below.Than["tests"]-more) > 1e-12 || math.Abs(below.Longer-more) > 1e-12 {
		t.Fatalf("%+v", below)
	}
	if got, want := found.SideText(found.Optima[0], below), "16us: 31.50 µs more (testing +31.50 µs): testing binds, the processors' time for the "+
		"library's tests; in the time breakdown overhead grows most, +31.50 µs"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Without values of the user, values of a time between powers of two are tried around the best power, and all those powers are: 300 us of
// computation have 9 tests with one each 32 us, which is the best power, and 7 where one comes from each 37.5 us to each 42.8 us.
func TestBetweenPowers(t *testing.T) {
	found := must.Get(Find(Request{Scenario: "halo-libraries", Run: "with MPI_Test every 50 us", Set: []string{"workload.iterations=5", "workload.compute=300us"},
		Over: "machine.runtime.progress.every", Minimize: makespan}))(t)
	o, power, powers := found.Optima[0], math.Inf(1), 0
	for _, p := range o.Points {
		if slices.Contains([]string{"2us", "4us", "8us", "16us", "32us", "64us", "128us", "256us", "512us"}, p.Value) {
			power, powers = min(power, *p.Result), powers+1
		}
	}
	if gain := power - *o.Best.Result; gain < 5*(9-7)*0.3e-6-1e-12 || powers != 9 || o.Runs.Sum() > mostRuns {
		t.Errorf("best at %s, %g s shorter than at %d powers, %d runs", o.Best.Value, gain, powers, o.Runs.Sum())
	}
}

// What limits a run is only named if the resources account for most of a difference.
func TestAgainst(t *testing.T) {
	best := &Reason{Result: 10, Resources: map[string]float64{"o": 4, "G": 6}}
	for _, c := range []struct {
		o, G float64
		want string
	}{{8, 4, "o"}, {4, 8, "G"}, {5, 5.5, ""}, {1, 6, ""}} {
		r := Reason{Result: 12, Resources: map[string]float64{"o": c.o, "G": c.G}}
		r.rest()
		if r.against(best); r.Binds != c.want || r.More != 2 {
			t.Errorf("o %g and G %g: %+v, want %q", c.o, c.G, r, c.want)
		}
	}
}

// The computation of a schedule, which no key scales, is part of what a result is made of: 200 us at the best bandwidth, at which 1 MB takes
// 100 us, and none at a quarter of it, at which the 400 us of the message decide.
func TestReasonOfSchedules(t *testing.T) {
	schedule := filepath.Join(t.TempDir(), "send.goal")
	must.Do(t, os.WriteFile(schedule, []byte("num_ranks 2\nrank 0 {\na: send 1000000b to 1 tag 1\n}\nrank 1 {\na: recv 1000000b from 0 tag 1\nb: calc 200000\n}\n"), 0o666))
	found, err := Find(Request{Scenario: schedule, Over: "machine.network.bandwidth=2.5GB/s,10GB/s", Minimize: "makespan_s", Why: true, Set: []string{
		"machine=loggp", "machine.network.latency=0us", "machine.network.send_overhead=0us", "machine.network.receive_overhead=0us", "machine.network.gap=0us"}})
	if err != nil {
		t.Fatal(err)
	}
	o := found.Optima[0]
	for _, r := range o.Why {
		if math.Abs(r.Rest) > 1e-9 {
			t.Errorf("%s: %g of %g s are none of %v", r.Value, r.Rest, r.Result, r.Resources)
		}
	}
	if r := o.Reason(Below); r == nil || r.Binds != "G" || math.Abs(r.Than["compute"]+200e-6) > 1e-9 || math.Abs(r.Than["G"]-400e-6) > 1e-9 {
		t.Errorf("%+v", r)
	}
}

// If two paths through a run are equally long, as when the bandwidth of a memory is just
// used up, the derivatives to both sides account for the makespan. Those to one side
// count a hundredth of it twice here.
func TestReasonAtACorner(t *testing.T) {
	found, err := Find(Request{Scenario: "spmv-gather-jacquard", Over: "workload.prefetch=1,4,32", Minimize: "makespan_s", Why: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Optima[0].Why {
		if math.Abs(r.Rest) > 0.005*r.Result {
			t.Errorf("%g of %g s at %s are nobody's: %v", r.Rest, r.Result, r.Value, r.Resources)
		}
	}
}

// Links as fast as the NIC, because their machine gives them no bandwidth, account for what they take, and the NIC for its own part: by
// the gradient of the makespan, and by runs of another number.
func TestReasonOfLinks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ring.yaml")
	must.Do(t, os.WriteFile(file, []byte("machine: loggp\nchanges: {nodes: 12, topology: {kind: torus, dims: [12]}}\nranks: 12\n"+
		"fabric: {kind: flow}\nworkload: {name: alltoall-linear}\n"), 0o666))
	for _, minimize := range []string{"makespan_s", "communicating_s"} {
		found := must.Get(Find(Request{Scenario: file, Over: "workload.bytes=1MiB,2MiB", Minimize: minimize, Why: true}))(t)
		for _, r := range found.Optima[0].Why {
			if r.Resources["links"] < 0.9*r.Result || r.Resources["G"] > 0.1*r.Result || math.Abs(r.Rest) > 0.005*r.Result {
				t.Errorf("%g s at %s, of which %g are nobody's: %v", r.Result, r.Value, r.Rest, r.Resources)
			}
		}
	}
}

// The values that are suggested for a path without a known range can be pasted: the search runs with them.
func TestSuggestionRuns(t *testing.T) {
	text := "machine: hopper\nworkload: {name: halo, bytes: 64KiB, compute: 1us, iterations: 2}\nranks: 4\n"
	scenario := filepath.Join(t.TempDir(), "halo.yaml")
	must.Do(t, os.WriteFile(scenario, []byte(text), 0o666))
	for path, want := range map[string]string{
		"workload.bytes": "1KiB..1MiB", "workload.compute": "1us..1ms", "workload.iterations": "1..64", "machine.network.bandwidth": "1GB/s..64GB/s",
		"processes_per_node": "1,2", "machine.nodes": "1..64",
	} {
		r := Request{Scenario: scenario, Over: path, Minimize: makespan}
		_, err := Find(r)
		_, over, ok := strings.Cut(fmt.Sprint(err), "such as --over ")
		if !ok || over != path+"="+want {
			t.Errorf("%s: suggested %v, want %s", path, err, want)
			continue
		}
		if r.Over = over; strings.Count(over, "..") == 0 {
			if _, err := Find(r); err != nil {
				t.Errorf("%s: %v", over, err)
			}
		} else if s := new(Study); s.choose(r, nil) != nil || !r.loads(path, s.From, s.To) {
			t.Errorf("%s cannot be run", over)
		}
	}
}

// Keys whose choices are known need no values: words of the table, names and numbers that the workload knows, and what the
// settings allow. A workload on GPUs has no derivatives, and so no reasons.
func TestKnownRanges(t *testing.T) {
	halo := Request{Scenario: "halo-libraries", Run: "Open MPI 4.1", Set: []string{"ranks=4", "workload.iterations=2"}}
	collective := Request{Scenario: "collective", Set: []string{"machine=hopper", "ranks=8"}}
	step := Request{Scenario: "training-step", Set: []string{"ranks=8", "workload.layers=2", "workload.global_batch=8"}, Why: true}
	for _, c := range []struct {
		Request
		over  string
		first string
		n     int
	}{
		{halo, "mapping", "block", 5},
		{halo.with("machine.runtime.progress.by=test"), "machine.runtime.progress.every", "2us", 969},
		{collective, "workload.algorithm", "auto", 15},
		{step, "workload.zero", "0", 4}, {step, "workload.recompute", "none", 4}, {step, "workload.async_tp", "false", 2},
	} {
		c.Over, c.Minimize = c.over, makespan
		found, err := Find(c.Request)
		if err != nil {
			t.Errorf("%s: %v", c.over, err)
			continue
		}
		if found.Values != c.n || found.From != c.first || found.Optima[0].Best == nil || c.Why && found.Optima[0].Why != nil {
			t.Errorf("%s: %d values from %s, %+v", c.over, found.Values, found.From, found.Optima[0])
		}
	}
}

// with is the request with one more setting.
func (r Request) with(set string) Request {
	r.Set = append(slices.Clone(r.Set), set)
	return r
}

// A value whose operations never end does not end the search: it cannot be run, as one that does not load, and each is named. Two collectives
// that hold more than all SMs together wait for each other if two GPUs begin them in different order.
func TestSomeNeverEnd(t *testing.T) {
	const crossed = "machine: {base: dgx-h100, gpu: {sms: 100}}\nranks: 2\nworkload: {name: graph, operations: [{name: a, stream: x, gpus: [0], time: 10us}, " +
		"{name: b, stream: y, gpus: [1], time: 10us}, {name: c, stream: x, collective: all-reduce, bytes: 1MiB, channels: 60}, " +
		"{name: d, stream: y, collective: all-reduce, bytes: 1MiB, channels: 60}]}\n"
	file := filepath.Join(t.TempDir(), "crossed.yaml")
	must.Do(t, os.WriteFile(file, []byte(crossed), 0o666))
	found := must.Get(Find(Request{Scenario: file, Over: "workload.operations.2.channels=-1,30,60", Minimize: makespan}))(t)
	text := found.FailedText(found.Optima[0])
	if found.Optima[0].Best.Value != "30" || !strings.Contains(text, "2 of the 3 values that were tried cannot be run, the first of them -1:\n") ||
		!strings.HasSuffix(found.Summary(), "3 values from -1 to 60, of which 3 were tried and 2 cannot be run") ||
		!strings.Contains(text, "\nOperations of 1 of them never end, such as 60:\n  4 operations never end; ") {
		t.Errorf("best at %s; %s; %s", found.Optima[0].Best.Value, found.Summary(), text)
	}
}

// Where no value can be run it is said how many were tried, and why the first cannot.
func TestNoneRuns(t *testing.T) {
	for over, want := range map[string]string{
		"ranks=5,6,7": "workload.rows: must be a multiple of the 5 ranks, got 8192; none of the 3 values of ranks that were tried can be run, and 5 is the first",
	} {
		if _, err := Find(Request{Scenario: "ft-slabs-jacquard", Over: over, Minimize: makespan}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", over, err, want)
		}
	}
}

// The title of a scenario that is made names its defaults, and none of the path that varies.
func TestTitleOfDefaults(t *testing.T) {
	found := must.Get(Find(Request{Scenario: "halo", Over: "workload.bytes=16KiB,32KiB", Set: []string{"ranks=8"}, Minimize: makespan}))(t)
	if !strings.Contains(found.Title, "pieces 1") || strings.Contains(found.Title, "bytes") || strings.Contains(found.Title, "ranks") {
		t.Error(found.Title)
	}
}

// What only some values send at once is copied there, at the rate that run charges: an optimum does not come from copies that are free. The
// settings that charge it are those of a run.
func TestCopiesAreCharged(t *testing.T) {
	const own = "machine: {nodes: 16, cores: 1, network: {latency: 2us, send_overhead: 0.5us, receive_overhead: 0.5us, bandwidth: 12GB/s, " +
		"rendezvous_threshold: 16KiB}}\nranks: 16\nworkload: {name: halo, bytes: 100KB, compute: 100us, iterations: 4}\n"
	file := filepath.Join(t.TempDir(), "own.yaml")
	must.Do(t, os.WriteFile(file, []byte(own), 0o666))
	for _, c := range []struct{ scenario, over, free string }{
		{"halo-libraries", "machine.runtime.rendezvous.threshold=32KiB,1MiB,2MiB", "1MiB"},
		{"halo-libraries", "moves.pieces=1,32,64", "32"},
		{file, "machine.network.rendezvous_threshold=8KiB,64KiB,128KiB", "128KiB"},
	} {
		r := Request{Scenario: c.scenario, Over: c.over, Minimize: makespan}
		if c.scenario != file {
			r.Run, r.Set = "Open MPI 4.1", []string{"workload.iterations=5"}
		}
		found := must.Get(Find(r))(t)
		o := found.Optima[0]
		if o.Best.Charged != nil || o.Best.Value == c.free {
			t.Errorf("%s: best at %s, charged %q", c.over, o.Best.Value, o.Best.Charged)
		}
		last := o.Points[len(o.Points)-1]
		if last.Charged == nil || !slices.ContainsFunc(found.Assumed(), func(line string) bool { return strings.HasSuffix(line, keys.Flags(last.Charged)) }) {
			t.Errorf("%s: charged %q, said %q", c.over, last.Charged, found.Assumed())
		}
		free := must.Get(must.Get(points.Of(c.scenario, 0, r.Set)([]string{found.Path + "=" + last.Value}))(t).Run(nodes.Options{}))(t).Result
		paid := must.Get(must.Get(points.Of(c.scenario, 0, r.Set)(append([]string{found.Path + "=" + last.Value}, last.Charged...)))(t).Run(nodes.Options{}))(t).Result
		if free.Makespan() >= paid.Makespan() || paid.Makespan().Seconds() != *last.Result {
			t.Errorf("%s: %v without the charge, %v with it, %g s found", c.over, free.Makespan(), paid.Makespan(), *last.Result)
		}
	}
}
