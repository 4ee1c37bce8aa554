// Package training has workloads that train neural networks on GPUs: each builds the graph of one
// step, kernels and collectives on streams, which nodes/gpus/streams runs.
//
//	transformer       a decoder (GPT, Llama) of equal layers, spread by tensor, pipeline, data,
//	                  context and expert parallelism
//	ddp               a residual network with DistributedDataParallel
//	graph             operations as a user lists them
//	gemm-collective   a matrix product and its collective: one after the other, in pieces, fused
//	gradient-update   an all-reduce of gradients and the optimizer that applies them
//
// A layer is a list of kernels and collectives as in Megatron (layer.go). A product of m x k by
// k x n is a grid of blocks; a block takes
//
//	2 tile k / (products x peak of an SM x k/(k+128))
//
// and a collective the time of nodes/gpus. One GPU of each stage of a pipeline is simulated and
// stands for all that do the same at the same time; a test simulates all GPUs of small cases and
// gets the same picoseconds. Not modelled: clocks that depend on power, sequences of unequal
// length, loading of data, checkpoints. docs/explanation/gpu-steps.md has the rest.
package training
