// Package stragglers finds what slow workers cost a training job from the operations of its trace
// alone, as Lin et al. do ("Understanding Stragglers in Large Model Training Using What-if
// Analysis", OSDI 2025; section 3).
//
// # What waits for what
//
// All data-parallel ranks and steps have the dependencies of the first rank in the first step. The
// operations of a stage on a stream follow each other in the order of their starts: computation;
// sends and receives, for each kind of them; collectives of parameters and gradients. A forward (or
// backward) computation waits for the receive of its data, and a send for the computation; a receive
// begins when the computation before the one that it is for has ended. Parameters are gathered
// before the first forward computation of their chunk of the model. Gradients are reduced after the
// last backward one, or, where they do not overlap, after all. The optimizer comes last.
//
// The k-th send of a stage and the k-th receive of its neighbour are a pair. Collectives of
// parameters and gradients, and the clipping of gradients, are done by all data-parallel ranks
// together; clipping by all stages too; the sum of embedding gradients by the first and the last
// stage. What is done together ends when its last member has begun, and the transfer is over: in
// the trace from the last begin to the own end.
//
// # What if
//
// Without launch delays, every operation begins when what it waits for has ended. Equal: in addition,
// each computation takes the mean time of its kind over all ranks, stages and steps, and each
// communication the median of its transfers. The slow-down of a rank, a stage or a kind is how much
// longer steps take if only its operations keep their own times.
package stragglers
