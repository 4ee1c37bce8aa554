// Package cores makes the activities of a node slow each other down. Sibling contexts of a core
// (simultaneous multithreading) do so according to a table of profiles. All that use a memory,
// including the NIC's DMA, share its bandwidth.
//
// # Rules
//
// A node has cores, a core has hardware contexts, and a context runs at most one activity at a
// time. An activity is an amount of work, given as the time that it takes alone. It has a profile
// and a memory demand d, the bytes per second that it moves when alone.
//
//  1. Siblings: an activity of profile a whose siblings have the profiles b, c,
//     ... runs at the speed 1 / (1 + (F(a,b)-1) + (F(a,c)-1) + ...), where
//     F(a,b) >= 1 is the slow-down of a alongside b. A sibling that is blocked or
//     idle does not slow the others.
//  2. Memory: at that speed an activity would move d times the speed. The bandwidth
//     of a memory is shared max-min fairly among its contexts and the NIC. A sharer
//     that asks for less than the equal share of the others gets all that it asks
//     for, and none gets less than another that asks for as much. An activity
//     that gets less than it asks for runs slower in proportion.
//  3. Whenever an activity starts, ends or changes, or the NIC's rate changes, the
//     speeds change at that instant, and ends move.
//
// The NIC is one sharer of each memory. If it gets less than it asks for, its messages are not
// slowed: the fabric alone determines how fast they travel.
//
// # Exactness
//
// A speed is a multiple of 2^-32 (rounded up), work is a multiple of 2^-32 ps, and time is whole
// picoseconds. Therefore the work done between two changes is exact, and it does not matter when or how
// often it is added up. An activity ends at the first picosecond by which all its work is done.
// Each activity conserves work to less than a picosecond, without drift. Alone, an activity ends
// its work's time after its start, unless it asks for more than a memory has.
//
// # Scope and limits
//
// A demand is a mean, so an activity is limited by memory either all the time or not at all.
// Caches are not modelled; activities that share a cache slow each other according to the table.
// Contexts are not multiplexed: two activities never take turns on one.
package cores
