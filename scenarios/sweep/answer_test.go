package sweep

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios/answer"
	"overlapsim/sim/must"
)

// With --answer each point has what communication costs, as an answer to the point itself says. Without, no point has a column of it.
func TestAnswer(t *testing.T) {
	request := Request{Vary: []string{"workload.rows=4,8,16"}}
	plain := newDir(t, request)
	finishHere(t, plain)
	request.Answer = true
	asked := newDir(t, request)
	finishHere(t, asked)
	without := must.Get(plain.Table())(t)
	if at := slices.IndexFunc(without.Results, func(c *Column) bool { return strings.HasPrefix(c.Name, "answer") }); at >= 0 {
		t.Errorf("a column %s that nobody asked for", without.Results[at].Name)
	}
	table := must.Get(asked.Table())(t)
	for row := range table.Rows {
		s := must.Get(asked.Load(row))(t)
		o := must.Get(s.Run(nodes.Options{}))(t)
		a := answer.For(o, s.With, answer.Exposed, func(string, float64) {})
		for name, want := range map[string]*float64{"exposed_s": a.Exposed, "hidden_s": a.Hidden, "overlap": a.Overlap,
			"computation_alone_s": a.Computation, "communication_alone_s": a.Communication, "noise": a.Noise} {
			c := table.result("answer." + name)
			if c == nil || c.Numbers[row] != *want {
				t.Errorf("point %d: %s is %v, want %g", row, name, c, *want)
			}
		}
	}
	var names []string
	for _, c := range table.Results {
		if of, ok := strings.CutPrefix(c.Name, "answer."); ok {
			names = append(names, of)
		}
	}
	if !slices.Equal(names, answered) {
		t.Errorf("columns %v", names)
	}
	var plan strings.Builder
	must.Get(plain.Plan.WriteTo(&plan))(t)
	if why := asked.Plan.unlike([]byte(plan.String())); why != " (with another --answer)" {
		t.Errorf("the plans differ%q", why)
	}
}

// A time of an answer is below the noise of its point if the order of equals moves the makespan by more.
func TestBelowNoise(t *testing.T) {
	dir := newDir(t, Request{Vary: []string{"workload.rows=4,8"}, Answer: true})
	finishHere(t, dir)
	table := must.Get(dir.Table())(t)
	exposed, noise, makespan := table.result("answer.exposed_s"), table.result("answer.noise"), table.result("makespan_s")
	for _, c := range []struct {
		part  float64
		below bool
	}{{0, false}, {0.0001, false}, {0.9, true}, {1.1, false}} {
		exposed.Numbers[0], noise.Numbers[0] = c.part*0.01*makespan.Numbers[0], 0.01
		if c.part < 0.01 {
			noise.Numbers[0] = 0 // none
		}
		if below := table.BelowNoise(exposed, 0); below != c.below || table.BelowNoise(makespan, 0) {
			t.Errorf("%+v: below %v, of a makespan %v", c, below, table.BelowNoise(makespan, 0))
		}
	}
}
