// Package nodes runs programs on a machine: processes on cores, what their
// computation costs, how they post, move and wait for messages, and where
// their time goes.
//
// # Rules of a run
//
// Time is integer picoseconds. A rank does the operations of its program one
// after the other; only Compute, the overheads and waiting take time.
//
//  1. Compute(T) takes T.
//  2. Put, Get, Signal and Isend of s bytes to another node (post): (a) wait while the rank
//     has as many messages handed over and not completely sent as Outstanding or
//     PerPeer (P-1), the smaller of those given, allow; (b) wait for a slot of
//     the NIC's queue: the QueueDepth-th insertion booked before must have
//     ended; slots are given in the order of asking; (c) the CPU spends o(s),
//     a Get o(0), while the NIC inserts, one descriptor after the other, g each. The message
//     is ready when both are done. Waiting in (a) and (b) is NIC stall, (c)
//     overhead.
//  3. The NIC of the sender's node transfers messages one after the other in
//     the order in which they asked for a slot, Startup + G(s) each, not before
//     they are ready. The last byte arrives L later (ideal fabric).
//  4. A put is delivered when it arrives, and completed, for its sender, L
//     later. It asks nothing of the target. A Signal is a put that is matched
//     when it is delivered. A Get sends a request of 0 bytes; when that arrives
//     the target's NIC sends the s bytes, in the place of their asking, without
//     g and without the target's CPU; it is complete when they arrive.
//  5. An eager message (s <= S, or S = 0) passes the receiving NIC when it
//     arrives, one message after the other: delivered = max(arrived, delivered
//     of the one before + Startup + G(s)). It is matched in the order of
//     arrival; the sender's request is complete when its overhead is paid.
//  6. A rendezvous message (s > S > 0) sends a request of 0 bytes first
//     (o(s), g, Startup + G(0), L). It is matched when it arrives, or when
//     the receive is posted. At that moment, or when the receiving rank next
//     begins an operation other than Compute and Phase or ends, the target
//     asks the sender's NIC for the bytes (L), which queue there as in rule
//     3, in the place of their asking, without g and without the sender's
//     CPU. They are taken in as in rule 5; the sender's request is complete L
//     after delivery.
//  7. Matching is MPI's: a receive takes the oldest message whose source and
//     tag it accepts, a message the oldest receive that accepts it.
//  8. Wait for a receive ends at delivery, and costs the CPU o(s) of a receive
//     then, unless a signal matched it. Wait for another request ends at its
//     completion. Test takes no time: it is a call in which what waits for the
//     next call is done.
//  9. A barrier ends Base + PerRound ceil(log2 P) after the last rank came.
//  10. A message to itself, and inside the node where IntraNode is given, is a
//     copy by the CPU at IntraNode's speed (overhead); another process sees it
//     IntraNode's latency later; a Get sees it at once. Without IntraNode a message to itself takes no
//     time.
//
// Without RDMA (Copying) rules 3 to 6 change: after o, the CPU copies
// messages, oldest first, chunk by chunk into the send buffer while there is
// room (a post ends when it has to stop); the NIC transfers chunks in the
// order in which they are copied, Startup with the first one of a message;
// each chunk that arrived is copied out by the CPU of the target; the message
// is delivered with its last chunk. A CPU does its copies one after the other
// in the order in which they became possible: at once when the rank is inside
// a call or has ended; when it computes, at once by an interrupt, which costs
// extra and pushes the computation's end back, or else not before its next
// call. A call begins at once, but its own CPU work, and the rank's going on,
// wait for the copies; what has arrived is copied before what goes out. All
// messages are eager, and matched when they are delivered. The request of a Get
// is not copied and does not count in (a); when it arrives the target copies
// the bytes out as if it had posted a put then.
//
// On a contended fabric rules 3 to 5 change: the NIC starts a message, or
// chunk, when it is ready and one of its channels is free, oldest first; its
// bytes leave Startup later; when the last of them has left and when it has
// arrived is the fabric's to say. A message that arrived is delivered.
// Outstanding and PerPeer count the messages of a rank in the same way.
//
// Things of one instant happen in any order, except that the messages of one
// NIC, and copies inside a node between two ranks, keep theirs.
//
// # The ledger
//
// Every picosecond of a rank goes to one [Term] of one phase. That they sum to
// the wall time is checked on every rank of every run.
//
// # Scope and limits
//
// On the ideal fabric only NICs contend, and a put does not queue at the
// receiving one. Memory and cores are not shared. Two-sided messages move only
// inside calls. A run may take 53 days of simulated time.
package nodes
