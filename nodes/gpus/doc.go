// Package gpus describes machines with GPUs, in plain numbers, and says how long a collective
// operation of their GPUs takes. A Machine is hardware as its data sheets tell it; its
// Calibration is what was fitted to measured rows. A Communicator is a group of GPUs; it
// chooses algorithm, protocol and channels as NCCL does, and gives the time of an operation
// as a Cost, part by part. The formulas and where they end: docs/gpus.md.
package gpus
