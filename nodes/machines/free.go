package machines

import (
	"reflect"

	"overlapsim/network"
)

// Free lets messages be there when they are sent, at no cost of a processor, a NIC or a network.
func (m *Machine) Free() {
	free := network.Constant(0)
	m.Network = network.LogGOPS{SendOverhead: free, ReceiveOverhead: free, Transfer: free}
	m.Barrier = Barrier{}
	m.Copying, m.IntraNode, m.NICs = nil, nil, nil
	if rt := m.Runtime; rt != nil {
		m.Runtime = &Runtime{Name: rt.Name, Waiting: rt.Waiting, Bound: rt.Bound, Collectives: rt.Collectives, Offload: rt.Offload}
		m.Runtime.Offload.Level, m.Runtime.Offload.PerSegment = 0, 0
	}
}

// IsFree tells whether a machine is one after Free whose messages nobody has to move, and whose activities do not slow each other down. The
// order of what happens at the same moment then changes nothing.
func (m *Machine) IsFree() bool {
	free := *m
	free.Free()
	if free.Runtime != nil {
		free.Runtime.Progress.By = Triggered
	}
	return m.Sharing == nil && reflect.DeepEqual(&free, m)
}
