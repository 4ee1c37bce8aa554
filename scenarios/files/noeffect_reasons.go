package files

import (
	"maps"
	"slices"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
)

// Reasons for keys of several tables.
var (
	unsentAtAll   = unsent("message is sent", results.ToItself|results.InsideNode|results.ThroughNIC)
	unsentByNIC   = unsent("message passes a NIC", results.ThroughNIC)
	unsentLocally = ownNICs(unsent("message stays in its node or its process", results.InsideNode|results.ToItself))
	unsentInside  = ownNICs(unsent("message stays inside a node", results.InsideNode))

	free          = because("the NIC takes messages in, without a CPU (runtime.progress.by)", func(o *ran) bool { return o.agent().OfNIC() })
	noTwoSided    = never("two-sided message", programs.OpSend)
	noReceive     = never("two-sided message or receive of a signal", programs.OpSend, programs.OpReceive)
	noEager       = unsent("two-sided message is eager and passes a NIC", results.EagerSend|results.EagerStrided)
	noContiguous  = unsent("contiguous two-sided message that passes a NIC is longer than the rendezvous threshold", results.LongSend)
	noStrided     = unsent("strided message passes a NIC", results.EagerStrided|results.LongStrided)
	noLongStrided = unsent("strided message that passes a NIC is longer than the rendezvous threshold", results.LongStrided)
	noRendezvous  = unsent("two-sided message that passes a NIC is longer than the rendezvous threshold", results.LongSend|results.LongStrided)
	uncombined    = unsent("vector is combined by switches", results.Combined)
	noSignal      = never("signalling put", programs.OpSignal)

	noChoice = unsent("two-sided message passes a NIC", results.EagerSend|results.EagerStrided|results.LongSend|results.LongStrided)
)

// ownNICs replaces the reason of an idle, if it has one, by privateNICs on a calibrated
// fabric.
func ownNICs(inside idle) idle {
	return func(o *ran) string {
		if reason := inside(o); reason == "" || !o.kind.Calibrated {
			return reason
		}
		return privateNICs
	}
}

// privateNICs is the reason why no message stays inside a node on a calibrated fabric.
const privateNICs = "every rank has its own NIC on a calibrated fabric"

// Reasons that depend on the program.
var (
	noBarrier       = never("barrier", programs.OpBarrier)
	noThreads       = never("barrier of two threads", programs.OpMeet)
	noSynchronizing = never("barrier", programs.OpBarrier, programs.OpMeet)
)

// uncalled is the idle of the keys of a kernel.
func uncalled(kernel string) idle {
	return because("the workload does not call the kernel", func(o *ran) bool {
		return !o.uses.Calls(o.Machine.Machine, kernel) && o.builds(kernel)
	})
}

// noDense is the idle of the peak, which is the rate of dense kernels without one, and to which workloads that call them are compared.
func noDense(o *ran) string {
	return because("the workload calls no dense kernel", func(o *ran) bool {
		return !slices.ContainsFunc(machines.Dense, func(kernel string) bool {
			_, has := o.Machine.Kernels[kernel]
			return has && uncalled(kernel)(o) == ""
		})
	})(o)
}

// builds tells whether the workload can make its program without the kernel.
func (o *ran) builds(without string) bool {
	m := *o.Machine.Machine
	m.Kernels = maps.Clone(m.Kernels)
	delete(m.Kernels, without)
	_, err := o.Workload.Program(&m, o.Ranks)
	return err == nil
}

// Reasons that depend on the machine and its library.
var (
	noRDMA    = because("CPUs copy the bytes: the machine has no RDMA", func(o *ran) bool { return o.Machine.Copying != nil })
	noSharing = because("the machine has neither smt nor memory", func(o *ran) bool { return o.Machine.Sharing == nil })
	noMemory  = because("the machine has no memory.bandwidth", func(o *ran) bool {
		return o.Machine.Sharing == nil || o.Machine.Sharing.Bandwidth == 0
	})
	undemanded = because("no kernel of the run has a demand (kernels.NAME.demand), and a memory slows nothing else", func(o *ran) bool {
		for name, k := range o.Machine.Kernels {
			if len(k.Demand) > 0 && o.uses.Calls(o.Machine.Machine, name) {
				return false
			}
		}
		return true
	})
	oneContext = because("a core has one context", func(o *ran) bool {
		return o.Machine.Sharing == nil || o.Machine.Sharing.Contexts <= 1
	})
	noInterrupt   = unsent("message arrives while its processor computes", results.Interrupting)
	uninterrupted = because("copying.interrupts is false", func(o *ran) bool { return !o.Machine.Copying.Interrupts })
	copiedOut     = because("without RDMA the CPU copies a message after its overhead", func(o *ran) bool { return o.Machine.Copying != nil })
	noProtocols   = because("copying.protocols is 0", func(o *ran) bool { return o.Machine.Copying.Protocols == 0 })
	noLibrary     = because("the machine has no runtime whose processes copy", func(o *ran) bool {
		return o.Machine.Runtime == nil || o.agent().OfNIC()
	})
	neverNoise  = because("noise.rate is 0", func(o *ran) bool { return o.Machine.Noise.Rate == 0 })
	noNoise     = because("noise.length is 0", func(o *ran) bool { return o.Machine.Noise.Length == 0 })
	alwaysEager = because("without RDMA and a runtime all messages are eager", func(o *ran) bool {
		return o.Machine.Copying != nil && o.Machine.Runtime == nil
	})
	notPipelined = noContiguous.or(noRDMA).or(because("rendezvous.kind is not pipelined", func(o *ran) bool {
		return o.Machine.Runtime.Rendezvous != machines.Pipelined
	}))
	undelivered = noChoice.or(noRDMA).or(because("on a calibrated fabric nothing passes the receiving NIC", func(o *ran) bool {
		return o.kind.Calibrated
	})).or(because("all two-sided messages that pass a NIC travel in fragments", func(o *ran) bool {
		return !o.uses.Sends(results.EagerSend|results.EagerStrided) && (o.fragments() || !o.uses.Sends(results.LongSend))
	}))
	noPacked = because("no strided message is eager", func(o *ran) bool {
		return o.Machine.Copying == nil && !o.uses.Sends(results.EagerStrided)
	})
	helpless = because("the machine's runtime has no helper thread", func(o *ran) bool { return o.agent() != machines.Thread })
	pinned   = oneContext.or(because("processes have several threads, or helper threads", func(o *ran) bool {
		return programs.Threads(o.Program) > 1 || o.agent() == machines.Thread
	}))
	testless  = because("neither the program nor the runtime tests", func(o *ran) bool { return !o.tests() })
	uncharged = nothingToDo.or(func(o *ran) string {
		if o.agent() == machines.Interrupts {
			return noInterrupt(o)
		}
		return ""
	})
	launchedByRates = because("gpu_kernels.launch says what the host needs", func(o *ran) bool { return o.Machine.GPUs.Kernels.Products > 0 })
	noPartitions    = because("the program has no message in partitions", func(o *ran) bool {
		p, ok := o.Program.(interface{ Partitions() bool })
		return !ok || !p.Partitions()
	})
	nothingToDo = because("no message is sent", func(o *ran) bool {
		return o.Machine.Sharing == nil && !o.tests() && unsentAtAll(o) != ""
	})
)

// agent is the agent that does the work of the library.
func (o *ran) agent() machines.Agent {
	if rt := o.Machine.Runtime; rt != nil {
		return rt.Progress.By
	}
	return machines.InCalls
}

// fragments tells whether the library sends contiguous long messages in fragments.
func (o *ran) fragments() bool {
	rt := o.Machine.Runtime
	return rt != nil && rt.Rendezvous == machines.Pipelined
}

// tests tells whether tests take time.
func (o *ran) tests() bool {
	return o.agent().Tests() || o.uses.Does(programs.OpTest)
}

// Reasons that depend on the scenario.
var (
	noBackground  = because("there are no background_threads", func(o *ran) bool { return o.Background == 0 })
	waitsBlocking = because("processes sleep while they wait (runtime.waiting.by is block)", func(o *ran) bool {
		return o.Machine.Runtime != nil && o.Machine.Runtime.Waiting == machines.Block
	})
	nothingRandom    = because("nothing is random", func(o *ran) bool { return !o.random() })
	placedByScenario = because("the scenario gives processes_per_node", func(o *ran) bool { return o.tree.At("processes_per_node") != nil }).
				or((*ran).processesReason)
)

// uncalibrated is the idle of the key calibration.
func uncalibrated(o *ran) string {
	if o.kind.Calibrated {
		return ""
	}
	return "the fabric is " + o.Fabric
}

// mapped is the idle of a key that only some mappings read.
func mapped(readers ...string) idle {
	return func(o *ran) string {
		if slices.Contains(readers, o.Mapping) {
			return o.unplaced()
		}
		return "the mapping is " + o.Mapping
	}
}

// random tells whether any part of the run depends on the seed.
func (o *ran) random() bool {
	return o.Machine.Noise.Takes() || mappingOf(o.Mapping).random && o.unplaced() == ""
}

// unplaced returns the reason why it does not matter which rank is on which node.
func (o *ran) unplaced() string {
	switch {
	case o.Ranks == 1:
		return "there is one rank"
	case o.kind.Places:
		return ""
	case o.Processes == 1:
		return "every rank is alone on its node, and the fabric is " + o.Fabric
	case o.kind.Calibrated && o.Machine.Sharing == nil:
		return privateNICs
	}
	return ""
}

// processesReason returns the reason why it does not matter how many processes a node has.
func (o *ran) processesReason() string {
	switch {
	case o.Background > 0 || o.Machine.Sharing != nil:
		return ""
	case o.Ranks == 1 && o.tree.At("ranks") != nil: // else the ranks fill a node
		return "there is one rank"
	case o.kind.Calibrated && !o.filled && !o.uses.Does(programs.OpMeet):
		return privateNICs
	}
	return ""
}

// shaped tells whether the topology matters to the run.
func (o *ran) shaped() bool {
	return o.Contended() || o.filled || o.Mapping != inBlocks && o.unplaced() == ""
}

// wired is the idle of a key of the topology, of the links or of the routers.
func wired(key string) idle {
	return func(o *ran) string {
		kinds := families(key)
		switch {
		case kinds == nil:
			return o.unread(key)
		case !o.shaped():
			return o.uncontended()
		case !slices.Contains(kinds, o.Machine.wiring.kind):
			return "the topology is a " + o.Machine.wiring.kind
		}
		if key == routing {
			return o.minimal()
		}
		return ""
	}
}

// routing is the key of how messages choose their routes.
const routing = "topology.routing"

// minimal says that messages do not choose their routes as the topology has it; "": they do, or it has none.
func (o *ran) minimal() string {
	if _, adaptive := o.shape.(*topology.Adaptive); !adaptive || o.Fabric == "flow" {
		return ""
	}
	return "on fabric " + o.Fabric + " all routes are minimal; on fabric.kind=flow messages choose theirs"
}

// uncontended is the reason of what only contended fabrics read.
func (o *ran) uncontended() string {
	return "the fabric is " + o.Fabric + "; on fabric.kind=flow messages contend for links"
}

// families returns the families of topologies that read a key.
func families(key string) (names []string) {
	for _, k := range topology.Kinds() {
		rows := keys.Table(keys.Tagged(k.New()))
		if _, reads := rows.Row(key); reads || key == topologyKind {
			names = append(names, k.Name)
		}
	}
	return names
}

// unread returns the reason why the fabric does not read a key of the links, the routers
// or the NIC.
func (o *ran) unread(key string) string {
	if !o.Contended() {
		return o.uncontended()
	}
	w := &o.Machine.wiring
	own := o.kind.New()
	w.fill(own)
	if slices.Contains(own.Reads(&o.Machine.Network, o.shape), key) {
		return o.unasked(own, key)
	}
	rows := keys.Table(keys.Tagged(own))
	if _, known := rows.Row(key); known {
		return "fabric " + o.Fabric + " does not use it on this " + w.kind + ", with the other keys as they are"
	}
	return "fabric " + o.Fabric + " does not read it"
}

// unasked returns the reason why a key that is only for gets, or only for bytes that are
// read, cannot act.
func (o *ran) unasked(own fabrics.Keys, key string) string {
	switch {
	case keys.Tag(own, key, "for") == fabrics.ForRequests && !o.uses.Sends(results.RequestsForGets):
		return "the program has no get"
	case keys.Tag(own, key, "for") == fabrics.ForAnswers && !o.uses.Sends(results.AnswersToGets):
		return "no bytes are got or read"
	}
	return ""
}
