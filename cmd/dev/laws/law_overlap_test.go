package laws

import (
	"fmt"
	"math"

	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// collectivesBeside are operations that the benchmark measures alongside a computation.
var collectivesBeside = []string{"allreduce", "broadcast", "reduce", "allgather", "alltoall", "gather", "scatter"}

// quiet is the case with another workload, on a machine that nothing disturbs.
func (t *trial) quiet(workload *Tree) (Case, error) {
	if s := t.scenario(); s == nil || s.Program == nil {
		return Case{}, errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return c, err
	}
	for _, path := range [][]string{{"without"}, {"ties"}, {"moves"}, {"background_threads"}, {"machine", "noise"}, {"machine", "kernels"}} {
		c.Scenario.drop(path...)
	}
	c.Scenario.put("workload", workload)
	return c, nil
}

// threeRuns are the outcomes of a case as it is, without communication, and without computation.
type threeRuns struct{ whole, computation, communication *outcomes.Outcome }

func (t *trial) three(c Case) (r threeRuns, err error) {
	for _, run := range []struct {
		to    **outcomes.Outcome
		cause string
	}{{&r.whole, "none"}, {&r.computation, "communication"}, {&r.communication, "computation"}} {
		lacks := c.clone()
		lacks.Settings = append(lacks.Settings, "without="+run.cause)
		if *run.to, err = t.variant(lacks); err != nil {
			return r, err
		}
	}
	return r, nil
}

// hidden is what the answer says of communication that hides.
func (r *threeRuns) hidden() sim.Time {
	return r.communication.Result.Makespan() - (r.whole.Result.Makespan() - r.computation.Result.Makespan())
}

// Phases of OSU's benchmark.
const (
	osuPost = iota
	osuCompute
	osuWait
)

// longest is the largest sum of some phases over the ranks; same tells whether every rank has this sum.
func longest(o *outcomes.Outcome, phases ...int) (most sim.Time, same bool) {
	least := sim.Time(math.MaxInt64)
	for _, ledgers := range o.Result.Ledgers {
		var sum sim.Time
		for _, phase := range phases {
			sum += ledgers[phase].Sum()
		}
		most, least = max(most, sum), min(least, sum)
	}
	return most, most == least
}

// osu is the law of the overlap that OSU's benchmark of non-blocking collectives reports: max(0, 1 - (overall - compute) / alone). The
// run is the collective during a computation. So the makespan is the overall time of the slowest rank, and what hides is the time of the
// collective with nothing alongside, less (overall - compute).
func osu(t *trial) error {
	w := mapping()
	w.put("name", scalar("osu-nbc"))
	w.put("operation", scalar(one(t.draw, collectivesBeside)))
	w.put("bytes", scalar(one(t.draw, []string{"8B", "1KiB", "20000B", "64KiB", "300KB"})))
	if t.chance(0.5) {
		w.put("compute", scalar(t.time()))
	}
	c, err := t.quiet(w)
	if err != nil {
		return err
	}
	r, err := t.three(c)
	if err != nil {
		return err
	}
	overall, _ := longest(r.whole, osuPost, osuCompute, osuWait)
	beside, _ := longest(r.communication, osuPost, osuCompute, osuWait)
	if whole, without := r.whole.Result.Makespan(), r.communication.Result.Makespan(); whole != overall || without != beside {
		return fmt.Errorf("the run takes %v and %v without computation, by the benchmark %v and %v", whole, without, overall, beside)
	}
	if want := beside - (overall - r.computation.Result.Makespan()); r.hidden() != want {
		return fmt.Errorf("%v are hidden, by the benchmark's arithmetic %v", r.hidden(), want)
	}
	return osuReports(&r)
}

// osuReports compares what hides with what the benchmark reports where all ranks take the same time, as it reports means, and where
// nothing takes time from the computation, which it counts as computation.
func osuReports(r *threeRuns) error {
	overall, one := longest(r.whole, osuPost, osuCompute, osuWait)
	compute, two := longest(r.whole, osuCompute)
	beside, three := longest(r.communication, osuPost, osuCompute, osuWait)
	columns := map[string]float64{}
	for _, metric := range r.whole.Record().Metrics {
		columns[metric.Name] = metric.Value
	}
	alone, reported := columns["pure_comm_s"], columns["overlap_percent"]
	if !one || !two || !three || alone == 0 || compute != r.computation.Result.Makespan() {
		return nil
	}
	if want := 100 * max(0, 1+(r.hidden()-beside).Seconds()/alone); math.Abs(reported-want) > 1e-6 {
		return fmt.Errorf("the benchmark reports %g %% of overlap, the answer's numbers give %g %% (overall %v, computation %v, "+
			"alone %g s, beside nothing %v)", reported, want, overall, compute, alone, beside)
	}
	return nil
}

// unmoved are benchmarks whose large messages make no progress during their computations, by the protocols of the
// library: where the receiver reads, the sender may compute. Each has a number of computations, one after the other.
var unmoved = []struct {
	workload, protocol string
	computations       int
}{
	{"overlap-receiver", "read", 1}, {"overlap-receiver", "write", 1}, {"overlap-receiver", "pipelined", 1}, {"overlap-receiver", "copy", 1},
	{"overlap-sender", "write", 1}, {"overlap-sender", "pipelined", 1},
	{"overlap-both", "write", 2}, {"overlap-both", "pipelined", 2},
}

// noProgress is the law that nothing hides where only calls move messages on, a message waits for its receive, and computation is between
// its post and its wait. In each computation nothing hides but empty messages: one there (the receiver is ready, or the request), and one
// back (the request, or the reply), with the processor's time for them at the other end.
func noProgress(t *trial) error {
	of, rounds := one(t.draw, unmoved), 1+t.IntN(2)
	w := mapping()
	w.put("name", scalar(of.workload))
	w.put("bytes", scalar(one(t.draw, []string{"20000B", "64KiB", "1MB"})))
	w.put("compute", scalar(t.time()))
	w.put("rounds", number(rounds))
	c, err := t.quiet(w)
	if err != nil {
		return err
	}
	c.inCalls(of.protocol)
	r, err := t.three(c)
	if err != nil {
		return err
	}
	empty := emptyTime(r.whole)
	if n := r.whole.Machine.Network; n.Latency+n.Gap+n.Startup+n.Transfer.Of(0) == 0 {
		return errNotFor // an answer comes in the call itself
	}
	if hidden, most := r.hidden(), 2*sim.Time(rounds*of.computations)*empty; hidden > most {
		return fmt.Errorf("%s, %s: %v are hidden of %v, more than the %v of empty messages (%v as it is, %v without communication)",
			of.workload, of.protocol, hidden, r.communication.Result.Makespan(), most, r.whole.Result.Makespan(), r.computation.Result.Makespan())
	}
	return nil
}

// inCalls gives the case two ranks on two nodes and a library that moves messages inside calls alone.
func (c Case) inCalls(protocol string) {
	for _, path := range [][]string{{"machine", "copying"}, {"machine", "smt"}, {"machine", "network", "rendezvous_threshold"}, {"machine", "network", "early"},
		{"machine", "network", "request_delay"}, {"mapping"}, {"mapping_file"}, {"mapping_first"}, {"machine", "bucket"}} {
		c.Scenario.drop(path...)
	}
	c.Scenario.put("ranks", number(2))
	c.Scenario.put("processes_per_node", number(1))
	c.Scenario.set(scalar("ideal"), "fabric", "kind")
	if library := c.Scenario.at("machine", "runtime"); library == nil || library.form != mappingForm {
		c.Scenario.set(mapping(), "machine", "runtime")
	}
	c.Scenario.drop("machine", "runtime", "rendezvous", "first")
	progress := mapping()
	progress.put("by", scalar("calls"))
	c.Scenario.set(progress, "machine", "runtime", "progress")
	c.Scenario.set(scalar("1KiB"), "machine", "runtime", "rendezvous", "threshold")
	c.Scenario.set(scalar(protocol), "machine", "runtime", "rendezvous", "kind")
}

// emptyTime is how long an empty message takes from the end of its post until its receiver has taken it, and sent another one.
func emptyTime(o *outcomes.Outcome) sim.Time {
	n, rt := &o.Machine.Network, o.Machine.Runtime
	way := n.Gap + 2*(n.Startup+n.Transfer.Of(0)) + n.Latency + n.Asking.Of(0) + n.Delivery.Of(0)
	return way + n.SendOverhead.Of(0) + n.ReceiveOverhead.Of(0) + rt.Matching + rt.Search + rt.Request.Of(0) + rt.Unexpected.Of(0) + rt.Wakeup
}
