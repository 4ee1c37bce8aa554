package files

import (
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads/collectives"
)

// Runtime is a communication library, and the facts that its file states.
type Runtime struct {
	*machines.Runtime
	Title string
	Facts []keys.Fact // in the order of the key table
}

// noRuntime, in place of a runtime's name, removes the machine's runtime.
const noRuntime = "none"

// Words for the agent that does the work of the library, for what a process does while it waits, and for how the bytes
// of a rendezvous travel, in the order of the values.
var (
	agents    = []string{"calls", "test", "interrupts", "thread", "nic", "waits", "triggered", "nic-thread", "waits-test"}
	waits     = []string{"poll", "yield", "block"}
	protocols = []string{"read", "write", "pipelined", "copy"}

	partitionings = []string{"each", "whole"}
	completions   = []string{"copied", "acknowledged"} // of the request of a pipelined send
)

// runtimeFile holds the content of a runtime file.
type runtimeFile struct {
	given         keys.Group
	groups        [6]keys.Group
	runtime       machines.Runtime
	title         string
	threshold     int64
	send, receive network.Cost
}

// defaultChunk is the size in bytes of a fragment of a pipeline, if none is given.
const defaultChunk = 64 << 10

func newRuntime() runtimeFile {
	var f runtimeFile
	f.runtime.Pipeline.Chunk, f.runtime.Strided.Chunk = defaultChunk, defaultChunk
	return f
}

// rows is the key table of runtimes; the prefix is "runtime." inside a machine.
func (f *runtimeFile) rows(prefix string) keys.Table {
	r := &f.runtime
	rows := keys.Table{
		{Path: "name", To: &r.Name, Doc: "short name; if omitted: that of the file"},
		{Path: "title", To: &f.title, Doc: "what people call the library"},
		{Path: "base", To: new(*keys.Node), Form: "name or file", Doc: "a runtime that this one differs from: a built-in name or a file"},
		{Path: "progress", To: &f.groups[0], Doc: "who does the library's work on messages", Use: nothingToDo},
		{Path: "progress.by", To: keys.OneOf(&r.Progress.By), Choices: agents, Instead: notBy,
			Doc: "calls: the process, in its calls only; test: and in regular Tests while it computes; interrupts: the process, " +
				"interrupted; thread: a helper thread; nic: the NIC, but rounds of collectives, which the process begins in its calls; " +
				"waits: the process, in calls that wait only; triggered: the NIC, also rounds; nic-thread: the NIC, and a helper thread begins rounds; " +
				"waits-test: as waits, and in regular Tests"},
		{Path: "progress.every", To: &r.Progress.Every, Is: keys.Time, Doc: "test, waits-test: computation of the program between two Tests"},
		{Path: "progress.test", To: &r.Progress.Test, Is: keys.Time, Doc: "CPU time of a Test", Use: testless},
		{Path: "progress.delay", To: &r.Progress.Delay, Is: keys.Time, Doc: "thread, nic-thread: from something to do until the thread begins"},
		{Path: "progress.ahead", To: &r.Progress.Ahead, Is: keys.Bytes,
			Doc: "calls, test, interrupts, waits, waits-test: bytes that a read takes in after what it asks for, if they have come on the same connection"},
		{Path: "progress.takes", To: keys.OneOf(&r.Progress.OneRead), Choices: []string{"all", "read"},
			Doc: "calls, test, interrupts, waits, waits-test: what a Test takes in, all that has come or one read of each connection; the fragments of a " +
				"message behind its first one are then one read"},
		{Path: "progress.cost", To: &r.Progress.Cost, Is: keys.Time, Doc: "interrupts, thread, nic-thread: extra CPU time of each piece of work", Use: uncharged},
		{Path: "send_overhead", To: &f.send, Is: keys.Time,
			Doc: "o: CPU time to send; the copy of an eager message as per_byte of a list; if omitted: network.send_overhead"},
		{Path: "isend_overhead", To: &r.Request, Is: keys.Time,
			Doc: "extra CPU time of a non-blocking send, such as for its request; a list as send_overhead", Use: noTwoSided},
		{Path: "receive_overhead", To: &f.receive, Is: keys.Time,
			Doc: "o: CPU time to receive; the copy of an eager message as per_byte; if omitted: network.receive_overhead", Use: free},
		{Path: "copy_limit", To: &r.CopyLimit, Is: keys.Bytes,
			Doc: "larger eager messages are sent in place: their requests are complete when the bytes have left; 0B: none is", Use: noEager},
		{Path: "matching", To: &r.Matching, Is: keys.Time,
			Doc: "CPU time to match a message, or the request of one, with a receive", Use: noTwoSided.or(free)},
		{Path: "search", To: &r.Search, Is: keys.Time,
			Doc: "extra CPU time for each posted receive that the search passes: half of them", Use: noTwoSided.or(free)},
		{Path: "unexpected", To: &r.Unexpected, Is: keys.Time, Doc: "extra CPU time for a message that came before its receive, or during the computation", Use: noTwoSided},
		{Path: "handler", To: &r.Handler, Is: keys.Time, Doc: "CPU time of the handler of a signalling put", Use: noSignal},
		{Path: "dispatch", To: &r.Dispatch, Is: keys.Time, Use: noSignal,
			Doc: "from a signalling put until the thread of handlers has a processor; it then runs those of all that have come; 0s: no thread"},
		{Path: "rendezvous", To: &f.groups[1], Doc: "messages that wait for their receive"},
		{Path: "rendezvous.threshold", To: &f.threshold, Is: keys.Bytes, Range: keys.Positive,
			Doc: "S: larger messages are sent so; if omitted: network.rendezvous_threshold", Use: noChoice},
		{Path: "rendezvous.kind", To: keys.OneOf(&r.Rendezvous), Choices: protocols,
			Doc: "read: the target reads the bytes by RDMA; write: it replies, and the sender writes them; pipelined: it replies, and the CPUs " +
				"copy fragment after fragment; copy: the target's CPU copies at network.gap_per_byte (shared memory: CMA, XPMEM)", Use: noContiguous.or(noRDMA)},
	}
	rows = append(rows, pipelineRows("rendezvous", &r.Pipeline, notPipelined, notPipelined)...)
	rows = append(rows, keys.Table{
		{Path: "strided", To: &f.groups[2],
			Doc: "messages whose bytes are not contiguous: eager ones are packed whole, others travel in fragments", Use: noStrided},
		{Path: "strided.pack", To: &r.Strided.Pack, Is: keys.PerByte, Doc: "eager: the sender's CPU packs", Use: noPacked},
		{Path: "strided.unpack", To: &r.Strided.Unpack, Is: keys.PerByte, Doc: "eager: the target's CPU unpacks", Use: noPacked},
	}...)
	rows = append(rows, pipelineRows("strided", &r.Strided.Pipeline, noRDMA, noRDMA.or(noLongStrided))...)
	rows = append(rows, f.processRows()...)
	for i := range rows {
		rows[i].Path = prefix + rows[i].Path
	}
	return rows
}

// processRows are the keys of processes that wait, their threads and their collectives.
func (f *runtimeFile) processRows() keys.Table {
	r := &f.runtime
	return keys.Table{
		{Path: "waiting", To: &f.groups[3], Doc: "a process in a call that has nothing to do", Use: nothingToDo},
		{Path: "waiting.by", To: keys.OneOf(&r.Waiting), Choices: waits, Instead: notWaitingBy,
			Doc: "poll: it looks again and again; yield: and leaves the core to other threads in between; block: it sleeps"},
		{Path: "waiting.wakeup", To: &r.Wakeup, Is: keys.Time, Doc: "block: from what it waits for until it runs"},
		{Path: "threads", To: &f.groups[4], Doc: "the threads of a process that has several"},
		{Path: "threads.binding", To: keys.OneOf(&r.Bound), Choices: []string{"node", "core"},
			Doc: "where they run: on all cores of the node, or in turns on the one that the process is bound to", Use: noBackground},
		{Path: "partitioned", To: keys.OneOf(&r.Partitioned), Choices: partitionings, Use: noPartitions,
			Doc: "partitioned messages of MPI 4, each: a message for each partition, when it is ready; whole: one message, when all are ready and " +
				"the receiver has started"},
		{Path: "offload", To: &f.groups[5],
			Doc: "all-reduces, broadcasts and barriers by switches that combine (SHARP), where the algorithm is auto or offload"},
		{Path: "offload.fan_in", To: &r.Offload.FanIn, Is: keys.Count,
			Doc: "hosts, or switches, below a switch that combines; 0: the switches do not combine"},
		{Path: "offload.level", To: &r.Offload.Level, Is: keys.Time, Doc: "that each level of switches adds", Use: uncombined},
		{Path: "offload.segment", To: &r.Offload.Segment, Is: keys.Bytes, Doc: "bytes that switches combine at once; 0B: all", Use: uncombined},
		{Path: "offload.per_segment", To: &r.Offload.PerSegment, Is: keys.Time, Doc: "that each segment after the first one adds", Use: uncombined},
		{Path: "offload.up_to", To: &r.Offload.Limit, Is: keys.Bytes,
			Doc: "auto: longer vectors go by the algorithms of collectives; 0B: none do"},
		{Path: "offload.nodes", To: &r.Offload.Least, Is: keys.Count, Doc: "auto: so do vectors of groups on fewer nodes"},
		{Path: "collectives", To: &r.Collectives, Choices: collectives.Libraries(),
			Doc: "the library whose choice of algorithms it takes for collectives; if omitted: mpich-4, as without a runtime"},
	}
}

// pipelineRows are the keys of messages that travel in fragments. chunk is the idle of
// the size of a fragment, others the default of the other keys.
func pipelineRows(group string, p *machines.Pipeline, chunk, others idle) keys.Table {
	return keys.Table{
		{Path: group + ".chunk", To: &p.Chunk, Is: keys.Bytes, Range: keys.Positive,
			Doc: "bytes of a fragment; if omitted: " + keys.FormatBytes(defaultChunk), Use: chunk},
		{Path: group + ".first", To: &p.First, Is: keys.Bytes,
			Doc: "bytes that travel with the request, at most as many as the threshold", Use: others},
		{Path: group + ".depth", To: &p.Depth, Is: keys.Count, Doc: "fragments copied and not completely sent; 0: no limit", Use: others},
		{Path: group + ".complete", To: keys.OneOf(&p.Acknowledged), Choices: completions, Doc: "the sender's request is complete when " +
			"its last fragment is copied, or when the target says that it has all bytes", Use: others},
		{Path: group + ".in", To: &p.In, Is: keys.PerByte, Doc: "the sender's CPU copies, user memory into a fragment", Use: others},
		{Path: group + ".out", To: &p.Out, Is: keys.PerByte, Doc: "the target's CPU copies, a fragment into user memory", Use: others},
	}
}

// rules tells which numbers of the network the runtime gives in their place.
func (f *runtimeFile) rules() ruled {
	return ruled{send: f.send != nil, receive: f.receive != nil, threshold: f.threshold > 0}
}

// apply replaces the network values of the machine that the runtime gives too.
func (f *runtimeFile) apply(m *machines.Machine) {
	m.Runtime = new(f.runtime)
	if f.threshold > 0 {
		m.Network.Rendezvous = f.threshold
	}
	if s := m.Network.Rendezvous; s > 0 {
		m.Runtime.Pipeline.First, m.Runtime.Strided.First = min(m.Runtime.Pipeline.First, s), min(m.Runtime.Strided.First, s)
	}
	if f.send != nil {
		m.Network.SendOverhead = f.send
	}
	if f.receive != nil {
		m.Network.ReceiveOverhead = f.receive
	}
}

// onlyBy are the keys of progress that mean nothing by other agents.
var onlyBy = []struct {
	key string
	by  []machines.Agent
}{
	{"every", []machines.Agent{machines.Testing, machines.TestingInWaits}},
	{"delay", []machines.Agent{machines.Thread, machines.Assisted}},
	{"cost", []machines.Agent{machines.Interrupts, machines.Thread, machines.Assisted}},
}

// notBy are the keys of progress that mean nothing by an agent: an agent that is set over another one takes them away.
func notBy(agent string) (others []string) {
	for _, only := range onlyBy {
		if !slices.ContainsFunc(only.by, func(by machines.Agent) bool { return agents[by] == agent }) {
			others = append(others, "progress."+only.key)
		}
	}
	return others
}

// notWaitingBy is the same of a process that waits.
func notWaitingBy(by string) []string {
	if by == waits[machines.Block] {
		return nil
	}
	return []string{"waiting.wakeup"}
}

// check reports values that do not fit together.
func (f *runtimeFile) check(tree *keys.Node, prefix string, problems *keys.Problems) {
	progress := &f.runtime.Progress
	if progress.By.Tests() && progress.Every == 0 {
		problems.Add(tree.At("progress").PlaceOf("by"), keys.Within(prefix, "progress.every"),
			"is missing; by %s needs a time such as 100us (computation between two Tests)", agents[progress.By])
	}
	for i, given := range []bool{progress.Every > 0, progress.Delay > 0, progress.Cost > 0} {
		if only := &onlyBy[i]; given && !slices.Contains(only.by, progress.By) {
			instead := only.by[0]
			if progress.By == machines.InWaits && slices.Contains(only.by, machines.TestingInWaits) {
				instead = machines.TestingInWaits
			}
			problems.Add(tree.At("progress").PlaceOf(only.key), keys.Within(prefix, "progress."+only.key), "means nothing by %s; it is for by: %s "+
				"(--set machine.runtime.progress.by=%s)", agents[progress.By], enumerate(only.by), agents[instead])
		}
	}
	if waiting := f.runtime.Waiting; waiting != machines.Block && f.runtime.Wakeup > 0 {
		problems.Add(tree.At("waiting").PlaceOf("wakeup"), keys.Within(prefix, "waiting.wakeup"), "means nothing by %s; it is for by: block",
			waits[waiting])
	}
}

// enumerate joins the words for agents: "interrupts or thread".
func enumerate(by []machines.Agent) string {
	all := make([]string, len(by))
	for i, agent := range by {
		all[i] = agents[agent]
	}
	return strings.Join(all, " or ")
}

// LoadRuntime returns a runtime by its library name or file.
func LoadRuntime(name string) (*Runtime, error) {
	var problems keys.Problems
	from := &keys.Node{Shape: keys.Scalar, Text: name, Place: keys.Place{Flag: "runtime " + keys.Quote(name)}}
	tree, called := runtimeFiles.resolve(from, "", &problems)
	if tree == nil {
		return nil, problems.Err()
	}
	f := newRuntime()
	d := keys.Decoder{Table: f.rows(""), Problems: &problems, Origins: true}
	d.Decode(tree, "")
	if len(problems) == 0 {
		f.check(tree, "", &problems)
	}
	if f.runtime.Name == "" {
		f.runtime.Name = called
	}
	if f.title == "" {
		f.title = f.runtime.Name
	}
	return &Runtime{&f.runtime, f.title, d.Facts}, problems.Err()
}

// openRuntime replaces a runtime that is named, or has a base, by its keys. It returns
// nil after problems, and for noRuntime.
func openRuntime(n *keys.Node, problems *keys.Problems) *keys.Node {
	if n.Shape == keys.Scalar && n.Text == noRuntime {
		return nil
	}
	tree, name := runtimeFiles.resolve(n, "runtime", problems)
	if tree != nil && tree.At("name") == nil && name != inline {
		tree.Put("name", &keys.Node{Shape: keys.Scalar, Text: name, Place: tree.Place})
	}
	return tree
}
