// Package nodes runs programs on a machine: processes on cores, what their computation costs, how
// they post, move and wait for messages, and where their time goes.
//
// The rules of a run are numbered; docs/contributing/rules.md has them, and comments here refer to them by
// number. The engine follows them to the picosecond. The slow second implementation in
// reference_test.go is written from them: change all three together. This comment explains how
// the engine is made.
//
// # A run
//
// Run takes a machine (package machines), a program (package programs) and Options, and returns a
// Result (package results). RunLive does the same for programs that are Go functions, one
// coroutine for each rank. A run is one cluster (cluster.go). The cluster owns an event kernel
// (package sim), the ranks, and the messages in flight. Four sides own the rest: the CPUs
// (cpuside.go), the NICs (nicside.go), the way between NICs (networkside.go), and what observes the
// run (observers.go). The cluster has the fields and methods of its sides. A method belongs to a side
// if it needs nothing else; most events change a rank, a message and a side together, and are
// methods of the cluster. Handle (steps.go) receives every
// event. An event is a time, a kind (evResume, evArrive, ...), and a number: a rank, or a message
// with its leg, or a message with the bytes of a chunk. Events of the same time are handled in the
// order in which they were scheduled. Therefore the same input gives the same result to the byte.
//
// The run ends when no event is left. If a rank has not ended by then, that is a deadlock, and the
// error says who waits for whom (deadlock.go). A message that is never received is an error, too.
//
// # Ranks
//
// A rank is a process, or a thread of one, and does one operation after the other. Its state says
// what blocks it: computing until opEnd, stalled or queued before a post, posting, copying, waiting
// for a message, in a barrier. An evResume event wakes it. There is one valid wake-up time per
// rank (wakeAt); events for earlier requests are ignored. When it wakes, the rank ends the
// operation that blocked it and performs further operations until one takes time (wake). The
// program is asked for one step of operations at a time (fetch), so that a run never holds more
// than one step per rank.
//
// A request is a slot of the rank. It holds a posted receive without a message, or a message. A
// second post on a slot that is in use ends the run.
//
// # Messages and NICs
//
// A post (post.go) waits for room in its NIC, pays the overhead o, and hands the message over
// (launch in move.go). There are six protocols (message.go): one-sided puts, gets, signals, data for
// switches that combine (combining.go), eager sends and rendezvous sends. A message makes one or more trips, called legs: the bytes
// (load), a request, a reply, a finish. Each leg leaves through the NIC of one rank (send),
// arrives at the NIC of another one (evArrive), passes it (intake), and then has an effect there
// (arrive without a library, pass with one). Two-sided messages are paired with receives by
// package match (twosided.go).
//
// Most messages go straight into memory, and a few times describe them (passage, arrived,
// delivered, completed). A message that does not has a staging as well: one that is sent by
// rendezvous, a get, or any message where there is a library or no RDMA. The staging counts the
// bytes that are still to be copied, sent, taken on and delivered, and notes what the message does.
// Messages and stagings are in slabs; their numbers are used again when the last rank that holds a
// message drops it.
//
// Messages inside a node are copies by the CPU, if the machine has numbers for that. They never
// reach a NIC.
//
// # Fabrics
//
// There are three ways to travel between NICs:
//
//   - The ideal fabric: a NIC is a first-in first-out server with known service times, so depart
//     (calibrated.go) books the times of a leg when it is handed over. No event is needed until
//     it arrives.
//   - A calibrated fabric: the same, but every rank has its own NIC, and what others add to a
//     message follows from a factor (type calibration). Nothing is shared.
//   - A contended fabric: the carrier (contended.go) runs the sending side of the NICs. It starts
//     transfers as channels become free and hands their parts to a network.Contended. The fabric
//     answers with Sent and Arrived; cluster.sentAt and arrivedAt continue the message.
//
// The zero values of calibration, connections, noise, sharers and recorder say that there is none,
// and their methods then do nothing. The methods of causes, region, live and symmetry on nil do nothing either. Only
// the methods themselves, and schedule, ask whether a mode is on.
//
// # Jobs and the agent
//
// Without a library, and with RDMA, the NIC does what a message needs. Otherwise software does, in
// jobs (worker.go): a chunk is copied, a request is matched, the bytes are asked for, a handler
// runs. A job belongs to one process. offer makes it possible; the agent takes it on when it may
// work (progress, takeOn); its effects happen at its end (jobDone, complete in library.go). Whose
// CPU the agent uses, and in which calls it may work, are its traits (traits.go). An agent on the
// process's own CPU takes on one job at a time. A wait returns when its own request is complete;
// jobs that are still possible are left to the next call. In the library of LogGOPS, where the
// machine has none, and for the agent that is the NIC, jobs take no time and are done at once.
//
// Machines without RDMA, and pipelined rendezvous, move bytes in chunks or fragments (copying.go).
// A chunk is in one stage at a time (stages.go), and the message does what its oldest chunk does.
//
// # Charges and parts
//
// What CPU work costs is written once, in costs.go, as a charge: a list of items. An item is a
// part (package parts) with an amount and a time. A part belongs to a term of the ledger, and most
// parts belong to one number of the machine. From a charge follow both the time of the work and
// its explanation on the critical path. A new time of the machine is a field in package machines,
// a row in package parts, and an item in costs.go. Where siblings share a core, a charge takes
// longer than the sum of its items; the difference is interference (slowed).
//
// # Waits and ledgers
//
// Each rank has a ledger per phase. spend (account.go) books the time from where the rank was last
// accounted for up to a later moment under one term. Nothing else writes to a ledger, so a ledger
// sums to wall time, and collect checks that. A wait is booked when it ends (splitWait in
// waits.go), by what the awaited message did meanwhile: the marks in its staging (life.go), or the
// few times of a message that goes straight into memory. While the message was in line in the
// rank's own NIC, two running totals of that NIC (network.Served) split the time into transfer of
// own bytes and contention. From the first time without progress on, what a rank does is kept until
// it does anything else than wait, as later waits may show that it waited for the other side (cameAt).
//
// # Causes
//
// With Options.Critical, causes (causes*.go) record for each moment that something may wait for
// the moment before it and what passed in between. Package why keeps these moments in a tree. The
// path from the end of the run to the root is the critical path, and sums over it are the
// derivatives of the makespan (gradient.go). The engine computes times; the methods of causes say
// why each time is what it is, and do nothing on a nil receiver. A time without an explanation
// ends the run with an error. prune forgets moments that can lead to nothing.
//
// bound.go keeps, in every run, the least that each rank and each NIC must do. That is a lower
// bound on the time of the run; a run that beats it is an error.
//
// # Shared cores
//
// On a machine with Sharing, ranks run on contexts (sharers.go). Package cores decides how fast the
// activities of siblings and of a memory run, and moves their ends (interference.go). NICs load
// memories (dma.go), and an operating system may move processes (scheduler.go).
//
// # Fewer ranks, more cores
//
// If a program looks the same from every node, two nodes represent all (symmetry.go). The run is
// given up as soon as nothing shows that all nodes do the same (symmetry_order.go), and all ranks
// are simulated instead.
//
// With several cores, nodes are divided into regions (region.go, regions.go), which dispatch the
// events of a window as long as the latency at the same time. No message reaches another node
// earlier than that. Between windows the logs of the regions are merged into the order of one
// core, so results are identical. Regions share the slices by rank and by NIC, and each touches
// only its own elements. What acts on another node in no time (a rendezvous, a get, a signal)
// needs one core: the run starts again there. A program that starts schedules also does, and it is
// not reduced by symmetry.
//
// # Files
//
// The run:
//
//	run.go, check.go, limits.go     options, start and end of a run; what machines and runs may be
//	cluster.go, rank.go             the state of a run, and of a rank
//	cpuside.go, nicside.go, networkside.go, observers.go  the sides of a run
//	steps.go                        events; the next operation of a rank; barriers
//	live.go, meet.go                ranks that are Go functions; barriers of two threads
//	placement.go                    nodes, sockets and NICs of ranks
//	deadlock.go, mistake.go         errors
//	usage.go, footprint.go          what a run used; how much memory it needs
//
// Messages:
//
//	message.go                      messages, protocols, legs, stagings, requests, slabs
//	post.go, move.go, twosided.go   posts; legs from NIC to NIC; receives and rendezvous
//	wait.go, waitany.go             when waits end
//	schedules.go                    schedules: rounds that begin as jobs
//	combining.go                    data that switches combine
//	contended.go, arrivals.go       the carrier of contended fabrics
//	calibrated.go                   calibrated fabrics; booking of a NIC
//
// Work of CPUs:
//
//	costs.go, charge.go, sizecost.go  what work costs
//	traits.go, worker.go, library.go  agents; their jobs; what a job leads to
//	copying.go, stages.go             chunks and fragments
//	connections.go, protocols.go      receive windows; work of the kernel
//	dispatch.go, background.go        the thread of handlers; threads next to processes, noticing
//	disturb.go                        noise
//	sharers.go, interference.go, dma.go, scheduler.go  shared cores and memories
//
// What a run tells:
//
//	account.go, waits.go, life.go   ledgers; how waits are split; what messages do
//	recorder.go, lanes.go, calls.go timelines, drawn by their own goroutine
//	causes*.go, gradient.go         critical path and derivatives
//	bound.go                        the lower bound
//
// Ways to run faster:
//
//	symmetry.go, symmetry_order.go  two nodes for all
//	region.go, regions.go, regionworkers.go  several cores
//	blocklist.go, fifo.go           containers
//
// # Invariants
//
//   - Time never goes back, and no time is beyond machines.Longest (within).
//   - The ledger of a rank sums to its wall time.
//   - A run takes no less than its bound.
//   - Recording changes nothing: with a timeline or causes, all times are the same.
//   - The number of cores, and symmetry, change no result.
//   - Where a path is asked for, every time is explained, or the run ends with an error.
//   - A charge is valid until the next one is made, because all use the same memory.
//   - Times that are not known yet are sim.Forever; never (-1) means that nothing is scheduled.
//
// Tests hold these on random machines and programs (random_test.go, runtime_random_test.go,
// laws_test.go, conservation_test.go).
//
// # Limits
//
// A run lasts at most 53 days of simulated time. Some combinations are not modelled, and check.go,
// run.go and sharers.go refuse them: a computation that tests on shared cores,
// background threads on shared cores or with programs that compute, the NIC as agent without RDMA.
// The critical path is not known where the kernel works for processes that are not on its CPU, and
// for programs that wait for their own events. What each fabric leaves out is in its package.
//
// More: docs/contributing/design.md (why it is made so), docs/contributing/internals.md (gradients, two nodes for all, several
// cores), docs/explanation/time-breakdown.md, docs/explanation/gradients.md, docs/validation/papers/smt.md.
package nodes
