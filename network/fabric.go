package network

import "overlapsim/sim"

// Transfer is what a NIC hands to a fabric.
type Transfer struct {
	ID       uint32
	From, To int32 // nodes
	Bytes    int64
	// Length is how long the NIC itself needs for the bytes. No fabric lets them
	// leave faster.
	Length sim.Time
	Kind   TransferKind
}

// TransferKind says what a transfer is.
type TransferKind uint8

// The kinds of transfers.
const (
	Bytes   TransferKind = iota // bytes that a node sends
	Request                     // request of a get, 0 bytes
	Answer                      // bytes that a request asked for
)

// Contended is a fabric in which messages delay each other, so that their arrival is not
// known when they start. The receiving NIC is not a part of it.
type Contended interface {
	// Latency is how long an empty message of a kind takes when nothing else is there: from
	// leaving the NIC of one node until it is in the memory of the other.
	Latency(from, to int32, kind TransferKind) sim.Time
	// Start begins to send a transfer that a NIC has ready now. The fabric calls Sent when the
	// last byte has left the NIC, which is never before the Length is over. It calls Arrived when
	// that byte is at the other NIC.
	Start(Transfer)
	// Alone is how long the bytes of a transfer take from Start to Sent when no other transfer is
	// there. They arrive Latency later.
	Alone(Transfer) sim.Time
	// Injection is the most that a node sends, all its transfers together, if several are in flight;
	// 0: the fabric sets no limit, and NICs hand it one transfer after the other.
	Injection() sim.Rate
	// Ejection is the most that a node takes in, all its transfers together; 0: the fabric sets no limit,
	// and NICs take in as many transfers at once as make up what they send.
	Ejection() sim.Rate
	// Links returns the links of the fabric and what they have carried until now; nil if it
	// has none.
	Links() *Links
	// Record makes the fabric note in the series, from now on, how many bytes each link carries
	// when.
	Record(*Series)
	// Explain returns the quantities from which the rates of transfers follow, and reports rates
	// to the watcher from now on. A fabric that cannot explain its rates returns nil.
	Explain(Watcher) *Explanation
}

// Queued is a contended fabric on which the transfers of a NIC leave one after another, regardless of how many begin.
type Queued interface {
	Contended
	Queues()
}

// Sink receives the reports of a contended fabric.
type Sink interface {
	// Sent says that the last byte of a transfer has left, and when it will arrive; sim.Forever
	// if that is not known yet.
	Sent(id uint32, now, arrives sim.Time)
	// Arrived says that the last byte of a transfer has arrived.
	Arrived(id uint32, now sim.Time)
}

// Maker makes an idle fabric.
type Maker func(*sim.Kernel, Sink) (Contended, error)
