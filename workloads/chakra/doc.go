// Package chakra runs execution traces of Chakra (MLCommons): graphs of the operations of each rank, in protobuf, as PyTorch, ASTRA-sim and
// others write them.
//
// # What is read
//
// A file of a rank is a sequence of messages, each after its length: metadata first, then nodes.
// A node is a computation, a memory access, a message sent or received, or a collective. A node
// names the nodes that it depends on.
//
// # How it is run
//
// A node starts when everything that it depends on has ended, and when the previous node in its
// stream has. The streams are computation on the GPU, operations of the host, collectives, and
// for each peer the messages to it and from it. The nodes of a stream keep the order of the file,
// except that no node comes before one that it depends on.
//
// Only data dependencies count. Control dependencies name callers. In traces of PyTorch, callers
// end after what they call, and some are missing from the file. Control dependencies are
// therefore read and not followed, as in ASTRA-sim.
//
// A send does not wait for its receive. A receive ends when both it is ready and the message has
// arrived. The sends with one tag between two ranks are received in their order. A collective
// begins with the last rank of its group. A node takes its duration or, without one, the time
// that the machine needs for its arithmetic or its bytes.
package chakra
