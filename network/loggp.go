package network

import (
	"math"

	"overlapsim/sim"
)

// Cost is a time that depends on the size of a message. It is piecewise linear and may jump
// between pieces. Pieces are sorted by From, and the first starts at 0 bytes.
type Cost []Piece

// Piece applies to messages of From bytes and more.
type Piece struct {
	From    int64    // bytes
	Base    sim.Time // per message
	PerByte float64  // ps per byte
}

// Constant is a cost that does not depend on the size.
func Constant(t sim.Time) Cost { return Cost{{Base: t}} }

// PerByte is a cost of ps per byte.
func PerByte(ps float64) Cost { return Cost{{PerByte: ps}} }

// Further returns what each additional byte of the largest messages costs, in ps.
func (c Cost) Further() float64 {
	if len(c) == 0 {
		return 0
	}
	return c[len(c)-1].PerByte
}

// Piece returns the number of the piece that applies to messages of the given size, or -1 if
// there is none.
func (c Cost) Piece(bytes int64) int {
	i := len(c) - 1
	for i > 0 && c[i].From > bytes {
		i--
	}
	return i
}

// Of returns the cost of a message of the given size, rounded once to a
// whole ps. The zero Cost is free.
func (c Cost) Of(bytes int64) sim.Time {
	i := c.Piece(bytes)
	if i < 0 {
		return 0
	}
	p := &c[i]
	if p.PerByte == 0 {
		return p.Base
	}
	return p.Base + sim.PerByte(bytes, p.PerByte)
}

// InPieces returns a lower bound on the cost of bytes that are cut into at most this number of
// pieces, none of them larger than the largest, wherever the cuts are. Each piece costs at least its
// bytes times the smallest cost of a byte in a piece, and is rounded once.
func (c Cost) InPieces(bytes, pieces, largest int64) sim.Time {
	if bytes == 0 || len(c) == 0 {
		return c.Of(bytes)
	}
	perByte := math.Inf(1)
	for i := range c {
		end := min(bytes, largest) // of the sizes to which this part applies; a byte costs least there
		if i+1 < len(c) {
			end = min(end, c[i+1].From-1)
		}
		if end >= max(1, c[i].From) {
			perByte = min(perByte, float64(c[i].Base)/float64(end)+c[i].PerByte)
		}
	}
	least := math.Floor(float64(bytes)*perByte - float64(pieces)/2)
	return sim.Time(max(0, min(least, float64(sim.Forever/2))))
}

// InTurns is a number of channels: one to each process, regardless of how the fabric shares.
const InTurns = -1

// LogGOPS holds the parameters of one NIC, and the latency through the fabric when no
// other message is there.
type LogGOPS struct {
	Latency         sim.Time // L: from the last byte leaving one NIC until it is in the memory of the other
	SendOverhead    Cost     // o, O: CPU time to post a message
	ReceiveOverhead Cost     // o, O: CPU time to receive a message, two-sided or without RDMA
	Gap             sim.Time // g: the NIC takes one descriptor every g
	Startup         sim.Time // time that a message occupies the NIC in addition to its bytes
	Transfer        Cost     // G: time the bytes occupy the NIC
	Rendezvous      int64    // S: messages of more bytes wait for their receive, two-sided only; 0: all are eager
	Asking          Cost     // from the arrival of a rendezvous request until the target notices it, by the size of its message
	Delivery        Cost     // from the arrival of a whole two-sided message until it is in memory, by its size; it occupies nothing
	Early           bool     // a message leaves once it is inserted, whether its overhead is paid or not; with RDMA only
	QueueDepth      int      // descriptors that may wait for, or be in, insertion; 0: no limit
	Outstanding     int      // messages of a process inserted and not yet sent; 0: no limit
	Channels        int      // messages of a NIC that leave at once, on fabrics where they contend; 0: one to each process, if the fabric shares the NIC's rate; or InTurns
	PerPeer         int      // like Outstanding, for each process that it may send to: the limit is the product; 0: no limit
}

// Rate returns the most that the NIC sends, regardless of the sizes of messages; 0: there is no limit.
func (p *LogGOPS) Rate() sim.Rate {
	least := math.Inf(1)
	for i := range p.Transfer {
		least = min(least, p.Transfer[i].PerByte)
	}
	if rate := sim.RateOfGap(least); rate.Positive() {
		return rate
	}
	return 0
}

// OfLinks returns the rate of the links of a network whose machine gives them none.
func (p *LogGOPS) OfLinks() sim.Rate { return sim.RateOfGap(p.Transfer.Further()) }

// Limit returns how many messages a process may have inserted and not yet sent when there are
// this many processes; 0: no limit.
func (p *LogGOPS) Limit(processes int) int {
	all := p.PerPeer * (processes - 1)
	if all == 0 || p.Outstanding > 0 && p.Outstanding < all {
		return p.Outstanding
	}
	return all
}
