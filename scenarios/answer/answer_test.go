package answer

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/limited"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// asked is a run of a scenario for which advice is wanted.
type asked struct {
	scenario string
	run      int
	settings []string
}

func (a asked) String() string { return fmt.Sprint(a.scenario, " ", a.run, " ", a.settings) }

// load implements Load.
func (a asked) load(more []string) (*scenarios.Scenario, error) {
	return scenarios.LoadRun(a.scenario, a.run, slices.Concat(a.settings, more))
}

// outcome runs it; nil if it cannot be run.
func (a asked) outcome(t testing.TB) *outcomes.Outcome {
	t.Helper()
	s, err := a.load(nil)
	if err != nil {
		t.Log(a, err)
		return nil
	}
	o, err := s.Run(nodes.Options{})
	if err != nil {
		t.Log(a, err)
		return nil
	}
	return o
}

// again implements Again.
func (a asked) again(set []string) (*outcomes.Outcome, error) {
	s, err := a.load(set)
	if err != nil {
		return nil, err
	}
	return s.Run(nodes.Options{})
}

// written is a scenario given as text.
func written(t testing.TB, text string, settings ...string) asked {
	t.Helper()
	file := filepath.Join(t.TempDir(), "written.yaml")
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	return asked{file, 0, settings}
}

const crowded = `
machine: {base: bassi, memory: {bandwidth: 5GB/s}}
workload: {name: spmv-gather, dimension: 4096, nonzero_ratio: 0.01}
ranks: 16
`

const exchange = `
machine:
  base: loggp
  cores: 4
  time_slice: 1ms
  topology: {kind: fat-tree, levels: 2, arity: 4}
  links: {bandwidth: 1GB/s}
  noise: {rate: 1kHz, length: 20us}
  network:
    rendezvous_threshold: 16KiB
    queue_depth: 1
    outstanding: 2
    outstanding_per_peer: 2
    send_overhead: [{time: 1us, per_byte: 1GB/s}]
workload: {name: halo, bytes: 256KiB, iterations: 3, compute: 1ms}
ranks: 16
fabric: {kind: flow}
`

// advised are scenarios to which every row of the table applies once.
func advised(t testing.TB) []asked {
	trace := must.Get(filepath.Abs("../../workloads/gputrace/testdata/sampled_rank-0.json.gz"))(t)
	return []asked{
		{"ft-exchange-bassi", 0, []string{"ranks=8", "workload.rows=256"}},
		{"ft-overlap-jacquard", 0, []string{"ranks=8", "workload.rows=256", "workload.messages=64"}},
		{"helper-thread", 0, nil}, {"helper-thread", 1, nil}, {"spmv-gather-jacquard", 0, nil}, {"flood-jacquard", 0, nil},
		{"mpi-libraries", 4, nil}, {"mpi-libraries", 11, nil}, {"hopper-shift", 0, []string{"ranks=96", "workload.repeat=2"}},
		{"fig22-initiation", 0, nil}, {"dense-hopper", 0, []string{"workload.size=4096", "ranks=64"}},
		{"advection-xenon", 0, []string{"workload.steps=8", "workload.tile=4", "workload.grid=4x4x1", "ranks=16"}},
		written(t, exchange, "processes_per_node=4", "machine.nics={number: 2}"),
		written(t, exchange, "processes_per_node=2", "workload.bytes=8KiB", "mapping=cyclic"),
		written(t, exchange, "machine.runtime={progress: {by: interrupts, cost: 1us}, waiting: {by: block, wakeup: 5us}, rendezvous: {kind: "+
			"pipelined, chunk: 16KiB, in: 5GB/s, out: 5GB/s}}"),
		{"overlap-load", 0, nil}, {"flood-intrepid", 0, nil},
		written(t, crowded),
		{"gpt-18b", 0, []string{"workload.layers=8", "workload.global_batch=128", "ranks=64"}},
		{"gpt-18b", 0, []string{"workload.layers=8", "workload.global_batch=128", "ranks=64", "workload.recompute=selective", "workload.pp=1",
			"workload.sequence_parallel=true", "workload.zero=3"}},
		{"gpt-18b", 0, []string{"workload.layers=8", "workload.global_batch=64", "ranks=32", "workload.micro_batch=1", "workload.hidden=1024",
			"workload.heads=16", "workload.bucket=25MB"}},
		written(t, "machine: dgx-h100\nranks: 4\nworkload: {name: transformer, layers: 8, hidden: 2048, sequence: 2048, flash: true, vocabulary: 131072, pp: 4, "+
			"global_batch: 8}\n"),
		written(t, "machine: dgx-h100\nranks: 4\nworkload: {name: transformer, layers: 2, hidden: 1024, heads: 8, sequence: 1024, flash: true, "+
			"experts: 8, top_k: 2, expert_ffn: 512, ep: 4, global_batch: 8}\n"),
		{"gpu-fused", 0, nil},
		written(t, "machine: loggp\nchanges: {bucket: {rate: 100MB/s, depth: 1MB}}\nranks: 8\nworkload: {name: shift, bytes: 1MiB, repeat: 2}\n"),
		written(t, "machine: dgx-h100\nranks: 8\nworkload: {name: gradient-update, numbers: 10000000, optimizer: adam}\n"),
		written(t, "machine: dgx-h100\nranks: 16\nworkload: {name: halo-gpus, cells: 64, steps: 2, by: staged, pack: copies, messages: 8}\n"),
		written(t, "machine: dgx-h100\nranks: 16\nworkload: {name: halo-gpus, cells: 64, steps: 2}\n"),
		written(t, "machine: {base: dgx-h100, runtime: openmpi-5}\nranks: 16\nworkload: {name: halo-gpus, steps: 2, overlap: true, interior_first: true}\n"),
		written(t, "machine: {base: dgx-h100, links: {bandwidth: 25GB/s}}\nranks: 64\ntopology: {kind: fat-tree, children: [2, 32], parents: [1], "+
			"multipath: ecmp}\nfabric: {kind: flow}\nworkload: {name: transformer, layers: 2, tp: 8, jobs: 2}\n"),
		written(t, "machine: dgx-a100\nranks: 1\nworkload: {name: gpu-trace, file: "+trace+"}\n"),
		written(t, "machine: loggp\nworkload: {name: collective, operation: broadcast, algorithm: pipeline, bytes: 1MiB}\nranks: 8\n"),
		inPartitions(t, "whole"),
		{"gpu-all-reduce", 0, []string{"workload.bytes=64KiB"}},
		{"gpu-all-reduce", 0, []string{"machine=l20", "ranks=8"}},
		{"alltoall-dragonfly", 0, []string{"ranks=16", "machine.topology.routing=adaptive"}},
		written(t, "machine: {base: loggp, runtime: openmpi-4.1}\nworkload: {name: collective, bytes: 64B}\nranks: 8\n"),
		written(t, five("{kind: fat-tree, children: [4, 4], parents: [2]}")+"ranks: 16\nworkload: {name: shift, bytes: 64KiB, distance: 8}\n"),
		written(t, "machine: {base: loggp, kernels: {combine: {rates: 2GB/s}}}\nworkload: {name: osu-nbc, bytes: 1MiB, compute: 1ms}\nranks: 8\n"),
		written(t, "machine: slingshot-11\nworkload: {name: osu-nbc, operation: allreduce}\nranks: 16\nprocesses_per_node: 1\n"),
	}
}

// drawn is a small scenario on a machine with a library and a fabric.
func drawn(t *rapid.T) string {
	one := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	machine := rapid.SampledFrom(files.Machines()).Draw(t, "machine")
	changes := "nodes: 0"
	if rapid.Bool().Draw(t, "another library") {
		changes += ", runtime: " + rapid.SampledFrom(append(files.Runtimes(), "none")).Draw(t, "library")
	}
	if agent := one("agent", "", "", "thread", "calls", "interrupts", "nic", "waits"); agent != "" {
		changes += ", runtime.progress: {by: " + agent + ", every: 0s, delay: 0s, cost: 0s}"
	}
	fabric := one("fabric", "ideal", "ideal", "flow")
	if fabric == "flow" {
		changes += ", topology: {kind: fat-tree, levels: 3, arity: 4}"
	}
	bytes := one("bytes", "100B", "8KiB", "256KiB")
	return fmt.Sprintf("machine: %s\nchanges: {%s}\nfabric: {kind: %s}\nprocesses_per_node: %s\nranks: %s\nworkload: {name: %s}\n", machine,
		changes, fabric,
		one("processes", "1", "1", "2"), one("ranks", "8", "16"), one("workload",
			"halo, iterations: 3, compute: "+one("compute", "0s", "100us", "2ms")+", bytes: "+bytes,
			"shift, distance: 3, repeat: 3, bytes: "+bytes, "alltoall-linear, bytes: "+bytes))
}

// confirm checks an answer against the scenario itself, and returns it.
func confirm(t testing.TB, a asked) *outcomes.Answer {
	t.Helper()
	o := a.outcome(t)
	if o == nil {
		return nil
	}
	said := For(o, a.load, Whole, func(string, float64) {})
	if err := Confirm(o, said, a.again); err != nil {
		t.Errorf("%v: %v", a, err)
	}
	return said
}

// Answers on chosen scenarios are confirmed.
func TestAnswer(t *testing.T) {
	must.Long(t)
	for _, a := range advised(t) {
		if said := confirm(t, a); said == nil {
			t.Errorf("%v cannot be run", a)
		} else {
			t.Logf("%s %d: %+v", filepath.Base(a.scenario), a.run, said)
		}
	}
}

// A trace whose communication hides behind launches says how much hides without these: as much as the run without launches says.
func TestHiddenBehindLaunches(t *testing.T) {
	trace := must.Get(filepath.Abs("../../workloads/gputrace/testdata/sampled_rank-0.json.gz"))(t)
	of := func(settings ...string) *outcomes.Answer {
		a := written(t, "machine: dgx-a100\nranks: 1\nworkload: {name: gpu-trace, file: "+trace+"}\n", settings...)
		return For(a.outcome(t), a.load, Causes, func(string, float64) {})
	}
	said, without := of(), of("without=launches")
	if said.Launched == nil || math.Abs(*said.Launched-*without.Overlap) > 1e-9 || *said.Launched > 0.5 {
		t.Fatalf("overlap %v without launches, want %g, less than half of %g", said.Launched, *without.Overlap, *said.Overlap)
	}
	if without.Launched != nil {
		t.Error("a run without launches speaks of them")
	}
	if !strings.Contains(said.Sentence, "no shorter, as the hosts launch when they did; without launches 33 % of it is hidden.") {
		t.Error(said.Sentence)
	}
	if !strings.Contains(said.Sentence, "As traced, 15 % of communication ran alongside kernels, 85 % did not.") { // 59.22 of 396.2 ms
		t.Error(said.Sentence)
	}
	if facts := report.AnswerFacts(1.223, said); len(facts) > 0 { // nothing is gained
		t.Error(facts)
	}
}

// Answers on random scenarios are confirmed.
func TestDrawnAnswer(t *testing.T) {
	must.Long(t)
	runs, changes := 0, 0
	for seed := range 60 {
		if said := confirm(t, written(t, rapid.Custom(drawn).Example(seed))); said != nil {
			runs, changes = runs+1, changes+len(said.Help)
		}
	}
	if t.Logf("%d runs, %d changes that help", runs, changes); runs < 20 || changes < 20 {
		t.Errorf("%d runs and %d changes are too few", runs, changes)
	}
}

// All re-runs together stay within their budget of events.
func TestBudget(t *testing.T) {
	must.Long(t)
	for _, a := range advised(t) {
		o := a.outcome(t)
		s := newSubject(o, a.load)
		s.pool = &points.Pool{Load: a.load}
		for _, most := range []float64{3 * s.events / AllTimes, s.events} {
			sum, queue := 0.0, []*trial{s.absence("communication"), s.absence("computation"), s.absence("latency"), s.absence("bandwidth")}
			before := s.events
			s.explore(queue, len(queue), most)
			for _, trial := range queue {
				sum += trial.events
			}
			if sum > min(most, before)*(1+1e-9) {
				t.Errorf("%v: the re-runs had %g events, they may have %g", a, sum, most)
			}
		}
	}
}

// Re-runs in which two nodes stand for all cost what two nodes cost: a million ranks have an answer, and no cause is left out. Without
// communication two nodes stand for all too, where the order of what happens at the same moment matters with it. A re-run that needs all
// ranks does not begin.
func TestAnswerOfTwoNodes(t *testing.T) {
	a := written(t, "machine: {base: loggp, nodes: 0}\nworkload: {name: halo, iterations: 20, compute: 100us}\nranks: 1000000\n")
	o := a.outcome(t)
	said := For(o, a.load, Whole, func(string, float64) {})
	if o.Result.Folded < o.Result.Events-1_000_000 || said.Exposed == nil || len(said.Without) < 2 || len(said.Help) == 0 || len(said.MadeOf) > 0 {
		t.Errorf("%d of %d events folded: %+v", o.Result.Folded, o.Result.Events, said)
	}
	a = written(t, "machine: {base: loggp, cores: 64, network: {gap: 1us, latency: 1us}}\nranks: 1024\nprocesses_per_node: 64\n"+
		"workload: {name: collective, bytes: 8B, repeat: 10, algorithm: doubling}\n")
	for _, set := range [][]string{nil, {"without=communication"}} {
		o := must.Get(a.again(set))(t)
		if o.Result.Folded == 0 {
			t.Errorf("%v: all ranks are simulated", set)
		}
	}
}

// A run that is too long for all causes to be tried is run without those that show on its critical path: links that messages share,
// not a library that has nothing to do.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; -short leaves it out")
	}
	few := fewEvents[results.Processes]
	fewEvents[results.Processes] = few / free // as of a run that is three times as long, which takes half a minute
	defer func() { fewEvents[results.Processes] = few }()
	a := written(t, `
machine: lumi-c
fabric: {kind: backlog}
ranks: 384
processes_per_node: 1
workload: {name: collective, operation: alltoall, bytes: 1MiB}
`)
	o := a.outcome(t)
	if all := float64(len(causes[results.Processes])+5) * float64(o.Result.Events); all < 1.5*budget(o, false) {
		t.Fatalf("re-runs may have %g events, which is enough for all causes", budget(o, false))
	}
	said := For(o, a.load, Whole, func(string, float64) {})
	if len(said.Without) == 0 || said.Without[0].Cause != "links" || said.Without[0].Saves < 0.5 {
		t.Errorf("without: %+v", said.Without)
	}
}

// Where flows share links, finding their rates is most of the work, and takes much longer at other places and on other routes. The answer
// says which changes it leaves out. Who waits hears of all, and that a random placement gains most.
func TestNotTried(t *testing.T) {
	if must.Long(t); !limited.HeavyTurn(0, "changes not tried") {
		return
	}
	a := asked{"alltoall-dragonfly", 0, nil}
	o := a.outcome(t)
	if o.Result.Solving < o.Result.Events {
		t.Fatalf("finding rates takes as long as %d events, the run has %d", o.Result.Solving, o.Result.Events)
	}
	if _, err := must.Get(a.load(nil))(t).Run(nodes.Options{MostEvents: o.Result.Work() / 2}); !errors.Is(err, nodes.ErrMostEvents) {
		t.Errorf("with half the work: %v", err)
	}
	quiet := func(string, float64) {}
	brief, patient := For(o, a.load, Whole, quiet), For(o, a.load, Patient, quiet)
	const note = "1 of 5 changes was not tried, or not to the end, as the answer would take too long: ranks placed random-all instead of block. --advice waits for them."
	if !slices.Contains(brief.Notes, note) || brief.Help[0].Set[0] != "mapping=spread" {
		t.Errorf("%d runs, help %+v, notes %q", brief.Runs, brief.Help, brief.Notes)
	}
	if patient.Help[0].Set[0] != "mapping=random-all" || patient.Help[0].Saves < 0.7 {
		t.Errorf("patient: %d runs, help %+v, notes %q", patient.Runs, patient.Help, patient.Notes)
	}
	for _, n := range patient.Notes {
		if strings.Contains(n, "not tried") {
			t.Errorf("%q", n)
		}
	}
	if !reflect.DeepEqual(brief.Without, patient.Without) {
		t.Errorf("causes %+v, of who waits %+v", brief.Without, patient.Without)
	}
}

// A batch hands out no more events than the budget, and each of its re-runs gets at least its
// expected need. A re-run that needs more is stopped.
func TestAllowance(t *testing.T) {
	a := asked{"helper-thread", 0, nil}
	s := newSubject(a.outcome(t), a.load)
	s.pool = &points.Pool{Load: a.load}
	for _, times := range []float64{1.5, 4, 10} {
		budget, sum := times*float64(s.Result.Events), 0.0
		batch, _ := s.batch([]*trial{s.absence("latency"), s.absence("bandwidth"), s.absence("overhead")}, 3, budget)
		for _, trial := range batch {
			sum += trial.mostEvents
			if trial.mostEvents < trial.expected(s) {
				t.Errorf("%g events for a re-run that is expected to need %g", trial.mostEvents, trial.expected(s))
			}
		}
		if sum > budget*(1+1e-9) || times >= 4 && len(batch) < 2 {
			t.Errorf("%d re-runs may have %g events, there are %g", len(batch), sum, budget)
		}
	}
	short := &trial{change: only("", "machine.network.latency=x0.5")[0], mostEvents: 10}
	if !short.starts(s, s.events) {
		t.Fatal("it does not start")
	}
	if s.runAll([]*trial{short}); short.counts || short.events != 10 {
		t.Errorf("a re-run that may have 10 events: %+v", short)
	}
}

// An algorithm that needs a million ranks, where four stand for all, is not begun: it takes more than all re-runs may, and minutes to set up.
func TestStandInsAreNotReplaced(t *testing.T) {
	a := written(t, "machine: loggp\nprocesses_per_node: 1\nranks: 1048576\n"+
		"workload: {name: collective, operation: allreduce, algorithm: doubling, bytes: 8B, alike: true}\n")
	s := newSubject(a.outcome(t), a.load)
	s.pool = &points.Pool{Load: a.load}
	all := &trial{change: only("", "workload.algorithm=two-level")[0]}
	if all.starts(s, s.events) || !all.short {
		t.Errorf("it starts, with %d ranks", all.scenario.Program.Ranks())
	}
	if few := (&trial{change: only("", "workload.algorithm=rabenseifner", "workload.bytes=8MiB")[0]}); !few.starts(s, s.events) {
		t.Error("four ranks do not start")
	}
}

// Every row of the tables has changes that are valid in one of the scenarios, so that no row is dead.
func TestTable(t *testing.T) {
	must.Long(t)
	valid := map[results.Workers][]int{}
	for on, table := range tables {
		valid[results.Workers(on)] = make([]int, len(table))
	}
	for _, a := range advised(t) {
		s := newSubject(a.outcome(t), a.load)
		on := s.Result.On
		for i, row := range s.found() {
			for _, c := range row.all {
				if again, err := a.load(c.set); err == nil {
					if _, err := again.Run(nodes.Options{}); err == nil {
						valid[on][i]++
					}
				}
			}
		}
	}
	for on, table := range tables {
		for i, row := range table {
			if valid[results.Workers(on)][i] == 0 {
				t.Errorf("row %d of table %d (%v, against %v) is never tried", i, on, row.of, row.attacks)
			}
		}
	}
}

// Every agent can replace the agent of every library, by a setting that a user can give.
func TestAgents(t *testing.T) {
	const text = "machine: loggp\nchanges: {network.rendezvous_threshold: 1KiB, cores: 2}\nworkload: {name: halo, bytes: 256KiB, " +
		"iterations: 2, compute: 1ms}\nranks: 4\n"
	agents := []struct {
		by      machines.Agent
		changes func(*subject) []change
	}{{machines.Thread, thread}, {machines.Testing, tests}, {machines.Interrupts, interrupts}, {machines.Offload, offload}}
	inline := []string{"{progress: {by: test, every: 100us, test: 1us}}", "{progress: {by: thread, delay: 3us, cost: 2us}}",
		"{progress: {by: interrupts, cost: 4us}}", "{progress: {by: waits}}"}
	for _, library := range slices.Concat([]string{"none"}, files.Runtimes(), inline) {
		a := written(t, text, "machine.runtime="+library)
		s := newSubject(a.outcome(t), a.load)
		for _, agent := range agents {
			by := agent.by
			if by == machines.Thread && s.library().Progress.By == machines.Offload {
				by = machines.Assisted
			}
			if by == machines.Testing && s.library().Progress.By == machines.InWaits {
				by = machines.TestingInWaits
			}
			for _, c := range agent.changes(s) {
				again, err := a.load(c.set)
				if err != nil {
					t.Errorf("%s: %v", library, err)
				} else if again.Machine.Runtime == nil || again.Machine.Runtime.Progress.By != by {
					t.Errorf("%s, %v: %+v", library, c.set, again.Machine.Runtime)
				}
			}
		}
	}
}

// Where communication costs 5 % and none of its causes does, the most expensive one is attacked.
func TestNoCauseIsLarge(t *testing.T) {
	a := asked{"halo", 0, []string{"machine=hdr-infiniband", "ranks=240", "processes_per_node=120", "workload.bytes=64KiB", "workload.compute=2ms",
		"workload.iterations=5"}}
	said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
	if most := said.Without[0]; most.Cause != "progress" || most.Saves >= leastCause {
		t.Errorf("%+v is no such cause", most)
	}
	if want := "Best change: a progress thread"; !strings.Contains(said.Sentence, want) {
		t.Errorf("%q does not say %q", said.Sentence, want)
	}
}

// Where the best change takes more nodes, the best one that takes no more is named. Ranks that are dealt out take as many nodes as block fills.
func TestWithAsManyNodes(t *testing.T) {
	a := asked{"halo", 0, []string{"machine=frontier", "ranks=64", "workload.bytes=1MiB", "workload.iterations=5", "fabric.kind=flow"}}
	said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
	for _, want := range []string{"(64 instead of 8 nodes, ", "; with as many nodes: ranks placed cyclic instead of block, "} {
		if !strings.Contains(said.Sentence, want) {
			t.Errorf("%q does not say %q", said.Sentence, want)
		}
	}
}

// Programs that cut the same work differently are found; others are not.
func TestReshaped(t *testing.T) {
	for _, c := range []struct {
		asked asked
		want  []string
	}{
		{asked{"ft-exchange-bassi", 0, []string{"ranks=8", "workload.rows=1024"}}, []string{"workload ft-slabs instead of ft-exchange"}},
		{asked{"ft-exchange-bassi", 0, []string{"ranks=8", "workload.rows=32"}},
			[]string{"workload ft-slabs instead of ft-exchange", "workload ft-pencils instead of ft-exchange"}},
		{asked{"ft-overlap-jacquard", 0, []string{"ranks=8", "workload.rows=256", "workload.messages=64"}},
			[]string{"messages 256 instead of 64", "messages 16 instead of 64"}},
		{asked{"ft-granularity", 0, []string{"ranks=8", "workload.rows=256", "workload.granularity=4"}},
			[]string{"granularity 16 instead of 4", "granularity 12 instead of 4", "granularity 1 instead of 4"}},
		{asked{"hopper-shift", 0, []string{"ranks=96", "workload.repeat=2"}}, []string{"synchronised true instead of false"}},
		{written(t, "machine: loggp\nworkload: {name: shift, distance: 1, repeat: 3, bytes: 64KiB}\nranks: 8\n"),
			[]string{"synchronised true instead of false"}},
		{written(t, exchange), []string{"pieces 16 instead of 1", "pieces 4 instead of 1"}}, // 16 are eager
	} {
		s := newSubject(c.asked.outcome(t), c.asked.load)
		var got []string
		for _, change := range s.reshaped() {
			got = append(got, change.says)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.asked, got, c.want)
		}
	}
}

// A re-run that does different work does not count.
func TestOtherWork(t *testing.T) {
	const text = "machine: loggp\nworkload: {name: halo, bytes: 1MiB, iterations: 3}\nranks: 4\n"
	for set, of := range map[string]string{"workload.bytes=128KiB": "0s", "workload.compute=50ms": "100ms", "workload.iterations=2": "1ms", "ranks=1": "0s"} {
		a := written(t, text, "workload.compute="+of)
		s := newSubject(a.outcome(t), a.load)
		s.pool = &points.Pool{Load: a.load}
		other := &trial{change: change{set: []string{set}}}
		if counted := s.explore([]*trial{other}, 1, s.events); len(counted) > 0 {
			t.Errorf("%s counts: %+v", set, counted[0])
		}
	}
}

// A change that saves nothing is broken off, and counts; a change of a kind whose best one is shorter is broken off there.
func TestLate(t *testing.T) {
	a := written(t, "machine: {base: hopper, nodes: 0, topology: {kind: fat-tree, levels: 2, arity: 4}, links: {bandwidth: 1GB/s}}\nranks: 16\n"+
		"processes_per_node: 1\nfabric: {kind: flow}\nworkload: {name: alltoall-linear, bytes: 1MiB}\n")
	s := newSubject(a.outcome(t), a.load)
	s.pool = &points.Pool{Load: a.load}
	plain := s.Result.Makespan()
	slow := func(by string) *trial {
		return &trial{change: only("", "machine.links.bandwidth="+by)[0]}
	}
	all := []*trial{slow("0.5GB/s"), slow("2GB/s"), slow("1.5GB/s")}
	for i, late := range []bool{true, false, true} {
		if counted := s.explore(all[i:i+1], 1, s.events); len(counted) != 1 || (all[i].makespan == sim.Forever) != late {
			t.Errorf("%v: late %v, want %v: %+v", all[i].set, !late, late, all[i])
		}
	}
	if all[1].makespan >= plain || all[0].events >= all[1].events*2 {
		t.Errorf("%v of %v after %g events, %g for the one that is broken off", all[1].makespan, plain, all[1].events, all[0].events)
	}
	for _, within := range []sim.Time{plain / 2, plain} {
		again, err := a.load(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = again.Run(nodes.Options{Within: within})
		if late := errors.As(err, new(nodes.Late)); late != (within < plain) {
			t.Errorf("within %v of %v: %v", within, plain, err)
		}
	}
}

// The places of a progress thread, by what the machine says about its cores: the words, and
// whether there is a change.
func TestThreads(t *testing.T) {
	const smt = "machine.smt={contexts: 2}"
	for _, c := range []struct {
		set           []string
		beside, apart string
	}{
		{nil, "not: the machine's file does not say how two threads of a core slow each other down (machine.smt)",
			"a progress thread, on its own core"},
		{[]string{"processes_per_node=4", "machine.cores=4"},
			"not: the machine's file does not say how two threads of a core slow each other down (machine.smt)",
			"a progress thread, if each process has one more core"},
		{[]string{smt, "machine.cores=4"}, "a progress thread, on the core of its process", "a progress thread, on its own core"},
		{[]string{smt, "machine.cores=1"}, "a progress thread, on the core of its process",
			"not: no core of a node is left for it: its processes take 1 of 1"},
		{[]string{smt, "machine.cores=4", "machine.runtime.progress.by=thread"}, "not: a thread does it already",
			"the progress thread, on its own core"},
		{[]string{"machine.memory={bandwidth: 1TB/s}", "machine.cores=4"},
			"not: the machine's file does not say how two threads of a core slow each other down (machine.smt)",
			"a progress thread, on its own core"},
	} {
		a := asked{"overlap-fig7", 0, append([]string{"processes_per_node=1"}, c.set...)}
		o := a.outcome(t)
		for _, one := range []struct {
			of   func(*outcomes.Outcome) (*outcomes.Change, string)
			want string
		}{{ThreadBeside, c.beside}, {ThreadApart, c.apart}} {
			change, none := one.of(o)
			got := "not: " + none
			if change != nil {
				got = change.Change
				if (asked{a.scenario, 0, slices.Concat(a.settings, change.Set)}).outcome(t) == nil {
					t.Errorf("%v: %v cannot be run", c.set, change.Set)
				}
			}
			if got != one.want {
				t.Errorf("%v: %q, should be %q", c.set, got, one.want)
			}
		}
	}
}
