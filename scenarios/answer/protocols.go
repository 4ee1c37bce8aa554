package answer

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
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
	if copied := s.ChargedCopies(files.Sizes{Over: s.Machine.Network.Rendezvous}); copied != nil {
		set, how = append(set, copied...), how+": "+s.chargedCopy()
	}
	return at("memory for messages without a posted receive", "messages of up to "+size+" sent at once ("+how+")", set...)
}

// chargedCopy is the price of such copies.
func (s *subject) chargedCopy() string {
	return fmt.Sprintf("a copy at %s by each side, charged", keys.Format(keys.Bandwidth, s.CopyRate()))
}

// sendsWhole tells whether the program has messages in partitions, and the library sends them whole.
func sendsWhole(s *subject) bool {
	p, ok := s.Program.(interface{ Partitions() bool })
	return ok && p.Partitions() && s.library().Partitioned == machines.WholeMessage
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
