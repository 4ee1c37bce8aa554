package sweep

import (
	"path/filepath"
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

// The copies of what only some points send at once are charged there, with settings that are said of the best point: the point is a run with
// them, and takes as long as optimize finds. Two paths that decide it are charged once. A sweep of an earlier version is continued as it began.
func TestCopiesAreCharged(t *testing.T) {
	const own = "machine: {nodes: 16, cores: 1, network: {latency: 2us, send_overhead: 0.5us, receive_overhead: 0.5us, bandwidth: 12GB/s, " +
		"rendezvous_threshold: 16KiB}}\nranks: 16\nworkload: {name: halo, bytes: 100KB, compute: 100us, iterations: 4}\n"
	const per = "[{from: 0B, time: 500ns, per_byte: 0.2ns/B}]"
	const threshold = "machine.network.rendezvous_threshold"
	for _, c := range []struct {
		request Request
		earlier bool
		said    string
		charged int // points
	}{
		{Request{Vary: []string{threshold + "=8KiB,16KiB,128KiB,64KiB"}}, false, threshold + "=128KiB: ", 1}, // 64KiB is below the messages
		{Request{Vary: []string{threshold + "=8KiB,16KiB,128KiB,64KiB"}}, true, "", 0},
		{Request{Vary: []string{"workload.pieces=1,2,16"}}, false, "workload.pieces=16: ", 1},
		{Request{Vary: []string{threshold + "=16KiB,1MiB", "workload.pieces=1,16"}}, false, "workload.pieces=16: ", 3},
		{Request{Vary: []string{threshold + "=8KiB,16KiB"}}, false, "", 0},
		{Request{Vary: []string{"machine.network.latency=1us,2us"}}, false, "", 0},
		{Request{Vary: []string{threshold + "=8KiB,128KiB"}, Set: []string{"machine.network.send_overhead=" + per,
			"machine.network.receive_overhead=" + per}}, false, "", 0},
	} {
		plan := newPlan(t, own, c.request)
		plan.Copies = plan.Copies && !c.earlier
		d := must.Get(Create(filepath.Join(t.TempDir(), "sweep"), plan))(t)
		finishHere(t, d)
		table := must.Get(d.Table())(t)
		lines := slices.DeleteFunc(table.Notes(), func(line string) bool { return !strings.HasPrefix(line, "charged") })
		if c.said == "" && len(lines) > 0 || c.said != "" && (len(lines) != 1 || !strings.Contains(lines[0], c.said)) {
			t.Errorf("%q: %q, want %q", c.request.Vary, lines, c.said)
		}
		charged := 0
		for row := range table.Rows {
			r := must.Get(d.Result(row))(t)
			point := must.Get(d.Load(row))(t)
			free, paid := must.Get(point.Run(nodes.Options{}))(t), must.Get(must.Get(point.With(r.Charged))(t).Run(nodes.Options{}))(t)
			if r.Charged != nil {
				charged++
			}
			if r.Charged != nil && free.Result.Makespan() >= paid.Result.Makespan() {
				t.Errorf("%q: %v without the charge, %v with it", r.Settings, free.Result.Makespan(), paid.Result.Makespan())
			}
			if got := table.result("makespan_s").Numbers[row]; got != paid.Result.Makespan().Seconds() {
				t.Errorf("%q: %g s in the sweep, %v in a run", r.Settings, got, paid.Result.Makespan())
			}
		}
		if charged != c.charged {
			t.Errorf("%q: %d points charged, want %d", c.request.Vary, charged, c.charged)
		}
	}
}
