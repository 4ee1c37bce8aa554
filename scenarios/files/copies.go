package files

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// usualCopy is what a core copies, in bytes/s, where the machine does not say it. UCX takes 5,008 MiB/s on AMD's processors and 5,800 on
// most others (src/ucs/arch/cpu.c, ucs_cpu_est_bcopy_bw; 7,000 later), 5.25 to 7.3 GB/s: this is the least of them, rounded down.
const usualCopy = 5e9

// CopyRate is what a core copies, in bytes/s: the rate of messages inside a node, or a usual one.
func (s *Scenario) CopyRate() float64 {
	if in := s.Machine.IntraNode; in != nil && in.Copy.Further() > 0 {
		return float64(sim.Second) / in.Copy.Further()
	}
	return usualCopy
}

// Sizes are those of messages longer than Over, up to UpTo.
type Sizes struct{ Over, UpTo int64 }

// ChargedCopies are settings that charge a copy by each side for messages of some sizes, as libraries copy messages that they send at once;
// nil: the machine charges for their bytes.
func (s *Scenario) ChargedCopies(of Sizes) (set []string) {
	if s.Machine.Copying != nil {
		return nil
	}
	net := &s.Machine.Network
	for _, side := range []struct {
		key  string
		cost network.Cost
	}{{"send_overhead", net.SendOverhead}, {"receive_overhead", net.ReceiveOverhead}} {
		if side.cost.Further() == 0 {
			set = append(set, "machine."+s.StatedIn(side.key)+side.key+"="+s.withCopy(side.cost, of))
		}
	}
	return set
}

// StatedIn is where a cost of the processor is stated that the library may state in place of the network.
func (s *Scenario) StatedIn(key string) string {
	if s.States("runtime." + key) {
		return "runtime."
	}
	return "network."
}

// States tells whether the machine's file, or the settings on top, give a key.
func (s *Scenario) States(key string) bool {
	return slices.ContainsFunc(s.Machine.Facts, func(f keys.Fact) bool {
		path := strings.TrimPrefix(f.Path, "machine.")
		rest, ok := strings.CutPrefix(path, key)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], "[."))
	})
}

// withCopy is a cost by size to which a copy of messages of some sizes is added.
func (s *Scenario) withCopy(c network.Cost, of Sizes) string {
	from := of.Over + 1
	var pieces []string
	for _, p := range c {
		if p.From < from {
			pieces = append(pieces, piece(p.From, p.Base, keys.Format(keys.PerByte, p.PerByte)))
		}
	}
	pieces = append(pieces, piece(from, c.Of(from), keys.Format(keys.Bandwidth, s.CopyRate())))
	if of.UpTo > 0 {
		pieces = append(pieces, piece(of.UpTo+1, c.Of(of.UpTo+1), none))
	}
	return "[" + strings.Join(pieces, ", ") + "]"
}

var none = keys.Format(keys.PerByte, 0)

func piece(from int64, base sim.Time, perByte string) string {
	text := fmt.Sprintf("{from: %s, time: %s", keys.FormatBytes(from), keys.Format(keys.Time, float64(base)))
	if perByte != none {
		text += ", per_byte: " + perByte
	}
	return text + "}"
}

// ofBytes tells whether a cost depends on the bytes of a message.
func ofBytes(c network.Cost) bool {
	return slices.ContainsFunc(c, func(p network.Piece) bool { return p.PerByte > 0 })
}

// uncopied is the part of the ranks' time that copies of messages which are sent at once would take, by the processors of both sides.
// Messages that libraries usually send so do not count.
func (o *ran) uncopied() float64 {
	limit := o.Machine.Network.Rendezvous
	bytes := forecast.PerMessage(o.Program, func(from int, op *programs.Op) float64 {
		if op.Kind != programs.OpSend || op.Amount <= usualEager || limit > 0 && op.Amount > limit ||
			o.Machine.IntraNode != nil && o.inside(from, op) {
			return 0
		}
		return float64(op.Amount)
	})
	oneSided := o.uses.Does(programs.OpPut) || o.uses.Does(programs.OpGet) // the mean size is not that of sends
	if _, unknown := o.Program.(programs.Reactive); unknown && !oneSided && noRendezvous(o) != "" && o.size > usualEager {
		bytes = o.size
	}
	return 2 * bytes * o.messages / o.CopyRate() / max(sim.Picosecond.Seconds(), o.wall)
}

// muchUncopied tells whether copies would be a part of the ranks' time that is worth saying, or more than their time in communication.
func (o *ran) muchUncopied() bool {
	part := o.uncopied()
	return part >= worthSaying || part > 0 && part*o.wall >= o.communicating
}
