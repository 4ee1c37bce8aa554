package advice

import (
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
)

// waits are the terms of a process that waits for a message on its way.
var waits = []nodes.Term{nodes.Progress, nodes.Transfer, nodes.Contention, nodes.Latency}

// moving are those terms, and that of the processor's work on messages.
var moving = append([]nodes.Term{nodes.Overhead}, waits...)

// network are the terms that slow bytes cause.
var network = []nodes.Term{nodes.NICStall, nodes.Transfer, nodes.Contention}

// anything is every term that communication costs.
var anything = []nodes.Term{
	nodes.Overhead, nodes.NICStall, nodes.Progress, nodes.Transfer, nodes.Contention, nodes.Latency, nodes.Partner, nodes.BarrierTime,
}

// disturbances is the cost of others on the node.
var disturbances = []nodes.Term{nodes.Interference}

// shared are the terms of resources that the processes of a node share.
var shared = append([]nodes.Term{nodes.Interference}, network...)

// table lists the changes that may help, each with its conditions.
var table = []candidate{
	{software, agent, moving, ofAgent(machines.Thread), thread},
	{software, agent, waits, ofAgent(machines.Testing), tests},
	{software, agent, waits, ofAgent(machines.Interrupts), interrupts},
	{machine, agent, moving, ofAgent(machines.Offload), offload},
	{software, agent, waits, sleeps, setting("processes that poll instead of sleeping", "machine.runtime.waiting={by: poll, wakeup: 0s}")},
	{software, agent, waits, bound, setting("threads not bound to the core of their process", "machine.runtime.threads.binding=node")},
	{software, protocol, anything, (*subject).rendezvous, eager},
	{software, protocol, anything, pipelines, setting("large messages by RDMA, read by the receiver", "machine.runtime.rendezvous.kind=read")},
	{software, protocol, anything, reads, setting("large messages by RDMA, written by the sender", "machine.runtime.rendezvous.kind=write")},
	{software, protocol, []nodes.Term{nodes.Overhead}, copiesEager, byRDMA},
	{software, shape, anything, nil, (*subject).reshaped},
	{software, queue, []nodes.Term{nodes.NICStall}, nil, deeper},
	{software, place, anything, throughNIC, inMemory},
	{software, place, anything, nil, mapped},
	{software, place, shared, nil, spread},
	{machine, hardware, moving, copies, setting("a NIC with RDMA", "machine.copying=none")},
	{machine, hardware, network, nil, setting("NICs of twice the bandwidth", "machine.network.bandwidth=x2")},
	{machine, hardware, network, linked, setting("links of twice the bandwidth", "machine.links.bandwidth=x2")},
	{machine, hardware, []nodes.Term{nodes.Latency}, nil, setting("half the latency", "machine.network.latency=x0.5")},
	{machine, hardware, []nodes.Term{nodes.Overhead}, nil, overheads},
	{machine, hardware, disturbances, sharesMemory, setting("memories of twice the bandwidth", "machine.memory.bandwidth=x2")},
	{machine, hardware, disturbances, disturbed, setting("a system without noise", "machine.noise=none")},
}

// setting is a change that is the same for every run.
func setting(says string, set ...string) func(*subject) []change {
	return func(*subject) []change { return []change{{says: says, set: set}} }
}

// only is a list of one change.
func only(says string, set ...string) []change { return []change{{says: says, set: set}} }
