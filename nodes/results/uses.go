package results

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Uses says which features of its machine a run used, and so which parameters could have an
// effect.
type Uses struct {
	ops      uint32 // by OpKind
	kernels  uint64 // by number
	messages MessageUse
}

// MessageUse is a set of properties that messages of a run had.
type MessageUse uint16

// Properties of messages. Those after ThroughNIC belong to messages that use a NIC.
const (
	ToItself   MessageUse = 1 << iota // from a process to itself
	InsideNode                        // to another process of the node, bypassing the NIC
	ThroughNIC
	EagerSend       // two-sided, sent at once
	EagerStrided    // EagerSend of bytes that are not contiguous
	LongSend        // two-sided, with a rendezvous
	LongStrided     // LongSend of bytes that are not contiguous
	AnswersToGets   // bytes that the receiving side has asked for
	RequestsForGets // requests of the gets that a program posts
	Combined        // by the switches of the network
	Interrupting    // a computation, for work on them
)

// AllUses are the uses of a run about which nothing is known.
var AllUses = Uses{^uint32(0), ^uint64(0), ^MessageUse(0)}

// And returns the combined uses of two runs.
func (u Uses) And(v Uses) Uses {
	return Uses{u.ops | v.ops, u.kernels | v.kernels, u.messages | v.messages}
}

// Does tells whether a rank did an operation of that kind.
func (u Uses) Does(kind programs.OpKind) bool { return u.ops>>kind&1 != 0 }

// Sends tells whether a message had one of the properties.
func (u Uses) Sends(any MessageUse) bool { return u.messages&any != 0 }

// Calls tells whether a rank ran a kernel of the machine.
func (u Uses) Calls(m *machines.Machine, kernel string) bool {
	number := m.KernelNumber(kernel)
	return number == 0 || number >= mostKernels || u.kernels>>number&1 != 0
}

// mostKernels is the number of kernels that are kept apart.
const mostKernels = 64

// Operation notes an operation of a rank.
func (u *Uses) Operation(op *programs.Op) {
	u.ops |= 1 << op.Kind
	if op.Kind == programs.OpCompute {
		u.kernels |= 1 << uint32(op.Kernel)
	}
}

// Message notes the properties of a message.
func (u *Uses) Message(has MessageUse) { u.messages |= has }
