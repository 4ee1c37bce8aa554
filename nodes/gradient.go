package nodes

import (
	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// slope adds the derivatives of a piece, whose length is in ps.
type slope func(s *slopes, amount int64, length float64)

// slopesOfParts gives the parameters of those parts that no row of package parts does.
var slopesOfParts = map[results.Part]slope{
	results.PartCompute:        (*slopes).compute,
	parts.Transfer:             (*slopes).whole,
	parts.CalibratedContention: (*slopes).calibratedContention,
	parts.CalibratedTransfer:   (*slopes).calibratedTransfer,
	parts.CalibratedChunk:      (*slopes).calibratedChunk,
	parts.Intake:               (*slopes).whole,
	parts.Barrier:              (*slopes).barrier,
	parts.Interrupt:            (*slopes).interrupt,
	parts.FabricLatency:        (*slopes).way,
}

// indexOf returns the index of the parameter that alone makes a part.
func indexOf(p results.Part) int { return parts.Of(p)[0].Parameter }

// The indices of the NIC's cost per message and per byte.
var (
	gapBase    = indexOf(parts.Chunk)
	gapPerByte = gapBase + 1
)

// slopes adds up derivatives. For each parameter it holds how often or for how many bytes it
// counts, and for how many ps it accounts.
type slopes struct {
	machine       *machines.Machine
	all           []parts.Parameter
	links         *links  // nil: the fabric does not explain its rates
	weight        float64 // of the moment that is being added
	counts, times []float64
	other         float64 // ps that no parameter accounts for
	magnitudes    why.Magnitudes
}

// slopes returns the derivatives of a moment with respect to all parameters on which it depends,
// and how stable they are. They are sums along the path to the moment. If the path led through
// mixes, they are sums over all paths, each weighted by how far it moves the moment.
func (t *causes) slopes(m *machines.Machine, end cause) ([]results.Slope, results.Stability) {
	s := slopes{machine: m, all: parts.Parameters(m), links: t.links, weight: 1}
	if t.links != nil {
		s.all = append(s.all, t.links.all...)
	}
	s.counts, s.times = make([]float64, len(s.all)), make([]float64, len(s.all))
	s.magnitudes = t.Tree().Ways(end, &s)
	at := end.At
	return s.list(at), s.stability(at)
}

// list returns the derivatives of a moment.
func (s *slopes) list(at sim.Time) (all []results.Slope) {
	if at == 0 {
		return nil // the start of the run has no parts
	}
	for i, p := range s.all {
		if p.Name == "" {
			s.other += s.times[i]
			continue
		}
		if s.counts[i] == 0 && s.times[i] == 0 {
			continue
		}
		slope := results.Slope{Parameter: p.Name, Value: p.Value(), Derivative: s.counts[i], Time: s.times[i] * sim.Time(1).Seconds(),
			Unit: p.Unit}
		slope.Elasticity = slope.Time / at.Seconds()
		switch {
		case p.Unit.Rate():
			slope.Derivative = -slope.Time / slope.Value
			slope.Elasticity = -slope.Elasticity
		case p.Unit == results.Factor:
			slope.Derivative = slope.Time / slope.Value
		}
		all = append(all, slope)
	}
	return all
}

// Piece implements why.Sum.
func (s *slopes) Piece(p why.Piece, weight float64) {
	s.weight = weight
	s.piece(pieceOf(p), float64(p.End-p.Start))
}

// counted adds a parameter of this value count times.
func (s *slopes) counted(parameter int, count, value float64) {
	s.counts[parameter] += s.weight * count
	s.times[parameter] += s.weight * count * value
}

// Effect implements why.Sum.
func (s *slopes) Effect(e why.Effect, weight float64) {
	s.times[e.Parameter] += weight * e.Time
	value := e.Value
	if value == 0 && e.Parameter == gapPerByte { // the time of bytes that the NIC moves through memory
		value = s.machine.Network.Transfer.Further()
	}
	if value > 0 {
		s.counts[e.Parameter] += weight * e.Time / value
	}
}

// piece adds a piece of this length.
func (s *slopes) piece(p results.Piece, length float64) {
	made := parts.Of(p.Part)
	switch {
	case len(made) == 0:
		if slope := slopesOfParts[p.Part]; slope != nil {
			slope(s, p.Amount, length)
		} else { // no parameter accounts for it, or its mixes hold the parameters
			s.other += s.weight * length
		}
	case len(made) > 1: // times per byte
		for _, n := range made {
			s.counted(n.Parameter, float64(p.Amount), *s.all[n.Parameter].Floats[0])
		}
	case made[0].Per == 0:
		s.cost(made[0].Parameter, s.all[made[0].Parameter].BySize, p.Amount, 1)
	default:
		s.one(made[0].Parameter, float64(p.Amount)/float64(made[0].Per), length)
	}
}

// compute adds a computation; its amount is its kernel.
func (s *slopes) compute(kernel int64, length float64) {
	s.counted(parts.Rates(int(kernel)), length, 1)
}

// whole adds the time of a message in a NIC.
func (s *slopes) whole(bytes int64, _ float64) { s.transfer(bytes, 1, 1) }

func (s *slopes) calibratedTransfer(bytes int64, length float64) { s.calibrated(bytes, length, 1) }

func (s *slopes) calibratedChunk(bytes int64, length float64) { s.calibrated(bytes, length, 0) }

func (s *slopes) barrier(rounds int64, _ float64) {
	s.counted(parts.BarrierBase, 1, float64(s.machine.Barrier.Base))
	s.counted(parts.BarrierRound, float64(rounds), float64(s.machine.Barrier.PerRound))
}

// interrupt adds what a job costs in addition to its own work. With a library this is a parameter
// of the library.
func (s *slopes) interrupt(_ int64, length float64) {
	if s.machine.Runtime == nil {
		s.one(parts.InterruptCost, 1, length)
	} else {
		s.one(parts.ProgressCost, 1, length)
	}
}

// way adds the way through a fabric: the latencies of the NIC and of links.
func (s *slopes) way(_ int64, length float64) {
	if s.links == nil {
		s.other += s.weight * length
		return
	}
	nic := float64(s.machine.Network.Latency)
	s.one(indexOf(parts.Latency), 1, nic)
	if l := s.links.latency; l > 0 {
		s.counted(s.links.first, (length-nic)/l, l)
	}
}

// one adds a piece for which a single parameter accounts, count times.
func (s *slopes) one(parameter int, count, length float64) {
	s.counts[parameter] += s.weight * count
	s.times[parameter] += s.weight * length
}

// cost adds a multiple of a cost; the cost per byte is the next parameter.
func (s *slopes) cost(parameter int, c network.Cost, bytes int64, times float64) {
	i := c.Piece(bytes)
	if i < 0 {
		return
	}
	s.counted(parameter, times, float64(c[i].Base))
	if c[i].PerByte != 0 {
		s.counted(parameter+1, times*float64(bytes), c[i].PerByte)
	}
}

// transfer adds a multiple of the time of bytes in a NIC, with this number of startups each.
func (s *slopes) transfer(bytes int64, times, startups float64) {
	s.counted(indexOf(parts.Startup), times*startups, float64(s.machine.Network.Startup))
	s.cost(gapBase, s.machine.Network.Transfer, bytes, times)
}

// calibratedContention adds what a calibrated fabric adds to a transfer and its latency: C - 1
// times what they take alone.
func (s *slopes) calibratedContention(bytes int64, length float64) {
	if alone := s.alone(bytes, 1); alone > 0 {
		s.transfer(bytes, length/alone, 1)
		s.counted(indexOf(parts.Latency), length/alone, float64(s.machine.Network.Latency))
	}
}

// calibrated adds a transfer whose length comes from a calibrated fabric: with its latency
// it takes C times what it would alone.
func (s *slopes) calibrated(bytes int64, length, startups float64) {
	alone, latency := s.alone(bytes, startups), float64(s.machine.Network.Latency)
	if alone > 0 && length > 0 {
		factor := (length + latency) / alone
		s.transfer(bytes, factor, startups)
		s.counted(indexOf(parts.Latency), factor-1, latency)
	}
}

// alone returns how long a message takes on an idle calibrated fabric with C = 1.
func (s *slopes) alone(bytes int64, startups float64) float64 {
	net := &s.machine.Network
	return startups*float64(net.Startup) + float64(net.Transfer.Of(bytes)+net.Latency)
}

// stability returns the stability of the derivatives of a moment.
func (s *slopes) stability(at sim.Time) results.Stability {
	if at == 0 {
		return results.Stability{Amplification: 1}
	}
	return results.Stability{
		Amplification: s.magnitudes.Parts / float64(at),
		Rounding:      s.magnitudes.Rounding / float64(at),
		Other:         s.other * sim.Time(1).Seconds(),
		Computed:      s.times[parts.Rates(0)] * sim.Time(1).Seconds(),
	}
}
