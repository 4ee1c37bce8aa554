package files

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// assumeRates gives the machine assumed rates of the standard kernels that the workload needs and
// the machine does not have; the run says which. It returns false if err has other reasons too, or
// none. A recorded program has the times of its machine, so nothing is assumed.
func (f *scenarioFile) assumeRates(err error) bool {
	var missing []string
	for _, one := range keys.Unjoin(err) {
		var unrated *machines.Unrated
		if !errors.As(one, &unrated) {
			return false
		}
		missing = append(missing, unrated.Kernel)
	}
	if _, filed := f.Workload.(workloads.Filed); filed || missing == nil {
		return false
	}
	own := *f.Machine
	own.Machine = f.Machine.Machine.Clone()
	if own.Kernels == nil {
		own.Kernels = map[string]machines.Kernel{}
	}
	for _, name := range missing {
		kernel, peak, ok := own.Assumed(name)
		if !ok {
			return false
		}
		own.Kernels[name] = kernel
		f.Assumed = append(f.Assumed, assumption(&own, name, kernel, peak))
	}
	f.Machine = &own
	return true
}

// assumption says which rate is assumed, and how to give another one.
func assumption(m *Machine, name string, k machines.Kernel, peak bool) string {
	unit, which := keys.Rate, ""
	switch {
	case k.Bytes:
		unit = keys.Bandwidth
	case peak:
		which = ", the peak"
	case m.Peak > 0:
		which = ", and not the peak"
	}
	rate := k.Rate[0].Rate
	return fmt.Sprintf("assumed: %s at %s in each process%s, as %s has no rate for it: --set machine.kernels.%[1]s.rates=%[5]s",
		name, keys.Format(unit, rate), which, m.Name, keys.Format(unit, 2*rate))
}

// omission is a key that a machine need not give, what runs take for true without it, and another value as an example.
type omission struct {
	key, value, example string // value "": the bandwidth of the NIC
	acts                func(o *ran) bool
	told                bool // machines of the library do not say why they leave it out
}

// omissions are those that change what a run says of overlap.
var omissions = []omission{
	{"network.receive_overhead", "0s", "1us", func(o *ran) bool { return noReceive.or(free)(o) == "" && !o.Machine.ruled.receive }, false},
	{"network.rendezvous_threshold", "0B (all messages are eager and leave without progress)", "16KiB", func(o *ran) bool {
		return o.Machine.Runtime != nil && noEager(o) == "" && !o.Machine.ruled.threshold
	}, false},
	{"runtime", "none (messages move without calls)", "openmpi-5", func(o *ran) bool {
		return o.withoutRuntime() && noRendezvous(o) != "" && (o.uses.Does(programs.OpStart) || noEager(o) == "" && o.size > usualEager)
	}, false},
	{"runtime", "none (messages above network.rendezvous_threshold move inside calls)", "openmpi-5", func(o *ran) bool {
		return o.withoutRuntime() && noRendezvous(o) == ""
	}, false},
	{"runtime.partitioned", "each (a message for each partition, when it is ready, as Open MPI 5 sends)", "whole", func(o *ran) bool {
		return o.Machine.Runtime != nil && noPartitions(o) == ""
	}, true},
	{network.LinkBandwidth, "", "", func(o *ran) bool { return o.LinksOfNIC() > 0 }, true},
	{"topology.tie", "plus (half-way round an even ring always in the positive direction)", "parity", func(o *ran) bool {
		return o.Contention != nil && o.contended > muchContended && o.Machine.wiring.kind == "torus"
	}, false},
	{network.LinkLatency, "0s (nodes far from each other are as near as neighbours)", "100ns", (*ran).farMatters, false},
}

// farMatters tells whether three links of 100 ns for each message would be a part of the ranks' time that is worth saying.
func (o *ran) farMatters() bool {
	const way = 3 * 100 * sim.Nanosecond
	return o.Contention != nil && o.Machine.wiring.kind != crossbar && o.messages*way.Seconds() >= worthSaying*o.wall
}

// withoutRuntime tells whether the machine says nothing of who moves messages.
func (o *ran) withoutRuntime() bool {
	return o.Machine.Runtime == nil && !o.Machine.ruled.none && o.Machine.Copying == nil
}

// usualEager is the size up to which libraries usually send messages without a rendezvous.
const usualEager = 8 << 10

// muchContended is the part of the ranks' time in contention from which a torus counts as loaded.
const muchContended = 0.1

// leastOfTCP is below the latency of any network of TCP, and leastLoopOfTCP below the one-way time over a loopback (Open MPI 4.1: 2.0 us,
// data set programs-openmpi), most of which is overheads.
const leastOfTCP, leastLoopOfTCP = 5 * sim.Microsecond, 2 * sim.Microsecond

// shortForTCP tells whether a message of no bytes takes less time than over TCP, where processors do most of the work.
func (o *ran) shortForTCP() bool {
	net := &o.Machine.Network
	overheads := net.SendOverhead.Of(0) + net.ReceiveOverhead.Of(0) + net.Delivery.Of(0)
	return net.Latency+overheads < leastLoopOfTCP || net.Latency < leastOfTCP && overheads < net.Latency
}

// unlikely are what a run takes for true, on any machine, that no machine has.
var unlikely = []struct {
	holds func(o *ran) bool
	line  func(o *ran) string
}{
	{(*ran).onOneNode, func(o *ran) string {
		way := "nothing crosses the network"
		if o.Machine.IntraNode == nil {
			way = "all messages take the way through its NIC"
		}
		return fmt.Sprintf("assumed: all %d ranks on one node of %s, so that %s: --set processes_per_node=1", o.Ranks, o.machine(), way)
	}},
	{(*ran).placedByDefault, func(o *ran) string {
		return fmt.Sprintf("assumed: %d ranks on a node: --set processes_per_node=1 gives each its own", o.Processes)
	}},
	{func(o *ran) bool { return o.Kind == collective && o.Machine.GPUs != nil }, func(o *ran) string {
		return "assumed: processes of MPI, whose messages the NICs send; NCCL's collectives of the GPUs are another workload: overlapsim run gpu-collective " +
			"--machine " + o.machine()
	}},
	{func(o *ran) bool { return o.overTCP() && o.uses.Does(programs.OpGet) }, func(o *ran) string {
		return "assumed: gets that the NIC of the target answers while it computes; over TCP its processor does, in calls: send the data instead"
	}},
	{func(o *ran) bool {
		return o.overTCP() && unsentByNIC(o) == "" && o.shortForTCP()
	}, func(o *ran) string {
		return fmt.Sprintf("assumed: %s over a network with a latency of %v, too short for TCP: --machine ethernet-cluster has TCP",
			o.Machine.Runtime.Name, o.Machine.Network.Latency)
	}},
	{func(o *ran) bool {
		return o.Fabric == "flow" && o.Machine.wiring.kind == "torus" && o.contended > muchContended
	}, func(*ran) string {
		return "assumed: messages share the links of a torus as fluids do; measured under load, it was up to three times slower: compare " +
			"--set fabric.kind=backlog, or packet where the machine has its routers"
	}},
	{func(o *ran) bool {
		return o.Contention != nil && o.Machine.wiring.unjoined()
	}, func(o *ran) string {
		return fmt.Sprintf("assumed: %s (as many global links on a router as it has links down, a balanced network), as %s gives neither "+
			"topology.global nor topology.cables: --set machine.topology.cables=1", o.shape.(interface{ Joined() string }).Joined(), o.machine())
	}},
	{func(o *ran) bool {
		return o.Contention != nil && o.Machine.wiring.kind == "fat-tree" && o.Machine.wiring.grows()
	}, func(o *ran) string {
		tree := o.shape.(interface{ Shape() topology.Tree }).Shape()
		down, up := tree.Down[0], tree.Up[0]
		blocks, other := "non-blocking", 2
		if up < down {
			blocks, other = "oversubscribed", 1
		}
		return fmt.Sprintf("assumed: a fat tree of two levels with room for the nodes, %s (%d switches below, each with %d ports down and %d up, radix %d), "+
			"as %s gives no size: --set machine.topology.taper=%d, or levels and arity", blocks, tree.Down[1], down, up, down+up, o.machine(), other)
	}},
	{func(o *ran) bool { // of a key that is given itself it is said that it has no effect
		return o.Contention != nil && o.minimal() != "" && !slices.ContainsFunc(o.given, func(g given) bool { return strings.HasSuffix(g.key, routing) })
	}, func(o *ran) string {
		return "assumed: minimal routes, where " + o.machine() + " has adaptive ones: " + o.minimal()
	}},
	{func(o *ran) bool {
		return o.agent().OfThread() && o.Machine.Runtime.Progress.Delay == 0 && o.Machine.Runtime.Progress.Cost == 0 && noTwoSided(o) == ""
	}, func(*ran) string {
		return "assumed: a helper thread that acts at once and costs nothing: --set machine.runtime.progress.delay=2us " +
			"--set machine.runtime.progress.cost=1us"
	}},
	{func(o *ran) bool {
		cores := o.Machine.Cores
		return o.agent().OfThread() && o.Machine.Sharing == nil && cores > 0 && 2*min(o.Processes, o.Ranks) > cores && noTwoSided(o) == ""
	}, func(o *ran) string {
		return fmt.Sprintf("assumed: %d cores for the processes of a node and their helper threads, where the machine has %d: "+
			"--set processes_per_node=%d", 2*min(o.Processes, o.Ranks), o.Machine.Cores, max(1, o.Machine.Cores/2))
	}},
	{func(o *ran) bool {
		nics := o.Machine.NICs
		return nics != nil && nics.Use != machines.Striped && o.Processes < nics.Number && unsentByNIC(o) == "" && !o.kind.Calibrated
	}, func(o *ran) string {
		return fmt.Sprintf("assumed: each process sends through one NIC, so that %d of %d NICs of a node are idle: --set machine.nics.use=striped",
			o.Machine.NICs.Number-o.Processes, o.Machine.NICs.Number)
	}},
	{func(o *ran) bool {
		return o.agent() == machines.Triggered && o.uses.Does(programs.OpStart)
	}, func(*ran) string {
		return "assumed: the NIC that begins rounds of collectives also combines, and copies inside nodes, as fast as a process: " +
			"--set machine.runtime.progress.by=nic has the process do that"
	}},
	{func(o *ran) bool {
		net := &o.Machine.Network
		return (o.Machine.Runtime != nil || net.Rendezvous > 0) && o.Machine.Copying == nil && noEager(o) == "" &&
			!ofBytes(net.SendOverhead) && !ofBytes(net.ReceiveOverhead) && o.muchUncopied()
	}, func(o *ran) string {
		return "assumed: eager messages are not copied, however long: " + keys.Flags(o.ChargedCopies(Sizes{Over: -1}))
	}},
	{func(o *ran) bool {
		return o.agent() == machines.Interrupts && o.Machine.Runtime.Progress.Cost == 0 && o.uses.Sends(results.Interrupting)
	}, func(*ran) string {
		return "assumed: interrupts that cost nothing: --set machine.runtime.progress.cost=5us"
	}},
	{func(o *ran) bool {
		rt := o.Machine.Runtime
		return rt != nil && rt.Progress.Test == 0 && o.tests() && noTwoSided(o) == ""
	}, func(*ran) string {
		return "assumed: tests that cost nothing: --set machine.runtime.progress.test=0.3us"
	}},
}

// onOneNode tells whether the defaults put all ranks on one node of several.
func (o *ran) onOneNode() bool {
	return o.Ranks > 1 && o.NodesTaken() == 1 && o.Machine.Nodes != 1 && !said(o.tree, "processes_per_node")
}

// placedByDefault tells whether the user says how many ranks a workload has, and its defaults how many of them are on each of several nodes.
func (o *ran) placedByDefault() bool {
	return o.tree.Place.Line == 0 && o.Processes > 1 && o.NodesTaken() > 1 && said(o.tree, "ranks") && o.tree.At("processes_per_node") != nil &&
		!said(o.tree, "processes_per_node")
}

// said tells whether the user gives a key, in the file or by a flag.
func said(tree *keys.Node, key string) bool {
	at := tree.At(key)
	return at != nil && (at.Place.Line > 0 || at.Place.Flag != "")
}

func (o *ran) overTCP() bool {
	return o.Machine.Runtime != nil && strings.HasSuffix(o.Machine.Runtime.Name, "-tcp")
}

// machine names the machine.
func (s *Scenario) machine() string {
	if s.Machine.Name == inline {
		return "the machine"
	}
	return s.Machine.Name
}

// productsAssumed says that a step of training takes a rate of matrix products that was measured with nothing else on the GPU, or not
// measured, and which machines of this GPU were fitted to whole steps.
func (s *Scenario) productsAssumed() []string {
	rate, how, none := s.AloneProducts(), "as measured alone", "whole steps reach less, but none"
	if rate == "" {
		rate, how, none = s.stepsAt("chosen"), "not measured", "no whole step"
	}
	if rate == "" {
		return nil
	}
	var fitted []string
	for _, m := range s.FittedToSteps() {
		fitted = append(fitted, fmt.Sprintf("%s (--machine %s)", (&Scenario{Machine: m}).products("fitted"), m.Name))
	}
	text := fmt.Sprintf("assumed: products at %s of the peak, %s; ", rate, how)
	if fitted == nil {
		return []string{text + none + " on this GPU was fitted; on H100 it was 0.525 to 0.64: --set machine.gpu_kernels.products=0.6"}
	}
	return []string{text + "whole steps on this GPU were fitted with " + strings.Join(fitted, ", ")}
}

// AloneProducts is what products reach of the peak alone, if a step of training takes that; "": it does not.
func (s *Scenario) AloneProducts() string { return s.stepsAt("derived") }

// StepProducts is what products of a step of training reach of the peak, and the origin of that number, "" if it was set; 0: there is no step.
func (s *Scenario) StepProducts() (rate float64, origin string) {
	if s.Kind != "transformer" {
		return 0, ""
	}
	for _, origin := range []string{"fitted", "derived", "chosen"} {
		if s.products(origin) != "" {
			return s.Machine.GPUs.Kernels.Products, origin
		}
	}
	return s.Machine.GPUs.Kernels.Products, ""
}

// stepsAt is what products of a step of training reach of the peak, if the machine has it from there; "": it has not, or there is no step.
func (s *Scenario) stepsAt(origin string) string {
	if s.Kind != "transformer" {
		return ""
	}
	return s.products(origin)
}

// products is what products reach of the peak, if the machine has it from there; "": it has not.
func (s *Scenario) products(origin string) string {
	for _, f := range s.Machine.Facts {
		if strings.HasSuffix(f.Path, "gpu_kernels.products") && f.Origin == origin {
			return f.Value
		}
	}
	return ""
}

// FittedToSteps are the machines of the library that change this one so that whole steps take as long as measured.
func (s *Scenario) FittedToSteps() (all []*Machine) {
	for _, name := range Machines() {
		text, _ := library(machineFolder, name)
		if !strings.Contains(string(text), "\nbase: "+s.Machine.Name+"\n") {
			continue
		}
		if m := machineNamed(name); m != nil && (&Scenario{Machine: m}).products("fitted") != "" {
			all = append(all, m)
		}
	}
	return all
}

// worthSaying is the part of a run from which on an assumption about it is told.
const worthSaying = 0.05

// Omitted says what a run took for true that its machine leaves out, and what no machine has. The machines of the library say elsewhere
// why they leave out what they do.
func (s *Scenario) Omitted(r *results.Result) (lines []string) {
	if s.Program == nil {
		if r.Scaled == nil { // otherwise a measurement says how long products take
			lines = s.productsAssumed()
		}
		lines = append(lines, s.keptParts()...)
		if d, ok := s.Workload.(experiments.Doubted); ok {
			for _, doubt := range d.Doubts(s.Place) {
				lines = append(lines, "assumed: "+doubt)
			}
		}
		if r.Beyond != "" {
			lines = append(lines, r.Beyond)
		}
		return lines
	}
	total := r.Total()
	sum := total.Sum()
	o := &ran{Scenario: s.Whole(), uses: r.Uses, size: float64(r.Bytes) / max(1, float64(r.Messages)), messages: float64(r.Messages), wall: sum.Seconds()}
	o.communicating = total.Communicating().Seconds()
	o.contended = total[results.Contention].Seconds() / max(sim.Picosecond.Seconds(), o.wall)
	for _, u := range unlikely {
		if u.holds(o) {
			lines = append(lines, u.line(o))
		}
	}
	ofLibrary := slices.Contains(Machines(), s.Machine.Name)
	for _, omitted := range omissions {
		states := func(f keys.Fact) bool {
			path := strings.TrimPrefix(f.Path, "machine.") // of a machine in the scenario's file
			return path == omitted.key || strings.HasPrefix(path, omitted.key+"[")
		}
		// A topology that a scenario gives a machine of the library may be one for which the machine has no links.
		if ofLibrary && !omitted.told || slices.ContainsFunc(o.Machine.Facts, states) || !omitted.acts(o) {
			continue
		}
		value, example := omitted.value, omitted.example
		switch {
		case value == "":
			rate := math.Round(float64(o.LinksOfNIC()))
			value, example = keys.Format(keys.Bandwidth, rate)+" (that of the NIC, which it follows)", keys.Format(keys.Bandwidth, 2*rate)
		case omitted.key == "runtime" && !o.shortForTCP():
			example += "-tcp"
		}
		lines = append(lines, fmt.Sprintf("assumed: %s %s, as %s does not give it: --set machine.%[1]s=%[4]s", omitted.key, value,
			s.machine(), example))
	}
	return lines
}
