package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// lost names what of a scenario GOAL cannot express, so that its schedule may take another time;
// "" if it can express all.
func lost(s *scenarios.Scenario) string {
	if s.Program == nil {
		return "it is no program"
	}
	if programs.Threads(s.Program) > 1 {
		return "its processes have several threads"
	}
	var do programs.Ops
	for rank := range s.Ranks {
		for step, more := 0, true; more; step++ {
			do.Reset()
			more = s.Program.Step(rank, step, &do)
			for _, op := range do.List() {
				if what := lostOf(s, &op); what != "" {
					return what
				}
			}
		}
	}
	return ""
}

func lostOf(s *scenarios.Scenario, op *programs.Op) string {
	switch op.Kind {
	case programs.OpPut, programs.OpGet, programs.OpSignal:
		return "one-sided messages"
	case programs.OpBarrier, programs.OpMeet:
		return "barriers"
	case programs.OpStart:
		return "non-blocking collectives, which go on as messages come"
	case programs.OpTest:
		return "tests, which may take time"
	case programs.OpPattern:
		if s.Fabric == "calibrated" {
			return "patterns, by which a calibrated fabric chooses its factors"
		}
	case programs.OpSend:
		if op.Strided {
			return "bytes that do not lie together"
		}
	case programs.OpCompute:
		if op.Amount%1000 != 0 {
			return "parts of a ns"
		}
		if s.Machine.Sharing != nil && op.Activity() != (&programs.Op{Kind: programs.OpCompute}).Activity() {
			return "what a kernel asks of core and memory"
		}
	}
	return ""
}

// asSchedule exports a scenario, and runs its schedule as a workload in its place.
func asSchedule(t *testing.T, text string, s *scenarios.Scenario) *outcomes.Outcome {
	t.Helper()
	exported(t, s)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "workload: ") {
			lines[i] = "workload: {name: goal, file: s.goal}"
		}
	}
	return runText(t, strings.Join(lines, "\n"))
}

// exported writes the schedule of a scenario to s.goal.
func exported(t *testing.T, s *scenarios.Scenario) {
	t.Helper()
	schedule := must.Get(s.Schedule())(t)
	f := must.Get(os.Create("s.goal"))(t)
	defer f.Close()
	must.Do(t, schedule.WriteText(f))
}

// loadText loads a scenario; nil: it is refused.
func loadText(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	must.Do(t, os.WriteFile("s.yaml", []byte(text), 0o666))
	study, err := scenarios.Load("s.yaml", nil)
	if err != nil {
		return nil
	}
	return study.Runs[0]
}

func runText(t *testing.T, text string) *outcomes.Outcome {
	t.Helper()
	s := loadText(t, text)
	if s == nil {
		t.Fatalf("refused:\n%s", text)
	}
	o, err := s.Run(nodes.Options{Critical: true})
	if err != nil {
		t.Fatalf("%s\n%s", text, err)
	}
	return o
}

// A scenario and its schedule take the same time, to the picosecond, on the same machine, library
// and fabric, if GOAL can express the program.
func TestSchedulesOfScenarios(t *testing.T) {
	must.Long(t)
	inFolder(t)
	work, _, _ := workloadLevels(t)
	machines, kernels, libraries := machineLevels()
	factors := []productFactor{work, machines, kernels, libraries, fabricLevels(t), topologyLevels(t), placeLevels, {"how", []string{""}}}
	random := rand.New(rand.NewPCG(3, 4))
	same := map[string]int{}
	count := 500
	if *wholeProduct {
		count = 5000
	}
	for range count {
		c := make(combination, len(factors))
		for i, f := range factors {
			c[i] = random.IntN(len(f.levels))
		}
		text := c.file(factors)
		s := loadText(t, text)
		if s == nil || lost(s) != "" {
			continue
		}
		if _, err := s.Run(nodes.Options{}); err != nil {
			continue // refused
		}
		want, got := runText(t, text), asSchedule(t, text, s)
		if !slices.Equal(got.Result.Finish, want.Result.Finish) || got.Result.Messages != want.Result.Messages {
			t.Errorf("ranks finish at %v, as a schedule at %v:\n%s", want.Result.Finish, got.Result.Finish, text)
		}
		same[s.Kind]++
	}
	t.Logf("%v", same)
	if len(same) < 10 {
		t.Errorf("only %d workloads were compared: %v", len(same), same)
	}
}

// The same for the library's scenarios; for the others, what is lost is named.
func TestSchedulesOfTheLibrary(t *testing.T) {
	must.Long(t)
	t.Chdir(t.TempDir())
	same, reasons := 0, map[string]int{}
	for _, name := range files.Scenarios() {
		study := must.Get(scenarios.Load(name, nil))(t)
		for _, s := range study.Runs {
			if s.Ranks > 64 {
				continue // long
			}
			if what := lost(s); what != "" {
				reasons[what]++
				continue
			}
			want, err := s.Run(nodes.Options{})
			if err != nil {
				t.Fatal(err)
			}
			exported(t, s)
			setup := *s.Scenario
			again := scenarios.Scenario{Scenario: &setup}
			kind, _ := workloads.Lookup("goal")
			again.Workload = kind.New()
			must.Do(t, again.Workload.(workloads.Filed).Open("s.goal"))
			if again.Program, err = again.Workload.Program(s.Machine.Machine, s.Ranks); err != nil {
				t.Fatal(err)
			}
			got, err := again.Run(nodes.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Result.Finish, want.Result.Finish) {
				t.Errorf("%s %s: ranks finish at %v, as a schedule at %v", name, s.Name, want.Result.Finish, got.Result.Finish)
			}
			same++
		}
	}
	t.Logf("%d runs take the same time; of others is lost: %v", same, fmt.Sprint(reasons))
	if same < 20 {
		t.Errorf("only %d runs were compared", same)
	}
}
