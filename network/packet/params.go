package packet

import (
	"errors"
	"fmt"

	"overlapsim/sim"
)

// Routing says which routes the packets of a message may take.
type Routing uint8

const (
	// Static routing corrects one dimension at a time, on the escape channel. Packets
	// between two nodes arrive in order.
	Static Routing = iota
	// Adaptive routing takes any shortest route.
	Adaptive
)

func (r Routing) String() string { return [...]string{"static", "adaptive"}[r] }

// Arbitration is the rule by which a link picks among the FIFOs that have a
// packet for it.
type Arbitration uint8

const (
	// RoundRobin serves the FIFOs in turn.
	RoundRobin Arbitration = iota
	// OldestFirst serves the packet that entered its injection FIFO first.
	OldestFirst
	// LongestQueue serves the FIFO that holds the most packets. Several such FIFOs are served in
	// turn.
	LongestQueue
	// LongestOrAny serves the longest queue half of the time, and otherwise a random FIFO.
	LongestOrAny
)

func (a Arbitration) String() string {
	return [...]string{"round robin", "oldest first", "longest queue", "longest or any"}[a]
}

// Params are the parameters of routers and interfaces.
type Params struct {
	PayloadBytes int      // most user bytes in a packet
	PacketBytes  int      // bytes that a data packet takes on a link, overhead included, regardless of its payload
	ControlBytes int      // bytes that the request of a get, or a message without bytes, takes on a link
	Bandwidth    sim.Rate // raw rate of a link in one direction
	Injection    sim.Rate // user bytes that a node sends, all its messages together; 0: no limit

	Latency       sim.Time // from the arrival of the last packet until the message is in memory
	HopLatency    sim.Time // from the first bit on a link until the packet may leave the router at its end
	AnswerLatency sim.Time // from the arrival of a get's request until its answer may wait for injection

	Slots            int  // packets that a FIFO holds
	Bubble           int  // slots that a packet entering a ring must leave free
	AdaptiveChannels int  // virtual channels next to the escape channel
	InjectionFIFOs   int  // per node; a message uses the one for the first link of its static route
	AnswerFIFOs      int  // per node, for answers to gets; 0: answers share the injection FIFOs
	NetworkFirst     bool // a link takes packets in flight before those in injection FIFOs
	Arbitration      Arbitration
	// AdaptiveArbitration is the rule if all packets that contend for a link are data on adaptive
	// routes.
	AdaptiveArbitration Arbitration

	Put, Get Routing // of the data of puts and of gets; requests are static
}

// BlueGeneP returns the parameters of BlueGene/P. Their origins are in the table
// of docs/validation/bluegene-packets.md.
func BlueGeneP() Params {
	return Params{
		PayloadBytes:     240,                  // published: 256 B packets, 16 B of them header
		PacketBytes:      272,                  // derived: 374.9 of 425 MB/s; a last packet takes as long as a full one
		ControlBytes:     80,                   // published: the packet of a remote get has 64 B; 16 B on the link as above
		Bandwidth:        425e6,                // published
		HopLatency:       100 * sim.Nanosecond, // assumed: this is about the largest value
		AnswerLatency:    500 * sim.Nanosecond, // assumed: the rest of a round trip is 890 ns, shared with the processor
		Slots:            4,                    // published for BG/L: FIFOs of 1 KB
		Bubble:           1,                    // published for BG/L
		AdaptiveChannels: 2,                    // published
		InjectionFIFOs:   6,                    // published: one per link, without the two for urgent packets
		AnswerFIFOs:      0,                    // fitted
		NetworkFirst:     true,                 // fitted
		Arbitration:      OldestFirst,          // fitted

		AdaptiveArbitration: LongestOrAny, // published in words, the size of the random part chosen
		Put:                 Static,       // fitted; the acknowledgement must stay behind the data
		Get:                 Adaptive,     // fitted; the default of the DMA library for direct puts
	}
}

// maxSlots is the largest count that the counters hold.
const maxSlots = 127

// channels returns how many virtual channels of a link are used.
func (p *Params) channels() int {
	if p.Put == Adaptive || p.Get == Adaptive {
		return 1 + p.AdaptiveChannels
	}
	return 1
}

// check returns all mistakes in the parameters, with a least bubble.
func (p *Params) check(bubble int) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("packet: "+format, args...)) }
	for _, v := range []struct {
		name  string
		value int64
		least int
	}{
		{"payload bytes", int64(p.PayloadBytes), 1},
		{"packet bytes", int64(p.PacketBytes), p.PayloadBytes},
		{"control bytes", int64(p.ControlBytes), 1},
		{"latency", int64(p.Latency), 0},
		{"hop latency", int64(p.HopLatency), 0},
		{"answer latency", int64(p.AnswerLatency), 0},
		{"bubble", int64(p.Bubble), bubble},
		{"slots", int64(p.Slots), 1 + p.Bubble},
		{"adaptive channels", int64(p.AdaptiveChannels), 0},
		{"injection FIFOs", int64(p.InjectionFIFOs), 1},
		{"answer FIFOs", int64(p.AnswerFIFOs), 0},
	} {
		if v.value < int64(v.least) {
			fault("%s: must be at least %d, got %d", v.name, v.least, v.value)
		}
	}
	if p.Slots > maxSlots {
		fault("slots: must be at most %d, got %d", maxSlots, p.Slots)
	}
	if !p.Bandwidth.Positive() {
		fault("bandwidth: must be positive, got %v B/s", float64(p.Bandwidth))
	}
	if p.Injection != 0 && !p.Injection.Positive() {
		fault("injection: must be positive, or 0 for none, got %v B/s", float64(p.Injection))
	}
	if p.Arbitration > LongestOrAny || p.AdaptiveArbitration > LongestOrAny {
		fault("arbitration: unknown rule: %d, adaptive %d", p.Arbitration, p.AdaptiveArbitration)
	}
	if p.Put > Adaptive || p.Get > Adaptive {
		fault("routing: unknown rule: put %d, get %d", p.Put, p.Get)
	}
	return errors.Join(faults...)
}
