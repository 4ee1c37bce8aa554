package advice

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/sim"
)

// waits are the terms of a process that waits for a message on its way.
var waits = []nodes.Term{nodes.Progress, nodes.Transfer, nodes.Contention, nodes.Latency}

// moving are those, and that of the processor's work on messages.
var moving = append([]nodes.Term{nodes.Overhead}, waits...)

// network are the terms of bytes that take long.
var network = []nodes.Term{nodes.NICStall, nodes.Transfer, nodes.Contention}

// anything is all that communication costs.
var anything = []nodes.Term{nodes.Overhead, nodes.NICStall, nodes.Progress, nodes.Transfer, nodes.Contention, nodes.Latency, nodes.Partner, nodes.BarrierTime}

// table is what is known to help, each when and how.
var table = []candidate{
	{software, agent, moving, ofAgent(nodes.Thread), thread},
	{software, agent, waits, ofAgent(nodes.Testing), tests},
	{software, agent, waits, ofAgent(nodes.Interrupts), interrupts},
	{machine, agent, moving, ofAgent(nodes.Offload), offload},
	{software, agent, waits, sleeps, setting("processes that poll instead of sleeping", "machine.runtime.waiting={by: poll, wakeup: 0s}")},
	{software, agent, waits, bound, setting("threads that are not bound to the core of their process", "machine.runtime.threads.binding=node")},
	{software, protocol, anything, (*subject).rendezvous, eager},
	{software, protocol, anything, pipelines, setting("large messages by RDMA, which the receiver reads", "machine.runtime.rendezvous.kind=read")},
	{software, protocol, anything, reads, setting("large messages by RDMA, which the sender writes", "machine.runtime.rendezvous.kind=write")},
	{software, protocol, []nodes.Term{nodes.Overhead}, copiesEager, byRDMA},
	{software, shape, anything, nil, (*subject).reshaped},
	{software, queue, []nodes.Term{nodes.NICStall}, nil, deeper},
	{software, place, anything, throughNIC, inMemory},
	{software, place, anything, nil, mapped},
	{software, place, append([]nodes.Term{nodes.Interference}, network...), nil, spread},
	{machine, hardware, moving, copies, setting("a NIC with RDMA", "machine.copying=none")},
	{machine, hardware, network, nil, setting("NICs of twice the bandwidth", "machine.network.bandwidth=x2")},
	{machine, hardware, network, linked, setting("links of twice the bandwidth", "machine.links.bandwidth=x2")},
	{machine, hardware, []nodes.Term{nodes.Latency}, nil, setting("half the latency", "machine.network.latency=x0.5")},
	{machine, hardware, []nodes.Term{nodes.Overhead}, nil, overheads},
	{machine, hardware, []nodes.Term{nodes.Interference}, sharesMemory, setting("memories of twice the bandwidth", "machine.memory.bandwidth=x2")},
	{machine, hardware, []nodes.Term{nodes.Interference}, disturbed, setting("a system without noise", "machine.noise=none")},
}

// setting is a change that is the same for every run.
func setting(says string, set ...string) func(*subject) []change {
	return func(*subject) []change { return []change{{says: says, set: set}} }
}

// only is a change alone.
func only(says string, set ...string) []change { return []change{{says: says, set: set}} }

// Costs of agents, where the machine does not know the agent.
const (
	wakeThread   = "2us"   // as library/helper-thread.yaml
	threadJob    = "1us"   // likewise
	interruptJob = "5us"   // as machines/bassi-interrupts.yaml
	testCost     = "0.3us" // as docs/tutorial.md
)

// ofAgent tells whether another agent than today's can move the messages.
func ofAgent(by nodes.Agent) func(*subject) bool {
	return func(s *subject) bool { return s.moved() && s.library().Progress.By != by }
}

// progress lets an agent move the messages: what today's agent has and the other one
// cannot have is taken back.
func progress(s *subject, says, by string, keys ...string) []change {
	today, given := s.library().Progress, strings.Join(keys, " ")
	for _, had := range []struct {
		key  string
		time sim.Time
	}{{"every", today.Every}, {"delay", today.Delay}, {"cost", today.Cost}} {
		if had.time > 0 && !strings.Contains(given, had.key+":") {
			keys = append(keys, had.key+": 0s")
		}
	}
	if len(keys) == 0 {
		return only(says, "machine.runtime.progress.by="+by)
	}
	return only(says, fmt.Sprintf("machine.runtime.progress={by: %s, %s}", by, strings.Join(keys, ", ")))
}

func thread(s *subject) []change {
	return progress(s, "a progress thread, on a core of its own", "thread", "delay: "+wakeThread, "cost: "+threadJob)
}

func interrupts(s *subject) []change {
	return progress(s, "interrupts for arriving messages", "interrupts", "cost: "+interruptJob)
}

func offload(s *subject) []change {
	return progress(s, "a NIC that moves messages on by itself", "nic")
}

// mostTested is the part of a computation that tests may cost.
const mostTested = 10

// tests lets processes test four times in each computation.
func tests(s *subject) []change {
	every := s.piece / 4
	if cost, _ := scenarios.ParseTime(testCost); every < mostTested*cost {
		return nil
	}
	text := leading(every).String()
	return progress(s, "an MPI_Test every "+text+" of computation", "test", "every: "+text, "test: "+testCost)
}

// leading keeps the first digit of a time.
func leading(t sim.Time) sim.Time {
	unit := sim.Time(1)
	for t/unit >= 10 {
		unit *= 10
	}
	return t / unit * unit
}

func sleeps(s *subject) bool { return s.library().Waiting == nodes.Block }

func bound(s *subject) bool { return s.library().Bound && s.Background > 0 }

// pipelines tells whether CPUs copy large messages although the NIC could move them.
func pipelines(s *subject) bool {
	return s.Machine.Copying == nil && s.rendezvous() && s.library().Rendezvous != nodes.Read
}

// reads tells whether receivers read large messages, of a library that can do otherwise.
func reads(s *subject) bool {
	return s.Machine.Copying == nil && s.rendezvous() && s.library().Rendezvous == nodes.Read
}

// threshold is the key from which on messages wait for their receives.
func (s *subject) threshold() string {
	if s.Machine.Runtime != nil {
		return "machine.runtime.rendezvous.threshold"
	}
	return "machine.network.rendezvous_threshold"
}

// eager lets no message wait for its receive.
func eager(s *subject) []change {
	size := scenarios.FormatBytes(s.largest)
	return only("messages of up to "+size+" sent at once (eager)", s.threshold()+"="+size)
}

// smallest is the size above which the data of a message is worth an RDMA of its own.
const smallest = 4 << 10

// copiesEager tells whether CPUs touch each byte of messages that a NIC could move.
func copiesEager(s *subject) bool {
	net := &s.Machine.Network
	return s.Machine.Copying == nil && s.largest > smallest && (net.Rendezvous == 0 || net.Rendezvous > smallest) &&
		(net.SendOverhead.Further() > 0 || net.ReceiveOverhead.Further() > 0)
}

func byRDMA(s *subject) []change {
	size := scenarios.FormatBytes(smallest)
	set := []string{s.threshold() + "=" + size}
	if s.library().Rendezvous == nodes.Pipelined {
		set = append(set, "machine.runtime.rendezvous.kind=read")
	}
	return only("data by RDMA (rendezvous above "+size+")", set...)
}

// deeper lets the NIC, and each process, have four times as many messages.
func deeper(s *subject) (all []change) {
	net := &s.Machine.Network
	for _, limit := range []struct {
		today     int
		key, says string
	}{
		{net.QueueDepth, "queue_depth", "messages in the queue of a NIC"}, {net.Outstanding, "outstanding", "messages of a process under way"},
		{net.PerPeer, "outstanding_per_peer", "messages of a process under way for each peer"},
	} {
		if limit.today > 0 {
			all = append(all, only(fmt.Sprintf("%d %s instead of %d", 4*limit.today, limit.says, limit.today), fmt.Sprintf("machine.network.%s=%d", limit.key, 4*limit.today))...)
		}
	}
	return all
}

// throughNIC tells whether messages inside a node use its NIC.
func throughNIC(s *subject) bool {
	return s.Machine.IntraNode == nil && s.Processes > 1 && s.Ranks > 1
}

// Cost of a message that a processor copies inside a node, where the machine does not
// know of any: two cache misses, and a copy at what one core does, or what the memory
// leaves each of them, as it is read and written.
const (
	insideLatency = "0.5us"
	insideRate    = 5e9 // bytes/s
)

func inMemory(s *subject) []change {
	rate := insideRate
	if m := s.Machine.Sharing; m != nil && m.Bandwidth > 0 {
		rate = min(rate, m.Bandwidth/float64(2*s.Processes))
	}
	text := scenarios.Format(scenarios.Bandwidth, math.Floor(rate/1e6)*1e6)
	return only("messages inside a node through its memory, at "+text, "machine.intra_node={latency: "+insideLatency+", per_byte: "+text+"}")
}

// mapped places the ranks in another order.
func mapped(s *subject) []change {
	if s.Processes == 1 || nodesOf(s.Scenario) == 1 {
		return nil
	}
	other := "block"
	if s.Mapping == other {
		other = "cyclic"
	}
	return only(fmt.Sprintf("ranks placed %s instead of %s", other, s.Mapping), "mapping="+other)
}

// spread leaves each process more of its node.
func spread(s *subject) []change {
	if s.Processes == 1 {
		return nil
	}
	half := s.Processes / 2
	return []change{{says: fmt.Sprintf("%d instead of %d processes on a node, and more nodes", half, s.Processes), set: []string{fmt.Sprintf("processes_per_node=%d", half)}, moreNodes: true}}
}

func copies(s *subject) bool { return s.Machine.Copying != nil }

func linked(s *subject) bool { return s.Contended() && s.states("links.bandwidth") }

func sharesMemory(s *subject) bool {
	return s.Machine.Sharing != nil && s.Machine.Sharing.Bandwidth > 0
}

func disturbed(s *subject) bool { return s.Machine.Noise != nil }

// overheads halves what each message costs a CPU, where it is stated.
func overheads(s *subject) []change {
	var set []string
	for _, key := range []string{"send_overhead", "receive_overhead"} {
		for _, group := range []string{"runtime.", "network."} {
			if s.states(group + key) {
				set = append(set, "machine."+group+key+"=x0.5")
				break
			}
		}
	}
	return []change{{says: "half the CPU time of each message", set: set}}
}
