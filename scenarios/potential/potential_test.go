package potential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/points"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/traces"
)

// exchange is a scenario, and the trace of an exchange with the next rank by blocking calls,
// after each of which all compute.
const exchange = "machine: hdr-infiniband\nprocesses_per_node: 1\nworkload: {name: trace, file: ring.ti, flop_rate: 1e9}\n"

func ring() (text string) {
	for rank := range 4 {
		text += fmt.Sprintln(rank, "init")
		for range 20 {
			text += fmt.Sprintf("%d compute 1e5\n%[1]d irecv %[2]d 0 500000\n%[1]d send %[3]d 0 500000\n%[1]d wait %[2]d %[1]d 0\n",
				rank, (rank+3)%4, (rank+1)%4)
		}
	}
	return text
}

// laddered returns the ladder of a scenario, and how to load it again.
func laddered(t *testing.T, name string, set ...string) (*Ladder, points.Load) {
	t.Helper()
	load := func(more []string) (*scenarios.Scenario, error) {
		return scenarios.LoadRun(name, 0, slices.Concat(set, more))
	}
	s := must.Get(load(nil))(t)
	o := must.Get(s.Run(nodes.Options{}))(t)
	return Of(o, load, 4, func(string) {}, nil), load
}

// What the re-runs simulate is told before, also where they cut messages.
func TestEffort(t *testing.T) {
	const pieces = 1000
	load := func(more []string) (*scenarios.Scenario, error) {
		return scenarios.LoadRun("overlap-fig7", 0, append([]string{"workload.bytes=8MiB", "workload.rounds=3"}, more...))
	}
	s := must.Get(load(nil))(t)
	o := must.Get(s.Run(nodes.Options{}))(t)
	sum := 0.0
	for _, step := range Of(o, load, pieces, func(string) {}, nil).Steps[1:] {
		if step.None == "" && step.Moved == 0 { // else its settings are those of another step
			sum += must.Get(load(step.Set))(t).Effort(nodes.Options{}).Operations
		}
	}
	whole := s.Effort(nodes.Options{}).Operations * float64(Steps())
	if told := Effort(o, load, pieces).Operations; told < sum || told > 2*sum || sum < 2*whole {
		t.Errorf("%g operations were told, the re-runs have %g, and %g with whole messages", told, sum, whole)
	}
}

// Each step, repeated with its settings, has the stated makespan, bound and the same bytes; its terms
// add up to what the ranks' times change; the first is the run itself; no step beats its bound.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		name string
		set  []string
		ran  int // steps that are run
	}{
		{"overlap-fig7", nil, 19}, {"advection-xenon", []string{"workload.steps=8", "workload.tile=4", "workload.grid=4x4x1", "ranks=16"}, 18},
		{"helper-thread", nil, 18}, {"dense-hopper", []string{"workload.size=1024", "ranks=16"}, 14},
	} {
		l, load := laddered(t, c.name, c.set...)
		if first := l.Steps[0]; first.Gain == nil || *first.Gain != 0 || len(first.Terms) > 0 || len(first.Set) > 0 {
			t.Errorf("%s: as it is: %+v", c.name, first)
		}
		ran, bytes := 0, int64(0)
		for i, s := range l.Steps {
			if s.None != "" {
				t.Logf("%s: %s: %s", c.name, s.Name(), s.None)
				continue
			}
			ran++
			again, err := load(s.Set)
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, s.Name(), err)
				continue
			}
			o, err := again.Run(nodes.Options{})
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, s.Name(), err)
				continue
			}
			if i == 0 {
				bytes = o.Result.Bytes
			}
			if got := o.Result.Makespan().Seconds(); got != s.Makespan || o.Result.Bytes != bytes || s.Makespan < s.Bound || s.Bound != o.Bound() {
				t.Errorf("%s: %s: makespan %g s and %d bytes, want %g s, %d bytes, bound %g s, is %g s", c.name, s.Name(), got, o.Result.Bytes,
					s.Makespan, bytes, o.Bound(), s.Bound)
			}
			sum := 0.0
			for _, d := range s.Terms {
				sum += d
			}
			if math.Abs(sum+*s.Gain) > 1e-9 {
				t.Errorf("%s: %s: terms sum to %g, the makespan grows by %g", c.name, s.Name(), sum, -*s.Gain)
			}
		}
		if ran != c.ran {
			t.Errorf("%s: %d steps are run, want %d", c.name, ran, c.ran)
		}
	}
}

// A blocking exchange gains by moves, and each case has the order that its words say: at best
// no step is slower than at worst.
func TestMovesHelp(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "exchange.yaml")
	for name, text := range map[string]string{"exchange.yaml": exchange, "ring.ti": ring()} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	l, _ := laddered(t, file)
	worst := map[string]float64{}
	for _, s := range l.Steps {
		switch s.Case {
		case atWorst:
			worst[s.Change] = s.Makespan
		case atBest:
			if at, ok := worst[s.Change]; ok && s.Makespan > at || s.Makespan > l.Steps[0].Makespan {
				t.Errorf("%s: %g s at best, %g s at worst, %g s as it is", s.Change, s.Makespan, at, l.Steps[0].Makespan)
			}
		}
	}
	if last := l.Steps[len(l.Steps)-1]; *last.Gain < 0.05 {
		t.Errorf("all at best gains %.1f %%: %s", 100**last.Gain, last.Reason(nil))
	}
}

// Of random programs no step at best is longer than the run as it is, or than a step that makes fewer of its moves; and none is shorter
// than all at best.
func TestNeverWorseAtBest(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		const ranks = 3
		calls := make([]string, ranks)
		add := func(rank int, format string, args ...any) {
			if r.IntN(2) == 0 {
				calls[rank] += fmt.Sprintf("%d compute %d\n", rank, r.IntN(200_000))
			}
			calls[rank] += fmt.Sprint(rank, " ", fmt.Sprintf(format, args...), "\n")
		}
		for range 12 {
			order, bytes := r.Perm(ranks), r.IntN(300_000)
			from, to := order[0], order[1]
			switch r.IntN(4) {
			case 0:
				for rank := range ranks {
					add(rank, "allreduce %d 0", bytes)
				}
			case 1:
				add(from, "send %d 0 %d", to, bytes)
				add(to, "recv %d 0 %d", from, bytes)
			default:
				add(to, "irecv %d 0 %d", from, bytes)
				add(from, "isend %d 0 %d", to, bytes)
				add(from, "wait %d %d 0", from, to)
				add(to, "wait %d %d 0", from, to)
			}
		}
		folder, text := t.TempDir(), ""
		for rank := range ranks {
			text += fmt.Sprintf("%d init\n", rank) + calls[rank] + fmt.Sprintf("%d compute 100000\n", rank)
		}
		file := filepath.Join(folder, "random.yaml")
		for name, text := range map[string]string{"random.yaml": strings.ReplaceAll(exchange, "ring", "random"), "random.ti": text} {
			must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
		}
		l, _ := laddered(t, file)
		for i, s := range l.Steps {
			for _, other := range l.Steps {
				fewer := i == len(l.Steps)-1 || other.Change == "as it is" || other.Change == s.Change && other.Case == atWorst
				if s.Case == atBest && s.None == "" && other.None == "" && fewer && s.Makespan > other.Makespan {
					t.Errorf("seed %d: %s: %g s, and %s %g s", seed, s.Name(), s.Makespan, other.Name(), other.Makespan)
				}
			}
		}
	}
}

// Small all-reduces of four ranks between long computations take a copy and two rounds of o + L +
// Gb + o each. If computation runs next to them, only the copy and the overheads are left: at best
// in the computation behind, if it does not use their result. At worst nothing is hidden, and Open MPI's non-blocking one takes twice
// the rounds: up a tree and down again, without the copy.
func TestCollectivesHelp(t *testing.T) {
	const text = `machine: {base: loggp, network: {latency: 10us, send_overhead: 2us, receive_overhead: 3us, gap: 0s, bandwidth: 1GB/s}}
processes_per_node: 1
workload: {name: trace, file: sums.ti, flop_rate: 1e9, library: openmpi-4}
`
	calls := ""
	for rank := range 4 {
		calls += fmt.Sprintln(rank, "init")
		for range 5 {
			calls += fmt.Sprintf("%d compute 1e6\n%[1]d allreduce 1000 0\n", rank)
		}
		calls += fmt.Sprintln(rank, "compute 1e6")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "sums.yaml")
	for name, text := range map[string]string{"sums.yaml": text, "sums.ti": calls} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	l, _ := laddered(t, file)
	for c, want := range map[string]float64{
		"": 6e-3 + 5*(1e-6+2*16e-6), atWorst: 6e-3 + 5*4*16e-6, between: 6e-3 + 5*(1e-6+2*5e-6), atBest: 6e-3 + 5*(1e-6+2*5e-6),
	} {
		i := slices.IndexFunc(l.Steps, func(s Step) bool { return s.Case == c && (c == "" || s.Change == nonblocking) })
		if got := l.Steps[i].Makespan; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g s, should be %g s", l.Steps[i].Name(), got, want)
		}
	}
}

// A collective that is made non-blocking at worst takes as long as the non-blocking one that is waited for at once: to the picosecond, except
// where a round begins before the one before is over, as in a pipeline: there, within the overhead of three messages. A barrier stays as it is.
func TestCollectivesAtWorst(t *testing.T) {
	folder := t.TempDir()
	makespan := func(library string, calls []traces.Call, set ...string) sim.Time {
		t.Helper()
		m := &traces.Memory{Head: traces.Header{Ranks: 16, Comms: []traces.Comm{{}}}}
		for range m.Head.Ranks {
			m.Ranks = append(m.Ranks, calls)
		}
		var trace bytes.Buffer
		must.Do(t, traces.Write(&trace, m))
		must.Do(t, os.WriteFile(filepath.Join(folder, "app.trace"), trace.Bytes(), 0o666))
		text := "machine: hdr-infiniband\nprocesses_per_node: 1\nworkload: {name: trace, file: app.trace, library: " + library + "}\n"
		must.Do(t, os.WriteFile(filepath.Join(folder, "app.yaml"), []byte(text), 0o666))
		s := must.Get(scenarios.LoadRun(filepath.Join(folder, "app.yaml"), 0, set))(t)
		return must.Get(s.Run(nodes.Options{}))(t).Result.Makespan()
	}
	barrier := traces.Call{Kind: traces.Barrier, Before: sim.Millisecond}
	for _, library := range []string{"openmpi-4", "openmpi-5", "mpich-4"} {
		for _, kind := range []traces.CallKind{traces.Allreduce, traces.Reduce, traces.Broadcast, traces.Allgather, traces.Alltoall, traces.Gather,
			traces.Scatter, traces.Scan} {
			for _, size := range []int64{8, 64 << 10, 1 << 20} {
				blocking := traces.Call{Kind: kind, Bytes: size, Before: sim.Millisecond}
				started, wait := blocking, traces.Call{Kind: traces.Wait, Requests: []int32{0}}
				started.Start = true
				written := makespan(library, []traces.Call{blocking, barrier})
				worst := makespan(library, []traces.Call{blocking, barrier}, "moves.collectives=worst")
				near := sim.Time(0)
				if kind == traces.Broadcast || kind == traces.Alltoall {
					near = 3 * 200 * sim.Nanosecond
				}
				if want := makespan(library, []traces.Call{started, wait, barrier}); max(worst-want, want-worst) > near {
					t.Errorf("%s, %s of %d bytes: %v at worst, %v non-blocking, %v as written", library, kind, size, worst, want, written)
				}
			}
		}
		if written, worst := makespan(library, []traces.Call{barrier}), makespan(library, []traces.Call{barrier}, "moves.collectives=worst"); written != worst {
			t.Errorf("%s: a barrier takes %v, at worst %v", library, written, worst)
		}
	}
}

// The ladder as text and JSON.
func TestWritten(t *testing.T) {
	gain, little := 0.25, 0.00049
	l := &Ladder{Scenario: "s", Steps: []Step{
		{Change: "as it is", numbers: numbers{Makespan: 2, Bound: 1, BoundOf: "work of a processor"}},
		{Change: "a", Case: atBest, Set: []string{"x=1"}, numbers: numbers{Makespan: 1.5, Gain: &gain,
			Terms: map[string]float64{"partner": -0.2, "nic_stall": -0.1, "overhead": 0.0504, "latency": 0.01, "compute": 0.0001}, Bound: 1}},
		{Change: "b", None: "why"},
		{Change: "c", Case: atWorst, numbers: numbers{Makespan: 2, Gain: new(float64)}},
		{Change: "c", Case: atBest, Moved: 3, numbers: numbers{Makespan: 2, Gain: new(float64)}},
		{Change: "d", Case: atWorst, numbers: numbers{Makespan: 2, Gain: new(float64)}},
		{Change: "d", Case: atBest, Moved: 1.9995, numbers: numbers{Makespan: 1.99902, Gain: &little, Terms: map[string]float64{"partner": -0.00049}}},
		{Change: "e", None: "why"},
	}}
	got := ""
	for _, row := range l.Rows() {
		got += strings.Join(row, "|") + "\n"
	}
	const want = "as it is|2.000 s||\na, at best|1.500 s|-25.0 %|partner -20.0 %, nic stall -10.0 %, overhead +5.0 %\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	const rest = "These change nothing in the digits of the table: c (at worst); d (at worst, at best).\n" +
		"These moves make it longer, so the best case omits them: c (at best, 3.000 s).\nNot run: b; e: why."
	if got := strings.Join(l.Rest(), "\n"); got != rest {
		t.Errorf("got\n%s\nwant\n%s", got, rest)
	}
	if got, want := l.Bounds(), "no run of the program as it is takes less than 1.000 s (work of a processor)"; got != want {
		t.Errorf("%s", got)
	}
	text, err := json.Marshal(l)
	if err != nil || !strings.Contains(string(text), `"makespan_s":1.5`) {
		t.Errorf("%s %v", text, err)
	}
}

// In JSON a step that was not run has neither a makespan nor a gain; one that gains nothing has 0.
func TestGainOfWhatDidNotRun(t *testing.T) {
	nothing := 0.0
	for want, step := range map[string]Step{
		`{"change":"a","set":null,"none":"why"}`:            {Change: "a", None: "why"},
		`{"change":"b","set":null,"makespan_s":2,"gain":0}`: {Change: "b", numbers: numbers{Makespan: 2, Gain: &nothing}},
	} {
		if got, err := json.Marshal(step); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
