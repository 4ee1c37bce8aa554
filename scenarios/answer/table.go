package answer

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
)

// What changes attack. The first cause is the one that a change is meant for.
var (
	// anything is every cost of communication.
	anything = []string{"communication", "bandwidth", "links", "latency", "overhead", "progress", "stalls", "gap", "synchronisation", "imbalance"}
	// unmoved are messages without progress.
	unmoved = []string{"progress", "latency"}
	// early are sends that wait for their receives.
	early = []string{"progress", "imbalance", "latency"}
	// sited are causes that depend on where ranks are.
	sited = []string{"links", "communication", "bandwidth", "latency", "interference"}
	// shared are causes that fewer processes on a node have less of.
	shared = []string{"bandwidth", "interference", "links", "gap", "stalls", "overhead"}
)

// tables are the changes that may help a run: of processes, or of GPUs.
var tables = [results.NumWorkers][]candidate{results.Processes: onProcesses, results.GPUs: onGPUs}

// onProcesses lists the changes that may help processes, each with its conditions. The cheapest to follow come first.
var onProcesses = []candidate{
	{program, anything, nil, near("algorithm", "algorithm %s", true)},
	{program, anything, nil, (*subject).reshaped},
	{program, anything, nil, near("segment", "in segments of %s", true)},
	{program, anything, (*subject).movable, setting("MPI_Irecv earlier and MPI_Wait later, if the computation in between does not need the data", "",
		"moves.receives=best", "moves.waits=best")},
	{program, unmoved, untested, tests},
	{library, unmoved, ofAgent(machines.Thread), thread},
	{library, early, (*subject).rendezvous, eager},
	{library, unmoved, ofAgent(machines.Interrupts), interrupts},
	{library, unmoved, sleeps, setting("processes that poll instead of sleeping", "cores are busy while processes wait",
		"machine.runtime.waiting={by: poll, wakeup: 0s}")},
	{library, []string{"interference", "progress"}, bound, setting("threads not bound to the core of their process", "",
		"machine.runtime.threads.binding=node")},
	{library, []string{"overhead", "progress", "bandwidth"}, pipelines, setting("large messages by RDMA, read by the receiver", "",
		"machine.runtime.rendezvous.kind=read")},
	{library, []string{"overhead", "progress", "latency"}, reads, setting("large messages by RDMA, written by the sender", "",
		"machine.runtime.rendezvous.kind=write")},
	{library, []string{"overhead"}, copiesEager, byRDMA},
	{library, []string{"bandwidth", "links", "links" + and + "bandwidth", "bandwidth" + and + "links", "progress", "latency"}, sendsWhole,
		setting("a library that sends each partition when it is ready", "", "machine.runtime.partitioned=each")},
	{library, []string{"bandwidth", "latency", "overhead", "links"}, throughNIC, inMemory},
	{library, []string{"bandwidth", "stalls", "gap"}, (*subject).unstriped, setting("each message over all NICs of its node (striped)", "",
		"machine.nics.use=striped")},
	{library, []string{"stalls"}, nil, deeper},
	{routes, []string{"links", "communication"}, (*subject).crowded, routed},
	{placement, sited, (*subject).placeable, mapped},
	{placement, shared, nil, spread},
	{machine, []string{"progress", "overhead"}, byProcessors, offload},
	{machine, []string{"progress", "overhead"}, (*subject).beginsRounds, triggers},
	{machine, []string{"latency", "overhead", "progress", "synchronisation"}, hostsCombine, inSwitches},
	{machine, []string{"overhead", "progress"}, copies, setting("a NIC with RDMA", "", "machine.copying=none")},
	{machine, []string{"bandwidth"}, nil, widerNICs},
	{machine, []string{"bandwidth"}, (*subject).shaped, setting("a traffic shaper of twice the rate", "", "machine.bucket.rate=x2")},
	{machine, []string{"bandwidth", "gap", "links" + and + "bandwidth", "bandwidth" + and + "links", "stalls"}, nil, moreNICs},
	{machine, []string{"links"}, linked, widerLinks},
	{machine, []string{"links"}, (*subject).contended, untapered},
	{machine, []string{"links" + and + "bandwidth", "bandwidth" + and + "links"}, linked, widerBoth},
	{machine, []string{"latency"}, nil, setting("half the latency", "", "machine.network.latency=x0.5")},
	{machine, []string{"overhead"}, nil, overheads},
	{machine, []string{"overhead"}, copies, copiesFaster},
	{machine, []string{"overhead"}, combines, combining},
	{machine, []string{"overhead"}, (*subject).copiesInside, fasterInside},
	{machine, []string{"gap"}, nil, setting("NICs of twice the message rate", "", "machine.network.gap=x0.5")},
	{machine, []string{"interference"}, sharesMemory, setting("memories of twice the bandwidth", "", "machine.memory.bandwidth=x2")},
	{machine, []string{"noise"}, disturbed, setting("a system without noise", "", "machine.noise=none")},
}

// setting is a change that is the same for every run.
func setting(says, price string, set ...string) func(*subject) []change {
	return func(*subject) []change { return []change{{says: says, price: price, set: set}} }
}

// only is a list of one change; of none if it sets nothing.
func only(says string, set ...string) []change {
	if len(set) == 0 {
		return nil
	}
	return []change{{says: says, set: set}}
}

// at is a list of one change with its price.
func at(price, says string, set ...string) []change {
	return []change{{says: says, price: price, set: set}}
}
