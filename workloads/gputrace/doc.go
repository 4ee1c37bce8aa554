// Package gputrace replays traces of the PyTorch profiler (Kineto: Chrome's trace events in JSON) on the streams of GPUs: what
// kernels and collectives took, which launch each follows, and what a stream waited for. A trace that is replayed as it is gives its own
// times; what changes is asked by keys.
//
// # What is read
//
// Events of phase X: kernels, copies and fills on streams of a GPU (categories kernel, gpu_memcpy, gpu_memset), and calls of the host
// (cuda_runtime, cuda_driver), which share a correlation with what they launch. NCCL's kernels are collectives, with their sizes where the
// profiler has written them.
//
// # How it is replayed
//
// An operation starts when the one before it in its stream has ended, when it is launched, and when what it seems to wait for has
// ended: the operation of another stream that ended last before it started, if that was later than both. What lies between these and its start in
// the trace is a pause that it keeps. The host launches in the order of the calls, and takes what lay between them; a call that waits for the
// GPU (synchronize) waits for the operation that ended last before the call did. Ends of a collective on several ranks differ by
// little; the earliest one is the end of the collective, the rest a pause.
//
// Waits for events (cudaStreamWaitEvent) say more, though not for which event: a collective waits for what was launched last before it on another
// stream; another operation waits for the collectives in the order of their launches, one for each wait, if they had ended when it began.
//
// # Buckets of gradients
//
// All-reduces or reduce-scatters of a group that follow each other are a series, if nothing waits for one of them before the last one is launched,
// and no step (ProfilerStep, Optimizer.step) begins between them. With other buckets the bytes of a series are the same, in the same order.
// Neighbours are joined until they have the size that is asked, and what has it several times is cut into as many equal parts. The first one of a
// series is not joined to others, as the first bucket of DistributedDataParallel has a size of its own. So the size with which a trace was made
// gives its own buckets.
//
// A bucket begins when its last gradient is there. Where a bucket of the trace was whole says the operation that it waited for. Within it
// gradients come with the time of the kernels between this operation and that of the bucket before. A bucket takes what its bytes took in the
// trace, and what the machine needs for it beyond what it needs for these parts of the buckets of the trace.
package gputrace
