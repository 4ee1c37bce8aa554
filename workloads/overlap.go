package workloads

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The overlap benchmarks of Denis and Trahay, "MPI Overlap: Benchmark and Analysis" (ICPP
// 2016), section III.D, between two nodes, timed on node 0. There is one round if no more are
// asked for, as a simulation has no noise. The other node is ready when a round begins; to get
// this, messages there and back come before each round but the first, as in the paper, and are
// not timed.
func init() {
	Register(Kind{"overlap-load", OverlapLoad.Title, func() Workload { return &overlapLoad{Bytes: 500_000} }})
	for _, b := range OverlapBenchmarks {
		Register(Kind{"overlap-" + b.Name, b.Title, func() Workload {
			return &overlap{OverlapPoint: OverlapPoint{Bytes: 500_000, Compute: 200 * sim.Microsecond}, Rounds: 1, benchmark: b}
		}})
	}
}

// OverlapBenchmark is one of the overlap benchmarks.
type OverlapBenchmark struct {
	Name, Title string
	Base        *OverlapBenchmark // the benchmark that gives T_comm; nil: this one does
	nodes       [2]func(do *programs.Ops, p *OverlapPoint)
	time        func(finish, latency sim.Time) sim.Time // the result, from the time at which node 0 finished
}

// OverlapPoint holds the parameters of one run of a benchmark.
type OverlapPoint struct {
	Bytes   int64    `key:"bytes" unit:"bytes" doc:"size of a message"`
	Compute sim.Time `key:"compute" unit:"time" doc:"computation between post and wait"`
}

// Phases of the overlap benchmarks.
const (
	overlapPost = iota
	overlapCompute
	overlapWait
	overlapAnswer
	overlapSynchronise // in runs of several rounds
)

type overlapSide = [2]func(do *programs.Ops, p *OverlapPoint)

// The base benchmarks, which give T_comm.
var (
	pingPong = &OverlapBenchmark{
		Name: "load", Title: "blocking calls there and back, with background_threads alongside",
		nodes: blocking, time: half,
	}
	stridedPingPong = &OverlapBenchmark{
		Name: "pingpong-strided", Title: "overlap, base: half a round trip of blocking calls, data not contiguous",
		nodes: stridedBlocking, time: half,
	}
	blockingSend = &OverlapBenchmark{
		Name: "send", Title: "overlap, base: time of a blocking send",
		nodes: onlySend, time: whole,
	}
)

// OverlapBenchmarks are the benchmarks in the order of the paper's figures. The paper's
// last one, N threads load, is not among them: it is OverlapLoad.
var OverlapBenchmarks = []*OverlapBenchmark{
	{
		Name: "sender", Title: "overlap on the sender's side: Isend, computation, Wait",
		Base: pingPong, nodes: senderSide, time: lessLatency,
	}, {
		Name: "receiver", Title: "overlap on the receiver's side: Irecv, computation, Wait",
		Base: pingPong, nodes: receiverSide, time: lessLatency,
	}, {
		Name: "both", Title: "overlap on both sides, there and back",
		Base: pingPong, nodes: bothSides, time: half,
	}, {
		Name: "strided", Title: "overlap on the sender's side, data not contiguous",
		Base: stridedPingPong, nodes: stridedSenderSide, time: lessLatency,
	}, {
		Name: "cpu", Title: "CPU overhead of the sender: Isend, computation, Wait, and no acknowledgement",
		Base: blockingSend, nodes: withoutAnswer, time: whole,
	},
}

// OverlapLoad is the benchmark with N computing threads: it measures blocking calls
// next to them.
var OverlapLoad = pingPong

// The ways to compute the result from the times of node 0.
func whole(finish, _ sim.Time) sim.Time             { return finish }
func half(finish, _ sim.Time) sim.Time              { return finish / 2 }
func lessLatency(finish, latency sim.Time) sim.Time { return finish - latency }

// The operations of node 0 and node 1. Tag 1 is for messages of 0 bytes.
var (
	senderSide = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			do.Isend(1, p.Bytes, 0, 0)
			overlapped(do, p)
			do.Phase(overlapAnswer)
			do.Recv(1, 0, 1) // acknowledgement
		},
		func(do *programs.Ops, p *OverlapPoint) {
			do.Recv(0, p.Bytes, 0)
			do.Send(0, 0, 1)
		},
	}
	stridedSenderSide = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			do.IsendStrided(1, p.Bytes, 0, 0)
			overlapped(do, p)
			do.Phase(overlapAnswer)
			do.Recv(1, 0, 1)
		},
		senderSide[1],
	}
	receiverSide = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			do.Send(1, 0, 1) // clear to send
			do.Irecv(1, p.Bytes, 0, 0)
			overlapped(do, p)
		},
		func(do *programs.Ops, p *OverlapPoint) {
			do.Recv(0, 0, 1)
			do.Send(0, p.Bytes, 0)
		},
	}
	bothSides = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			do.Isend(1, p.Bytes, 0, 0)
			overlapped(do, p)
			do.Phase(overlapPost)
			do.Irecv(1, p.Bytes, 0, 0)
			overlapped(do, p)
		},
		func(do *programs.Ops, p *OverlapPoint) {
			do.Irecv(0, p.Bytes, 0, 0)
			overlapped(do, p)
			do.Phase(overlapPost)
			do.Isend(0, p.Bytes, 0, 0)
			overlapped(do, p)
		},
	}
	withoutAnswer = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			do.Isend(1, p.Bytes, 0, 0)
			overlapped(do, p)
		},
		func(do *programs.Ops, p *OverlapPoint) { do.Recv(0, p.Bytes, 0) },
	}
	onlySend = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) { do.Send(1, p.Bytes, 0) },
		func(do *programs.Ops, p *OverlapPoint) { do.Recv(0, p.Bytes, 0) },
	}
	blocking = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			do.Send(1, p.Bytes, 0)
			do.Recv(1, p.Bytes, 0)
		},
		func(do *programs.Ops, p *OverlapPoint) {
			do.Recv(0, p.Bytes, 0)
			do.Send(0, p.Bytes, 0)
		},
	}
	stridedBlocking = overlapSide{
		func(do *programs.Ops, p *OverlapPoint) {
			stridedSend(do, 1, p)
			do.Recv(1, p.Bytes, 0)
		},
		func(do *programs.Ops, p *OverlapPoint) {
			do.Recv(0, p.Bytes, 0)
			stridedSend(do, 0, p)
		},
	}
)

// stridedSend is a blocking send of blocks of 32 bytes at a stride of 64 bytes.
func stridedSend(do *programs.Ops, to int, p *OverlapPoint) {
	do.IsendStrided(to, p.Bytes, 0, 0)
	do.Wait(0)
}

// overlapped computes between a post and its wait.
func overlapped(do *programs.Ops, p *OverlapPoint) {
	do.Phase(overlapCompute)
	do.Compute(machines.Task{Time: p.Compute}, 1)
	do.Phase(overlapWait)
	do.Wait(0)
}

// OverlapRatio is eq. (1) of the paper: 0 for perfect overlap, 1 if nothing overlaps,
// more than 1 if the attempt to overlap made the run slower. It is NaN if communication
// or computation takes no time, as there is nothing to overlap.
func OverlapRatio(measured, communication, computation sim.Time) float64 {
	if min(communication, computation) <= 0 {
		return math.NaN()
	}
	return float64(measured-max(communication, computation)) / float64(min(communication, computation))
}

// overlapProgram is a program of two nodes with a step for each round.
type overlapProgram struct {
	*OverlapBenchmark
	OverlapPoint
	rounds int64
}

func (overlapProgram) Ranks() int { return 2 }
func (p overlapProgram) Phases() []string {
	all := []string{"post", "compute", "wait", "acknowledgement"}
	if p.rounds > 1 {
		all = append(all, "synchronisation")
	}
	return all
}

// Step implements programs.Program.
func (p overlapProgram) Step(rank, step int, do *programs.Ops) bool {
	if int64(step) >= p.rounds {
		return false
	}
	if step > 0 {
		do.Phase(overlapSynchronise)
		synchronise[rank](do)
		do.Phase(overlapPost)
	}
	p.nodes[rank](do, &p.OverlapPoint)
	return true
}

// synchronise lets node 0 begin a round when node 1 is ready for it.
var synchronise = [2]func(do *programs.Ops){
	func(do *programs.Ops) {
		do.Send(1, 0, 2)
		do.Recv(1, 0, 2)
	},
	func(do *programs.Ops) {
		do.Recv(0, 0, 2)
		do.Send(0, 0, 2)
	},
}

// OverlapSuite runs the benchmarks on a machine. It measures T_comm with the same code,
// before the benchmark that needs it.
type OverlapSuite struct {
	machine       *machines.Machine
	fabric        network.Maker // nil: messages do not contend
	latency       sim.Time      // half a round trip of 0 bytes
	communication map[overlapBase]sim.Time
}

type overlapBase struct {
	name  string
	bytes int64
}

// NewOverlapSuite prepares the benchmarks on a machine and a fabric (nil: messages do not contend): it measures the 0-byte
// latency.
func NewOverlapSuite(m *machines.Machine, fabric network.Maker) (*OverlapSuite, error) {
	s := &OverlapSuite{machine: m, fabric: fabric, communication: map[overlapBase]sim.Time{}}
	var err error
	s.latency, err = s.Communication(OverlapBenchmarks[0], 0)
	return s, err
}

// Communication returns T_comm of a benchmark.
func (s *OverlapSuite) Communication(b *OverlapBenchmark, bytes int64) (sim.Time, error) {
	if b.Base != nil {
		b = b.Base
	}
	key := overlapBase{b.Name, bytes}
	if t, ok := s.communication[key]; ok {
		return t, nil
	}
	r, err := nodes.Run(s.machine, overlapProgram{b, OverlapPoint{Bytes: bytes}, 1}, 1, nodes.Options{Fabric: s.fabric})
	if err != nil {
		return 0, err
	}
	t := b.time(r.Finish[0], s.latency)
	s.communication[key] = t
	return t, nil
}

// Measure runs a benchmark at a point and returns the time that the paper's benchmark
// would report.
func (s *OverlapSuite) Measure(b *OverlapBenchmark, p OverlapPoint) (sim.Time, *results.Result, error) {
	return s.beside(b, p, 0)
}

// Load runs OverlapLoad while the given number of threads compute alongside each process.
func (s *OverlapSuite) Load(bytes int64, threads int) (sim.Time, *results.Result, error) {
	return s.beside(OverlapLoad, OverlapPoint{Bytes: bytes}, threads)
}

func (s *OverlapSuite) beside(b *OverlapBenchmark, p OverlapPoint, threads int) (sim.Time, *results.Result, error) {
	r, err := nodes.Run(s.machine, overlapProgram{b, p, 1}, 1, nodes.Options{Background: threads, Fabric: s.fabric})
	if err != nil {
		return 0, nil, err
	}
	return b.time(r.Finish[0], s.latency), r, nil
}

// overlapLoad is OverlapLoad as a workload.
type overlapLoad struct {
	Bytes int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
}

func (w *overlapLoad) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	return overlapProgram{OverlapLoad, OverlapPoint{Bytes: w.Bytes}, 1}, twoRanks(OverlapLoad, ranks)
}

func (w *overlapLoad) Metrics(m *machines.Machine, r *results.Result) Metrics {
	return w.MetricsOn(m, nil, r)
}

// MetricsOn are the slowdown by the computing threads, half a round trip with them, and
// half a round trip without them.
func (w *overlapLoad) MetricsOn(m *machines.Machine, fabric network.Maker, r *results.Result) (all Metrics) {
	alone, latency, err := base(m, fabric, r, OverlapLoad, w.Bytes)
	if err != nil {
		all.AddOr("slowdown", math.NaN(), err.Error())
		return all
	}
	measured := OverlapLoad.time(r.Finish[0], latency)
	all.AddOr("slowdown", float64(measured)/float64(alone), noTime)
	all.Add("measured_s", measured.Seconds())
	all.Add("comm_s", alone.Seconds())
	return all
}

// base returns T_comm of a benchmark on a machine, and the 0-byte latency. Both are
// measured between two nodes, so they do not apply to a run inside one node.
func base(m *machines.Machine, fabric network.Maker, r *results.Result, b *OverlapBenchmark, bytes int64) (communication, latency sim.Time, err error) {
	if !r.Uses.Sends(results.ThroughNIC) {
		return 0, 0, errors.New("both processes are on one node, and communication alone is measured between two")
	}
	s, err := NewOverlapSuite(m, fabric)
	if err != nil {
		return 0, 0, err
	}
	communication, err = s.Communication(b, bytes)
	return communication, s.latency, err
}

// twoRanks returns an error if the number of ranks is not 2.
func twoRanks(b *OverlapBenchmark, ranks int) error {
	if ranks != 2 {
		return &KeyError{"name", fmt.Sprintf("overlap-%s is for 2 ranks, got %d", b.Name, ranks)}
	}
	return nil
}

// overlap is a benchmark with its parameters, as a workload.
type overlap struct {
	OverlapPoint
	Rounds    int64 `key:"rounds" unit:"times" doc:"rounds, one after the other; times are their means"`
	benchmark *OverlapBenchmark
}

func (w *overlap) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	err := twoRanks(w.benchmark, ranks)
	if w.Compute <= 0 {
		err = errors.Join(err, &KeyError{"compute", "must be positive"})
	}
	if w.Rounds < 1 {
		err = errors.Join(err, &KeyError{"rounds", fmt.Sprintf("must be at least 1, got %d", w.Rounds)})
	}
	return overlapProgram{w.benchmark, w.OverlapPoint, w.Rounds}, err
}

func (w *overlap) Metrics(m *machines.Machine, r *results.Result) Metrics {
	return w.MetricsOn(m, nil, r)
}

// MetricsOn are the ratio and the times of eq. (1), the time that node 0 spent in the post
// and in MPI_Wait, and the time that node 1 waited for an agent to progress the message.
func (w *overlap) MetricsOn(m *machines.Machine, fabric network.Maker, r *results.Result) (all Metrics) {
	communication, latency, err := base(m, fabric, r, w.benchmark, w.Bytes)
	if err != nil {
		all.AddOr("ratio", math.NaN(), err.Error())
		return all
	}
	timed, node1 := r.Finish[0], sim.Time(0)
	if w.Rounds > 1 {
		timed -= r.Ledgers[0][overlapSynchronise].Sum()
	}
	for _, phase := range r.Ledgers[1][:overlapSynchronise] {
		node1 += phase[results.Progress]
	}
	each := func(t sim.Time) float64 { return t.Seconds() / float64(w.Rounds) }
	measured := w.benchmark.time(timed/sim.Time(w.Rounds), latency)
	all.AddOr("ratio", OverlapRatio(measured, communication, w.Compute), noTime)
	all.Add("measured_s", measured.Seconds())
	all.Add("comm_s", communication.Seconds())
	all.Add("comp_s", w.Compute.Seconds())
	all.Add("post_s", each(r.Ledgers[0][overlapPost].Sum()))
	all.Add("wait_s", each(r.Ledgers[0][overlapWait].Sum()))
	all.Add("other_progress_s", each(node1))
	return all
}
