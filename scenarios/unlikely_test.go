package scenarios

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// What a run takes for true that no machine has is said, as long as something comes of it, and so is a cost that nothing has.
func TestUnlikely(t *testing.T) {
	const halo, alltoall = "{name: halo, bytes: 64KiB, iterations: 2, compute: 100us}", "{name: collective, operation: alltoall, bytes: 64KiB}"
	const halved = "{name: collective, operation: reduce-scatter, bytes: 128KiB, algorithm: halving}" // the mean message has 21 KiB
	for _, c := range []struct {
		workload, progress string
		processes          int
		assumed, idle      string // the beginning of what is said; "": nothing is
	}{
		{halo, "{by: thread, cost: 1us}", 120, "assumed: 240 cores for the processes of a node and their helper threads, where the machine has 120: " +
			"--set processes_per_node=60", ""},
		{halo, "{by: thread, cost: 1us}", 60, "", ""},
		{halo, "{by: thread, cost: 1us}; ranks=4", 120, "", ""}, // 8 of 120 cores
		{halo, "{by: thread}", 60, "assumed: a helper thread that acts at once and costs nothing", ""},
		{halo, "{by: interrupts}", 8, "assumed: interrupts that cost nothing", ""},
		{halo, "{by: interrupts, cost: 5us}", 8, "", ""},
		{alltoall, "{by: interrupts, cost: 5us}", 8, "", "machine.runtime.progress.cost"},
		{alltoall, "{by: interrupts}", 8, "", ""},
		{halo, "{by: test, every: 3us}", 8, "assumed: tests that cost nothing", ""},
		{halo, "{by: test, every: 3us, test: 0.3us}", 8, "", ""},
		{halo, "{by: calls}", 120, "", ""},
		{halo, "{by: calls}; machine.runtime.rendezvous.threshold=1MiB", 8, "assumed: eager messages are not copied, however long", ""},
		{halo, "{by: calls}; machine.runtime.rendezvous.threshold=1MiB; workload.compute=20ms", 8, "", ""}, // the copies are 1 % of the time
		{halved, "{by: calls}; machine.kernels.combine.rates=10GB/s; machine.runtime.rendezvous.threshold=1MiB", 1, "assumed: eager messages are not copied, however long", ""},
		{halved, "{by: calls}; machine.kernels.combine.rates=10GB/s; machine.runtime.rendezvous.threshold=48KiB", 1, "assumed: eager messages are not copied, however long", ""},
		{"{name: osu-nbc, operation: allreduce, bytes: 8B}", "{by: triggered}", 8, "assumed: the NIC that begins rounds of collectives also combines", ""},
		{"{name: osu-nbc, operation: allreduce, bytes: 8B}", "{by: nic}", 8, "", ""},
		{"{name: osu-nbc, operation: allreduce, bytes: 8B}", "{by: calls}", 8, "", ""},
	} {
		ranks := 2 * c.processes
		if c.processes == 1 {
			ranks = 64
		}
		text := fmt.Sprintf("machine: hdr-infiniband\nworkload: %s\nprocesses_per_node: %d\nranks: %d\n", c.workload, c.processes, ranks)
		study := must.Get(Read("unlikely.yaml", []byte(text), strings.Split("machine.runtime.progress="+c.progress, "; ")))(t)
		o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		lines := slices.DeleteFunc(o.Assumptions(), func(line string) bool { return !strings.HasPrefix(line, "assumed:") })
		if assumed := strings.Join(lines, "\n"); !strings.HasPrefix(assumed, c.assumed) || c.assumed == "" && assumed != "" {
			t.Errorf("%+v: %q", c, assumed)
		}
		idle := ""
		for _, n := range o.NoEffect() {
			idle += n.Key
		}
		if idle != c.idle {
			t.Errorf("%+v: no effect of %q", c, idle)
		}
	}
}

// The routing of a machine that a fabric does not do is said, in its file, in the library and by a flag, once each.
func TestMinimalRoutes(t *testing.T) {
	const text = "machine: frontier\nprocesses_per_node: 1\nranks: 16\nworkload: {name: alltoall-linear, bytes: 8KiB}\n"
	for settings, want := range map[string][2]bool{ // whether it is assumed, and whether a key has no effect
		"fabric.kind=backlog": {true, false},
		"fabric.kind=flow":    {false, false},
		"fabric.kind=ideal":   {false, false},
		"fabric.kind=backlog; machine.topology.routing=adaptive": {false, true},
		"fabric.kind=backlog; machine.topology.routing=minimal":  {false, false},
	} {
		study := must.Get(Read("minimal.yaml", []byte(text), strings.Split(settings, "; ")))(t)
		o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		got := [2]bool{slices.ContainsFunc(o.Assumptions(), func(line string) bool { return strings.HasPrefix(line, "assumed: minimal routes") }),
			slices.ContainsFunc(o.NoEffect(), func(n files.NoEffect) bool { return n.Key == "machine.topology.routing" })}
		if got != want {
			t.Errorf("%s: %v, want %v", settings, got, want)
		}
	}
}

// Libraries derived from MPICH send a message in partitions whole, Open MPI 5 each partition. A run on a library of which nothing says how
// says what it takes for true.
func TestPartitionsByLibrary(t *testing.T) {
	folder := t.TempDir()
	calls := [][]traces.Call{
		{{Kind: traces.Psend, Peer: 1, Bytes: 1000, Among: 2}, {Kind: traces.Pready, Among: 2}, {Kind: traces.Wait, Requests: []int32{0}}},
		{{Kind: traces.Precv, Peer: 0, Bytes: 1000, Among: 2}, {Kind: traces.Wait, Requests: []int32{0}}},
	}
	var file bytes.Buffer
	must.Do(t, traces.Write(&file, &traces.Memory{Head: traces.Header{Ranks: 2, Comms: []traces.Comm{{}}}, Ranks: calls}))
	must.Do(t, os.WriteFile(filepath.Join(folder, "parts.trace"), file.Bytes(), 0o666))
	const taken = "assumed: runtime.partitioned each (a message for each partition, when it is ready, as Open MPI 5 sends), as hdr-infiniband does not " +
		"give it: --set machine.runtime.partitioned=whole"
	for _, c := range []struct {
		runtime        string
		whole, assumed bool
	}{
		{"mpich-4-ofi", true, false}, {"mvapich-3", true, false}, {"intel-mpi-2021-threads", true, false}, {"cray-mpich-software", true, false},
		{"openmpi-5", false, false}, {"mvapich2-2.2", false, true}, {"{base: mvapich2-2.2, partitioned: each}", false, false},
	} {
		set := []string{"machine=hdr-infiniband", "processes_per_node=1", "machine.runtime=" + c.runtime}
		s := must.Get(LoadRun(filepath.Join(folder, "parts.trace"), 0, set))(t)
		o := must.Get(s.Run(nodes.Options{}))(t)
		whole := s.Machine.Runtime.Partitioned == machines.WholeMessage
		if whole != c.whole || slices.Contains(o.Assumptions(), taken) != c.assumed {
			t.Errorf("%s: whole is %t, assumed %q", c.runtime, whole, o.Assumptions())
		}
	}
}

// A machine that says that it has no library has none by choice: in its file, in a setting, and on a base with one. Later settings count.
func TestNoLibraryByChoice(t *testing.T) {
	const five = "nodes: 8, cores: 8, network: {latency: 2us, send_overhead: 1us, receive_overhead: 1us, bandwidth: 10GB/s}"
	for _, c := range []struct {
		machine, setting string
		assumed, has     bool
	}{
		{five, "", true, false},
		{five, "machine.runtime=none", false, false},
		{five + ", runtime: none", "", false, false},
		{five + ", runtime: openmpi-5", "machine.runtime=none", false, false},
		{"base: hdr-infiniband, runtime: none", "", false, false},
		{five + ", runtime: none", "machine.runtime=openmpi-5", false, true},
		{five + ", runtime: none", "machine.runtime.progress.by=nic", false, true},
		{five + ", runtime: none", "machine.runtime={progress: {by: nic}}", false, true},
	} {
		o := outcome(t, "machine: {"+c.machine+"}\nranks: 8\nprocesses_per_node: 1\nworkload: {name: halo, bytes: 64KiB}\n",
			slices.DeleteFunc([]string{c.setting}, func(setting string) bool { return setting == "" })...)
		if assumed := strings.Contains(strings.Join(o.Assumptions(), "\n"), "assumed: runtime none"); assumed != c.assumed {
			t.Errorf("%+v: %q", c, o.Assumptions())
		}
		if has := o.Machine.Runtime != nil; has != c.has {
			t.Errorf("%+v: it has a library: %v", c, has)
		}
	}
}

// Links that a machine gives no bandwidth have the NIC's, as the run says, with a setting of another one. With the one in force the makespan and
// all derivatives are the same, and nothing is assumed.
func TestLinksOfNIC(t *testing.T) {
	for _, machine := range []string{"{base: loggp, cores: 1, network.bandwidth: 12.5GB/s}", "{nodes: 16, cores: 1, network: " +
		"{latency: 1us, send_overhead: 1us, receive_overhead: 1us, bandwidth: 3GB/s}}"} {
		text := "machine: " + machine + "\nchanges: {runtime: none, nodes: 16, topology: {kind: torus, dims: [16]}}\nranks: 16\n" +
			"fabric: {kind: flow}\nworkload: {name: alltoall-linear, bytes: 1MiB}\n"
		run := func(settings ...string) *outcomes.Outcome {
			study := must.Get(Read("links.yaml", []byte(text), settings))(t)
			return must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
		}
		left := run()
		i := slices.IndexFunc(left.Assumptions(), func(line string) bool { return strings.HasPrefix(line, "assumed: links.bandwidth") })
		if i < 0 {
			t.Fatalf("%s: %q", machine, left.Assumptions())
		}
		var rate, setting string
		fmt.Sscanf(left.Assumptions()[i], "assumed: links.bandwidth %s (that of", &rate)
		_, other, _ := strings.Cut(left.Assumptions()[i], "--set ")
		if setting = "machine.links.bandwidth=" + rate; setting == other {
			t.Errorf("%s: the setting changes nothing: %s", machine, other)
		}
		given := run(setting)
		if strings.Contains(strings.Join(given.Assumptions(), "\n"), "links.bandwidth") {
			t.Errorf("with %s: %q", setting, given.Assumptions())
		}
		if left.Result.Makespan() != given.Result.Makespan() || !reflect.DeepEqual(left.Slopes(), given.Slopes()) {
			t.Errorf("%s: %v, slopes %+v; with %s %v, slopes %+v", machine, left.Result.Makespan(), left.Slopes(), setting,
				given.Result.Makespan(), given.Slopes())
		}
		if !slices.ContainsFunc(left.Slopes(), func(s results.Slope) bool {
			return strings.HasPrefix(s.Parameter, "links.bandwidth") && math.Abs(s.Elasticity) > 0.1
		}) {
			t.Errorf("%s: links that messages share have no derivative: %+v", machine, left.Slopes())
		}
	}
}

// Gets over TCP are answered by NICs here, as is said; gets over RDMA, and messages over TCP, are as libraries do them.
func TestGetsOverTCP(t *testing.T) {
	const said = "assumed: gets that the NIC of the target answers while it computes; over TCP its processor does, in calls"
	for _, c := range []struct {
		runtime, call string
		want          bool
	}{{"openmpi-4.1-tcp", "get", true}, {"openmpi-4.1", "get", false}, {"openmpi-4.1-tcp", "put", false}} {
		o := outcome(t, "machine: ethernet-cluster\nranks: 2\nprocesses_per_node: 1\nworkload: {name: round-trip, bytes: 1KiB}\n",
			"machine.runtime="+c.runtime, "workload.call="+c.call)
		if got := slices.ContainsFunc(o.Assumptions(), func(line string) bool { return strings.HasPrefix(line, said) }); got != c.want {
			t.Errorf("%+v: %q", c, o.Assumptions())
		}
	}
}
