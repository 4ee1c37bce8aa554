package answer

import (
	"math"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// step is a step of training on 16 GPUs with parameters that replicas split.
var step = asked{"training-step", 0, []string{"ranks=16", "workload.layers=4", "workload.global_batch=16", "workload.zero=3", "workload.tp=8"}}

// What is offered says how much memory a GPU needs with it, if that differs: by the re-run with its settings. A layout that was not compared
// with all others is not called the best one of all.
func TestPriceOfLayouts(t *testing.T) {
	o := step.outcome(t)
	a := For(o, step.load, Whole, func(string, float64) {})
	layouts := 0
	for _, h := range a.Help {
		with := must.Get(step.again(h.Set))(t)
		before, now := memory(o), memory(with)
		want := ""
		if math.Abs(now-before) >= report.LeastShare*before {
			want = "memory " + report.Significant(now) + " instead of " + report.Significant(before) + " GB a GPU"
		}
		if !strings.Contains(h.Price, want) || want == "" && strings.Contains(h.Price, "memory") {
			t.Errorf("%s: price %q, want %q in it", h.Change, h.Price, want)
		}
		if layout, ok := strings.CutPrefix(h.Set[0], "workload.layout="); ok {
			layouts++
			if staged := !strings.Contains(layout, "pp1-"); staged != strings.Contains(h.Price, "keeps each stage whole") {
				t.Errorf("%s: price %q", layout, h.Price)
			}
		}
	}
	if layouts == 0 || memory(o) == 0 {
		t.Fatalf("%d layouts among %+v, memory %g", layouts, a.Help, memory(o))
	}
	if strings.Contains(a.Sentence, "Best change: layout") && !strings.Contains(a.Sentence, "optimize --over workload.layout tries all") {
		t.Error(a.Sentence)
	}
}

// Kinds of communication and what is shared by several add up to what is exposed, and each is a re-run.
func TestKindsAddUp(t *testing.T) {
	o := step.outcome(t)
	a := For(o, step.load, Whole, func(string, float64) {})
	if len(a.ByKind) < 2 || a.Shared == nil {
		t.Fatalf("%+v, shared %v", a.ByKind, a.Shared)
	}
	sum := *a.Shared
	for _, c := range a.ByKind {
		with, err := step.again(c.Set)
		if err != nil || with.Result.Makespan().Seconds() != c.Makespan {
			t.Errorf("%v: %v, %v", c, err, with)
		}
		sum += o.Result.Makespan().Seconds() - c.Makespan
	}
	if math.Abs(sum-*a.Exposed) > 1e-12 || *a.Shared < report.LeastShare**a.Exposed {
		t.Errorf("kinds and %g s of several are %g s, exposed are %g s", *a.Shared, sum, *a.Exposed)
	}
}

// A slow GPU costs what the same step without it does not take.
func TestSlowGPU(t *testing.T) {
	slow := asked{"slow-gpu", 0, []string{"workload.layers=2", "workload.global_batch=16"}}
	o := slow.outcome(t)
	a := For(o, slow.load, Causes, func(string, float64) {})
	even, err := slow.again([]string{"workload.slow=1"})
	c := a.Absence(slowGPU)
	if err != nil || c == nil || c.Makespan != even.Result.Makespan().Seconds() || c.Saves < 0.02 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, w := range a.Without {
		if w.Cause == slowGPU && outcomes.Flags(w.Set) != "--set workload.slow=1" {
			t.Errorf("%+v", w)
		}
	}
	slow.settings = append(slow.settings, "workload.slow=1")
	if a := For(slow.outcome(t), slow.load, Causes, func(string, float64) {}); a.Absence(slowGPU) != nil {
		t.Errorf("no GPU is slow: %+v", a.Without)
	}
}
