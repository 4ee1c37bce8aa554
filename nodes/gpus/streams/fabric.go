package streams

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// fabric carries the flows of collectives, on the clock of the engine.
type fabric struct {
	network.Contended
	engine *engine
	of     []int32 // by number of a flow: its collective
	unused []uint32
}

// wire makes the fabric of the graph, if it has one.
func (e *engine) wire() (err error) {
	if e.Fabric == nil {
		return nil
	}
	e.fabric = &fabric{engine: e}
	e.fabric.Contended, err = e.Fabric(e.kernel, e.fabric)
	return err
}

// send begins the flows of a collective. Each has the time of the transfer; where they leave a NIC one after another, its part of that by
// its bytes.
func (f *fabric) send(number int32, about *Collective) {
	f.engine.groups[number].flows = int32(len(about.Flows))
	leave := map[int32]int64{} // bytes, by NIC
	if _, queued := f.Contended.(network.Queued); queued {
		for _, w := range about.Flows {
			leave[w.From] += w.Bytes
		}
	}
	for _, w := range about.Flows {
		length := about.Transfer
		if all := leave[w.From]; all > w.Bytes {
			length = sim.Time(float64(length) * float64(w.Bytes) / float64(all))
		}
		f.Start(network.Transfer{ID: f.number(number), From: w.From, To: w.To, Bytes: w.Bytes, Length: length})
	}
}

// number returns an unused number for a flow of a collective.
func (f *fabric) number(of int32) uint32 {
	if last := len(f.unused) - 1; last >= 0 {
		n := f.unused[last]
		f.unused = f.unused[:last]
		f.of[n] = of
		return n
	}
	f.of = append(f.of, of)
	return uint32(len(f.of) - 1)
}

// Sent implements network.Sink.
func (f *fabric) Sent(uint32, sim.Time, sim.Time) {}

// Arrived implements network.Sink: with its last flow, a collective is over, if its own transfer is.
func (f *fabric) Arrived(n uint32, _ sim.Time) {
	number := f.of[n]
	f.unused = append(f.unused, n)
	k := &f.engine.groups[number]
	if k.flows--; k.flows == 0 && k.own {
		f.engine.leave(number)
		f.engine.settleAfter()
	}
}
