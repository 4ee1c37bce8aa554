package nodes

import (
	"cmp"
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/sim"
)

// Slope is the derivative of the makespan by a parameter of the machine, along the
// critical path.
type Slope struct {
	Parameter  string  // its key in machine files
	Value      float64 // in seconds, seconds per byte, or work per second; NaN: it is several numbers
	Derivative float64 // seconds for each unit by which all its numbers grow; NaN: they are rates that differ
	Elasticity float64 // per cent of the makespan for each per cent by which they grow
	Time       float64 // seconds of the path that it accounts for
	Unit       Unit
}

// Unit is the unit of a parameter.
type Unit uint8

// The units.
const (
	Second        Unit = iota
	SecondPerByte      // of costs by bytes
	WorkPerSecond      // of kernels
)

// Gradient returns the slopes along the critical path of a run on the machine, the
// largest elasticity first. Parameters that the path does not depend on are left
// out.
func (m *Machine) Gradient(path []Piece) []Slope {
	if len(path) == 0 {
		return nil
	}
	s := slopes{machine: m, counts: make([]float64, paramKernels+len(kernelNames)), times: make([]float64, paramKernels+len(kernelNames))}
	for i := range path {
		s.piece(&path[i])
	}
	makespan := path[len(path)-1].End.Seconds()
	var all []Slope
	for i, p := range m.parameters() {
		if s.counts[i] == 0 || len(p.times)+len(p.floats) == 0 {
			continue
		}
		slope := Slope{Parameter: p.name, Value: p.value(i), Derivative: s.counts[i], Time: s.times[i] * sim.Time(1).Seconds(), Unit: p.unit(i)}
		slope.Elasticity = slope.Time / makespan
		if i >= paramKernels {
			slope.Derivative = -slope.Time / slope.Value
			slope.Elasticity = -slope.Elasticity
		}
		all = append(all, slope)
	}
	slices.SortStableFunc(all, func(a, b Slope) int { return cmp.Compare(math.Abs(b.Elasticity), math.Abs(a.Elasticity)) })
	return all
}

// slopes adds up the derivatives along a path: by each parameter how often, or for
// how many bytes, it counts, and how many ps it makes.
type slopes struct {
	machine       *Machine
	counts, times []float64
}

func (s *slopes) add(parameter int, count, value float64) {
	s.counts[parameter] += count
	s.times[parameter] += count * value
}

// simple says which parameter a part depends on that depends on one only, by its
// amount.
var simple = map[Part]int{
	PartIntraCopy: paramIntraPerByte, PartIntraLatency: paramIntraLatency, PartGap: paramGap, PartLatency: paramLatency, PartMeet: paramMeet,
	PartCopyOut: paramCopyOut, PartCopyIn: paramCopyIn, PartDelay: paramDelay, PartMatching: paramMatching, PartHandler: paramHandler,
	PartTest: paramTest, PartPack: paramPack, PartUnpack: paramUnpack, PartPipelineIn: paramPipelineIn, PartPipelineOut: paramPipelineOut,
	PartStridedIn: paramStridedIn, PartStridedOut: paramStridedOut, PartWakeup: paramWakeup, PartStartup: paramStartup,
}

// piece adds a piece.
func (s *slopes) piece(p *Piece) {
	m := s.machine
	net := &m.Network
	length := float64(p.End - p.Start)
	if parameter, ok := simple[p.Part]; ok {
		s.one(parameter, float64(p.Amount), length)
		return
	}
	switch p.Part {
	case PartCompute:
		s.add(paramKernels+int(p.Amount), length, 1)
	case PartSendOverhead:
		s.cost(paramSendOverhead, net.SendOverhead, p.Amount, 1)
	case PartReceiveOverhead:
		s.cost(paramReceiveOverhead, net.ReceiveOverhead, p.Amount, 1)
	case PartTransfer, PartIntake:
		s.transfer(p.Amount, 1)
	case PartChunk:
		s.cost(paramTransferBase, net.Transfer, p.Amount, 1)
	case PartCrowdedTransfer:
		s.crowded(p.Amount, length)
	case PartBarrier:
		s.add(paramBarrierBase, 1, float64(m.Barrier.Base))
		s.add(paramBarrierRound, float64(p.Amount), float64(m.Barrier.PerRound))
	case PartPackedCopyOut:
		s.add(paramCopyOut, float64(p.Amount), m.Copying.SendPerByte)
		s.add(paramPack, float64(p.Amount), m.Runtime.Strided.Pack)
	case PartUnpackedCopyIn:
		s.add(paramCopyIn, float64(p.Amount), m.Copying.ReceivePerByte)
		s.add(paramUnpack, float64(p.Amount), m.Runtime.Strided.Unpack)
	case PartSearch:
		s.one(paramSearch, float64(p.Amount)/2, length)
	case PartUnexpected:
		s.cost(paramUnexpected, m.Runtime.Unexpected, p.Amount, 1)
	case PartInterrupt:
		if m.Runtime == nil {
			s.one(paramInterrupt, 1, length)
		} else {
			s.one(paramProgressCost, 1, length)
		}
	}
}

// one adds a piece that one parameter makes, so many times.
func (s *slopes) one(parameter int, count, length float64) {
	s.counts[parameter] += count
	s.times[parameter] += length
}

// cost adds a cost so many times; what it has per byte is the next parameter.
func (s *slopes) cost(parameter int, c network.Cost, bytes int64, times float64) {
	i := len(c) - 1
	for i > 0 && c[i].From > bytes {
		i--
	}
	if i < 0 {
		return
	}
	s.add(parameter, times, float64(c[i].Base))
	if c[i].PerByte != 0 {
		s.add(parameter+1, times*float64(bytes), c[i].PerByte)
	}
}

// transfer adds the time of bytes in a NIC so many times.
func (s *slopes) transfer(bytes int64, times float64) {
	s.add(paramStartup, times, float64(s.machine.Network.Startup))
	s.cost(paramTransferBase, s.machine.Network.Transfer, bytes, times)
}

// crowded adds a transfer that a calibrated fabric makes so long: with its latency
// it is C times what it would be alone.
func (s *slopes) crowded(bytes int64, length float64) {
	latency := float64(s.machine.Network.Latency)
	alone := float64(s.machine.Network.Startup+s.machine.Network.Transfer.Of(bytes)) + latency
	if alone == 0 || length == 0 {
		return
	}
	factor := (length + latency) / alone
	s.transfer(bytes, factor)
	s.add(paramLatency, factor-1, latency)
}
