package goal

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/sim"
)

// Params are the LogGOPS parameters (Hoefler, Schneider, Lumsdaine: LogGOPSim,
// HPDC 2010, section 2.1) and whether NICs receive by themselves.
type Params struct {
	Latency         sim.Time // L
	Overhead        sim.Time // o, CPU time of each send and each reception
	Gap             sim.Time // g, between two messages of a NIC
	GapPerByte      float64  // G, ps
	OverheadPerByte float64  // O, ps
	Rendezvous      uint64   // S, bytes: larger messages wait for their receive
	ReceiveOverlap  bool     // arriving bytes do not occupy the CPU
}

// Validate reports all parameters that are out of range.
func (p *Params) Validate() error {
	var errs []error
	for _, x := range []struct {
		name string
		t    sim.Time
	}{{"latency L", p.Latency}, {"overhead o", p.Overhead}, {"gap g", p.Gap}} {
		if x.t < 0 || x.t > maxDuration {
			errs = append(errs, fmt.Errorf("%s: want 0s to %v, got %v", x.name, maxDuration, x.t))
		}
	}
	for _, x := range []struct {
		name string
		ps   float64
	}{{"gap per byte G", p.GapPerByte}, {"overhead per byte O", p.OverheadPerByte}} {
		if !(x.ps >= 0) || math.IsInf(x.ps, 0) {
			errs = append(errs, fmt.Errorf("%s: want 0 ps or more, got %v", x.name, x.ps))
		}
	}
	return errors.Join(errs...)
}

// maxDuration is the longest duration of an operation, horizon the latest time of an
// event: the sum of one event's time and three durations stays within sim.Time.
const (
	maxDuration = 1_000_000 * sim.Second // 11 days
	horizon     = 4_000_000 * sim.Second // 46 days
)

// fits reports operations that take longer than maxDuration.
func (p *Params) fits(s *Schedule) error {
	for i := range s.Ops() {
		op := &s.ops[i]
		if op.Kind == Calc && op.Size > uint64(maxDuration/sim.Nanosecond) {
			return fmt.Errorf("rank %d, %s: a calc of %d ns is longer than %v", s.rankOf(uint32(i)), s.place(uint32(i)), op.Size, maxDuration)
		}
		if op.Kind == Send && float64(op.Size)*max(p.GapPerByte, p.OverheadPerByte) > float64(maxDuration) {
			return fmt.Errorf("rank %d, %s: %d bytes take longer than %v", s.rankOf(uint32(i)), s.place(uint32(i)), op.Size, maxDuration)
		}
	}
	return nil
}

// perByte returns k·O and k·G of a message, each rounded once; k = size-1 are
// the bytes after the first.
func (p *Params) perByte(size uint64) (kO, kG sim.Time) {
	if size <= 1 {
		return 0, 0
	}
	k := int64(size - 1)
	return sim.PerByte(k, p.OverheadPerByte), sim.PerByte(k, p.GapPerByte)
}

// lastSize remembers the last result of Params.perByte, which is expensive.
type lastSize struct {
	size   uint64
	kO, kG sim.Time
}

func (l *lastSize) perByte(p *Params, size uint64) (kO, kG sim.Time) {
	if size != l.size {
		l.size = size
		l.kO, l.kG = p.perByte(size)
	}
	return l.kO, l.kG
}
