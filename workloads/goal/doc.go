// Package goal reads, writes and simulates schedules in the Group Operation Assembly
// Language, GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language - A
// Flexible Way to Express Collective Communication, ICPP 2009). A schedule has, for every
// rank, sends, receives and calcs with dependencies between them. Read takes the text
// form and the binary form of LogGOPSim. An Assembler makes schedules in memory;
// LinearAllToAll and others are examples.
//
// # Scope and limits
//
// A schedule has fewer than 2^30 operations; the number of hosts times the CPUs and twice
// the NICs of each is at most 2^29. Times of Run are picoseconds, at most 46 days; one
// operation takes at most 11 days. The network between hosts has no contention: that is
// the LogGOPS model. For networks with contention, run the program itself.
//
// # The rules of Run
//
// Parameters are L, o, g, G, O and S of LogGOPS; k = max(size-1, 0) are the bytes after
// the first; k·G and k·O are rounded to whole ps once per message. Each rank is a host
// with CPUs and NICs; a NIC has a send side and a receive side.
//
//  1. Readiness. An operation may require the ends of other operations (requires) and
//     the starts of others (irequires). It is ready at the latest of these times;
//     without requirements, at time 0. It does not matter on which CPU the others ran.
//
//  2. Calc. It needs its CPU and occupies it for its duration. It starts and ends
//     together with this occupation.
//
//  3. Eager send: size <= S. It needs its CPU and the send side of its NIC. From its
//     start t it occupies the CPU for o + k·O and the side for g + k·G. The message
//     arrives at t + o + L. The operation ends when the CPU is free.
//
//  4. Receive. It is posted when it is ready and its CPU has ended what it was
//     doing when the last requirement became known (rule 9). Posting takes no
//     time and waits for no other resource. A receive starts when it is posted. It
//     ends when it is posted and its message has been received.
//
//  5. Matching. A message that arrives meets the receive that was posted first
//     among those that fit, or waits for one. A receive that is posted meets the
//     message that arrived first among those that fit. They fit if source and tag
//     are equal; -1 on either side equals everything. Messages of a pair of ranks do
//     not overtake each other. A receive may be longer than its message; a message
//     that is longer than its receive is an error, as it is in MPI.
//
//  6. Reception. An arrived message is received whether it has met its receive
//     or not. It needs the CPU of the receive if that was posted before the
//     message arrived, else CPU 0, and the receive side of the NIC with the
//     same index as the sender's. It occupies the CPU for o + max(k·O, k·G) and
//     the side for g + k·G, and has been received when the CPU is free.
//
//  7. Reception by the NIC, with ReceiveOverlap. The message needs the receive
//     side only, and occupies it for g + k·G. Its bytes are in memory k·G after
//     the start; then it needs the CPU of rule 6 and occupies that for o + k·O.
//     Therefore one message between idle ranks takes as long as by rule 6 if O = 0;
//     but the CPU is free while the bytes arrive.
//
//  8. Rendezvous: size > S. The send needs its CPU only, and occupies it for
//     o + k·O. A request arrives at the start plus o + L. It is matched like a
//     message (rule 5), without work for the receiver's CPU or any NIC. The
//     clearance is sent when both the request and the receive are there and
//     takes L. Then the data needs the send side of the NIC and occupies it for
//     g + k·G. The data arrives L after it starts to move, and is received by rule 6
//     or 7, on the CPU of its receive. The send ends k·G after the data started
//     to move. Between idle ranks the receive ends 3L + 2o + max(k·O, k·G) after
//     the send started: three trips instead of one.
//
//  9. Order. Operations, messages, requests, clearances, data and the work of
//     rule 7 on the CPU are numbered as they become known. An operation becomes known
//     when the last end that it requires can be foreseen: when that calc or eager
//     send starts, when the data of that rendezvous starts to move, when the CPU
//     starts to receive that message, or when that receive finds its message
//     received. All others become known when they are sent. Operations that become
//     known by the same event are numbered in the order of the file, after what the
//     event sends. Operations without requirements come first, by rank. Events that
//     can happen at the same time happen in the order of the numbers. Therefore a CPU or NIC
//     that becomes free serves the lowest number that waits for it and for which
//     everything else that it needs is free too.
//
//  10. End. A rank finishes when its last operation ends and its CPUs are free.
//     It is an error if some operations cannot end, or if messages or receives
//     remain unmatched. The error tells which operation waits for which.
//
// # LogGOPSim's rules
//
// RunCompat gives the times of LogGOPSim (https://github.com/spcl/LogGOPSim) on all
// schedules, with one exception. If more than 16 operations of a rank become ready in one
// event, operations of the same kind keep the order in which they became ready, as 16 or fewer
// do in LogGOPSim too. LogGOPSim's sort shuffles more than 16, which makes its own ring
// all-reduce deadlock from 9 ranks on. The differences from Run are, in short: times are
// whole ns; operations released together are ordered send, receive, calc; a dependency
// does not carry time from one CPU to another; a message occupies the CPU with the
// sender's index; data behind a rendezvous moves at once, and only the dependants of the
// send wait for the match; a message of 0 bytes takes the time of -1 bytes. A schedule that
// cannot finish and times beyond the range are errors, as of Run.
//
// # Validation
//
// Both engines are compared on thousands of random schedules with slow second versions,
// which put an operation that cannot start back into their queue. The comparison covers
// the finish of every rank, events, messages and the entries left in the queues.
// RunCompat reproduces recorded runs of LogGOPSim. On one CPU and NIC, with eager
// messages of a byte or more, both engines give the same finish, provided that operations
// released together stand in the file in the order send, receive, calc.
package goal
