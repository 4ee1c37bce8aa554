// Package chakra runs execution traces of Chakra (MLCommons): graphs of the operations of each rank, in protobuf, as PyTorch, ASTRA-sim and
// others write them.
//
// # What is read
//
// A file of a rank is a sequence of messages with their lengths before them: metadata, then nodes. A node is
// computation, an access to memory, a message sent or received, or a collective. Nodes name those that they depend
// on.
//
// # How it is run
//
// A node starts when all that it depends on has ended, and when the node before it in its stream has. Streams are
// computation on the GPU, operations of the host, collectives, and for each peer messages to it and from it; the
// nodes of a stream keep an order in which none comes before one that it depends on, by their place in the file. Data
// dependencies count. Those of control name callers, which in traces of PyTorch end after what they call, and in part
// are not in the file; they are read and not followed, as ASTRA-sim does. A send does not wait for its receive, which
// ends when both it is ready and the message has come; the sends of a tag between two ranks are received in their
// order. The collectives of a group begin with the last of its ranks. What a node takes is its duration, or, without
// one, what the machine needs for its arithmetic or its bytes.
package chakra
