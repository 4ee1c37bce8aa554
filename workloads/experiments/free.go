package experiments

import (
	"overlapsim/network"
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
)

// free takes causes away from one operation of all GPUs, each of which computes until it arrives: it changes the arrivals, and
// returns what of the operation takes no time, and the fabric.
func (p *Place) free(c *gpus.Cost, group *gpus.Communicator, arrivals []sim.Time) (gpus.Free, network.Maker, error) {
	g := p.alone(c, group)
	for i, at := range arrivals {
		g.Devices = append(g.Devices, streams.Device{SMs: 1, Streams: make([]streams.Stream, 1)})
		g.Ops = append(g.Ops, streams.Op{Device: int32(i), Work: at}, streams.Op{Device: int32(i), Collective: 1})
	}
	if err := p.Without.Streams(g); err != nil {
		return gpus.Free{}, nil, err
	}
	for i := range arrivals {
		arrivals[i] = g.Ops[2*i].Work
	}
	return gpus.Free{Latency: g.Collectives[0].Latency == 0, Bytes: g.Collectives[0].Transfer == 0}, g.Fabric, nil
}

// alone is a graph of one operation, without GPUs.
func (p *Place) alone(c *gpus.Cost, group *gpus.Communicator) *streams.Graph {
	return &streams.Graph{Kinds: []string{"all"}, Fabric: p.Fabric,
		Collectives: []streams.Collective{{Latency: c.Before(), Transfer: c.Moving(), Flows: p.Flows(c, group, 1)}}}
}

// contended is how much longer an operation takes on a fabric, where its own flows share links.
func (p *Place) contended(c *gpus.Cost, group *gpus.Communicator, fabric network.Maker) (sim.Time, error) {
	g := p.alone(c, group)
	if g.Fabric = fabric; fabric == nil || len(g.Collectives[0].Flows) == 0 {
		return 0, nil
	}
	g.Devices = []streams.Device{{SMs: 1, Streams: make([]streams.Stream, 1)}}
	g.Ops = []streams.Op{{Collective: 1}}
	run, err := streams.Run(g)
	if err != nil {
		return 0, err
	}
	return run.Makespan - sim.Later(c.Before(), c.Moving()), nil
}
