// Package streams runs graphs of operations on the streams of GPUs: kernels that share
// streaming multiprocessors (SMs) and memory, collective operations, and hosts that launch
// them.
//
// # Rules
//
//  1. Host: a host launches the operations of its GPU in the order of the graph, one after the
//     other. A launch begins when the one before it is over, when the operations that the host
//     waits for have ended, and when the stream is not too far behind: the number of operations
//     of a stream launched and not ended has a limit (about 1,000 on NVIDIA GPUs: NVIDIA developer
//     forum, topic 68937). An operation can start a delay after its launch.
//  2. Stream: the operations of a stream run one after the other. One is ready when it is
//     launched, when the one before it in its stream has ended, and when all that it comes after
//     have ended (events).
//  3. SMs: a kernel is a number of blocks. A block keeps one SM until it is done. When SMs are
//     free, the ready kernel of the highest priority puts as many blocks on them as it has, then
//     the next one. Of equal priority the kernel that was ready first comes first, then the one
//     that is first in the graph, or in an order that is drawn.
//  4. Memory: a block moves d bytes per second when alone. If all blocks of a GPU together would
//     move more than its memory can, they share it max-min fairly, and a block that is given less
//     runs slower in proportion. What other GPUs move in it comes first, up to half of it.
//  5. Collectives: a member has arrived when it is ready and all its blocks have SMs. With the
//     last arrival the latency begins, then the transfer; at its end all members end. Transfers
//     on one link share it equally. The blocks of members take part in rule 4 during the transfer,
//     each with its d, and what others move for it, divided by the number of transfers on its link.
//     The transfer is as slow as the blocks of its slowest member.
//     On a fabric, the flows of a collective begin with its transfer. Each takes at least the time
//     of the transfer, and longer where links are full. The transfer ends when the last has arrived.
//  6. An operation without blocks needs no SM and takes the time that it says.
//  7. If the operations of a GPU are apart, rules 3 and 4 hold for each operation alone.
//
// At an instant all ends come first, and what they make ready; then free SMs are given away.
//
// # Exactness
//
// Times are whole picoseconds. Work and speeds are as in package cores. Whole waves of blocks
// of a kernel are counted and not simulated one by one, as long as nothing else happens on the
// GPU; a slow second implementation in the tests does not do so and has the same times.
//
// # Scope and limits
//
// A block is what an SM works on at a time: where several thread blocks fit on an SM, they count
// as one. Blocks of a kernel are equal. Copy engines, caches and clocks that depend on power are
// not modelled.
package streams
