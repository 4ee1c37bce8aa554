// Package parts declares the parts that make up the time of a run. Most parts are made by a
// single number of the machine. One row declares such a part: its name, the term of the ledger to
// which it mostly goes, the key of the number in machine files, and its place in a machine. From
// the row follow the part's price, its parameter and its derivative.
package parts

import (
	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The rows, in the order of the parameters. The unit of a part's amount is in brackets. Without
// brackets the amount is the bytes of a cost, or how often a time counts. Parts declared by
// results.NewPart are made by several numbers of the machine, or by none; init has those that are a
// sum. A row that is only a parameter makes no part alone.
var (
	Latency         = each("latency", results.Latency, "network.latency", net, func(p *loggops) ps { return &p.Latency })
	SendOverhead    = bySize("send overhead", overhead, "network.send_overhead", net, func(p *loggops) cost { return p.SendOverhead })
	ReceiveOverhead = bySize("receive overhead", overhead, "network.receive_overhead", net,
		func(p *loggops) cost { return p.ReceiveOverhead })
	Gap                  = each("gap", results.NICStall, "network.gap", net, func(p *loggops) ps { return &p.Gap })
	Transfer             = results.NewPart("transfer", results.Transfer)            // Startup + G (bytes)
	CalibratedContention = results.NewPart("crowding", results.Contention)          // what a calibrated factor adds to Transfer and L (bytes)
	CalibratedTransfer   = results.NewPart("calibrated transfer", results.Transfer) // Transfer with a factor below 1; a chunk with any (bytes)
	CalibratedChunk      = results.NewPart("calibrated chunk", results.Transfer)    // as CalibratedTransfer, without Startup (bytes)
	Intake               = results.NewPart("intake", results.Contention)            // Startup + G in the receiving NIC (bytes)
	Startup              = each("startup", results.Transfer, "network.startup", net, func(p *loggops) ps { return &p.Startup })
	Chunk                = makes("chunk", results.Transfer, "network.gap_per_byte", fills(2, net, ofGap), 0)
	TargetCopy           = results.NewPart("copy by the target", overhead)     // G, by its CPU (bytes)
	Fabric               = results.NewPart("fabric", results.Transfer)         // bytes leave as fast as the fabric takes them (bytes)
	FabricQueue          = results.NewPart("fabric queue", results.Contention) // time on the way beyond the latency
	FabricLatency        = results.NewPart("fabric latency", results.Latency)  // on the way through the fabric (bytes)
	IntraLatency         = each("latency inside the node", results.Latency, "intra_node.latency", node,
		func(in *inside) ps { return &in.Latency })
	IntraCopy     = byRate("copy inside the node", overhead, "intra_node.per_byte", node, func(in *inside) cost { return in.Copy })
	AcrossLatency = each("latency between sockets", results.Latency, "intra_node.across.latency", between,
		func(in *across) ps { return &in.Latency })
	AcrossCopy = byRate("copy between sockets", overhead, "intra_node.across.per_byte", between, func(in *across) cost { return in.Copy })
	Asking     = bySize("request of a rendezvous", results.Latency, "network.request_delay", net,
		func(p *loggops) cost { return p.Asking })
	Delivery       = bySize("delivery", results.Latency, "network.delivery", net, func(p *loggops) cost { return p.Delivery })
	Far            = each("way to a far NIC", results.Latency, "nics.far", rails, func(n *nics) ps { return &n.Far })
	Barrier        = results.NewPart("barrier", results.BarrierTime) // (rounds)
	BarrierBase    = parameter("barrier.base", barrier, func(b *barriers) ps { return &b.Base })
	BarrierRound   = parameter("barrier.per_round", barrier, func(b *barriers) ps { return &b.PerRound })
	BarrierInside  = each("barrier inside nodes", results.BarrierTime, "barrier.inside", barrier, func(b *barriers) ps { return &b.Inside })
	Meet           = each("thread barrier", results.BarrierTime, "barrier.threads", barrier, func(b *barriers) ps { return &b.Threads })
	CopyOut        = perByte("copy out", overhead, "copying.send", copies, func(cp *copying) rate { return &cp.SendPerByte })
	CopyIn         = perByte("copy in", overhead, "copying.receive", copies, func(cp *copying) rate { return &cp.ReceivePerByte })
	Protocols      = results.NewPart("protocols", results.Overhead)        // of the kernel (bytes)
	PackedCopyOut  = results.NewPart("packed copy out", results.Overhead)  // CopyOut of packed bytes (bytes)
	UnpackedCopyIn = results.NewPart("unpacked copy in", results.Overhead) // CopyIn of unpacked bytes (bytes)
	Interrupt      = results.NewPart("interrupt", results.Overhead)        // what a job costs in addition to its own work
	InterruptCost  = parameter("copying.interrupt", copies, func(cp *copying) ps { return &cp.Interrupt })
	ProgressCost   = parameter("runtime.progress.cost", lib, func(rt *library) ps { return &rt.Progress.Cost })
	Delay          = each("thread delay", results.Progress, "runtime.progress.delay", lib,
		func(rt *library) ps { return &rt.Progress.Delay })
	OffloadLevel = each("level of switches that combine", results.Latency, "runtime.offload.level", lib,
		func(rt *library) ps { return &rt.Offload.Level })
	OffloadSegment = each("segment that switches combine", results.Transfer, "runtime.offload.per_segment", lib,
		func(rt *library) ps { return &rt.Offload.PerSegment })
	Matching    = each("matching", overhead, "runtime.matching", lib, func(rt *library) ps { return &rt.Matching })
	Search      = halfEach("search", overhead, "runtime.search", lib, func(rt *library) ps { return &rt.Search })
	Unexpected  = bySize("unexpected message", overhead, "runtime.unexpected", lib, func(rt *library) cost { return rt.Unexpected })
	Handler     = each("handler", overhead, "runtime.handler", lib, func(rt *library) ps { return &rt.Handler })
	Dispatch    = each("dispatch", results.Progress, "runtime.dispatch", lib, func(rt *library) ps { return &rt.Dispatch })
	Test        = each("test", overhead, "runtime.progress.test", lib, func(rt *library) ps { return &rt.Progress.Test })
	Request     = bySize("request of a send", overhead, "runtime.isend_overhead", lib, func(rt *library) cost { return rt.Request })
	Pack        = perByte("pack", overhead, "runtime.strided.pack", lib, func(rt *library) rate { return &rt.Strided.Pack })
	Unpack      = perByte("unpack", overhead, "runtime.strided.unpack", lib, func(rt *library) rate { return &rt.Strided.Unpack })
	PipelineIn  = perByte("fragment in", overhead, "runtime.rendezvous.in", lib, func(rt *library) rate { return &rt.Pipeline.In })
	PipelineOut = perByte("fragment out", overhead, "runtime.rendezvous.out", lib,
		func(rt *library) rate { return &rt.Pipeline.Out })
	StridedIn = perByte("strided fragment in", overhead, "runtime.strided.in", lib,
		func(rt *library) rate { return &rt.Strided.In })
	StridedOut = perByte("strided fragment out", overhead, "runtime.strided.out", lib,
		func(rt *library) rate { return &rt.Strided.Out })
	Wakeup       = each("wake-up", results.Progress, "runtime.waiting.wakeup", lib, func(rt *library) ps { return &rt.Wakeup })
	Bandwidth    = fills(1, shared, bandwidthOf)
	Balance      = each("balance", results.Interference, "smt.scheduler.balance", system, func(s *scheduler) ps { return &s.Balance })
	slowDowns    = fills(int(cores.NumProfiles*cores.NumProfiles), shared, slowDownsOf)
	Schedule     = results.NewPart("turn", results.Progress)             // until a process gets its turn on its core
	Noise        = results.NewPart("noise", results.Interference)        // of the operating system
	Interference = results.NewPart("interference", results.Interference) // what siblings and memory add
	Tie          = results.NewPart("tie", results.Overhead)              // takes no time: something else ended at the same time
)

func init() {
	numbers[TargetCopy], keys[TargetCopy] = numbers[Chunk], keys[Chunk]
	sum(PackedCopyOut, CopyOut, Pack)
	sum(UnpackedCopyIn, CopyIn, Unpack)
}

// The sections of a machine, or nil if it does not have one.
func net(m *machine) *loggops      { return &m.Network }
func node(m *machine) *inside      { return m.IntraNode }
func rails(m *machine) *nics       { return m.NICs }
func barrier(m *machine) *barriers { return &m.Barrier }
func copies(m *machine) *copying   { return m.Copying }
func lib(m *machine) *library      { return m.Runtime }
func shared(m *machine) *sharing   { return m.Sharing }

func system(m *machine) *scheduler {
	if m.Sharing == nil {
		return nil
	}
	return m.Sharing.Scheduler
}

func between(m *machine) *across {
	if m.IntraNode == nil {
		return nil
	}
	return m.IntraNode.Across
}

// Short names for the rows.
type (
	ps       = *sim.Time
	rate     = *float64 // ps per byte
	cost     = network.Cost
	machine  = machines.Machine
	loggops  = network.LogGOPS
	inside   = machines.IntraNode
	across   = machines.Across
	nics     = machines.NICs
	barriers = machines.Barrier
	copying  = machines.Copying
	library  = machines.Runtime
	sharing  = machines.Sharing

	scheduler = machines.Scheduler
)

const overhead = results.Overhead
