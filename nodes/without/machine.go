package without

import (
	"math"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
)

// free is the cost of bytes that cost nothing.
var free = network.Constant(0)

func (r *Run) communication() {
	m := r.Machine
	m.Network = network.LogGOPS{SendOverhead: free, ReceiveOverhead: free, Transfer: free}
	m.Barrier = machines.Barrier{}
	m.Copying, m.IntraNode, m.NICs = nil, nil, nil
	if rt := m.Runtime; rt != nil {
		m.Runtime = &machines.Runtime{Name: rt.Name, Waiting: rt.Waiting, Bound: rt.Bound, Collectives: rt.Collectives}
	}
	r.moved()
	r.Fabric.Ideal = true
}

func (r *Run) latency() {
	m := r.Machine
	m.Network.Latency, m.Barrier.PerRound = 0, 0
	if in := m.IntraNode; in != nil {
		if in.Latency = 0; in.Across != nil {
			in.Across.Latency = 0
		}
	}
	if m.NICs != nil {
		m.NICs.Far = 0
	}
	r.Fabric.Keys = append(r.Fabric.Keys, network.LinkLatency, "fabric.hop_latency", "fabric.answer_latency")
}

func (r *Run) bandwidth() {
	r.Machine.Network.Transfer = free
	if r.Machine.Network.Channels == 0 {
		r.Machine.Network.Channels = network.InTurns // there is no rate left that a fabric could share
	}
	r.Fabric.Free = true
	r.Fabric.Keys = append(r.Fabric.Keys, network.LinkInjection, network.LinkDuplex, network.LinkExchange, "bucket.rate")
}

func (r *Run) gap() { r.Machine.Network.Gap, r.Machine.Network.Startup = 0, 0 }

func (r *Run) links() { r.Fabric.Unlimited = true }

func (r *Run) overhead() {
	m := r.Machine
	m.Network.SendOverhead, m.Network.ReceiveOverhead = free, free
	if cp := m.Copying; cp != nil {
		cp.SendPerByte, cp.ReceivePerByte, cp.Protocols, cp.Interrupt = 0, 0, 0, 0
	}
	if in := m.IntraNode; in != nil {
		if in.Copy = free; in.Across != nil {
			in.Across.Copy = free
		}
	}
	if rt := m.Runtime; rt != nil {
		rt.Matching, rt.Search, rt.Unexpected, rt.Handler, rt.Request = 0, 0, nil, 0, nil
		rt.Progress.Test, rt.Progress.Cost, rt.Wakeup = 0, 0, 0
		rt.Strided.Pack, rt.Strided.Unpack = 0, 0
		for _, p := range []*machines.Pipeline{&rt.Pipeline, &rt.Strided.Pipeline} {
			p.In, p.Out = 0, 0
		}
	}
}

func (r *Run) progress() {
	m := r.Machine
	m.Network.Asking = 0
	if m.Copying != nil {
		m.Network.Gap = 0     // a NIC for which CPUs copy takes chunks, one by one without g
		if m.Runtime == nil { // all messages are eager
			m.Network.Rendezvous = 0
		}
		m.Copying = nil
	}
	if rt := m.Runtime; rt != nil {
		rt.Progress.Delay, rt.Dispatch = 0, 0
	}
	r.moved()
}

// moved makes NICs move messages, and processes notice at once what has happened.
func (r *Run) moved() {
	m := r.Machine
	m.Offloaded = true
	rt := m.Runtime
	if rt == nil {
		return
	}
	rt.Progress.By = machines.Offload
	if rt.Waiting != machines.Block && m.Sharing == nil { // their turns on a core that background threads share
		rt.Waiting, rt.Wakeup = machines.Block, 0
	}
}

func (r *Run) interference() {
	if s := r.Machine.Sharing; s != nil {
		s.SlowDown, s.Bandwidth, s.Scheduler = [cores.NumProfiles][cores.NumProfiles]float64{}, 0, nil
	}
	r.Background = 0
}

func (r *Run) noise() {
	if n := r.Machine.Noise; n != nil {
		r.Machine.Noise = &machines.Noise{}
	}
}

// endless is a buffer that never fills, and whose end no sum of bytes passes.
const endless = math.MaxInt64 / 4

func (r *Run) stalls() {
	m := r.Machine
	m.Network.QueueDepth, m.Network.Outstanding, m.Network.PerPeer = 0, 0, 0
	if cp := m.Copying; cp != nil {
		cp.Buffer, cp.Window = endless, 0
	}
	if rt := m.Runtime; rt != nil {
		rt.Pipeline.Depth, rt.Strided.Depth = 0, 0
	}
}
