package without

import (
	"testing"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// script is a program by rank, by step.
type script [][][]programs.Op

func (s script) Ranks() int       { return len(s) }
func (s script) Phases() []string { return []string{"one", "two"} }
func (s script) Step(rank, step int, do *programs.Ops) bool {
	if step < len(s[rank]) {
		do.Add(s[rank][step]...)
	}
	return step < len(s[rank])
}

// steps is a rank of a script, whose steps are given by what appends their operations.
func steps(all ...func(do *programs.Ops)) (rank [][]programs.Op) {
	for _, one := range all {
		var do programs.Ops
		one(&do)
		rank = append(rank, do.List())
	}
	return rank
}

func compute(do *programs.Ops, ps sim.Time) { do.Compute(machines.Task{Time: ps}, 1) }

// computing is a step that computes.
func computing(ps sim.Time) func(do *programs.Ops) {
	return func(do *programs.Ops) { compute(do, ps) }
}

// The numbers of the machine of the exact cases, in ps.
const (
	latency, send, receive, gap, startup, perByte = 1000, 400, 50, 300, 20, 2
	base, perRound                                = 10, 7
	carried                                       = startup + 100*perByte // 100 bytes
)

func exact() *machines.Machine {
	return &machines.Machine{
		Name: "exact", Cores: 2, Processes: 1,
		Network: network.LogGOPS{Latency: latency, SendOverhead: network.Constant(send), ReceiveOverhead: network.Constant(receive), Gap: gap,
			Startup: startup, Transfer: network.PerByte(perByte)},
		Barrier: machines.Barrier{Base: base, PerRound: perRound},
	}
}

// pair computes, sends 100 bytes to a rank that has posted a receive, and computes there.
var pair = script{
	steps(func(do *programs.Ops) { compute(do, 1000); do.Send(1, 100, 0) }),
	steps(func(do *programs.Ops) { do.Recv(0, 100, 0); compute(do, 500) }),
}

const paired = 1000 + send + carried + latency + receive + 500

// uneven computes unequally before and after a barrier.
var uneven = script{
	steps(func(do *programs.Ops) { compute(do, 300); do.Barrier() }, computing(500)),
	steps(func(do *programs.Ops) { compute(do, 500); do.Barrier() }, computing(300)),
}

// exactCase is a run whose makespan follows from the rules.
type exactCase struct {
	change         func(m *machines.Machine)
	program        programs.Program
	perNode        int
	options        nodes.Options
	before, absent sim.Time
}

// late computes while the request of a rendezvous arrives.
var late = script{
	steps(func(do *programs.Ops) { do.Send(1, 100, 0) }),
	steps(func(do *programs.Ops) { do.Irecv(0, 100, 0, 0); compute(do, 10_000); do.Wait(0) }),
}

// exactCases has a case for each cause of processes.
var exactCases = map[string]exactCase{
	"communication": {program: pair, before: paired, absent: 1500},
	"computation":   {program: pair, before: paired, absent: paired - 1500},
	"latency":       {program: pair, before: paired, absent: paired - latency},
	"bandwidth":     {program: pair, before: paired, absent: paired - 100*perByte},
	"gap": {change: func(m *machines.Machine) { m.Network.SendOverhead = nil }, program: pair,
		before: paired - send + gap, absent: paired - send - startup},
	"links": {program: pair, options: nodes.Options{Calibration: factor(3)},
		before: paired + 2*(carried+latency), absent: paired},
	"overhead": {program: pair, before: paired, absent: paired - send - receive + gap},
	"progress": {change: func(m *machines.Machine) { m.Network.Rendezvous = 50 }, program: late,
		before: 10_000 + latency + carried + 2*latency, absent: 10_000 + receive},
	"imbalance": {program: uneven, before: 500 + base + perRound + 500, absent: 400 + base + perRound + 400},
	"interference": {change: func(m *machines.Machine) {
		m.Cores, m.Sharing = 1, &machines.Sharing{Contexts: 2}
		m.Sharing.SlowDown[cores.FP][cores.FP] = 2
	}, program: script{steps(computing(1000)), steps(computing(1000))}, perNode: 2, before: 2000, absent: 1000},
	"noise": {change: func(m *machines.Machine) { m.Noise = &machines.Noise{Rate: 5e8, Length: 1000} },
		program: script{steps(computing(100_000), computing(1))}, options: nodes.Options{Seed: 3}, before: 100_001 + 83*1000, absent: 100_001},
	"stalls": {change: func(m *machines.Machine) { m.Network.Outstanding = 1 },
		program: script{steps(func(do *programs.Ops) { do.Put(1, 100, 0); do.Put(1, 100, 1) }), nil},
		before:  send + carried + send, absent: 2 * send},
	"synchronisation": {program: uneven, before: 500 + base + perRound + 500, absent: 800},
}

// factor is a calibration with one factor.
func factor(f float64) *calibrated.Calibration {
	c, err := calibrated.New(calibrated.Curve{Distances: []int{1}, Factors: []float64{f}}, nil, 1)
	if err != nil {
		panic(err)
	}
	return c
}

// taken runs a program without causes.
func taken(t interface{ Fatal(...any) }, s Set, m *machines.Machine, p programs.Program, perNode int, o nodes.Options) *results.Result {
	run, err := s.Processes(m, o.Background)
	if err != nil {
		t.Fatal(err)
	}
	o.Background = run.Background
	if o.Calibration != nil {
		o.Calibration = run.Fabric.Calibration(o.Calibration)
	}
	result, err := nodes.Run(run.Machine, run.Program(p), max(1, perNode), o)
	if err != nil {
		t.Fatal(s, err)
	}
	return result
}

// Each cause of processes has a case whose times are exact, with it and without it.
func TestExact(t *testing.T) {
	for i, cause := range Causes {
		c, ok := exactCases[cause.Name]
		if ok != (cause.Processes != nil) {
			t.Errorf("%s: a case: %v, a meaning for processes: %v", cause.Name, ok, !ok)
		}
		if !ok {
			continue
		}
		m := exact()
		if c.change != nil {
			c.change(m)
		}
		before, absent := taken(t, 0, m, c.program, c.perNode, c.options), taken(t, 1<<i, m, c.program, c.perNode, c.options)
		if before.Makespan() != c.before || absent.Makespan() != c.absent {
			t.Errorf("%s: takes %v, without %v; want %v and %v", cause.Name, before.Makespan(), absent.Makespan(), c.before, c.absent)
		}
	}
}

// A cause says what it is, and why it has no meaning where it has none.
func TestTable(t *testing.T) {
	for i, c := range Causes {
		on := &c.GPUs
		if (c.Processes == nil) != (c.NotProcesses != "") || (c.Processes == nil) != (c.Doc == "") || (on.take == nil) != (on.Not != "") ||
			(on.take == nil) != (on.Doc == "") || (on.has == nil) != (on.Lacks == "") {
			t.Errorf("%s: has a meaning and a reason why it has none, or neither", c.Name)
		}
		s, err := Of(none, c.Name, c.Name)
		if err != nil || s != 1<<i || s.String() != c.Name {
			t.Errorf("%s: %v, %v", c.Name, s, err)
		}
		if _, err := s.Processes(exact(), 0); (err == nil) != (c.Processes != nil) {
			t.Errorf("%s: %v", c.Name, err)
		}
		if err := s.CheckGPUs(); (err == nil) != (on.take != nil) {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	must.Refuse(Of("wind"))(t, "must be one of none, communication, ")
	if Set(0).String() != none {
		t.Errorf("nothing is %v", Set(0))
	}
}
