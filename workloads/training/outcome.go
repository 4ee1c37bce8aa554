package training

import (
	"fmt"
	"slices"

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
	o.timeline(device, gpus[0])
	o.streams(device, gpus)
	for _, n := range gpus {
		o.Finish[n], o.Ledgers[n], o.Hidden[n] = o.run.Makespan, ledgers, hidden
	}
}

// bubble is what a stream waits for other stages of a pipeline.
const bubble = "bubble"

// streams adds what the streams of a device spend their time on. Waits of a pipeline for an end of a message are its bubble.
func (o *outcome) streams(device int, gpus []int) {
	for s := range o.run.Ledgers[device] {
		var all [streams.NumTerms]sim.Time
		var waits sim.Time
		for kind, l := range o.run.Ledgers[device][s] {
			for term, t := range l {
				if piped := kind < len(o.Phases) && o.Phases[kind] == kindNames[pipelineComm]; piped &&
					(streams.Term(term) == streams.EventWait || streams.Term(term) == streams.Skew) {
					waits += t
				} else {
					all[term] += t
				}
			}
		}
		if s != computeStream && all[streams.Idle] == o.run.Makespan {
			continue
		}
		row := results.Stream{GPU: gpus[0], Alike: len(gpus), Name: o.run.StreamName(device, s)}
		for term, t := range all {
			if streams.Term(term) == streams.Skew {
				row.Parts = append(row.Parts, results.StreamPart{Name: bubble, Time: waits})
			}
			row.Parts = append(row.Parts, results.StreamPart{Name: streams.Term(term).String(), Time: t})
		}
		o.Streams = append(o.Streams, row)
	}
}

// timeline adds lanes for the streams of a device that do something. The first one is that of the ledger.
func (o *outcome) timeline(device, gpu int) {
	if o.run.Spans == nil {
		return
	}
	if o.Timeline == nil {
		o.Timeline = &results.Timeline{}
	}
	for s, spans := range o.run.Spans[device] {
		lane := results.Lane{Name: fmt.Sprintf("%d %s", gpu, o.run.StreamName(device, s)), Kind: results.CPULane, Index: gpu}
		if s != computeStream {
			if !slices.ContainsFunc(spans, func(x streams.Span) bool { return x.Term != streams.Idle }) {
				continue
			}
			lane.Index = o.Ranks + len(o.Timeline.Lanes)
		}
		for _, x := range spans {
			lane.Spans = append(lane.Spans, results.Span{Start: x.Start, End: x.End, Message: -1, Term: terms[x.Term], Phase: x.Kind})
		}
		o.Timeline.Lanes = append(o.Timeline.Lanes, lane)
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
