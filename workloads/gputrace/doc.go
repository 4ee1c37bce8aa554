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
// An operation starts when the one before it in its stream has ended, when it is launched, and when what it seems to
// wait for has ended: the operation of another stream that ended last before it started, if that was later than both.
// What lies between these and its start in the trace is a pause that it keeps. The host launches in the order of the
// calls, and takes what lay between them; a call that waits for the GPU (synchronize) waits for the operation that
// ended last before the call did. Ends of a collective on several ranks differ by little; the earliest one is the end
// of the collective, the rest a pause.
package gputrace
