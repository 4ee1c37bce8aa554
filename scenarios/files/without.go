package files

import (
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// absent are the keys that take causes away, and the seed of ties.
type absent struct {
	causes []string
	ties   uint64
}

// rows is their key table.
func (a *absent) rows() keys.Table {
	return keys.Table{
		{Path: "without", To: &a.causes, Choices: without.Names(), Empty: true, Doc: "causes to take away, to see what they cost; an empty list is as none"},
		{Path: "ties", To: &a.ties, Is: keys.Count,
			Doc: "seed of the order of what happens at the same moment: each rank, or each GPU, begins up to 1 ns later, at random; 0: none does"},
	}
}

// takeAway takes the causes away from the run.
func (f *scenarioFile) takeAway(tree *keys.Node, problems *keys.Problems) {
	set, _ := without.Of(f.absent.causes...) // the table has the choices
	f.Without = set
	if set == 0 && f.absent.ties == 0 {
		return
	}
	whole := f.Scenario
	f.checkAbsent(set, tree, problems)
	if f.Program == nil {
		f.Place.Without, f.Place.Ties, f.whole = set, f.absent.ties, &whole
		return
	}
	run, err := set.Processes(f.Machine.Machine, f.Background)
	if err != nil {
		problems.Add(tree.PlaceOf("without"), "without", "%s", err)
		return
	}
	if f.Contention != nil {
		f.off, f.whole = run.Fabric, &whole
		if f.Contention, err = f.contended(&f.Machine.wiring, run.Machine); err != nil {
			problems.Add(tree.PlaceOf("without"), "without", "%s", err)
			return
		}
	}
	if f.Calibration != nil {
		f.Calibration = run.Fabric.Calibration(f.Calibration)
	}
	ties := f.absent.ties
	f.edit = func(p programs.Program) programs.Program { return without.Ties(run.Program(p), ties) }
	machine := *f.Machine
	machine.Machine, f.Machine = run.Machine, &machine
	f.Background, f.Program = run.Background, f.edit(f.Program)
	f.whole = &whole
}

// checkAbsent reports what cannot be taken away, or makes no sense, in runs of this kind.
func (f *scenarioFile) checkAbsent(set without.Set, tree *keys.Node, problems *keys.Problems) {
	_, gpus := f.Workload.(experiments.OnGPUs)
	if gpus {
		own := without.Set(0)
		if w, ok := f.Workload.(experiments.Takes); ok {
			own = w.Takes(f.Machine.Machine)
		}
		if err := set.Less(own).CheckGPUs(); err != nil {
			problems.Add(tree.PlaceOf("without"), "without", "%s", err)
		}
	} else if f.Program == nil && set != 0 {
		problems.Add(tree.PlaceOf("without"), "without", "the workload %s runs no program from which a cause could be taken away", f.Kind)
	}
	_, alike := f.alike()
	_, onStreams := f.Workload.(experiments.OnStreams)
	switch at := tree.PlaceOf("ties"); {
	case f.absent.ties == 0, onStreams:
	case f.Program == nil:
		problems.Add(at, "ties", "the workload %s has neither ranks nor GPUs that could begin later", f.Kind)
	case alike:
		problems.Add(at, "ties", "needs ranks that are simulated one by one; with workload.alike a few stand for all")
	case f.Background > 0:
		problems.Add(at, "ties", "delays ranks by a computation, which background_threads do not allow")
	}
}

// limitless is the bandwidth of a link that takes all that comes, in bytes per second.
const limitless sim.Rate = 1e21

// contended prepares the fabric without what is taken away from it, for a machine without it.
func (s *Scenario) contended(wired *wiring, m *machines.Machine) (network.Maker, error) {
	off, w, kind, whole := s.off, *wired, s.kind, &s.Whole().Machine.Network
	if off.Ideal {
		return nil, nil
	}
	if rate := s.linksOfNIC(&w); off.Free && rate > 0 { // as it was
		w = w.with(network.LinkBandwidth, &[]sim.Rate{rate})
	}
	if off.Unlimited {
		var err error
		if kind.Name != behindBuckets { // packets have no rate without links
			kind, err = fabrics.Lookup(flowKind)
		}
		if err != nil {
			return nil, err
		}
		w = s.unlimited(w, whole)
	}
	for _, key := range off.Keys {
		w, _ = w.scaled(key, 0)
	}
	return w.fabric(kind, &m.Network, s.shape)
}

// unlimited returns the wiring for links that take all that comes. Latencies and the limits
// of nodes stay as far as the scenario's own fabric has them, except the window of FIFOs in front of links.
func (s *Scenario) unlimited(w wiring, nic *network.LogGOPS) wiring {
	own := s.kind.New()
	w.fill(own)
	reads := own.Reads(nic, s.shape)
	for _, key := range []string{network.LinkInjection, network.LinkEjection, network.LinkDuplex, network.LinkExchange, "bucket.rate"} {
		if !slices.Contains(reads, key) {
			w, _ = w.scaled(key, 0)
		}
	}
	if hop, _ := w.value(hopLatency); slices.Contains(reads, hopLatency) && !hop.Target().IsZero() {
		w = w.with(network.LinkLatency, hop.To)
	}
	if stated, _ := w.value(network.LinkEjection); slices.Contains(reads, network.LinkEjection) && !stated.Target().IsZero() {
		w = w.with(network.LinkEjection, new(limitless)) // where the messages of several NICs meet; default: the NIC's rate
	}
	if raw, _ := w.value(rawBandwidth); slices.Contains(reads, rawBandwidth) && !raw.Target().IsZero() {
		w = w.with(rawBandwidth, new(limitless))
	}
	return w.with(network.LinkBandwidth, &[]sim.Rate{limitless}).with(network.LinkOthers, new(float64)).with(network.LinkWindow, new(math.MaxInt32))
}

const (
	hopLatency   = "fabric.hop_latency"
	rawBandwidth = "fabric.bandwidth"
)

// Whole returns the scenario with all its causes, and without ties.
func (s *Scenario) Whole() *Scenario {
	if s.whole == nil {
		return s
	}
	return s.whole
}
