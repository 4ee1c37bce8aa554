package experiments

import (
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
)

// free takes causes away from one operation of all GPUs, each of which computes until it arrives: it changes the arrivals, and
// returns what of the operation takes no time.
func (p *Place) free(c *gpus.Cost, arrivals []sim.Time) (gpus.Free, error) {
	g := &streams.Graph{Kinds: []string{"all"}, Collectives: []streams.Collective{{Latency: c.Before(), Transfer: c.Moving()}}}
	for i, at := range arrivals {
		g.Devices = append(g.Devices, streams.Device{SMs: 1, Streams: make([]streams.Stream, 1)})
		g.Ops = append(g.Ops, streams.Op{Device: int32(i), Work: at}, streams.Op{Device: int32(i), Collective: 1})
	}
	if err := p.Without.Streams(g); err != nil {
		return gpus.Free{}, err
	}
	for i := range arrivals {
		arrivals[i] = g.Ops[2*i].Work
	}
	return gpus.Free{Latency: g.Collectives[0].Latency == 0, Bytes: g.Collectives[0].Transfer == 0}, nil
}
