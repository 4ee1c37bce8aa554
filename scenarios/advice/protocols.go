package advice

import (
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
)

// Changes of how messages travel.

// pipelines tells whether CPUs copy large messages that the NIC could move.
func pipelines(s *subject) bool {
	return s.Machine.Copying == nil && s.rendezvous() && s.library().Rendezvous != machines.Read
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

// eager lets no message wait for its receive.
func eager(s *subject) []change {
	size := keys.FormatBytes(s.largest)
	return only("messages of up to "+size+" sent at once (eager)", s.threshold()+"="+size)
}

// smallest is the size above which an RDMA of its own pays for the data of a message.
const smallest = 4 << 10

// copiesEager tells whether CPUs touch each byte of messages that a NIC could move.
func copiesEager(s *subject) bool {
	net := &s.Machine.Network
	return s.Machine.Copying == nil && s.largest > smallest && (net.Rendezvous == 0 || net.Rendezvous > smallest) &&
		(net.SendOverhead.Further() > 0 || net.ReceiveOverhead.Further() > 0)
}

func byRDMA(s *subject) []change {
	size := keys.FormatBytes(smallest)
	set := []string{s.threshold() + "=" + size}
	if s.library().Rendezvous == machines.Pipelined {
		set = append(set, "machine.runtime.rendezvous.kind=read")
	}
	return only("data by RDMA (rendezvous above "+size+")", set...)
}
