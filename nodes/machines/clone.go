package machines

import (
	"maps"
	"slices"
)

// Clone returns a deep copy of a machine.
func (m *Machine) Clone() *Machine {
	c := *m
	c.Network.SendOverhead = slices.Clone(m.Network.SendOverhead)
	c.Network.ReceiveOverhead = slices.Clone(m.Network.ReceiveOverhead)
	c.Network.Asking, c.Network.Delivery = slices.Clone(m.Network.Asking), slices.Clone(m.Network.Delivery)
	c.Network.Transfer = slices.Clone(m.Network.Transfer)
	if m.IntraNode != nil {
		c.IntraNode = m.IntraNode.clone()
	}
	if m.Sockets != nil {
		s := *m.Sockets
		c.Sockets = &s
	}
	if m.NICs != nil {
		n := *m.NICs
		c.NICs = &n
	}
	if m.Copying != nil {
		cp := *m.Copying
		c.Copying = &cp
	}
	if m.Runtime != nil {
		rt := *m.Runtime
		rt.Unexpected, rt.Request = slices.Clone(rt.Unexpected), slices.Clone(rt.Request)
		c.Runtime = &rt
	}
	if m.Sharing != nil {
		s := *m.Sharing
		c.Sharing = &s
	}
	if m.GPUs != nil {
		c.GPUs = m.GPUs.Clone()
	}
	c.Kernels = maps.Clone(m.Kernels)
	for name, k := range c.Kernels {
		k.Rate, k.Demand = slices.Clone(k.Rate), slices.Clone(k.Demand)
		c.Kernels[name] = k
	}
	return &c
}

func (in *IntraNode) clone() *IntraNode {
	c := *in
	c.Copy = slices.Clone(in.Copy)
	if in.Across != nil {
		c.Across = &Across{in.Across.Latency, slices.Clone(in.Across.Copy)}
	}
	return &c
}
