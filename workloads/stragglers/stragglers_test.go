package stragglers

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
	_ "overlapsim/workloads/inputs/parquet"
)

// published are the answers of the published analysis.
type published struct {
	Base    map[string]float64 `json:"step_t_base"`
	Without map[string]float64 `json:"step_t_nodelay"`
	Equal   map[string]float64 `json:"step_t_noblk"`
	Slow    float64            `json:"blocking_slowdown"`
	Launch  float64            `json:"launch_slowdown"`
	Ranks   map[string]float64 `json:"blocking_decompose_by_dp_rank"`
	Stages  map[string]float64 `json:"blocking_decompose_by_stage"`
	Kinds   map[string]float64 `json:"blocking_decompose_by_optype"`
}

// folders are where the jobs are: one in the project, more next to it.
var folders = []string{"../../scenarios/validation", "../../../shared/data/stragglers"}

// All times of steps are those of the published analysis within 2 %, and what is to blame is in its order.
func TestPublished(t *testing.T) {
	var all []string
	for _, folder := range folders {
		found, _ := filepath.Glob(filepath.Join(folder, "trace-*.parquet"))
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Fatal("there is no trace")
	}
	for _, file := range all {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "trace-"), ".parquet")
		rows := must.Get(read(file))(t)
		j := must.Get(newJob(rows))(t)
		took := j.took()
		a := j.analyse(took, j.equal(took))
		var want published
		answers := "result-" + name + ".json"
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), answers))
		if err != nil {
			text, _ = os.ReadFile(filepath.Join("testdata", answers))
		}
		must.Do(t, json.Unmarshal(text, &want))
		worst := [3]float64{}
		for _, s := range a.Steps {
			key := strconv.FormatInt(s.Step, 10)
			for i, pair := range [][2]float64{{s.Traced, want.Base[key]}, {s.WithoutLaunches, want.Without[key]}, {s.Equal, want.Equal[key]}} {
				worst[i] = max(worst[i], math.Abs(pair[0]/pair[1]-1))
			}
		}
		t.Logf("%s: %d steps, largest errors: traced %.4f %%, without launches %.4f %%, equal %.4f %%; slow-down %.5f for %.5f, launches %.5f for %.5f",
			name, len(a.Steps), 100*worst[0], 100*worst[1], 100*worst[2], a.Slowdown, want.Slow, a.LaunchSlowdown, want.Launch)
		if len(a.Steps) != len(want.Base) || max(worst[0], worst[1], worst[2]) > 0.02 {
			t.Errorf("%s: %d steps for %d, or errors above 2 %%: %v", name, len(a.Steps), len(want.Base), worst)
		}
		ranks, stages := map[string]float64{}, map[string]float64{}
		for r, x := range a.ByRank {
			ranks[strconv.Itoa(r)] = x
		}
		for s, x := range a.ByStage {
			stages[strconv.Itoa(s)] = x
		}
		sameOrder(t, name+" by rank", ranks, want.Ranks)
		sameOrder(t, name+" by stage", stages, want.Stages)
		sameOrder(t, name+" by kind", a.ByKind, want.Kinds)
	}
}

// sameOrder compares slow-downs in size and in order. Those that differ by less than a thousandth are equals.
func sameOrder(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	if want == nil {
		return
	}
	var names []string
	for name := range want {
		names = append(names, name)
		if math.Abs(got[name]/want[name]-1) > 0.005 {
			t.Errorf("%s: %s %.5f, published %.5f", what, name, got[name], want[name])
		}
	}
	sort.Slice(names, func(i, k int) bool { return want[names[i]] > want[names[k]] })
	mine := slices.Clone(names)
	sort.SliceStable(mine, func(i, k int) bool { return got[mine[i]] > got[mine[k]] })
	for i := range names {
		if mine[i] != names[i] && math.Abs(want[mine[i]]-want[names[i]]) > 1e-4 {
			t.Errorf("%s: place %d is %s (%.5f), published %s (%.5f)", what, i, mine[i], got[mine[i]], names[i], want[names[i]])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d entries, published %d", what, len(got), len(want))
	}
}

const table = `dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,gmc
0,0,0,5,forward-compute,10,2,0,0,0
0,0,0,5,backward-compute,12.5,4,0,0,0
0,0,0,5,optimizer,17,1,0,,
1,0,1,5,forward-compute,10,3,0,0,0
1,0,1,5,backward-compute,13,4,0,0,0
1,0,1,5,optimizer,17.5,1,0,,
`

// Two ranks of one stage without communication: a step takes as long as the slower rank, 8 s, and 7.5 s if both are as fast; half
// a second of the traced time are launch delays.
func TestClosedForm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table")
	must.Do(t, os.WriteFile(file, []byte(table), 0o600))
	w := &replay{}
	must.Do(t, w.Open(file))
	a := w.job.analyse(w.took, w.equal)
	if s := a.Steps[0]; len(a.Steps) != 1 || s.Step != 5 || s.Traced != 8.5 || s.WithoutLaunches != 8 || s.Equal != 7.5 || w.Ranks() != 2 {
		t.Errorf("%+v", a.Steps)
	}
	if a.Slowdown != 8/7.5 || a.LaunchSlowdown != 8.5/8 || a.ByRank[1] != 8/7.5 || a.ByRank[0] != 1 ||
		a.ByKind["forward-compute"] != 8/7.5 || a.ByKind["optimizer"] != 1 {
		t.Errorf("%+v", a)
	}
}

// A mistake in a table has its place.
func TestMistakes(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"1,0,1,5,optimizer,17.5,1,0,,\n", ""}:                 "step 5, data-parallel rank 1: lacks optimizer 0 of stage 0",
		{"0,0,0,5,optimizer,17,1", "0,0,0,5,optimizer,17,x"}:   ":4: duration: must be a number",
		{"0,0,0,5,optimizer,17,1", "0,0,0,5,optimizer,17,-1"}:  ":4: duration: must be a number of seconds, not negative",
		{"0,0,0,5,optimizer,17,1", "0,0,0,5,optimizer,17,2e6"}: ":4: duration: is longer than a run can be, 53 days, got 2e+06 s",
		{"0,0,0,5,optimizer,17,1", "0,0,0,5,optimizer,9e9,1"}:  "step 5, data-parallel rank 0: optimizer 0 of stage 0 starts at 9e+09 s, 9e+09 s from most others",
		{"1,0,1,5,optimizer", "0,0,1,5,optimizer"}:             "has optimizer 0 of stage 0 twice",
		{"seq_id", "seq"}: "has no column seq_id",
		{"0,0,0,5,optimizer", "0,0.5,0,5,optimizer"}: "stage: must be a whole number",
	} {
		file := filepath.Join(t.TempDir(), "table")
		must.Do(t, os.WriteFile(file, []byte(strings.Replace(table, change[0], change[1], 1)), 0o600))
		if err := new(replay).Open(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", change, err, want)
		}
	}
}

// A step by itself takes what the whole table says of it. The median and what 99 in 100 do not exceed are those of its steps.
func TestOneStep(t *testing.T) {
	of := func(step int64, equal bool) *replay {
		w := &replay{Step: step, Equal: equal}
		must.Do(t, w.Open("../../scenarios/validation/trace-ST.parquet"))
		return w
	}
	place := experiments.Place{Ranks: of(-1, false).Ranks(), PerNode: 8}
	all := must.Get(of(-1, false).RunGPUs(nil, place))(t)
	steps := all.Stragglers.Steps
	for _, s := range []results.StragglerStep{steps[0], steps[len(steps)/2]} {
		for equal, want := range map[bool]float64{false: s.WithoutLaunches, true: s.Equal} {
			w := of(s.Step, equal)
			must.Do(t, w.CheckGPUs(nil, place))
			one := must.Get(w.RunGPUs(nil, place))(t)
			if got := one.Makespan().Seconds(); math.Abs(got-want) > 1e-9 {
				t.Errorf("step %d, equal %v: %g s, in the table %g", s.Step, equal, got, want)
			}
		}
	}
	if err := of(7_000_000, false).CheckGPUs(nil, place); err == nil || !strings.Contains(err.Error(), "the table has no step 7000000") {
		t.Errorf("a step that is not there: %v", err)
	}
	few := &results.Stragglers{Steps: []results.StragglerStep{{Traced: 3}, {Traced: 1}, {Traced: 2}, {Traced: 9}}}
	traced := func(s *results.StragglerStep) float64 { return s.Traced }
	if a, b := few.Within(0.5, traced), few.Within(0.99, traced); a != 2 || b != 9 {
		t.Errorf("median %g, 99 in 100 within %g", a, b)
	}
}
