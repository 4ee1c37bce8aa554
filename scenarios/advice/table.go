package advice

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
)

// waits are the terms of a process that waits for a message on its way.
var waits = []results.Term{results.Progress, results.Transfer, results.Contention, results.Latency}

// moving are those terms, and that of the processor's work on messages.
var moving = append([]results.Term{results.Overhead}, waits...)

// network are the terms that slow bytes cause.
var network = []results.Term{results.NICStall, results.Transfer, results.Contention}

// anything is every term that communication costs.
var anything = []results.Term{
	results.Overhead, results.NICStall, results.Progress, results.Transfer, results.Contention, results.Latency, results.Partner,
	results.BarrierTime,
}

// disturbances is the cost of others on the node.
var disturbances = []results.Term{results.Interference}

// shared are the terms of resources that the processes of a node share.
var shared = append([]results.Term{results.Interference}, network...)

// tables are the changes that may help a run: of processes, or of GPUs.
var tables = [results.NumWorkers][]candidate{results.Processes: onProcesses, results.GPUs: onGPUs}

// onProcesses lists the changes that may help processes, each with its conditions.
var onProcesses = []candidate{
	{software, agent, moving, ofAgent(machines.Thread), thread},
	{software, agent, waits, ofAgent(machines.Testing), tests},
	{software, agent, waits, ofAgent(machines.Interrupts), interrupts},
	{machine, agent, moving, ofAgent(machines.Offload), offload},
	{software, agent, waits, sleeps, setting("processes that poll instead of sleeping", "machine.runtime.waiting={by: poll, wakeup: 0s}")},
	{software, agent, waits, bound, setting("threads not bound to the core of their process", "machine.runtime.threads.binding=node")},
	{software, protocol, anything, (*subject).rendezvous, eager},
	{software, protocol, anything, pipelines, setting("large messages by RDMA, read by the receiver", "machine.runtime.rendezvous.kind=read")},
	{software, protocol, anything, reads, setting("large messages by RDMA, written by the sender", "machine.runtime.rendezvous.kind=write")},
	{software, protocol, []results.Term{results.Overhead}, copiesEager, byRDMA},
	{software, shape, anything, nil, (*subject).reshaped},
	{software, queue, []results.Term{results.NICStall}, nil, deeper},
	{software, place, anything, throughNIC, inMemory},
	{software, place, anything, nil, mapped},
	{software, place, shared, nil, spread},
	{machine, hardware, moving, copies, setting("a NIC with RDMA", "machine.copying=none")},
	{machine, hardware, network, nil, setting("NICs of twice the bandwidth", "machine.network.bandwidth=x2")},
	{machine, hardware, network, linked, setting("links of twice the bandwidth", "machine.links.bandwidth=x2")},
	{machine, hardware, []results.Term{results.Latency}, nil, setting("half the latency", "machine.network.latency=x0.5")},
	{machine, hardware, []results.Term{results.Overhead}, nil, overheads},
	{machine, hardware, disturbances, sharesMemory, setting("memories of twice the bandwidth", "machine.memory.bandwidth=x2")},
	{machine, hardware, disturbances, disturbed, setting("a system without noise", "machine.noise=none")},
}

// setting is a change that is the same for every run.
func setting(says string, set ...string) func(*subject) []change {
	return func(*subject) []change { return []change{{says: says, set: set}} }
}

// only is a list of one change.
func only(says string, set ...string) []change { return []change{{says: says, set: set}} }
