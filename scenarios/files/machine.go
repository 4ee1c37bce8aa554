package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
)

// Machine is a machine, and the facts that its file states about every number.
type Machine struct {
	*machines.Machine
	Facts   []keys.Fact // in the order of the key table
	Changes []string    // differences from the file: "network.latency=3us"

	wiring wiring
	ruled  ruled      // by its library
	keys   keys.Table // of its file
	given  []given    // by a scenario that changes it
	tree   *keys.Node // its file, with the changes in it
}

// placeOf is where the user gave a key of the machine, or what a flag gives of its group; if the key is one of the library, or of none, where
// they named the machine in the tree of their scenario.
func (m *Machine) placeOf(path string, tree *keys.Node) keys.Place {
	group, _, _ := strings.Cut(path, ".")
	at := m.tree.NearestFlag(path)
	if _, ofLibrary := library(machineFolder, at.File); m.tree.At(group) == nil || ofLibrary && at.Flag == "" {
		return tree.Nearest(keys.Join("machine", path))
	}
	return at
}

// ownCores says where a file of the user gives the cores.
func (m *Machine) ownCores() string {
	at := m.tree.NearestFlag("cores")
	if _, err := embedded.ReadFile(at.File); err == nil || m.tree.At("cores") == nil { // of the library
		return ""
	}
	return fmt.Sprintf(" (%s: cores)", at)
}

// ruled tells which numbers of the network a machine's library gives in their place, and whether the machine says that it has none.
type ruled struct{ send, receive, threshold, none bool }

// machineFile holds the content of a machine file.
type machineFile struct {
	machine                   machines.Machine
	copying                   machines.Copying
	intraNode                 machines.IntraNode
	noise                     machines.Noise
	hasCopying, hasIntraNode  keys.Group
	hasNoise                  keys.Group
	network, barrier, kernels keys.Group
	kernelFiles               []*kernelFile // nil: of the standard kernels
	family                    string        // of topologies, whose keys it has; "": the keys of the first that has a key
	wiring                    wiringFile
	runtime                   runtimeFile
	sharing                   sharingFile
	sockets                   socketsFile
	gpus                      gpuFile
}

// rows is the key table of machine files.
func (f *machineFile) rows() keys.Table {
	f.wiring, f.runtime, f.sharing = newWiringFile(), newRuntime(), newSharing()
	f.wiring.scope(f.family)
	runtime := keys.Table{{Path: "runtime", To: &f.runtime.given,
		Doc: "the communication library: a name, a file or keys; if omitted: the library of LogGOPS, which progresses in calls and reads by RDMA; " +
			"none: the same"}}
	if f.kernelFiles == nil {
		f.kernelFiles = kernelsOf(nil)
	}
	return slices.Concat(f.nodeRows(), f.networkRows(), f.copyingRows(), f.softwareRows(), f.wiring.rows(), runtime, f.runtime.rows("runtime."),
		f.sharing.rows(), f.sockets.rows(), f.gpus.rows(), kernelRows(f.kernelFiles))
}

// nodeRows are the keys of a machine and its nodes.
func (f *machineFile) nodeRows() keys.Table {
	m := &f.machine
	return keys.Table{
		{Path: "title", To: &m.Title, Doc: "what people call the machine"},
		{Path: "historical", To: &m.Past, Doc: "it is not in use any more; list machines says so"},
		{Path: "base", To: new(*keys.Node), Form: "name or file", Doc: "a machine that this one differs from: a built-in name or a file"},
		{Path: "nodes", To: &m.Nodes, Is: keys.Count, Doc: "number of nodes; 0: as many as a run asks for"},
		{Path: "cores", To: &m.Cores, Is: keys.Count, Needs: keys.Required, Range: keys.Positive, Doc: "cores of a node"},
		{Path: "processes_per_node", To: &m.Processes, Is: keys.Count,
			Doc: "processes on a node unless the scenario says otherwise; 0: one per core; if omitted: one per core, and one per GPU of workloads on GPUs", Use: placedByScenario},
		{Path: "peak", To: &m.Peak, Is: keys.Rate, Doc: "peak of one process; of dgemm, dtrsm and dpotrf where they have no rates; 0: unknown",
			Use: noDense},
		{Path: "time_slice", To: &m.Slice, Is: keys.Time,
			Doc: "a thread's turn on a core that several compute on; for background_threads", Use: noBackground.or(waitsBlocking)},
	}
}

// networkRows are the keys of a NIC and its way to others.
func (f *machineFile) networkRows() keys.Table {
	net := &f.machine.Network
	library := func(key string, given func(by *ruled) bool) idle {
		return because("runtime."+key+" counts in its place", func(o *ran) bool { return given(&o.Machine.ruled) })
	}
	return keys.Table{
		{Path: "network", To: &f.network, Needs: keys.Required, Doc: "the network interface (NIC) and the network after it", Use: offProcesses},
		{Path: "network.latency", To: &net.Latency, Is: keys.Time, Needs: keys.Required,
			Doc: "L: from the last byte leaving a NIC to it being in the target's memory"},
		{Path: "network.send_overhead", To: &net.SendOverhead, Is: keys.Time, Needs: keys.Required,
			Doc: "o: CPU time to post a message; O as per_byte of a " +
				"list", Use: library("send_overhead", func(by *ruled) bool { return by.send })},
		{Path: "network.receive_overhead", To: &net.ReceiveOverhead, Is: keys.Time,
			Doc: "o: CPU time to take a message in, two-sided or without RDMA; not if a NIC does it (runtime.progress.by: nic)",
			Use: library("receive_overhead", func(by *ruled) bool { return by.receive }).or(free)},
		{Path: "network.gap", To: &net.Gap, Is: keys.Time,
			Doc: "g: time in which the NIC begins a message, during the overhead or longer: a message is ready max(o, g) after its post, and the next one g later; if omitted: until the bytes of the first have left"},
		{Path: "network.bandwidth", To: &net.Transfer, Is: keys.PerByte, Needs: keys.Required, Or: "network.gap_per_byte",
			Doc: "1/G: bytes the NIC moves per second"},
		{Path: "network.gap_per_byte", To: &net.Transfer, Is: keys.PerByte, Needs: keys.Required, Or: "network.bandwidth",
			Doc: "G: the same, as a time per byte"},
		{Path: "network.startup", To: &net.Startup, Is: keys.Time, Doc: "time that a message occupies the NIC in addition to its bytes"},
		{Path: "network.rendezvous_threshold", To: &net.Rendezvous, Is: keys.Bytes,
			Doc: "S: larger messages wait for their receive, two-sided only; 0B: none does",
			Use: noChoice.or(alwaysEager).or(library("rendezvous.threshold", func(by *ruled) bool { return by.threshold }))},
		{Path: "network.request_delay", To: &net.Asking, Is: keys.Time,
			Doc: "until the library hears of the request of a rendezvous that has come, such as one held back behind a stream of bytes; " +
				"by the size of the message",
			Use: noRendezvous.or(alwaysEager)},
		{Path: "network.delivery", To: &net.Delivery, Is: keys.Time,
			Doc: "until the bytes of a whole two-sided message that have come are in memory, in addition to the latency, by size; it " +
				"occupies neither NIC nor CPU, so that messages of a window pass side by side",
			Use: undelivered},
		{Path: "network.early", To: &net.Early,
			Doc: "a message leaves once the NIC has taken it, while the processor still pays its overhead; false: not before that is paid",
			Use: copiedOut.or(unsentByNIC)},
		{Path: "network.queue_depth", To: &net.QueueDepth, Is: keys.Count,
			Doc: "messages that may wait for, or be in, insertion; 0: no limit", Use: unsentByNIC},
		{Path: "network.outstanding", To: &net.Outstanding, Is: keys.Count,
			Doc: "messages of a process inserted and not yet sent; 0: no limit", Use: unsentByNIC},
		{Path: "network.channels", To: &net.Channels, Is: keys.Count,
			Doc: "messages of a NIC that leave at once and share its bandwidth, on fabrics where they contend; 0: one to each process, at most 64",
			Use: bounding{wired("network.channels")}},
		{Path: "network.outstanding_per_peer", To: &net.PerPeer, Is: keys.Count,
			Doc: "the same for each process it may send to, counted together; 0: no limit", Use: unsentByNIC},
	}
}

// copyingRows are the keys of CPUs that copy bytes.
func (f *machineFile) copyingRows() keys.Table {
	return keys.Table{
		{Path: "copying", To: &f.hasCopying, Doc: "a NIC without RDMA: CPUs copy the bytes; if omitted: RDMA"},
		{Path: "copying.send", To: &f.copying.SendPerByte, Is: keys.PerByte, Needs: keys.Required,
			Doc: "O: the sender's CPU copies into the send buffer"},
		{Path: "copying.receive", To: &f.copying.ReceivePerByte, Is: keys.PerByte, Needs: keys.Required,
			Doc: "O: the receiver's CPU copies out of the receive buffer"},
		{Path: "copying.buffer", To: &f.copying.Buffer, Is: keys.Bytes, Needs: keys.Required, Range: keys.Positive,
			Doc: "bytes of a process that the send buffer holds at once", Use: unsentByNIC},
		{Path: "copying.chunk", To: &f.copying.Chunk, Is: keys.Bytes, Needs: keys.Required, Range: keys.Positive,
			Doc: "bytes copied at a time", Use: unsentByNIC},
		{Path: "copying.window", To: &f.copying.Window, Is: keys.Bytes, Range: keys.Positive,
			Doc: "bytes from one process to another that may be copied out and not yet in; if omitted: any number", Use: unsentByNIC},
		{Path: "copying.protocols", To: &f.copying.Protocols, Is: keys.PerByte,
			Doc: "time of the kernel for what comes, on the logical CPU that serves the NIC, before the receiver's CPU may copy; needs smt or memory",
			Use: unsentByNIC},
		{Path: "copying.served_by", To: &f.copying.ServedBy, Is: keys.Count,
			Doc: "the number of that logical CPU, counted core by core from 0", Use: unsentByNIC.or(noProtocols)},
		{Path: "copying.interrupt", To: &f.copying.Interrupt, Is: keys.Time,
			Doc: "CPU time of an interrupt in addition to the copy", Use: unsentByNIC.or(uninterrupted).or(noInterrupt)},
		{Path: "copying.interrupts", To: &f.copying.Interrupts,
			Doc: "the NIC interrupts a computing CPU; otherwise copies wait for the next call", Use: unsentByNIC},
		{Path: "intra_node", To: &f.hasIntraNode,
			Doc: "messages inside a node, copied by CPUs; if omitted: they use the NIC, and share it with those that leave", Use: unsentLocally},
		{Path: "intra_node.latency", To: &f.intraNode.Latency, Is: keys.Time, Needs: keys.Required,
			Doc: "from the end of the copy until the target sees the message", Use: unsentInside},
		{Path: "intra_node.per_byte", To: &f.intraNode.Copy, Is: keys.PerByte, Needs: keys.Required, Doc: "a CPU copies: the sender's up to the threshold"},
		{Path: "intra_node.threshold", To: &f.intraNode.Threshold, Is: keys.Bytes, Use: noLibrary.or(noTwoSided),
			Doc: "larger two-sided messages are copied by the target's CPU in its calls (CMA, XPMEM, KNEM), if there is a runtime; 0B: none is"},
	}
}

// softwareRows are the keys of the system, of barriers and of computation.
func (f *machineFile) softwareRows() keys.Table {
	m := &f.machine
	return keys.Table{
		{Path: "noise", To: &f.hasNoise,
			Doc: "interruptions of processes by the operating system, at random moments by the scenario's seed; of those during a wait only what is left at its end costs time; if omitted: none"},
		{Path: "noise.rate", To: &f.noise.Rate, Is: keys.Frequency, Needs: keys.Required, Doc: "how often they happen, on average", Use: noNoise},
		{Path: "noise.length", To: &f.noise.Length, Is: keys.Time, Needs: keys.Required, Doc: "how long one takes", Use: neverNoise},
		{Path: "barrier", To: &f.barrier, Doc: "cost of a barrier of P processes, after the last has come: base + per_round * ceil(log2 P)"},
		{Path: "barrier.base", To: &m.Barrier.Base, Is: keys.Time, Doc: "fixed part", Use: noBarrier},
		{Path: "barrier.per_round", To: &m.Barrier.PerRound, Is: keys.Time, Doc: "part per round of doubling", Use: noBarrier},
		{Path: "barrier.inside", To: &m.Barrier.Inside, Is: keys.Time,
			Doc: "part per round inside nodes, all but ceil(log2 N) of the rounds on N nodes; 0s: per_round", Use: noBarrier},
		{Path: "barrier.threads", To: &m.Barrier.Threads, Is: keys.Time,
			Doc: "barrier of two threads of a process, after the later one has come", Use: noThreads},
		{Path: "kernels", To: &f.kernels, Doc: "speed of each kind of computation"},
	}
}

// done returns the machine once the rows are filled. It shares nothing with the file.
func (f *machineFile) done() *machines.Machine {
	m := new(f.machine)
	if m.Processes == 0 {
		m.Processes = m.Cores
	}
	if f.hasCopying.Given {
		m.Copying = new(f.copying)
	}
	if f.hasNoise.Given {
		m.Noise = new(f.noise)
	}
	if f.hasIntraNode.Given {
		m.IntraNode = new(f.intraNode)
	}
	f.sockets.apply(m)
	if f.runtime.given.Given {
		f.runtime.apply(m)
	}
	f.sharing.apply(m)
	f.gpus.apply(m)
	m.Kernels = machineKernels(f.kernelFiles)
	return m
}

// decodeMachine makes a machine from a tree whose bases have been resolved.
func decodeMachine(tree *keys.Node, name, prefix string, problems *keys.Problems) *Machine {
	var found keys.Problems
	if isScenario(tree) {
		problems.AddKind(keys.OtherFile, tree.Place, prefix, "is a scenario; a machine has cores, network, kernels and so on")
		return nil
	}
	none := dropNone(tree)
	form, done := machineForm(tree)
	defer done()
	file, d := form.content, form.decoder(&found)
	d.Origins, d.Facts = true, make([]keys.Fact, 0, usualFacts)
	d.Apart, d.Elsewhere = ofOthers(familyOf(tree)), Meant
	dropFabric(tree, prefix, &found)
	d.Decode(tree, prefix)
	checkFamily(tree, prefix, &found)
	m := file.done()
	m.Name = name
	if m.Title == "" {
		m.Title = name
	}
	if len(found) == 0 && m.Runtime != nil {
		file.runtime.check(tree.At("runtime"), keys.Within(prefix, "runtime"), &found)
	}
	if len(found) == 0 {
		file.gpus.check(m, tree, prefix, &found)
		checkMachine(m, tree, prefix, &found)
	}
	*problems = append(*problems, found...)
	if len(found) > 0 {
		return nil
	}
	ruled := file.runtime.rules()
	ruled.none = none
	return &Machine{Machine: m, Facts: d.Facts, wiring: file.wiring.done(tree), ruled: ruled, keys: d.Table}
}

// usualFacts is how many facts most machines have at most.
const usualFacts = 80

// machineForms are for machines with the standard kernels.
var machineForms = forms[machineFile]{make: func() *form[machineFile] { return newMachineForm(kernelsOf(nil), "") }}

func newMachineForm(kernels []*kernelFile, family string) *form[machineFile] {
	f := &machineFile{kernelFiles: kernels, family: family}
	return newForm(f, f.rows())
}

// machineForm returns an empty form for a machine, and what gives it back.
func machineForm(tree *keys.Node) (f *form[machineFile], done func()) {
	family := familyOf(tree)
	if kernels := kernelsOf(tree.At("kernels")); len(kernels) > len(machines.StandardKernels) || unwired().own[family] != nil {
		return newMachineForm(kernels, family), func() {}
	}
	f = machineForms.take()
	return f, func() { machineForms.give(f) }
}

// checkMachine reports values that do not fit together.
func checkMachine(m *machines.Machine, tree *keys.Node, prefix string, problems *keys.Problems) {
	checkSharing(m, tree, prefix, problems)
	if m.Processes > m.Contexts() {
		problems.Add(tree.PlaceOf("processes_per_node"), keys.Within(prefix, "processes_per_node"),
			"must be at most the %s of a node, got %d", m.Room(), m.Processes)
	}
	if c := m.Copying; c != nil && c.Chunk > c.Buffer {
		problems.Add(tree.At("copying").PlaceOf("chunk"), keys.Within(prefix, "copying.chunk"),
			"must be at most the buffer of %s, got %s", keys.FormatBytes(c.Buffer), keys.FormatBytes(c.Chunk))
	}
	if len(*problems) == 0 {
		err := nodes.Validate(m)
		var wrong *nodes.Mistake
		if errors.As(err, &wrong) {
			problems.Add(tree.NearestFlag(wrong.Key), keys.Within(prefix, wrong.Key), "%s", wrong.Message)
		} else if err != nil {
			problems.Add(tree.Place, prefix, "%s", err)
		}
	}
}

// LoadMachine returns a machine by its library name or file.
func LoadMachine(name string) (*Machine, error) {
	var problems keys.Problems
	from := &keys.Node{Shape: keys.Scalar, Text: name, Place: keys.Place{Flag: "machine " + keys.Quote(name)}}
	tree, called := machineFiles.resolve(from, "", &problems)
	if tree == nil {
		return nil, problems.Err()
	}
	m := decodeMachine(tree, called, "", &problems)
	return m, problems.Err()
}

// ReadMachine returns the machine of a file's text.
func ReadMachine(name string, text []byte) (*Machine, error) {
	var problems keys.Problems
	tree := keys.ReadText(name, text, &problems)
	if tree == nil {
		return nil, problems.Err()
	}
	if tree, _ = machineFiles.resolve(tree, "", &problems); tree == nil {
		return nil, problems.Err()
	}
	m := decodeMachine(tree, stem(name), "", &problems)
	return m, problems.Err()
}
