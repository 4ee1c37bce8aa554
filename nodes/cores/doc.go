// Package cores makes the activities of a node slow each other down. Those of
// sibling contexts of a core (simultaneous multithreading) do so by a table of
// their profiles. All that share a memory, the NIC's DMA included, do so by its
// bandwidth.
//
// # Rules
//
// A node has cores, a core has hardware contexts, and a context runs at most
// one activity at a time: an amount of work, which is the time that it takes
// alone, with a profile and a memory demand d, the bytes per second that it
// moves when alone.
//
//  1. Siblings: an activity of profile a whose siblings have the profiles b, c,
//     ... runs at the speed 1 / (1 + (F(a,b)-1) + (F(a,c)-1) + ...), where
//     F(a,b) >= 1 is the slow-down of a beside b. A sibling that is blocked, or
//     idle, slows no other.
//  2. Memory: at that speed it would move d times the speed. The bandwidth of a
//     memory is shared max-min fairly by what its contexts and the NIC would
//     move: one that asks for less than the others' equal share gets all it asks
//     for, and none gets less than another that asks for as much. An activity
//     that gets less runs slower in proportion.
//  3. Whenever an activity starts, ends or changes, or the NIC's rate does, all
//     of this holds from that instant on, and ends move.
//
// The NIC is one sharer for each memory. What it is not given does not slow its
// messages: the fabric says how fast they go.
//
// # Exactness
//
// A speed is a multiple of 2^-32 (rounded up), work of 2^-32 ps, and time is whole
// picoseconds; so the work done between two changes is exact, and it does not
// matter when, or how often, it is added up. An activity ends at the first
// picosecond by which all its work is done: work is conserved to less than a
// picosecond each, without drift. Alone, its end is its start plus its work, unless it asks
// a memory for more than there is.
//
// # Scope and limits
//
// A demand is a mean, so that an activity is either held back by memory all
// the time or not at all. Caches are not modelled; activities that share one
// slow each other by the table. Contexts are not multiplexed: two activities
// never take turns on one.
package cores
