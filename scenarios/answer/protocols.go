package answer

import (
	"fmt"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// Changes of how messages travel.

// pipelines tells whether CPUs copy large messages that the NIC could move. Where the target copies there is no NIC.
func pipelines(s *subject) bool {
	kind := s.library().Rendezvous
	return s.Machine.Copying == nil && s.rendezvous() && kind != machines.Read && kind != machines.Copy
}

// reads tells whether receivers read large messages, with a library that can also write them.
func reads(s *subject) bool {
	return s.Machine.Copying == nil && s.rendezvous() && s.library().Rendezvous == machines.Read
}

// threshold is the key of the size above which messages wait for their receives.
func (s *subject) threshold() string {
	if s.Machine.Runtime != nil {
		return "machine.runtime.rendezvous.threshold"
	}
	return "machine.network.rendezvous_threshold"
}

// eager lets no message wait for its receive. Its price is a copy by each side, charged if the machine does not.
func eager(s *subject) []change {
	size := keys.FormatBytes(s.largest)
	set, how := []string{s.threshold() + "=" + size}, "eager"
	if copied := s.copied(s.Machine.Network.Rendezvous); copied != nil {
		set, how = append(set, copied...), how+": "+s.chargedCopy()
	}
	return at("memory for messages without a posted receive", "messages of up to "+size+" sent at once ("+how+")", set...)
}

// copied charges a copy by each side for messages longer than this, as libraries copy messages that they send at once; nil: the
// machine charges for their bytes.
func (s *subject) copied(longer int64) (set []string) {
	if s.Machine.Copying != nil {
		return nil
	}
	net := &s.Machine.Network
	for _, side := range []struct {
		key  string
		cost network.Cost
	}{{"send_overhead", net.SendOverhead}, {"receive_overhead", net.ReceiveOverhead}} {
		if side.cost.Further() == 0 {
			set = append(set, "machine."+s.group(side.key)+side.key+"="+s.withCopy(side.cost, longer+1))
		}
	}
	return set
}

// chargedCopy is the price of such copies.
func (s *subject) chargedCopy() string {
	return fmt.Sprintf("a copy at %s by each side, charged", s.copyRate())
}

// withCopy is a cost by size to which a copy is added from a size on.
func (s *subject) withCopy(c network.Cost, from int64) string {
	var pieces []string
	for _, p := range c {
		if p.From < from {
			pieces = append(pieces, piece(p.From, p.Base, keys.Format(keys.PerByte, p.PerByte)))
		}
	}
	return "[" + strings.Join(append(pieces, piece(from, c.Of(from), s.copyRate())), ", ") + "]"
}

func piece(from int64, base sim.Time, perByte string) string {
	return fmt.Sprintf("{from: %dB, time: %dps, per_byte: %s}", from, int64(base), perByte)
}

// copyRate is the rate of a copy by a processor: the rate of messages inside a node, or a round one.
func (s *subject) copyRate() string {
	if in := s.Machine.IntraNode; in != nil && in.Copy.Further() > 0 {
		return keys.Format(keys.Bandwidth, float64(sim.Second)/in.Copy.Further())
	}
	return keys.Format(keys.Bandwidth, files.CopyRate)
}

// smallest is the size above which a separate RDMA pays for the data of a message.
const smallest = 4 << 10

// copiesEager tells whether CPUs touch each byte of messages that a NIC could move.
func copiesEager(s *subject) bool {
	net := &s.Machine.Network
	return s.Machine.Copying == nil && s.library().Rendezvous != machines.Copy && s.largest > smallest &&
		(net.Rendezvous == 0 || net.Rendezvous > smallest) && s.chargesCopies()
}

func byRDMA(s *subject) []change {
	size := keys.FormatBytes(smallest)
	set := []string{s.threshold() + "=" + size}
	if s.library().Rendezvous == machines.Pipelined {
		set = append(set, "machine.runtime.rendezvous.kind=read")
	}
	return only("data by RDMA (rendezvous above "+size+")", set...)
}
