// Package gpus describes machines with GPUs in plain numbers, and computes how long a collective
// operation of their GPUs takes. A Machine is hardware as described by its data sheets. Its
// Calibration is what was fitted to measured rows. A Communicator is a group of GPUs. It chooses
// algorithm, protocol and channels as NCCL does, and gives the time of an operation as a Cost,
// part by part. docs/reference/gpus.md has the formulas and their limits.
package gpus
