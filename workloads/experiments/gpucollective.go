package experiments

import (
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// A collective operation of GPUs.
func init() {
	workloads.Register(workloads.Kind{Name: "gpu-collective", Title: "a collective operation of GPUs, as NCCL does it or by an algorithm",
		New: func() workloads.Workload {
			return &gpuCollective{Operation: gpus.AllReduce.Name, Bytes: 64 << 20, Algorithm: auto, Protocol: auto, By: byFormula}
		}})
}

// auto leaves a choice to NCCL's rules.
const auto = "auto"

// Ways to find the time.
const (
	byFormula  = "formula"
	byMessages = "messages"
)

type gpuCollective struct {
	NoProgram
	Operation string   `key:"operation" unit:"text" doc:"all-reduce, all-gather, reduce-scatter, broadcast, reduce, all-to-all or send-receive"`
	Bytes     int64    `key:"bytes" unit:"bytes" doc:"size of the largest buffer of a GPU: the vector, or the blocks of all GPUs together"`
	Algorithm string   `key:"algorithm" unit:"text" doc:"ring, tree, nvls, nvls-tree, pairs or rails; auto: as NCCL chooses"`
	Protocol  string   `key:"protocol" unit:"text" doc:"LL, LL128 or Simple; auto: the one that takes least"`
	By        string   `key:"by" unit:"text" choices:"formula,messages" doc:"how its time is found: by a formula, or message by message on the links"`
	Skew      sim.Time `key:"skew" unit:"time" doc:"GPUs arrive one after the other; this is the time from the first to the last"`
	Channels  int64    `key:"channels" unit:"count" doc:"channels, each a block of the operation's kernel; if omitted: the machine's"`
}

// plan returns the group and the operation that the keys ask for.
func (w *gpuCollective) plan(m *machines.Machine, p Place) (*gpus.Communicator, *gpus.Operation, error) {
	op, wrong := gpus.Named(gpus.Operations, "operation", w.Operation)
	algorithm, wrongAlgorithm := gpus.Chosen(gpus.Algorithms, "algorithm", w.Algorithm, auto)
	protocol, wrongProtocol := gpus.Chosen(gpus.Protocols, "protocol", w.Protocol, auto)
	errs := []error{Keyed(wrong), Keyed(wrongAlgorithm), Keyed(wrongProtocol)}
	if w.Channels > mostChannels {
		errs = append(errs, &workloads.KeyError{Key: "channels", Message: fmt.Sprintf("must be at most %d, got %d", mostChannels, w.Channels)})
	}
	if w.Bytes > mostBytes {
		errs = append(errs, &workloads.KeyError{Key: "bytes", Message: fmt.Sprintf("must be at most %d, got %d", int64(mostBytes), w.Bytes)})
	}
	if op == gpus.SendReceive && p.Ranks != 2 {
		errs = append(errs, &workloads.KeyError{Key: "operation", Message: fmt.Sprintf("send-receive is between 2 GPUs, got %d ranks", p.Ranks)})
	}
	c := gpus.First(m.GPUs, p.Ranks, p.PerNode)
	c.Algorithm, c.Protocol, c.Channels = algorithm, protocol, int(w.Channels)
	return c, op, errors.Join(errs...)
}

// Near implements workloads.Neighbored: the other algorithms of the operation that these GPUs can do.
func (w *gpuCollective) Near(key string, m *machines.Machine, ranks int) (all []string) {
	c, op, err := w.plan(m, Place{Ranks: ranks, PerNode: m.GPUs.Node.GPUs})
	if err != nil || key != "algorithm" {
		return nil
	}
	now, err := c.Time(op, w.Bytes)
	for _, a := range gpus.Algorithms {
		c.Algorithm = a
		if _, lacks := c.Time(op, w.Bytes); err == nil && lacks == nil && a != now.Algorithm {
			all = append(all, a.Name)
		}
	}
	return all
}

// mostChannels is NCCL's limit. With mostBytes no time exceeds the longest run.
const (
	mostChannels = 64
	mostBytes    = 1 << 46
)

// CheckGPUs implements OnGPUs.
func (w *gpuCollective) CheckGPUs(m *machines.Machine, p Place) error {
	c, op, err := w.plan(m, p)
	if err != nil {
		return err
	}
	cost, err := c.Time(op, w.Bytes)
	if err == nil && w.By == byMessages {
		err = c.Schedules(op, w.Bytes)
	}
	const most = machines.Longest / 8
	if err == nil && (cost.Total() > most || w.Skew > most) {
		return &workloads.KeyError{Key: "bytes", Message: "must be less, or skew must be: the operation takes too long"}
	}
	return Keyed(err)
}

// RunGPUs implements OnGPUs.
func (w *gpuCollective) RunGPUs(m *machines.Machine, p Place) (*results.Result, error) {
	c, op, err := w.plan(m, p)
	if err != nil {
		return nil, err
	}
	cost, err := c.Time(op, w.Bytes)
	if err != nil {
		return nil, err
	}
	arrivals, finish := w.arrivals(p.Ranks), make([]sim.Time, p.Ranks)
	free, fabric, err := p.free(&cost, c, arrivals)
	if err != nil {
		return nil, err
	}
	c.Free = free
	if cost, err = c.Time(op, w.Bytes); err != nil {
		return nil, err
	}
	more, err := p.contended(&cost, c, fabric)
	if err != nil {
		return nil, err
	}
	end := slices.Max(arrivals) + cost.Total() + more
	for i := range finish {
		finish[i] = end
	}
	if w.By == byMessages {
		if finish, err = c.Messages(op, w.Bytes, arrivals); err != nil {
			return nil, err
		}
	}
	r := &results.Result{Ranks: p.Ranks, On: results.GPUs, Phases: []string{phaseOf(op, &cost)}, Finish: finish,
		Hidden: make([]sim.Time, p.Ranks), Ledgers: make([][]results.Ledger, p.Ranks), Bytes: p.Sent(cost.Egress), Beyond: cost.Beyond}
	for i := range finish {
		r.Ledgers[i] = []results.Ledger{ledgerOf(&cost, more, arrivals[i], finish[i])}
	}
	if p.Critical {
		last := slices.Index(finish, slices.Max(finish))
		r.Critical = criticalOf(&r.Ledgers[last][0], last)
	}
	return r, nil
}

// Closed implements Closed.
func (w *gpuCollective) Closed() string {
	if w.By == byMessages {
		return "messages of gpu-collective use their own links; on a fabric give workload.by=formula"
	}
	return ""
}

// arrivals are the times at which the GPUs arrive.
func (w *gpuCollective) arrivals(ranks int) []sim.Time {
	all := make([]sim.Time, ranks)
	for i := range all {
		all[i] = w.Skew / sim.Time(max(1, ranks-1)) * sim.Time(i)
	}
	return all
}

// ledgerOf books the time of a GPU: until it arrives (idle), the start of the kernel (overhead),
// the steps (latency), the waits of channels at the end of rounds (nic_stall), the bytes
// (transfer), what full links of a fabric add (contention), and further waiting for other GPUs (partner). If messages overlap what the formula
// adds up, the parts are booked in this order until the time is used up.
func ledgerOf(c *gpus.Cost, more, arrival, finish sim.Time) (l results.Ledger) {
	left := max(0, finish-arrival)
	l[results.Idle] = finish - left
	for _, part := range []struct {
		term results.Term
		time sim.Time
	}{{results.Transfer, c.Transfer}, {results.Overhead, c.Start}, {results.Latency, c.Latency}, {results.NICStall, c.Bubble},
		{results.Contention, more}} {
		l[part.term] = min(part.time, left)
		left -= l[part.term]
	}
	l[results.Partner] = left
	return l
}

// criticalOf is the critical path of a GPU that ends last: the parts of its ledger, one after the
// other.
func criticalOf(l *results.Ledger, gpu int) []results.Piece {
	all, at := []results.Piece{}, sim.Time(0)
	for _, part := range []struct {
		term results.Term
		part results.Part
	}{{results.Idle, arrival}, {results.Overhead, start}, {results.Latency, parts.Latency}, {results.NICStall, rounds},
		{results.Transfer, parts.Transfer}, {results.Contention, links}, {results.Partner, others}} {
		if t := l[part.term]; t > 0 {
			all = append(all, results.Piece{Start: at, End: at + t, Index: int32(gpu), Message: -1, Part: part.part, Resource: results.Collectives})
			at += t
		}
	}
	return all
}

// The parts of an operation's path other than its start, its latency and its bytes.
var (
	arrival = results.NewPart("arrival", results.Idle) // until the last GPU arrives
	start   = results.NewPart("start of the kernel", results.Overhead)
	rounds  = results.NewPart("end of rounds", results.NICStall)    // channels wait
	links   = results.NewPart("full links", results.Contention)     // of a fabric
	others  = results.NewPart("wait for messages", results.Partner) // beyond the time of the formula
)

// phaseOf describes what was done: "all-reduce ring Simple".
func phaseOf(op *gpus.Operation, c *gpus.Cost) string {
	if c.Algorithm == nil {
		return op.Name
	}
	return fmt.Sprintf("%s %s %s", op, c.Algorithm, c.Protocol)
}

// Metrics are the time, the bandwidths as nccl-tests prints them, and the choices. Algorithm
// bandwidth is bytes divided by time; bus bandwidth is that times the least that each GPU sends,
// divided by the bytes. The choices are the algorithm's number in the order of the key's list,
// channels, and rings of links.
func (w *gpuCollective) Metrics(m *machines.Machine, r *results.Result) (all workloads.Metrics) {
	seconds := r.Makespan().Seconds()
	all.Add("time_s", seconds)
	op, err := gpus.Named(gpus.Operations, "operation", w.Operation)
	if err != nil {
		return all
	}
	const noTime = "it takes no time"
	all.AddOr("algbw_GBps", float64(w.Bytes)/seconds/1e9, noTime)
	all.AddOr("busbw_GBps", float64(w.Bytes)*op.Bus(r.Ranks)/seconds/1e9, noTime)
	return all
}
