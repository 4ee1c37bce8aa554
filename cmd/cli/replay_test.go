package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// sharedCases returns the files of exact reference cases: all that are next to the
// module, or those that a package keeps.
func sharedCases(t *testing.T, name, kept string) []string {
	t.Helper()
	for _, folder := range []string{"../../../shared/cases/" + name, "../../" + kept + "/testdata/cases"} {
		if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(files) > 0 {
			return files
		}
	}
	t.Fatalf("no %s cases", name)
	return nil
}

// replayed runs the command and returns its JSON.
func replayed(t *testing.T, args ...string) (finish []float64) {
	t.Helper()
	var out, mistakes bytes.Buffer
	if status := Run(append([]string{"replay", "--json"}, args...), &out, &mistakes); status != done {
		t.Fatalf("%v: status %d: %s", args, status, &mistakes)
	}
	var record struct {
		Finish []float64 `json:"finish_s"`
	}
	must.Do(t, json.Unmarshal(out.Bytes(), &record))
	return record.Finish
}

// goalCase is a recorded run of LogGOPSim.
type goalCase struct {
	Params       map[string]int64
	Finish       []uint64
	FinishStable []uint64 `json:"finish_stable"`
	More         []goalCase
}

// Every recorded run, with all its parameters, is reproduced to the nanosecond on
// every host.
func TestReplayGoalCases(t *testing.T) {
	for _, file := range sharedCases(t, "goal", "workloads/goal") {
		text := must.Get(os.ReadFile(file))(t)
		var c goalCase
		must.Do(t, json.Unmarshal(text, &c))
		schedule := strings.TrimSuffix(file, ".json") + ".goal"
		for _, c := range append([]goalCase{c}, c.More...) {
			want := c.Finish
			if c.FinishStable != nil {
				want = c.FinishStable
			}
			var params []string
			for letter, value := range c.Params {
				params = append(params, fmt.Sprintf("%s=%d", letter, value))
			}
			got := replayed(t, schedule, "--compat", "loggopsim", "--per-rank", "--loggops", strings.Join(params, ","))
			for host, ns := range want {
				if got[host] != float64(ns)/1e9 {
					t.Errorf("%s %v: host %d finishes at %v s, LogGOPSim: %d ns", filepath.Base(schedule), c.Params, host, got[host], ns)
				}
			}
		}
	}
}

// Every flow of every exact case ends when it should, to 1e-6.
func TestReplayFlowCases(t *testing.T) {
	for _, file := range sharedCases(t, "flow", "network/flow") {
		text := must.Get(os.ReadFile(file))(t)
		var c struct {
			Flows []struct{ Completion float64 }
		}
		must.Do(t, json.Unmarshal(text, &c))
		got := replayed(t, file)
		for i, f := range c.Flows {
			if math.Abs(got[i]-f.Completion) > 1e-6*f.Completion {
				t.Errorf("%s: flow %d ends at %v, want %v", filepath.Base(file), i, got[i], f.Completion)
			}
		}
	}
}
