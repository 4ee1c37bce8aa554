package laws

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

func (t *trial) studyRuns() []*scenarios.Scenario {
	if t.loaded != nil {
		return nil
	}
	return t.study.Runs
}

func ledgerSums(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	r, ranks := o.Result, o.Ranks
	if simulated := o.Record().StandIns; simulated > 0 {
		ranks = simulated
	}
	if len(r.Ledgers) != ranks || len(r.Finish) != ranks || r.Ranks != ranks {
		return fmt.Errorf("%d ranks have %d ledgers and %d finishes", ranks, len(r.Ledgers), len(r.Finish))
	}
	if r.Bytes < 0 {
		return fmt.Errorf("%d bytes were sent", r.Bytes)
	}
	for rank := range ranks {
		if err := ledgerSum(r, rank); err != nil {
			return err
		}
	}
	return streamSums(o)
}

// streamSums returns an error if the parts of a stream of GPUs are not its makespan, if the first one of a GPU
// computes for another time than its ledger says, or if what kinds of operations expose is not what is exposed.
func streamSums(o *outcomes.Outcome) error {
	first := map[int]bool{}
	for _, s := range o.Result.Streams {
		var sum sim.Time
		for _, part := range s.Parts {
			if sum += part.Time; part.Time < 0 {
				return fmt.Errorf("stream %s of GPU %d has %v of %s", s.Name, s.GPU, part.Time, part.Name)
			}
		}
		ledger := o.Result.OfRank(s.GPU)
		switch {
		case sum != o.Result.Makespan():
			return fmt.Errorf("the parts of stream %s of GPU %d sum to %v, the run takes %v", s.Name, s.GPU, sum, o.Result.Makespan())
		case !first[s.GPU] && s.Parts[0].Time != ledger[results.Compute]:
			return fmt.Errorf("stream %s of GPU %d computes for %v, its ledger has %v", s.Name, s.GPU, s.Parts[0].Time, ledger[results.Compute])
		}
		first[s.GPU] = true
	}
	record, sum := o.Record(), 0.0
	for _, phase := range record.Phases {
		if phase.Communicating == nil {
			return nil
		}
		sum += *phase.Communicating
	}
	if len(record.Phases) > 0 && math.Abs(sum-*record.Communicating) > 1e-9**record.Communicating+1e-15 {
		return fmt.Errorf("kinds of operations expose %g s together, %g s are exposed", sum, *record.Communicating)
	}
	return nil
}

func ledgerSum(r *results.Result, rank int) error {
	ledger := r.OfRank(rank)
	if sum := ledger.Sum(); sum != r.Finish[rank] {
		return fmt.Errorf("the ledger of rank %d sums to %v, it ended at %v", rank, sum, r.Finish[rank])
	}
	for phase := range r.Ledgers[rank] {
		for term, time := range r.Ledgers[rank][phase] {
			if time < 0 {
				return fmt.Errorf("rank %d has %v of %v", rank, time, results.Term(term))
			}
		}
	}
	if r.Hidden == nil { // an experiment knows of none
		return nil
	}
	if computing := ledger[results.Compute] + ledger[results.Interference]; r.Hidden[rank] < 0 || r.Hidden[rank] > computing {
		return fmt.Errorf("rank %d hides %v behind %v of computation", rank, r.Hidden[rank], computing)
	}
	return nil
}

// sameFinish compares the times at which ranks end; each may differ by room.
func sameFinish(what string, a, b *results.Result, room sim.Time) error {
	for rank := range a.Finish {
		if apart(a.Finish[rank], b.Finish[rank]) > room {
			return fmt.Errorf("%s: rank %d ends at %v, not at %v", what, rank, b.Finish[rank], a.Finish[rank])
		}
	}
	return nil
}

// sameRun compares two results by the times and the ledgers of all ranks; each time may
// differ by room.
func sameRun(what string, a, b *results.Result, room sim.Time) error {
	if err := sameFinish(what, a, b, room); err != nil {
		return err
	}
	for rank := range a.Finish {
		la, lb := a.OfRank(rank), b.OfRank(rank)
		for term := range la {
			if apart(la[term], lb[term]) > room {
				return fmt.Errorf("%s: rank %d has %v of a term (%q), not %v", what, rank, lb[term], results.Term(term), la[term])
			}
		}
		if a.Hidden != nil && apart(a.Hidden[rank], b.Hidden[rank]) > room {
			return fmt.Errorf("%s: rank %d hides %v, not %v", what, rank, b.Hidden[rank], a.Hidden[rank])
		}
	}
	if apart(a.Bound.Time(), b.Bound.Time()) > room {
		return fmt.Errorf("%s: the bound is %v, not %v", what, b.Bound.Time(), a.Bound.Time())
	}
	return nil
}

func apart(a, b sim.Time) sim.Time { return max(a-b, b-a) }

func writtenOut(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	other, err := t.lab.run(c, nodes.Options{})
	if err != nil {
		return fmt.Errorf("written out it does not run: %s", t.bare(err.Error()))
	}
	if o.Result.Events != other.Result.Events || o.Result.Bytes != other.Result.Bytes {
		return fmt.Errorf("written out it has %d events and %d bytes, not %d and %d",
			other.Result.Events, other.Result.Bytes, o.Result.Events, o.Result.Bytes)
	}
	return sameRun("written out", o.Result, other.Result, 0)
}

func watching(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	watched, err := t.explained()
	if err != nil {
		return err
	}
	return sameRun("watched", o.Result, watched.Result, 0)
}

func symmetry(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	if !t.scenario().Symmetric(nodes.Options{}) {
		return errNotFor
	}
	all := t.once(nodes.Options{NoSymmetry: true})
	if all.err != nil {
		return fmt.Errorf("with all ranks it does not run: %w", all.err)
	}
	if !sameOfAll(o, all.Result) {
		return fmt.Errorf("with all ranks the result is not the same: %+v and %+v", o.Result, all.Result)
	}
	return nil
}

// sameOfAll tells whether a result is that of all ranks. Where messages cost nothing, only the number of events may differ.
func sameOfAll(o *outcomes.Outcome, all *results.Result) bool {
	one := *o.Result
	if one.Folded = 0; o.Machine.IsFree() {
		one.Events = all.Events
	}
	return reflect.DeepEqual(&one, all)
}

func onCores(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	s, cores := t.scenario(), nodes.Options{Cores: 2, NoSymmetry: true}
	if s.Program == nil || s.Contention != nil || !nodes.InRegions(s.Machine.Machine, s.Program, s.Options(cores)) {
		return errNotFor
	}
	split := t.once(cores)
	if split.err != nil {
		return fmt.Errorf("on two cores it does not run: %w", split.err)
	}
	if !sameOfAll(o, split.Result) {
		return fmt.Errorf("on two cores the result is not the same: %+v and %+v", o.Result, split.Result)
	}
	return nil
}

func seedless(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	s := t.scenario()
	if s.Machine.Noise != nil || s.Background > 0 || strings.HasPrefix(s.Mapping, "random") || s.Program == nil {
		return errNotFor
	}
	c := t.Case.clone()
	c.Settings = append(c.Settings, fmt.Sprintf("seed=%d", s.Seed+1))
	other, err := t.variant(c)
	if err != nil {
		return err
	}
	return sameRun("with another seed", o.Result, other.Result, 0)
}

func sameBytes(t *trial) error {
	o, other, err := t.elsewhere()
	if err != nil {
		return err
	}
	if o.Result.Bytes != other.Result.Bytes {
		return fmt.Errorf("%d bytes are sent, by another library and fabric %d", o.Result.Bytes, other.Result.Bytes)
	}
	return nil
}

// elsewhere runs the case, and the same program with another library and fabric.
func (t *trial) elsewhere() (here, there *outcomes.Outcome, err error) {
	here, err = t.runs()
	if err != nil || !t.fixed() {
		return nil, nil, errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return nil, nil, err
	}
	c.fabric(one(t.draw, []string{"ideal", "flow", "backlog", here.Fabric}))
	if t.chance(0.6) && !t.byLibrary() {
		runtimes := append(files.Runtimes(), "none")
		c.Scenario.set(scalar(one(t.draw, runtimes)), "machine", "runtime")
	}
	there, err = t.variant(c)
	return here, there, err
}

// fabric gives a spelled case another fabric. Only some may have a token bucket before them.
func (c Case) fabric(kind string) {
	if !slices.Contains([]string{"flow", "backlog"}, kind) {
		c.Scenario.drop("machine", "bucket")
	}
	if c.Scenario.at("fabric", "kind").text != kind {
		f := mapping()
		f.put("kind", scalar(kind))
		c.Scenario.put("fabric", f)
	}
}

// latencies are the keys of all that is on the way of a message and occupies nothing: latencies of a machine, the time until its
// bytes are in memory, levels of switches that combine, and what holds requests back.
func (c Case) latencies(t *tables) (paths [][]string) {
	c.Scenario.at("machine").timed("", func(path string, _ *Tree) {
		p := steps(path)
		last := p[len(p)-1]
		if strings.HasSuffix(last, "latency") || slices.Contains([]string{"request_delay", "far", "delivery", "level", "per_segment"}, last) ||
			slices.Contains(p, "delivery") {
			paths = append(paths, append([]string{"machine"}, p...))
		}
	})
	return paths
}

func noLatency(t *trial) error {
	if t.scenario() == nil || t.scenario().Program == nil {
		return errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	for _, path := range c.latencies(t.tables) {
		c.Scenario.set(scalar("0s"), path...)
	}
	study, err := t.lab.load(c)
	if err != nil {
		return errNotFor
	}
	o, err := study.Runs[0].Run(nodes.Options{Critical: t.chance(0.5)})
	if err != nil {
		return errNotFor
	}
	for rank := range o.Result.Ledgers {
		if ledger := o.Result.OfRank(rank); ledger[results.Latency] != 0 {
			return fmt.Errorf("rank %d has %v of latency where there is none", rank, ledger[results.Latency])
		}
	}
	return explainedLatency(o)
}

// explainedLatency finds latency on the critical path and in the gradient.
func explainedLatency(o *outcomes.Outcome) error {
	for _, p := range o.Result.Critical {
		if slices.Contains(latencyParts, p.Part) && p.End > p.Start {
			return fmt.Errorf("the critical path has %v of %v where there is no latency", p.End-p.Start, p.Part)
		}
	}
	for _, s := range o.Result.Slopes {
		if strings.HasSuffix(s.Parameter, "latency") && s.Time != 0 {
			return fmt.Errorf("the gradient gives %s %g s where there is no latency", s.Parameter, s.Time)
		}
	}
	return nil
}

var latencyParts = []results.Part{parts.Latency, parts.IntraLatency, parts.FabricLatency}

func messageLives(t *trial) error {
	o, err := t.processes()
	if err != nil {
		return err
	}
	sum := int64(0)
	for i, m := range o.Result.Timeline.Messages {
		sum += m.Bytes
		if m.From < 0 || m.To < 0 || int(m.From) >= o.Result.Ranks || int(m.To) >= o.Result.Ranks || m.Bytes < 0 {
			return fmt.Errorf("message %d goes from rank %d to rank %d with %d bytes", i, m.From, m.To, m.Bytes)
		}
		if err := inOrder(m, o.Machine.Copying != nil); err != nil {
			return fmt.Errorf("message %d %w", i, err)
		}
		if m.Delivered > o.Result.Makespan() {
			return fmt.Errorf("message %d is delivered at %v, after the makespan %v", i, m.Delivered, o.Result.Makespan())
		}
	}
	if n := len(o.Result.Timeline.Messages); uint64(n) > o.Result.Messages || sum > o.Result.Bytes {
		return fmt.Errorf("the timeline has %d messages of %d bytes, the run %d of %d", n, sum, o.Result.Messages, o.Result.Bytes)
	}
	return nil
}

// inOrder checks that what happens to a message happens in its order. Bytes that CPUs
// copy do not wait for the insertion of a descriptor.
func inOrder(m results.Message, copied bool) error {
	if copied {
		m.Insert = m.Posted
	}
	for _, pair := range []struct {
		first, then   string
		before, after sim.Time
	}{
		{"begin", "is posted", 0, m.Posted}, {"is posted", "is inserted", m.Posted, m.Insert}, {"is inserted", "leaves", m.Insert, m.Start},
		{"leaves", "has left", m.Start, m.Sent}, {"has left", "is delivered", m.Sent, m.Delivered},
	} {
		if pair.before > pair.after {
			return fmt.Errorf("%s at %v, before it %s at %v", pair.then, pair.after, pair.first, pair.before)
		}
	}
	return nil
}
