// Package goal reads, writes and simulates schedules in the Group Operation
// Assembly Language, GOAL (Hoefler, Siebert, Lumsdaine: Group Operation Assembly
// Language - A Flexible Way to Express Collective Communication, ICPP 2009): for
// every rank, sends, receives and calcs with dependencies between them. Read
// takes the text form and the binary form of LogGOPSim; an Assembler makes
// schedules in memory, LinearAllToAll and others are examples.
//
// # Scope and limits
//
// A schedule has fewer than 2^30 operations; hosts times CPUs and NICs are at
// most 2^29. Times of Run are picoseconds, at most 46 days; one operation takes
// at most 11. The network between hosts has no contention: that is LogGOPS. For
// networks that have, run the program itself.
//
// # The rules of Run
//
// Parameters are L, o, g, G, O and S of LogGOPS; k = max(size-1, 0) are the
// bytes after the first; k·G and k·O are rounded to whole ps once per message.
// Each rank is a host with CPUs and NICs; a NIC has a send side and a receive
// side.
//
//  1. Readiness. An operation is ready at the latest of the ends of what it
//     requires and the starts of what it requires the start of (irequires);
//     without these, at time 0. It does not matter on which CPU these ran.
//
//  2. Calc. It needs its CPU and occupies it for its duration. It starts, and
//     ends, with that.
//
//  3. Eager send: size <= S. It needs its CPU and the send side of its NIC, and
//     occupies from its start t on the CPU for o + k·O and the side for
//     g + k·G. The message arrives at t + o + L. The operation ends when the
//     CPU is free.
//
//  4. Receive. It is posted when it is ready and its CPU has ended what it was
//     doing when the last requirement became known (rule 9). Posting takes no
//     time and waits for nobody else. It starts when it is posted and ends when
//     its message has been received and it is posted.
//
//  5. Matching. A message meets the receive that was posted first among those
//     that fit, where it arrives, or waits for one; a receive meets the message
//     that arrived first. They fit if source and tag are equal; -1 on either
//     side equals everything. Messages of a pair of ranks do not overtake each
//     other. A receive may be longer than its message; a message that is longer
//     than its receive is an error, as it is in MPI.
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
//     So one message between idle ranks takes as long as by rule 6 if O = 0;
//     but the CPU is free while the bytes come in.
//
//  8. Rendezvous: size > S. The send needs its CPU only, and occupies it for
//     o + k·O. A request arrives at the start plus o + L. It is matched like a
//     message (rule 5), without work for the receiver's CPU or any NIC. The
//     clearance is sent when both the request and the receive are there and
//     takes L. Then the data needs the send side of the NIC and occupies it for
//     g + k·G; it arrives L after it starts to move, and is received by rule 6
//     or 7, on the CPU of its receive. The send ends k·G after the data started
//     to move. Between idle ranks the receive ends 3L + 2o + max(k·O, k·G) after
//     the send started: three trips instead of one.
//
//  9. Order. Operations and messages, also requests, clearances, data and the
//     work of rule 7 on the CPU, are numbered as they become known: an operation
//     when the last end that it requires comes in sight: when that calc or eager
//     send starts, the data behind a rendezvous starts to move, the CPU starts to
//     receive the message, or a receive finds it received; the others when they
//     are sent. Operations that become known by the same event are numbered in
//     the order of the file, after what the event sends; those without
//     requirements come first, by rank. Whatever
//     can happen at the same time happens in the order of the numbers; so a CPU
//     or NIC that becomes free serves whoever has waited with the lowest number
//     and finds everything else it needs free too.
//
//  10. End. A rank finishes when its last operation ends and its CPUs are free.
//     A schedule whose operations cannot all end, or in which messages or
//     receives remain alone, is an error that tells who waits for whom.
//
// # LogGOPSim's rules
//
// RunCompat gives the times of LogGOPSim (https://github.com/spcl/LogGOPSim) on
// all schedules, with one exception: of more than 16 operations of a rank that
// become ready in one event, those of the same kind keep the order in which they
// became ready, as 16 or fewer do there too; LogGOPSim's sort shuffles them, and
// so deadlocks its own ring all-reduce from 9 ranks on. In short, it differs
// from Run thus: times are whole ns; operations released together are ordered
// send, receive, calc; a dependency does not carry time from one CPU to another;
// a message occupies the CPU with the sender's index; data behind a rendezvous
// moves at once, and only the dependants of the send wait for the match; a
// message of 0 bytes takes the time of -1; nothing is an error.
//
// # Validation
//
// Both engines are compared with slow second versions that put back what cannot
// start, on thousands of random schedules: the finish of every rank, events,
// messages and what is left in the queues. RunCompat reproduces recorded runs of
// LogGOPSim. On one CPU and NIC, with eager messages of a byte or more, both give
// the same finish, provided that operations released together stand in the file
// in the order send, receive, calc.
package goal
