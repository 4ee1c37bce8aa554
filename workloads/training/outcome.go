package training

import (
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// outcome is the result of a run of streams, as that of ranks.
type outcome struct {
	*results.Result
	run *streams.Result
}

// newOutcome returns the result of so many GPUs that send so many bytes, without what each did.
func newOutcome(run *streams.Result, kinds []string, gpus int, bytes int64) outcome {
	return outcome{&results.Result{Ranks: gpus, On: results.GPUs, Events: run.Events, Bytes: bytes, Phases: kinds,
		Finish: make([]sim.Time, gpus), Hidden: make([]sim.Time, gpus), Ledgers: make([][]results.Ledger, gpus)}, run}
}

// spread says that some GPUs did what one device of the run did: its first stream.
func (o *outcome) spread(device int, gpus []int) {
	ledgers, hidden := phases(o.run, device, len(o.Phases)), o.run.Hidden(int32(device), computeStream)
	for _, n := range gpus {
		o.Finish[n], o.Ledgers[n], o.Hidden[n] = o.run.Makespan, ledgers, hidden
	}
}

// terms are those of a process that those of a stream are shown as.
var terms = [streams.NumTerms]results.Term{
	streams.Compute: results.Compute, streams.Memory: results.Interference, streams.Starved: results.Interference,
	streams.Tail: results.Interference, streams.LaunchWait: results.Overhead,
	streams.EventWait: results.Partner, streams.Skew: results.Partner,
	streams.Latency: results.Latency, streams.Transfer: results.Transfer, streams.Contention: results.Contention, streams.Idle: results.Idle,
}

// phases is the ledger of the first stream of a device by kind.
func phases(run *streams.Result, device, kinds int) []results.Ledger {
	all := make([]results.Ledger, kinds)
	for kind, l := range run.Ledgers[device][computeStream] {
		for term, t := range l {
			all[kind][terms[term]] += t
		}
	}
	return all
}

// Result is the result of a run in which each device is a GPU of its own.
func Result(run *streams.Result, kinds []string, gpus int) *results.Result {
	all := newOutcome(run, kinds, gpus, 0)
	for device := range gpus {
		all.spread(device, []int{device})
	}
	return all.Result
}
