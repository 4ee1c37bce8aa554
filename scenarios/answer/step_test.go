package answer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// step is a step of training on 16 GPUs with parameters that replicas split.
var step = asked{"training-step", 0, []string{"ranks=16", "workload.layers=4", "workload.global_batch=16", "workload.zero=3", "workload.tp=8"}}

// What is offered says how much memory a GPU needs with it, by the re-run with its settings: as a price if it is more. A layout that was not
// compared with all others is not called the best one of all.
func TestPriceOfLayouts(t *testing.T) {
	layouts, more, less := 0, 0, 0
	for _, asked := range []asked{step, {step.scenario, 0, []string{"ranks=16", "workload.layers=4", "workload.global_batch=16", "workload.zero=0", "workload.tp=1"}}} {
		o := asked.outcome(t)
		a := For(o, asked.load, Whole, func(string, float64) {})
		for _, h := range a.Help {
			with := must.Get(asked.again(h.Set))(t)
			before, now := memory(o), memory(with)
			price, spared := "", ""
			switch {
			case now >= before*(1+report.LeastShare):
				price, more = report.Significant(now)+" instead of "+report.Significant(before)+" GB of each GPU's memory", more+1
			case now <= before*(1-report.LeastShare):
				spared, less = ", sparing "+report.Significant(before-now)+" GB a GPU", less+1
			}
			if !strings.Contains(h.Price, price) || price == "" && strings.Contains(h.Price, "memory") || !strings.HasSuffix(h.Change, spared) {
				t.Errorf("%s: price %q, want %q, or %q in it", h.Change, h.Price, price, spared)
			}
			if layout, ok := strings.CutPrefix(h.Set[0], "workload.layout="); ok {
				if layouts++; !strings.Contains(strings.Join(a.Notes, "\n"), "optimize --over workload.layout tries all") {
					t.Errorf("%s: %q", layout, a.Notes)
				}
				if staged := !strings.Contains(layout, "pp1-"); staged != strings.Contains(h.Price, "keeps each stage whole") {
					t.Errorf("%s: price %q", layout, h.Price)
				}
			}
		}
	}
	if layouts == 0 || more == 0 || less == 0 {
		t.Errorf("%d layouts, %d changes with more memory and %d with less", layouts, more, less)
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

// A slow GPU, and jitter, cost what the same step without them does not take.
func TestUnevenSteps(t *testing.T) {
	for _, c := range []struct {
		cause, scenario string
		by, without     []string
	}{
		{slowGPU, "slow-gpu", nil, []string{"workload.slow=1"}},
		{jitter, "gpt-18b", []string{"ranks=32", "workload.jitter=0.2"}, []string{"workload.jitter=0"}},
		{jitter, "gpt-18b", []string{"ranks=32", "workload.gpu_jitter=0.2", "workload.micro_batch_jitter=0.1", "workload.steps=3"},
			[]string{"workload.micro_batch_jitter=0", "workload.gpu_jitter=0", "workload.steps=1"}},
		{jitter, "gpt-18b", []string{"ranks=32", "workload.pass_jitter=0.3", "workload.flash=true", "workload.documents=512", "workload.steps=3"},
			[]string{"workload.pass_jitter=0"}},
	} {
		a := asked{c.scenario, 0, append([]string{"workload.layers=2", "workload.global_batch=16"}, c.by...)}
		said := For(a.outcome(t), a.load, Causes, func(string, float64) {})
		i := slices.IndexFunc(said.Without, func(w outcomes.Change) bool { return w.Cause == c.cause })
		even, err := a.again(c.without)
		if err != nil || i < 0 || said.Without[i].Makespan != even.Result.Makespan().Seconds() || said.Without[i].Saves < 0.02 ||
			!slices.Equal(said.Without[i].Set, c.without) {
			t.Errorf("%s, %v: %+v, %v", c.cause, c.by, said.Without, err)
		}
		a.settings = append(a.settings, c.without...)
		if said := For(a.outcome(t), a.load, Causes, func(string, float64) {}); said.Absence(c.cause) != nil {
			t.Errorf("without %s: %+v", c.cause, said.Without)
		}
	}
}

// A step whose batch is open is compared with larger ones by what they compute in a time, and with other layouts of the same batch.
func TestOpenBatch(t *testing.T) {
	open := asked{"training-step", 0, []string{"ranks=16", "workload.layers=4", "workload.global_batch=0", "workload.zero=3", "workload.tp=8", "workload.hidden=2048"}}
	o := open.outcome(t)
	const says = "Steps of more sequences compute "
	note := func(a *outcomes.Answer) string {
		for _, n := range a.Notes {
			if strings.HasPrefix(n, says) {
				return n
			}
		}
		return ""
	}
	a := For(o, open.load, Whole, func(string, float64) {})
	got := note(a)
	_, set, _ := strings.Cut(got, "--set ")
	set, _, _ = strings.Cut(set, ",")
	larger := must.Get(open.again([]string{set}))(t)
	more := metric(larger, perGPU)/metric(o, perGPU) - 1
	if want := says + report.Share(more) + " more tokens a second: --set workload."; more < 0.05 || !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	work := func(o *outcomes.Outcome) float64 { return metric(o, perGPU) * o.Result.Makespan().Seconds() }
	s := newSubject(o, open.load)
	if layouts(s) == nil {
		t.Error("no layouts")
	}
	for _, c := range layouts(s) {
		if other, err := open.again(c.set); err == nil && math.Abs(work(other)/work(o)-1) > 1e-9 {
			t.Errorf("%v: another batch", c.set)
		}
	}
	open.settings = append(open.settings, "workload.global_batch=4")
	if got := note(For(open.outcome(t), open.load, Whole, func(string, float64) {})); got != "" {
		t.Errorf("the batch is given: %q", got)
	}
}

// exchanging is a step whose exchanges of tokens between two hosts cost most.
var exchanging = asked{"qwen3-30b-a3b", 0, []string{"ranks=16", "workload.layers=2", "workload.ep=16", "workload.global_batch=64"}}

// A run whose exchanges of tokens cost most is told what spares them without other hardware, before all else: each is its own re-run. If nothing
// of that was tried, no change is called the best.
func TestExposedExperts(t *testing.T) {
	o := exchanging.outcome(t)
	a := For(o, exchanging.load, Whole, func(string, float64) {})
	for _, want := range []struct {
		set         string
		least, most float64
	}{{"workload.dispatcher=two-stage", 0.15, 0.5}, {"workload.ep=8", 0.1, 0.4}, {"workload.zero=1 workload.ep_overlap=true", 0.05, 0.4}} {
		if !slices.ContainsFunc(a.Help, func(h outcomes.Change) bool {
			return strings.Join(h.Set, " ") == want.set && want.least <= h.Saves && h.Saves <= want.most
		}) {
			t.Errorf("%+v is not in %+v", want, a.Help)
		}
	}
	s := newSubject(o, exchanging.load)
	s.exposed = *a.Exposed / o.Result.Makespan().Seconds()
	s.queued = s.queue(a)
	for i, one := range s.queued[:6] {
		if meant := one.attacks[0] == "expert-parallel"; meant != (i < 4) {
			t.Errorf("%d: %s attacks %v", i, one.says, one.attacks)
		}
		one.short = true
	}
	memory := &trial{change: change{says: "memories"}, attacks: []string{"interference", "computation"}}
	s.tried, a.Help = []*trial{memory}, []outcomes.Change{{Change: "memories", Of: machine.String(), Saves: 0.05}}
	const want = "Without a try of tokens sent once to each domain, as by DeepEP (dispatcher two-stage), the best change is memories, 5.0 % shorter."
	if got := s.best(a); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Help = append(a.Help, outcomes.Change{Change: "buckets", Of: program.String(), Saves: 0.04})
	if s.tried = append(s.tried, s.queued[0]); s.best(a) != "Best change of 2 tried: memories, 5.0 % shorter; without other hardware: buckets, 4.0 % shorter." {
		t.Errorf("%q", s.best(a))
	}
}
