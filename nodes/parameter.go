package nodes

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// parameter is a number of a machine with respect to which the makespan has a derivative.
// Where it depends on the size of messages or problems it is several numbers, which
// change together.
type parameter struct {
	name   string // its key in machine files
	unit   results.Unit
	times  []*sim.Time
	floats []*float64 // rates, factors, and costs in ps per byte
	given  float64    // the value, if it has no numbers of the machine
}

// Indices of the parameters. After these come, by number of the kernel, its rates and how
// much memory bandwidth it asks for.
const (
	paramLatency = iota
	paramSendOverhead
	paramSendPerByte
	paramReceiveOverhead
	paramReceivePerByte
	paramGap
	paramStartup
	paramTransferBase
	paramTransferPerByte
	paramIntraLatency
	paramIntraPerByte
	paramBarrierBase
	paramBarrierRound
	paramMeet
	paramCopyOut
	paramCopyIn
	paramInterrupt
	paramProgressCost
	paramDelay
	paramMatching
	paramSearch
	paramUnexpected
	paramUnexpectedPerByte
	paramHandler
	paramTest
	paramPack
	paramUnpack
	paramPipelineIn
	paramPipelineOut
	paramStridedIn
	paramStridedOut
	paramWakeup
	paramBandwidth
	paramSlowDowns
	paramKernels = paramSlowDowns + int(cores.NumProfiles)*int(cores.NumProfiles)
)

// paramRates and paramDemand are the indices of a kernel's parameters.
func paramRates(kernel int) int  { return paramKernels + 2*kernel }
func paramDemand(kernel int) int { return paramKernels + 2*kernel + 1 }

// parameters returns the parameters of a machine, by index.
func parameters(m *machines.Machine) []parameter {
	kernels := m.KernelNames()
	all := make([]parameter, paramRates(len(kernels)))
	net := &m.Network
	all[paramLatency] = ofTime("network.latency", &net.Latency)
	all[paramSendOverhead], all[paramSendPerByte] = ofCost("network.send_overhead", net.SendOverhead)
	all[paramReceiveOverhead], all[paramReceivePerByte] = ofCost("network.receive_overhead", net.ReceiveOverhead)
	all[paramGap] = ofTime("network.gap", &net.Gap)
	all[paramStartup] = ofTime("network.startup", &net.Startup)
	all[paramTransferBase], all[paramTransferPerByte] = ofCost("network.gap_per_byte", net.Transfer)
	all[paramTransferBase].name = "network.gap_per_byte.time"
	all[paramTransferPerByte].name = "network.gap_per_byte"
	if in := m.IntraNode; in != nil {
		all[paramIntraLatency] = ofTime("intra_node.latency", &in.Latency)
		all[paramIntraPerByte] = ofFloat("intra_node.per_byte", &in.PerByte)
	}
	all[paramBarrierBase] = ofTime("barrier.base", &m.Barrier.Base)
	all[paramBarrierRound] = ofTime("barrier.per_round", &m.Barrier.PerRound)
	all[paramMeet] = ofTime("barrier.threads", &m.Barrier.Threads)
	if cp := m.Copying; cp != nil {
		all[paramCopyOut] = ofFloat("copying.send", &cp.SendPerByte)
		all[paramCopyIn] = ofFloat("copying.receive", &cp.ReceivePerByte)
		all[paramInterrupt] = ofTime("copying.interrupt", &cp.Interrupt)
	}
	if rt := m.Runtime; rt != nil {
		parametersOfLibrary(rt, all)
	}
	if s := m.Sharing; s != nil {
		parametersOfSharing(s, all)
	}
	for number, name := range kernels {
		k := m.Kernels[name]
		all[paramRates(number)] = ofRates("kernels."+name+".rates", unitOf(&k), k.Rate)
		all[paramDemand(number)] = ofRates("kernels."+name+".demand", results.BytePerSecond, k.Demand)
	}
	return all
}

func parametersOfSharing(s *machines.Sharing, all []parameter) {
	if s.Bandwidth > 0 {
		all[paramBandwidth] = parameter{name: "memory.bandwidth", unit: results.BytePerSecond, floats: []*float64{&s.Bandwidth}}
	}
	for a := range cores.NumProfiles {
		for b := range cores.NumProfiles {
			if s.SlowDown[a][b] > 0 {
				all[paramSlowDown(a, b)] = parameter{name: "smt.slow_down." + a.String() + "." + b.String(), unit: results.Factor, floats: []*float64{&s.SlowDown[a][b]}}
			}
		}
	}
}

// paramSlowDown is the index of how many times longer one profile takes beside another.
func paramSlowDown(a, b cores.Profile) int {
	return paramSlowDowns + int(a)*int(cores.NumProfiles) + int(b)
}

func parametersOfLibrary(rt *machines.Runtime, all []parameter) {
	all[paramProgressCost] = ofTime("runtime.progress.cost", &rt.Progress.Cost)
	all[paramDelay] = ofTime("runtime.progress.delay", &rt.Progress.Delay)
	all[paramTest] = ofTime("runtime.progress.test", &rt.Progress.Test)
	all[paramMatching] = ofTime("runtime.matching", &rt.Matching)
	all[paramSearch] = ofTime("runtime.search", &rt.Search)
	all[paramUnexpected], all[paramUnexpectedPerByte] = ofCost("runtime.unexpected", rt.Unexpected)
	all[paramHandler] = ofTime("runtime.handler", &rt.Handler)
	all[paramPack] = ofFloat("runtime.strided.pack", &rt.Strided.Pack)
	all[paramUnpack] = ofFloat("runtime.strided.unpack", &rt.Strided.Unpack)
	all[paramPipelineIn] = ofFloat("runtime.rendezvous.in", &rt.Pipeline.In)
	all[paramPipelineOut] = ofFloat("runtime.rendezvous.out", &rt.Pipeline.Out)
	all[paramStridedIn] = ofFloat("runtime.strided.in", &rt.Strided.In)
	all[paramStridedOut] = ofFloat("runtime.strided.out", &rt.Strided.Out)
	all[paramWakeup] = ofTime("runtime.waiting.wakeup", &rt.Wakeup)
}

func ofTime(name string, t *sim.Time) parameter {
	return parameter{name: name, unit: results.Second, times: []*sim.Time{t}}
}

func ofFloat(name string, f *float64) parameter {
	return parameter{name: name, unit: results.SecondPerByte, floats: []*float64{f}}
}

// ofCost returns what a cost has per message, and per byte, with the names of their keys.
func ofCost(name string, c network.Cost) (base, perByte parameter) {
	base.name, perByte.name, perByte.unit = name, name+".per_byte", results.SecondPerByte
	for i := range c {
		base.times = append(base.times, &c[i].Base)
		if c[i].PerByte != 0 {
			perByte.floats = append(perByte.floats, &c[i].PerByte)
			base.name = name + ".time"
		}
	}
	return base, perByte
}

func ofRates(name string, unit results.Unit, rates []machines.RatePoint) parameter {
	if len(rates) == 0 {
		return parameter{}
	}
	p := parameter{name: name, unit: unit}
	for i := range rates {
		p.floats = append(p.floats, &rates[i].Rate)
	}
	return p
}

// value returns the parameter in its unit; NaN if it is several numbers that differ.
func (p *parameter) value() float64 {
	if p.given != 0 {
		return p.given
	}
	value := math.NaN()
	add := func(v float64, first bool) {
		if first {
			value = v
		} else if v != value {
			value = math.NaN()
		}
	}
	for i, t := range p.times {
		add(t.Seconds(), i == 0)
	}
	for i, f := range p.floats {
		v := *f
		if p.unit == results.SecondPerByte {
			v *= sim.Time(1).Seconds()
		}
		add(v, i == 0)
	}
	return value
}

// Parameters returns the names of a machine's parameters for Scaled.
func Parameters(m *machines.Machine) []string {
	var names []string
	for _, p := range parameters(m) {
		if len(p.times)+len(p.floats) > 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// Scaled returns a copy of a machine in which the numbers of a parameter are multiplied
// by factor.
func Scaled(m *machines.Machine, name string, factor float64) (*machines.Machine, error) {
	scaled := clone(m)
	all := parameters(scaled)
	i := slices.IndexFunc(all, func(p parameter) bool { return p.name == name })
	if i < 0 || factor < 0 {
		return nil, fmt.Errorf("machine %s has no parameter %s, or it cannot be multiplied by %g", m.Name, name, factor)
	}
	for _, t := range all[i].times {
		*t = sim.Time(math.Round(float64(*t) * factor))
	}
	for _, f := range all[i].floats {
		if *f *= factor; all[i].unit == results.Factor {
			*f = max(1, *f) // no sibling makes others faster
		}
	}
	return scaled, nil
}

// clone returns a copy that shares no number with a machine.
func clone(m *machines.Machine) *machines.Machine {
	c := *m
	c.Network.SendOverhead = slices.Clone(m.Network.SendOverhead)
	c.Network.ReceiveOverhead = slices.Clone(m.Network.ReceiveOverhead)
	c.Network.Transfer = slices.Clone(m.Network.Transfer)
	if m.IntraNode != nil {
		in := *m.IntraNode
		c.IntraNode = &in
	}
	if m.Copying != nil {
		cp := *m.Copying
		c.Copying = &cp
	}
	if m.Runtime != nil {
		rt := *m.Runtime
		rt.Unexpected = slices.Clone(rt.Unexpected)
		c.Runtime = &rt
	}
	if m.Sharing != nil {
		s := *m.Sharing
		c.Sharing = &s
	}
	c.Kernels = maps.Clone(m.Kernels)
	for name, k := range c.Kernels {
		k.Rate, k.Demand = slices.Clone(k.Rate), slices.Clone(k.Demand)
		c.Kernels[name] = k
	}
	return &c
}

// unitOf returns the unit of a kernel's speed.
func unitOf(k *machines.Kernel) results.Unit {
	if k.Bytes {
		return results.BytePerSecond
	}
	return results.FlopPerSecond
}

// slope adds the derivatives of a piece, whose length is in ps; nil: no parameter accounts for it.
type slope func(s *slopes, amount int64, length float64)

// slopesOfParts says by which parameters parts change.
var slopesOfParts = [results.NumParts]slope{
	results.PartCompute: (*slopes).compute,
	results.PartSendOverhead: bySize(paramSendOverhead,
		func(m *machines.Machine) network.Cost { return m.Network.SendOverhead }),
	results.PartReceiveOverhead: bySize(paramReceiveOverhead, func(m *machines.Machine) network.Cost { return m.Network.ReceiveOverhead }),
	results.PartIntraCopy:       by(paramIntraPerByte),
	results.PartIntraLatency:    by(paramIntraLatency),
	results.PartGap:             by(paramGap),
	results.PartTransfer:        (*slopes).whole,
	results.PartCrowding:        (*slopes).crowding,
	results.PartCrowdedTransfer: (*slopes).crowdedTransfer,
	results.PartCrowdedChunk:    (*slopes).crowdedChunk,
	results.PartIntake:          (*slopes).whole,
	results.PartLatency:         by(paramLatency),
	results.PartBarrier:         (*slopes).barrier,
	results.PartMeet:            by(paramMeet),
	results.PartChunk:           bySize(paramTransferBase, func(m *machines.Machine) network.Cost { return m.Network.Transfer }),
	results.PartCopyOut:         by(paramCopyOut),
	results.PartCopyIn:          by(paramCopyIn),
	results.PartPackedCopyOut:   (*slopes).packedCopyOut,
	results.PartUnpackedCopyIn:  (*slopes).unpackedCopyIn,
	results.PartInterrupt:       (*slopes).interrupt,
	results.PartDelay:           by(paramDelay),
	results.PartMatching:        by(paramMatching),
	results.PartSearch:          (*slopes).search,
	results.PartUnexpected:      bySize(paramUnexpected, func(m *machines.Machine) network.Cost { return m.Runtime.Unexpected }),
	results.PartHandler:         by(paramHandler),
	results.PartTest:            by(paramTest),
	results.PartPack:            by(paramPack),
	results.PartUnpack:          by(paramUnpack),
	results.PartPipelineIn:      by(paramPipelineIn),
	results.PartPipelineOut:     by(paramPipelineOut),
	results.PartStridedIn:       by(paramStridedIn),
	results.PartStridedOut:      by(paramStridedOut),
	results.PartWakeup:          by(paramWakeup),
	results.PartInterference:    nil, // mixes have its parameters
	results.PartStartup:         by(paramStartup),
	results.PartFabric:          nil, // mixes have its parameters
	results.PartFabricLatency:   (*slopes).way,
}

// by is the slope of a part for which one parameter accounts, as often as its amount says.
func by(parameter int) slope {
	return func(s *slopes, amount int64, length float64) { s.one(parameter, float64(amount), length) }
}

// bySize is the slope of a part that is a cost by size.
func bySize(parameter int, of func(*machines.Machine) network.Cost) slope {
	return func(s *slopes, amount int64, _ float64) { s.cost(parameter, of(s.machine), amount, 1) }
}
