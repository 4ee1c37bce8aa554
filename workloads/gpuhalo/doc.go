// Package gpuhalo is the exchange of halos between GPUs, as programs on clusters of GPUs do it: by MPI on buffers of the GPU, by MPI
// through the host, by NCCL, and by messages that the stream triggers.
//
// Each GPU has a cube of cells, on a grid of GPUs that is periodic. A step packs the faces, exchanges them with all neighbours, unpacks
// what has come, and computes the cells; or it computes the interior meanwhile, and then the cells at the faces.
//
//   - mpi: the host waits for the packed faces, posts all messages, waits for them, and launches what follows.
//   - staged: the same, with copies to the host before and back after the messages.
//   - nccl: the messages are one kernel in the stream, which holds SMs. The host waits for nothing.
//   - triggered: the host posts the messages ahead; the stream triggers them, and waits for their end.
//
// A NIC sends its messages at once and shares its bandwidth max-min fairly, and so do the links of a GPU inside a domain. Large messages of
// mpi and staged are sent by rendezvous, whose handshake waits for a call of the host if the library makes progress in calls only.
package gpuhalo
