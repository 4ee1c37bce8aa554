package without

import (
	"math"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
)

func (r *Run) communication() {
	r.Machine.Free()
	r.moved()
	r.combination()
	r.Fabric.Ideal = true
}

// causeOf is the cause of a part of the time of a run, where numbers of the machine make that part.
// Other parts, and what is no time of a processor or a NIC, are matters of the single causes.
func causeOf(p results.Part) string {
	switch p {
	case parts.Gap, parts.Startup:
		return "gap"
	case parts.Chunk, parts.TargetCopy, parts.OffloadSegment:
		return "bandwidth"
	case parts.Asking: // a library that works at once hears at once
		return "progress"
	case parts.Wakeup: // it takes the processor
		return "overhead"
	}
	switch p.Term() {
	case results.Latency:
		return "latency"
	case results.Overhead:
		return "overhead"
	case results.Progress:
		return "progress"
	}
	return ""
}

// CauseOf is the cause whose absence makes a number of a machine zero that alone makes a part of the
// time of a run, by its key; "": there is none.
func CauseOf(key string) string {
	for p := range results.NumParts() {
		if of := parts.Key(p); of != "" && (key == of || strings.HasPrefix(key, of+".") || strings.HasPrefix(key, of+"[")) {
			return causeOf(p)
		}
	}
	return ""
}

// free takes the numbers away that make parts whose cause this is.
func (r *Run) free(cause string) {
	parts.Free(r.Machine, func(p results.Part) bool { return causeOf(p) == cause })
}

func (r *Run) latency() {
	r.free("latency")
	r.Machine.Barrier.PerRound, r.Machine.Barrier.Inside = 0, 0
	r.Fabric.Keys = append(r.Fabric.Keys, network.LinkLatency, "fabric.hop_latency", "fabric.answer_latency")
}

func (r *Run) bandwidth() {
	r.Machine.Network.Transfer = network.Constant(0)
	if r.Machine.Network.Channels == 0 {
		r.Machine.Network.Channels = network.InTurns // there is no rate left that a fabric could share
	}
	if rt := r.Machine.Runtime; rt != nil {
		rt.Offload.PerSegment = 0
	}
	r.Fabric.Free = true
	r.Fabric.Keys = append(r.Fabric.Keys, network.LinkInjection, network.LinkDuplex, network.LinkExchange, "bucket.rate")
}

func (r *Run) gap() { r.free("gap") }

func (r *Run) links() { r.Fabric.Unlimited = true }

func (r *Run) overhead() {
	r.free("overhead")
	r.combination()
	if cp := r.Machine.Copying; cp != nil {
		cp.Protocols, cp.Interrupt = 0, 0
	}
	if rt := r.Machine.Runtime; rt != nil {
		rt.Progress.Cost = 0
	}
}

func (r *Run) progress() {
	m := r.Machine
	r.free("progress")
	if m.Copying != nil {
		m.Network.Gap = 0     // a NIC for which CPUs copy takes chunks, one by one without g
		if m.Runtime == nil { // all messages are eager
			m.Network.Rendezvous = 0
		}
		m.Copying = nil
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
	rt.Progress.By = machines.Triggered
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
