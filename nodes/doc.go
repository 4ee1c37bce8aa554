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
//     IntraNode's latency later; a Get sees it at once. Without IntraNode a
//     message to itself takes no time.
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
// On a calibrated fabric (Options.Calibration) every message of a rank passes a
// NIC of the rank's own, also inside a node, and occupies it for (C-1)(Startup +
// G(s) + L) before its own Startup + G(s), in rule 3; C < 1 shortens these. C is
// the calibration's factor for the rank's Pattern when it posted. Messages are
// not taken in one after the other: in rule 5, delivered = arrived.
//
// Things of one instant happen in any order, except that the messages of one
// NIC, and copies inside a node between two ranks, keep theirs.
//
// # The library
//
// With a [Runtime] the library of a process moves its messages forward by
// jobs: pieces of work with a CPU time each, in the rules below; what a job
// leads to happens at its end. Rules 4 to 6, 8 and 10 change as follows, and the
// copies of machines without RDMA are jobs like others. Below, o is the
// overhead of a send, p that of a receive.
//
//  11. Jobs become possible one by one. When the agent of a process may work, it
//     takes on what is possible: first all jobs in the order in which they
//     became possible; then copies that go out (rules 16 and 17) as long as there
//     is room for the next one, each message to its end, in the order in which
//     their copies could begin. What becomes possible while it may work it
//     takes on at once, behind what it has; it does one job after the other, in
//     that order.
//  12. The agent InCalls is the process's CPU. It may work while the process is
//     in a call (an operation other than Compute, Phase and Pattern, begun and not
//     ended) or has ended. A call begins at once, by taking on what is possible,
//     but its own CPU work, and the rank's going on, wait until the CPU has done
//     the jobs that it has taken on, and what they lead to has happened. CPU work
//     of a call that has begun is interrupted by a job. Jobs are
//     overhead.
//     InWaits is the same CPU, which may work only while the process is in a call
//     that waits (Wait, Test, Barrier, or a post that is stalled), or has ended.
//     Testing does the same, and Compute(T) is interrupted by a test whenever
//     Every more of T has been computed and some of T is left, however many jobs
//     were done since; every Compute counts anew. A test takes the CPU the time
//     Test (overhead). At its end the agent may work, and goes on to until it
//     has no job left; then the computation goes on.
//     Interrupts may work at all times. A job taken on while the process
//     computes costs the CPU Cost more, and pushes the computation's end back.
//     Thread is another CPU, which may work at all times. It begins a job Delay
//     after it became possible, or when it has done the one before if that is
//     later; each costs it Cost more. The process's CPU is not asked.
//     Offload may work at all times, and its jobs take no time.
//     The operation Test takes the CPU the time Test (overhead), whoever the
//     agent is, after the jobs taken on.
//  13. What a post sends has its place in the NIC when its overhead (c) is paid,
//     not already when it asked for a slot; jobs that hold up the CPU hold it up.
//     All that jobs send is ready at the end of the job. It queues in the NIC as
//     in rule 3, without a slot and g, and does not wait for (a), though it counts
//     there. Requests, replies, finishes, and the bytes of two-sided messages,
//     whole or in fragments, pass the receiving NIC as in rule 5, Startup +
//     G(their bytes) each (on the ideal fabric); their arrival, below, is when
//     they have passed it.
//  14. The overhead (c) of an eager Isend is o(s), if strided Strided.Pack s more;
//     of a rendezvous o(0), if pipelined In First more. The request of an eager
//     message is complete when that is paid, but when s > CopyLimit > 0 when its
//     last byte has left the sender's NIC. Its arrival makes the job take of the
//     target: Matching + p(s), if strided Strided.Unpack s more. At its end the
//     message is delivered and matched.
//  15. A rendezvous sends a request, of First bytes if pipelined (at most s), else
//     of 0. Its arrival makes a job of the target: Matching + p(0), if pipelined
//     Out First more. At its end the request is matched, then or by a receive
//     posted later. What follows a match:
//     Read: a job of the target, o(0); L after its end the bytes queue in the
//     sender's NIC as in rule 6. Their arrival makes a job of the target, p(0) +
//     o(0); at its end the message is delivered and a finish of 0 bytes is sent to
//     the sender. Its arrival makes a job of the sender, p(0), at whose end the
//     sender's request is complete.
//     Write: a job of the target, o(0), which sends a reply of 0 bytes. Its
//     arrival makes a job of the sender, p(0) + o(0), which sends the bytes and
//     behind them (on contended fabrics when they have left) a finish of 0 bytes.
//     The sender's request is complete L after the arrival of the bytes. The
//     arrival of the finish makes a job of the target, p(0); at its end the message
//     is delivered.
//     Pipelined: the reply as above. Its arrival makes a job of the sender, p(0),
//     at whose end the copies (rule 16) may begin. If First is s there is no reply:
//     the sender's request is complete when its overhead is paid, the message is
//     delivered when it is matched.
//     A strided message that is not eager is pipelined, as Strided.Pipeline says.
//     Matching is Matching + Search/2 for each receive of the target that is
//     posted and has not matched when the job is taken on, in rules 14, 15 and 17.
//  16. The s - First bytes of a pipelined message are copied out in fragments of
//     Chunk bytes, the last one of what is left: o(0) + In per byte. There is room
//     for a fragment while fewer than Depth fragments, of all messages of the
//     process, have been taken on and have not completely left its NIC (0:
//     always). A fragment is sent when it is copied. Its arrival makes a job of
//     the target: p(0) + Out per byte. The sender's request is complete when the
//     last one is copied; the message is delivered at the end of the last one's
//     job.
//  17. Without RDMA: the copies of chunks are jobs; those that go out have room
//     as ever. Of a strided message each costs Pack, and Unpack, more per byte.
//     Nothing passes the receiving NIC as in rule 5. The overhead (c) of an eager
//     Isend is o(s); its request is complete when the CPU goes on, but when s >
//     CopyLimit > 0 when its last byte is copied. The job of the last chunk of an
//     eager message costs Matching + p(s) more; then it is delivered and matched.
//     Every rendezvous goes as pipelined up to its reply, with First = 0; then its
//     bytes are copied out as others. It is delivered with its last chunk; the
//     sender's request is complete when the last one is copied. Requests and
//     replies do not pass the send buffer, and do not count in (a). The request of
//     a Get makes a job of the target, p(0), after which the bytes go out. With
//     another agent than the process's CPU a post ends with its overhead.
//  18. A Signal that is delivered makes a job of the target: Handler; at its end
//     it is matched.
//  19. A receive that is posted after the end of the job that would have matched
//     it (unexpected) costs the CPU in its call, after the jobs taken on,
//     Unexpected of the bytes that came: s of an eager message, First or 0 of a
//     rendezvous; nothing for a signal. It matches at the begin of its call.
//  20. Wait costs nothing; a receive that has matched is complete at delivery.
//  21. A two-sided message to the process itself or inside the node (rule 10) is
//     eager and contiguous; it is copied as ever; its arrival makes the job take.
//  22. A process in a Wait that has nothing to do notices what happens: that a job
//     of its agent becomes possible, if the agent is its CPU, or that its request
//     is complete; and only then begins the job or ends the Wait. It has noticed
//     all that happened before, and does one job after the other then; what a job
//     leads to at its end, it knows. Block notices Wakeup later. Poll and Yield
//     notice at once unless threads of Options.Background share the core of the
//     process: all that there are for a process if Bound, else N-1 if the node has, with its processes, up to N
//     threads for each core. Then, n being the threads that share and q the
//     machine's Slice, Yield notices a multiple of n q after the wait began, or
//     after the end of the last job in it; Poll in its turn, the first q of every
//     (n+1) q, counted from a time that differs from rank to rank. CPU work is not
//     interrupted by these threads; a process whose core is shared may not
//     Compute.
//
// # Noise
//
//  23. With [Noise] every rank has moments of its own, a Poisson process of that
//     rate. Before an operation (but Phase) begins, the rank computes Length for
//     each of its moments that have passed and are not paid, which is
//     interference; then the same again, until there are none.
//
// Own messages count as hidden from their post until they are delivered and the
// request of the sender is complete, whichever is later; puts, signals and gets
// as ever.
//
// # Shared cores and memory
//
// A machine with [Sharing] changes rule 1 and what library work costs; package
// cores says how fast activities run beside each other.
//
//   - S1. A rank is a thread of a process, the only one unless the program is
//     [Threaded]. The processes of a node get one core each, in the order of their
//     ranks; when all cores have one, their next contexts. The threads of a process,
//     and then their helper threads (agent Thread), are on neighbouring contexts;
//     with OwnCore the helpers are like processes behind all others.
//   - S2. Compute is an activity of its context, with the profile and the demand of
//     its kernel: T is its work, and its end moves with what others do.
//   - S3. While the CPU of a rank pays an overhead (c) or does jobs its context has the
//     profile stack; jobs suspend a computation, whose work does not go on. A rank
//     that waits, or is stalled, polls, unless Runtime.Waiting is Block; in a barrier
//     it has the profile Synchronizing; one that has ended is blocked. A helper thread with jobs has
//     the profile stack, else it is blocked.
//   - S4. An overhead (c), a copy of rule 10 or a job takes longer by the slow-down
//     of stack beside what the siblings do when it is paid or taken on, a job of a
//     helper thread when the thread turns to it, for all of its time.
//   - S5. Bytes that leave a NIC load the memory of their rank, until they have left,
//     and as long that of the rank they go to, until they have arrived: at the rate
//     at which they leave. On a contended fabric they load both from when they begin
//     to leave, the receiver's until they have arrived, at the speed of the NIC.
//
// Of the time of a computation what it would have taken alone is booked as
// compute, the rest as interference. What library work loses is overhead.
//
// Two threads of a process that Meet go on Barrier.Threads after the later one
// has come.
//
// # The ledger
//
// Every picosecond of a rank goes to one [Term] of one phase. That they sum to
// the wall time is checked on every rank of every run.
//
// A wait goes to what the awaited message did in that time. Jobs of the own CPU are
// overhead. Something of a message that leaves one NIC for another is a leg: its
// request, the reply, its bytes, the finish. All legs are split alike:
//
//	overhead    its post was being paid for; a job of it was taken on and not
//	            ended; it was being copied inside its node
//	NIC stall,  a leg stood before the NIC that it leaves and its turn had not
//	transfer,   come: for the rank of that NIC transfer while bytes of its own,
//	contention  contention while those of another left the NIC, else stall; for
//	            the other rank stall
//	transfer    a leg was leaving, as long as it takes alone
//	contention  what it took longer than that (it comes first); what it was on its
//	            way longer than the latency (before that); it had arrived and had
//	            not passed the receiving NIC
//	latency     a leg was on its way, as long as an empty message is when nothing
//	            else is there; so was the read of a target, or the acknowledgement of
//	            a put, a signal, a write or a read of a machine without a Runtime
//	partner     until it was posted; from the end of its request's job to the match
//	progress    a job of it was possible and not taken on, or not noticed; the Delay
//	            of a Thread; all was done and not noticed
//
// On a contended fabric bytes take alone what Alone of the fabric says; where a NIC
// sends several messages at once, or the fabric does not know it, all is transfer.
//
// A write goes by its bytes until they have passed the NIC; then it is latency
// for its sender, whatever the finish does, and goes by the finish for its
// receiver. A signal likewise: for its sender all after its delivery is latency.
// A message in chunks or fragments goes by the oldest one not delivered: overhead
// while that is taken on by either CPU, transfer while it is in the sender's NIC,
// latency and contention on its way as a leg, contention while it passes the other
// NIC, progress while it lies before a CPU that does not take it on; the Delay of a
// Thread, or waking, between two of them may be either.
//
// # Scope and limits
//
// On the ideal fabric only NICs contend, and a put does not queue at the
// receiving one. What library work loses to siblings is decided when it begins,
// and memory never holds it back. Not supported: a Runtime beside
// Copying.Interrupts (its agent says it) or, without RDMA, with Offload;
// Testing or Background with Sharing. A run may take 53 days of simulated time.
package nodes
