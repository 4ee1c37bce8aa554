package training

import (
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// outcome is the result of a run of streams, in the form of a result of ranks.
type outcome struct {
	*results.Result
	run  *streams.Result
	rows map[[2]int]int // of a device and a stream: its number among the streams of the result
}

// newOutcome returns the result of the GPUs of a place that send the given bytes. What each GPU did is added by spread.
func newOutcome(run *streams.Result, kinds []string, place experiments.Place, bytes int64) outcome {
	gpus := place.Ranks
	all := outcome{&results.Result{Ranks: gpus, On: results.GPUs, Events: run.Events, Bytes: bytes, Phases: kinds,
		Finish: make([]sim.Time, gpus), Hidden: make([]sim.Time, gpus), Ledgers: make([][]results.Ledger, gpus), Running: make([]sim.Total, len(kinds)), Beyond: run.Beyond()}, run, map[[2]int]int{}}
	if place.Timeline {
		all.Timeline = &results.Timeline{}
	}
	return all
}

// oneGPU begins the graph of a GPU.
func oneGPU(m *gpus.Machine, kinds []string, all ...streams.Stream) streams.Graph {
	return streams.Graph{Kinds: kinds, Devices: []streams.Device{{Name: "0", SMs: int32(m.GPU.SMs), Bandwidth: int64(m.Memory()),
		Ahead: launchesAhead, Streams: all}}}
}

// oneForAll runs the graph of a GPU that stands for all of a place. Together they send bytes.
func oneForAll(g *streams.Graph, place experiments.Place, bytes int64) (*results.Result, error) {
	run, err := place.Run(g)
	if err != nil {
		return nil, err
	}
	all := newOutcome(run, g.Kinds, place, bytes)
	all.spread(0, upTo(place.Ranks))
	return all.finished(place), nil
}

// spread says that some GPUs did what one device of the run did: its first stream.
func (o *outcome) spread(device int, gpus []int) {
	ledgers, hidden := phases(o.run, device, len(o.Phases)), o.run.Hidden(int32(device), computeStream)
	for kind, t := range o.run.Running(int32(device)) {
		o.Running[kind].Join(sim.TotalOf(t).Times(len(gpus)))
	}
	o.timeline(device, gpus[0])
	o.streams(device, gpus)
	for _, n := range gpus {
		o.Finish[n], o.Ledgers[n], o.Hidden[n] = o.run.Makespan, ledgers, hidden
	}
}

// bubble is what a stream waits for other stages of a pipeline.
const bubble = "bubble"

// streams adds what the streams of a device spend their time on. What they wait for the pipeline is its bubble.
func (o *outcome) streams(device int, gpus []int) {
	for s := range o.run.Ledgers[device] {
		var all [streams.NumTerms]sim.Time
		var waits sim.Time
		for kind, l := range o.run.Ledgers[device][s] {
			if s != computeStream && kind < len(o.Phases) && without.OfKind(o.Phases[kind]) == "" {
				o.Aside.Join(sim.TotalOf(l[streams.Compute]).Times(len(gpus)))
			}
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
		o.rows[[2]int{device, s}] = len(o.Streams)
		o.Streams = append(o.Streams, row)
	}
}

// timeline adds lanes for the streams of a device that do something, as streams does. The first one is the stream of the ledger.
func (o *outcome) timeline(device, gpu int) {
	if o.Timeline == nil {
		return
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

// terms are the terms of a process as which the terms of a stream are shown.
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

// Result is the result of a run in which each device is a separate GPU.
func Result(run *streams.Result, kinds []string, place experiments.Place) *results.Result {
	all := newOutcome(run, kinds, place, 0)
	for device := range place.Ranks {
		all.spread(device, []int{device})
	}
	return all.finished(place)
}

// finished returns the result when all devices are spread, with its critical path if the place asks for it.
func (o *outcome) finished(place experiments.Place) *results.Result {
	if !place.Critical {
		return o.Result
	}
	o.Critical = []results.Piece{}
	for _, p := range o.run.Critical() {
		device, stream, collective := o.run.On(p.Op)
		row := o.rows[[2]int{device, stream}]
		piece := results.Piece{Index: int32(o.Streams[row].GPU), Stream: int32(row), Message: -1, Resource: results.Kernels}
		switch {
		case p.Launch:
			piece.Resource = results.Hosts
		case collective:
			piece.Resource = results.Collectives
		}
		if p.Tied {
			o.Critical = append(o.Critical, results.Piece{Start: p.Start, End: p.Start, Part: parts.Tie, Message: -1, Resource: piece.Resource,
				Index: piece.Index, Stream: piece.Stream})
		}
		for _, x := range o.run.Of(&p) {
			piece.Start, piece.End, piece.Amount, piece.Part = x.Start, x.End, int64(x.Kind), partsOf[x.Term]
			o.Critical = append(o.Critical, piece)
		}
	}
	return o.Result
}

// partsOf are the parts of a critical path, by the term of the stream. A path has no waits for events or other GPUs.
var partsOf = [streams.NumTerms]results.Part{
	streams.Compute: results.PartCompute, streams.Memory: results.NewPart("memory", results.Interference),
	streams.Starved: results.NewPart("sm starved", results.Interference), streams.Tail: results.NewPart("tail wave", results.Interference),
	streams.LaunchWait: results.NewPart("launch", results.Overhead), streams.Latency: parts.Latency, streams.Transfer: parts.Transfer,
	streams.Contention: results.NewPart("contention", results.Contention),
}
