package bucket

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/network"
	"overlapsim/sim"
)

// Params describe the buckets.
type Params struct {
	Rate    sim.Rate // in bytes per second
	Depth   int64    // bytes
	Payload int64    // user bytes in a packet; 0: a message is one packet
	Header  int64    // further bytes of a packet on the wire
	Shared  Shared
}

// Shared says which transfers take from one bucket.
type Shared uint8

// The choices of Shared: what takes from one bucket.
const (
	Out  Shared = iota // what a node sends
	Both               // what a node sends and receives
	All                // what all nodes send
)

// Names are the names of the choices of Shared.
var Names = []string{"out", "both", "all"}

// Check returns all mistakes in the parameters.
func (p *Params) Check() error {
	var wrong []error
	if !p.Rate.Positive() {
		wrong = append(wrong, fmt.Errorf("bucket.rate: must be positive, got %v B/s", float64(p.Rate)))
	}
	if p.Depth < 0 || p.Header < 0 || p.Payload < 0 {
		wrong = append(wrong, fmt.Errorf("bucket: depth, payload and header must not be negative, got %d, %d and %d B",
			p.Depth, p.Payload, p.Header))
	}
	return errors.Join(wrong...)
}

// wire returns how long a bucket needs to earn the bytes that a message takes on the wire.
func (p *Params) wire(bytes int64) sim.Time {
	packets := int64(1)
	if p.Payload > 0 && bytes > 0 {
		packets = (bytes-1)/p.Payload + 1
	}
	return p.earn(float64(bytes) + float64(packets)*float64(p.Header))
}

// earn returns how long a bucket needs to earn bytes.
func (p *Params) earn(bytes float64) sim.Time {
	return sim.Time(min(math.Round(bytes*p.Rate.Gap()), float64(sim.Forever/4)))
}

// Fabric puts buckets before an inner fabric.
type Fabric struct {
	network.Contended // the inner fabric

	kernel *sim.Kernel
	me     sim.HandlerID
	sink   network.Sink
	params Params
	depth  sim.Time            // how long an empty bucket needs to become full
	again  map[int32]sim.Time  // by node, or one for all: when the bucket will be full again
	travel map[uint32]transfer // by id
}

// transfer is a transfer that has started and not arrived.
type transfer struct {
	out     sim.Time // when the bucket lets its last byte out
	late    sim.Time // how much later that is than the fabric says it was sent
	arrives sim.Time // when it arrives according to the fabric
}

// New returns an idle fabric with buckets. The function behind makes the inner fabric, which
// reports to the sink that New gives it.
func New(k *sim.Kernel, sink network.Sink, p Params, behind network.Maker) (*Fabric, error) {
	f := &Fabric{kernel: k, sink: sink, params: p, depth: p.earn(float64(p.Depth))}
	f.again, f.travel = map[int32]sim.Time{}, map[uint32]transfer{}
	f.me = k.Register(f)
	var err error
	f.Contended, err = behind(k, (*holder)(f))
	return f, err
}

// Explain implements network.Contended. Rates do not say when bytes leave a bucket, so it
// explains nothing.
func (f *Fabric) Explain(network.Watcher) *network.Explanation { return nil }

// Start implements network.Contended.
func (f *Fabric) Start(t network.Transfer) {
	f.travel[t.ID] = transfer{out: f.take(&t)}
	f.Contended.Start(t)
}

// take takes the bytes of a transfer from the buckets on its way, and returns when it has all of them.
func (f *Fabric) take(t *network.Transfer) sim.Time {
	now := f.kernel.Now()
	if t.From == t.To {
		return now
	}
	wire := f.params.wire(t.Bytes)
	switch f.params.Shared {
	case All:
		return f.takeFrom(0, wire, now)
	case Both:
		return max(f.takeFrom(t.From, wire, now), f.takeFrom(t.To, wire, now))
	}
	return f.takeFrom(t.From, wire, now)
}

// takeFrom takes from a bucket what it earns in the time wire.
func (f *Fabric) takeFrom(bucket int32, wire, now sim.Time) sim.Time {
	again := sim.Later(max(f.again[bucket], now), wire)
	f.again[bucket] = again
	return again - f.depth
}

// Alone implements network.Contended. The bucket is full.
func (f *Fabric) Alone(t network.Transfer) sim.Time {
	alone := f.Contended.Alone(t)
	if t.From != t.To {
		alone = max(alone, f.params.wire(t.Bytes)-f.depth)
	}
	return alone
}

// holder holds back what the inner fabric reports.
type holder Fabric

// Sent implements network.Sink.
func (h *holder) Sent(id uint32, now, arrives sim.Time) {
	t := h.travel[id]
	t.late, t.arrives = max(0, t.out-now), arrives
	h.travel[id] = t
	if t.late == 0 {
		h.sink.Sent(id, now, arrives)
		return
	}
	h.kernel.Schedule(t.out, h.me, sent, uint64(id))
}

// Arrived implements network.Sink.
func (h *holder) Arrived(id uint32, now sim.Time) {
	t := h.travel[id]
	if t.late == 0 {
		delete(h.travel, id)
		h.sink.Arrived(id, now)
		return
	}
	h.kernel.Schedule(sim.Later(now, t.late), h.me, arrived, uint64(id))
}

// Kinds of events. The argument is the id of a transfer.
const (
	sent uint32 = iota
	arrived
)

// Handle implements sim.Handler.
func (f *Fabric) Handle(e sim.Event) {
	id := uint32(e.Arg)
	if e.Kind == sent {
		t := f.travel[id]
		f.sink.Sent(id, e.At, sim.Later(t.arrives, t.late))
		return
	}
	delete(f.travel, id)
	f.sink.Arrived(id, e.At)
}
