package workloads

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// The non-blocking collectives of the OSU micro-benchmarks 5.6 (osu_iallreduce and so on),
// one iteration: the collective during a computation, which is as long as the collective alone is for the rank. The run is
// what the benchmark calls overall; the collective alone is another run.
func init() {
	Register(Kind{"osu-nbc", "OSU's non-blocking collectives: during a computation as long as the collective alone", func() Workload {
		return &osuNBC{Operation: "allreduce", collectiveKeys: collectiveKeys{Algorithm: auto, Bytes: 65536, nonblocking: true}}
	}})
}

type osuNBC struct {
	Operation string `key:"operation" unit:"text" doc:"what is done; without a rate of the kernel combine, reductions combine in no time"`
	collectiveKeys
	Setup   sim.Time `key:"setup" unit:"time" doc:"CPU time in which the library prepares the collective"`
	Clock   sim.Time `key:"clock" unit:"time" doc:"CPU time of reading the clock, which the benchmark does twice around the collective alone and eight times during the computation"`
	Compute sim.Time `key:"compute" unit:"time" doc:"computation of every rank; if omitted: each rank its own time of the collective alone"`
}

// Adapts implements Adaptive.
func (w *osuNBC) Adapts() bool { return w.Compute == 0 }

// Readings of the clock alongside the computation (OSU 5.6.3, osu_iallreduce.c): the whole, the call,
// the computation and the wait have one each before and behind them. Of the eight, the time of
// seven is in the whole, and of one of them in the computation.
const (
	aroundPost = 3
	aroundWait = 3
)

// Phases of osu-nbc. The collective alone has one phase.
const (
	nbcPost = iota
	nbcCompute
	nbcWait
)

func (w *osuNBC) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	g, a, err := w.plan(w.Operation, m, ranks)
	if w.Compute < 0 || w.Setup < 0 || w.Clock < 0 {
		err = errors.Join(err, &KeyError{"compute", "must not be negative, and neither setup nor clock"})
	}
	if err != nil {
		return nil, err
	}
	p := &nbcProgram{group: g, by: a, setup: machines.Task{Time: w.Setup}, clock: machines.Task{Time: w.Clock}}
	p.compute = func(int) sim.Time { return w.Compute }
	return p, nil
}

// Other implements Paired: the collective alone.
func (w *osuNBC) Other(m *machines.Machine, ranks int) (programs.Program, error) {
	all, err := w.Program(m, ranks)
	if err != nil {
		return nil, err
	}
	p := *all.(*nbcProgram)
	p.compute = nil
	return &p, nil
}

// Tune implements Tuned: the computation of a rank is as long as the collective alone takes on it.
func (w *osuNBC) Tune(m *machines.Machine, ranks int, try func(programs.Program) (*results.Result, error)) (programs.Program, error) {
	if !w.Adapts() {
		return w.Program(m, ranks)
	}
	alone, err := w.Other(m, ranks)
	if err != nil {
		return nil, err
	}
	r, err := try(alone)
	if err != nil {
		return nil, fmt.Errorf("the collective alone: %w", err)
	}
	p := *alone.(*nbcProgram)
	p.compute = func(rank int) sim.Time { return r.Ledgers[rank][0].Sum() }
	return &p, nil
}

// nbcProgram is the collective during a computation; alone if it has none.
type nbcProgram struct {
	group   collectives.Group
	by      *collectives.Algorithm
	setup   machines.Task
	clock   machines.Task // between two readings lies one
	compute func(rank int) sim.Time
}

func (p *nbcProgram) Ranks() int { return p.group.Ranks }

func (p *nbcProgram) Phases() []string {
	if p.compute == nil {
		return []string{"alone"}
	}
	return []string{"post", "compute", "wait"}
}

func (p *nbcProgram) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	g := p.group
	g.Me = rank
	if p.compute == nil {
		do.Compute(p.clock, 1)
		do.Compute(p.setup, 1)
		p.start(g, do)
		do.Wait(0)
		return true
	}
	do.Phase(nbcPost)
	do.Compute(p.setup, 1)
	p.start(g, do)
	do.Compute(p.clock, aroundPost)
	do.Phase(nbcCompute)
	do.Compute(machines.Task{Time: p.compute(rank)}, 1)
	do.Compute(p.clock, 1)
	do.Phase(nbcWait)
	do.Compute(p.clock, aroundWait)
	do.Wait(0)
	return true
}

// start starts the collective, as request 0.
func (p *nbcProgram) start(g collectives.Group, do *programs.Ops) {
	g.Request = 1
	collectives.Start(p.by, g, 0, do)
}

// Remarks implements Remarked.
func (w *osuNBC) Remarks(m *machines.Machine, ranks int) []string {
	said := append(w.remarks("algorithm auto", w.Operation, m, ranks),
		"the run is the collective during the computation, overall of the benchmark; pure comm is from another run, of the collective alone")
	if w.Compute == 0 {
		said = append(said, "each rank computes as long as the collective alone takes on it, also where a change makes that shorter, but not without a cause, nor in derivatives: --set workload.compute=100us keeps it")
	}
	return said
}

// Near implements Neighbored.
func (w *osuNBC) Near(key string, m *machines.Machine, ranks int) []string {
	return w.near(w.Operation, key, m, ranks)
}

// Metrics implements Workload: the columns of the benchmark need the collective alone.
func (w *osuNBC) Metrics(*machines.Machine, *results.Result) (m Metrics) { return m }

// MetricsWith are the columns of the benchmark: means over the ranks. r is what is left of the
// time of the collective during the computation: above 1 nothing is hidden. As the benchmark takes its tests out of the
// computation, so all work on messages is taken out.
func (w *osuNBC) MetricsWith(r, other *results.Result) (m Metrics) {
	var overall, alone, computed float64
	mean := func(t sim.Time) float64 { return t.Seconds() / float64(r.Ranks) }
	for rank, ledger := range r.Ledgers {
		overall += mean(ledger[nbcPost].Sum() + ledger[nbcCompute].Sum() + ledger[nbcWait].Sum())
		computed += mean(ledger[nbcCompute].Sum() - ledger[nbcCompute][results.Overhead])
		alone += mean(other.Ledgers[rank][0].Sum())
	}
	left := (overall - computed) / alone
	m.Add("overall_s", overall)
	m.Add("compute_s", computed)
	m.Add("pure_comm_s", alone)
	m.AddOr("overlap_percent", max(0, 100*(1-left)), noTime)
	m.AddOr("r", left, noTime)
	return m
}
