package laws

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

func pathWhole(t *trial) error {
	o, err := t.explained()
	if err != nil {
		return err
	}
	at := sim.Time(0)
	for i, p := range o.Result.Critical {
		if p.Start != at || p.End < p.Start {
			return fmt.Errorf("piece %d of the path goes from %v to %v, the one before ends at %v", i, p.Start, p.End, at)
		}
		at = p.End
	}
	if makespan := o.Result.Makespan(); at != makespan {
		return fmt.Errorf("the path ends at %v, the run at %v", at, makespan)
	}
	shares, _ := o.PathShares()
	sum := 0.0
	for _, s := range shares {
		sum += s.Time
	}
	if math.Abs(sum-at.Seconds()) > 1e-9*at.Seconds() {
		return fmt.Errorf("the shares of the path sum to %g s of %g s", sum, at.Seconds())
	}
	if gpus := o.PathGPUs(); gpus != nil {
		for _, on := range gpus {
			sum -= on.Time
		}
		if math.Abs(sum) > 1e-9*at.Seconds() {
			return fmt.Errorf("the path is on GPUs for %g s less than it takes", sum)
		}
	}
	return nil
}

// pathAlone compares the pieces that take time: a mix whose moment is the one before it is no piece of a path alone.
func pathAlone(t *trial) error {
	o, err := t.explained()
	if err != nil {
		return err
	}
	alone := t.once(nodes.Options{Critical: true, PathOnly: true})
	if alone.err != nil {
		return alone.err
	}
	if r := alone.Result; len(r.Slopes) > 0 && o.Result.On == results.Processes {
		return fmt.Errorf("the path alone has %d derivatives", len(r.Slopes))
	}
	empty := func(p results.Piece) bool { return p.Start == p.End }
	with, without := slices.DeleteFunc(slices.Clone(o.Result.Critical), empty), slices.DeleteFunc(slices.Clone(alone.Result.Critical), empty)
	for i := range min(len(with), len(without)) {
		if with[i] != without[i] {
			return fmt.Errorf("piece %d of the path is %+v alone, %+v with derivatives", i, without[i], with[i])
		}
	}
	_, ties := o.PathShares()
	if _, others := alone.PathShares(); len(with) != len(without) || ties != others {
		return fmt.Errorf("the path has %d pieces and %d ties alone, %d and %d with derivatives", len(without), others, len(with), ties)
	}
	return nil
}

func pathOfStreams(t *trial) error {
	o, err := t.explained()
	if err != nil || len(o.Result.Streams) == 0 {
		return cmp.Or(err, errNotFor)
	}
	times := map[[2]string]sim.Time{}
	for _, p := range o.Result.Critical {
		if p.Resource != results.Hosts && p.End > p.Start {
			times[[2]string{fmt.Sprint(p.Stream), p.Part.String()}] += p.End - p.Start
		}
	}
	for i, s := range o.Result.Streams {
		for _, part := range s.Parts {
			key := [2]string{fmt.Sprint(i), strings.ReplaceAll(part.Name, "_", " ")}
			if times[key] > part.Time {
				return fmt.Errorf("the path has %v of %s, and the stream %s of GPU %d %v", times[key], part.Name, s.Name, s.GPU, part.Time)
			}
			delete(times, key)
		}
	}
	if len(times) > 0 {
		return fmt.Errorf("the path has what no stream has: %v", times)
	}
	return nil
}

// made is the time of a path by part.
func made(path []results.Piece) map[results.Part]sim.Time {
	times := map[results.Part]sim.Time{}
	for _, p := range path {
		times[p.Part] += p.End - p.Start
	}
	return times
}

// parameterOf names the parameter that alone makes a part of the path, on the ideal
// fabric.
var parameterOf = map[string]results.Part{
	"network.latency": parts.Latency, "network.gap": parts.Gap, "intra_node.latency": parts.IntraLatency,
	"intra_node.across.latency": parts.AcrossLatency, "intra_node.across.per_byte": parts.AcrossCopy, "nics.far": parts.Far,
	"intra_node.per_byte": parts.IntraCopy, "runtime.matching": parts.Matching, "runtime.handler": parts.Handler,
	"runtime.dispatch":       parts.Dispatch,
	"runtime.progress.delay": parts.Delay, "runtime.waiting.wakeup": parts.Wakeup, "barrier.threads": parts.Meet,
}

// unshared returns an explained outcome on the ideal fabric in which nothing is shared,
// so that the path explains everything.
func (t *trial) unshared() (*outcomes.Outcome, error) {
	o, err := t.processes()
	if err == nil && (o.Machine.Sharing != nil || o.Fabric != "ideal") {
		err = errNotFor
	}
	return o, err
}

func pathGradient(t *trial) error {
	o, err := t.unshared()
	if err != nil {
		return err
	}
	times, found := made(o.Result.Critical), map[string]float64{}
	for _, s := range o.Slopes() {
		found[s.Parameter] = s.Time
	}
	room := 1e-12 * float64(len(o.Result.Critical)+1) // each piece is rounded
	for _, name := range sortedKeys(parameterOf) {
		part := parameterOf[name]
		found[name] += found[name+".time"] // of a cost by size
		if want := times[part].Seconds(); math.Abs(found[name]-want) > room+1e-9*want {
			return fmt.Errorf("the path has %g s of %v, the gradient gives %s %g s", want, part, name, found[name])
		}
	}
	return nil
}

// freeParts are the parts that belong to no parameter of the machine. Computation of
// which only the time is known belongs to none either.
var freeParts = []results.Part{parts.Noise, parts.Schedule, parts.Tie}

func elasticities(t *trial) error {
	o, err := t.unshared()
	if err != nil {
		return err
	}
	sum := 0.0
	for _, s := range o.Slopes() {
		sum += s.Time
	}
	for _, p := range o.Result.Critical {
		if slices.Contains(freeParts, p.Part) || p.Part == results.PartCompute && p.Amount == 0 {
			sum += (p.End - p.Start).Seconds()
		}
	}
	room := 1e-12 * float64(len(o.Result.Critical)+1) // each piece is rounded
	if makespan := o.Result.Makespan().Seconds(); math.Abs(sum-makespan) > room+1e-9*makespan {
		return fmt.Errorf("parameters and the rest make %g s of a path of %g s", sum, makespan)
	}
	return nil
}

// oneActs are the programs in which one rank acts at a time.
var oneActs = []string{"round-trip", "token-ring"}

func oneAtATime(t *trial) error {
	if t.scenario() == nil || !slices.Contains(oneActs, t.scenario().Kind) || t.scenario().Background > 0 || t.said("moves") != nil || t.said("ties") != nil {
		return errNotFor
	}
	o, err := t.explained()
	if err != nil {
		return err
	}
	if inPieces(o) || writes(o) || o.Machine.Noise.Takes() || limits(t) {
		// Noise is apart from what a NIC does. A ledger says what the first piece on the way
		// does, and the bytes before the finish; the path goes through any. It has one part
		// for bytes and for what holds them up, such as a bucket that earlier bytes emptied.
		return errNotFor
	}
	if queues(o) {
		return amounts(o)
	}
	for _, p := range o.Result.Critical {
		if p.End > p.Start && !said(o, p) {
			return fmt.Errorf("the path has %v (%v) on %v, the ledgers of the ranks say something else (%q)",
				p.Part, p.Part.Term(), p.Resource, strings.Join(termsAt(o, p), " "))
		}
	}
	return nil
}

// queues tells whether the fabric held up bytes of the path that had left their NIC. The parts of
// a message that is split over NICs do that to each other.
func queues(o *outcomes.Outcome) bool {
	return slices.ContainsFunc(o.Result.Critical, func(p results.Piece) bool { return p.Part == parts.FabricQueue && p.End > p.Start })
}

// amounts compares only how long the path and the ledgers have each term. A ledger counts what
// sharing adds before the bytes leave; the path has it where it happens.
func amounts(o *outcomes.Outcome) error {
	var path, ledgers results.Ledger
	for _, p := range o.Result.Critical {
		path[p.Part.Term()] += p.End - p.Start
	}
	for rank := range o.Result.Ledgers {
		for term, t := range o.Result.OfRank(rank) {
			ledgers[term] += t
		}
	}
	for _, term := range []results.Term{results.Transfer, results.Contention, results.Latency} {
		if path[term] > ledgers[term]+ledgers[results.Overhead] {
			return fmt.Errorf("the path has %v of %v, the ledgers of all ranks %v", path[term], term, ledgers[term])
		}
	}
	return nil
}

// limits tells whether a token bucket is between the nodes.
func limits(t *trial) bool {
	c, err := t.spelled()
	return err != nil || c.Scenario.at("machine", "bucket") != nil
}

// chunks are the sizes of the pieces in which messages may travel; 0: whole.
func chunks(o *outcomes.Outcome) (sizes []int64) {
	if cp := o.Machine.Copying; cp != nil {
		sizes = append(sizes, cp.Chunk)
	}
	if rt := o.Machine.Runtime; rt != nil {
		sizes = append(sizes, rt.Pipeline.Chunk, rt.Strided.Chunk)
	}
	return sizes
}

// inPieces tells whether some message travels in several pieces.
func inPieces(o *outcomes.Outcome) bool {
	return slices.ContainsFunc(chunks(o), func(chunk int64) bool {
		return chunk > 0 && slices.ContainsFunc(o.Result.Timeline.Messages, func(m results.Message) bool { return m.Bytes > chunk })
	})
}

// writes tells whether the library writes: then a finish follows the bytes.
func writes(o *outcomes.Outcome) bool {
	rt := o.Machine.Runtime
	return rt != nil && rt.Rendezvous == machines.Write
}

// said tells whether some rank's ledger has, for all of a piece of the path, the
// term that its part belongs to. A processor that works alongside its NIC says overhead. A
// NIC inserts messages alongside all that ranks do, and so alongside another part of the path.
// A rank that waits to be told that its message came knows nothing of the answer.
func said(o *outcomes.Outcome, p results.Piece) bool {
	if p.Part == parts.Gap || p.Resource == results.Barriers {
		return true
	}
	want := p.Part.Term()
	for rank := range o.Result.Ranks {
		at := p.Start
		for _, s := range spansOf(o.Result.Timeline, int32(rank)) {
			if s.Start <= at && s.End > at && (s.Term == want || s.Term == results.Overhead || acknowledges(o.Result.Timeline, rank, s, p.Start)) {
				at = s.End
			}
		}
		if at >= p.End {
			return true
		}
	}
	return false
}

// acknowledges tells whether a rank waits in a span for word of its own message, which
// came before.
func acknowledges(line *results.Timeline, rank int, s results.Span, from sim.Time) bool {
	if s.Term != results.Latency || s.Message < 0 {
		return false
	}
	m := line.Messages[s.Message]
	return int(m.From) == rank && m.Delivered <= from
}

// termsAt returns the terms of the ranks' ledgers in the middle of a piece.
func termsAt(o *outcomes.Outcome, p results.Piece) (terms []string) {
	middle := p.Start + (p.End-p.Start)/2
	for rank := range o.Result.Ranks {
		for _, s := range spansOf(o.Result.Timeline, int32(rank)) {
			if s.Start <= middle && s.End > middle {
				terms = append(terms, s.Term.String())
			}
		}
	}
	return terms
}

// spansOf returns the spans of a rank's processor in a timeline.
func spansOf(line *results.Timeline, rank int32) []results.Span {
	i := slices.IndexFunc(line.Lanes, func(l results.Lane) bool { return l.Kind == results.CPULane && l.Index == int(rank) })
	if i < 0 {
		return nil
	}
	return line.Lanes[i].Spans
}
