// Package gputrace replays traces of the PyTorch profiler (Kineto: Chrome's trace events in JSON) and
// exports of Nsight Systems on the streams of GPUs. It takes from a trace how long kernels and collectives took, which
// launch each follows, and what each stream waited for. A trace that is replayed unchanged gives
// its own times. Keys ask for changes.
//
// # What is read
//
// Events of phase X are read: kernels, copies and fills on streams of a GPU (categories kernel,
// gpu_memcpy, gpu_memset), and calls of the host (cuda_runtime, cuda_driver). A call shares a
// correlation with what it launches. NCCL's kernels are collectives. Their sizes are known if the
// profiler has written them.
//
// An export of Nsight Systems in SQLite has the same in tables: the GPUs of its processes are ranks. It
// does not have the sizes and groups of collectives.
//
// # How it is replayed
//
// An operation starts when the previous one in its stream has ended, when it is launched, and
// when what it seems to wait for has ended. The last of these is the operation of another stream
// that ended last before the start, if it ended later than the other two. The time from then to
// the operation's start in the trace is a pause, which is kept.
//
// An operation is launched when the GPU has its launch. If nothing else kept it, that is its start:
// the call itself and the way to the GPU take several us. For the others it is the median of these
// times after the call began, but not after the start. So a GPU that waits for each launch waits
// for the host, not for pauses.
//
// The host launches in the order of the calls, and takes the time between them. A call that waits
// for the GPU (synchronize) waits for the operation that ended last before the call did. The ends
// of a collective on several ranks differ a little. The earliest one is the end of the
// collective, and the rest is a pause.
//
// Waits for events (cudaStreamWaitEvent) give more information, though not the event. A
// collective waits for what was launched last before it on another stream. Another operation
// waits for the collectives in the order of their launches, one for each wait, if they had ended
// when it began.
//
// # Buckets of gradients
//
// Consecutive all-reduces or reduce-scatters of a group are a series if nothing waits for one of
// them before the last one is launched, no kernel or copy follows one in its stream before that, and
// no step (ProfilerStep, Optimizer.step) begins between them. With other buckets the bytes of a series are the same, in the same order.
// Neighbours are joined until they have the size asked for. Neighbours with several times that
// size are cut into that number of equal parts. The first collective of a series is not joined to
// others, because the first bucket of DistributedDataParallel has its own size. Therefore the size
// with which a trace was made gives the trace's own buckets.
//
// A bucket begins when its last gradient is complete. A bucket of the trace was complete with the
// operation that it waited for. Within the bucket, gradients become complete in proportion to the
// time of the kernels between this operation and the operation of the previous bucket. A bucket takes as
// long as its bytes took in the trace, plus what the machine needs for it beyond what it needs
// for these parts of the trace's buckets.
package gputrace
