package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Two messages that share one link take twice as long as one alone. Half of that is
// contention, for the sender and for the receiver. Alone there is none.
func TestSharedLinkIsContention(t *testing.T) {
	const bytes = 60000
	m := with(func(m *machines.Machine) { m.Network.Rendezvous = 0 })
	m.Network.Transfer = network.PerByte(100) // 1e10 B/s
	crossbar := must.Get(topology.NewCrossbar(3))(t)
	fabric := func(k *sim.Kernel, s network.Sink) (network.Contended, error) {
		return flow.New(k, s, crossbar, flow.Params{Injection: 1e10, Ejection: 1e10, Latency: m.Network.Latency})
	}
	send := []programs.Op{put(2, bytes, 0), wait(0)}
	for _, c := range []struct {
		name       string
		ops        [][]programs.Op
		contention sim.Time
	}{
		{"alone", [][]programs.Op{send, {}, {}}, 0},
		{"two", [][]programs.Op{send, send, {}}, bytes * 100},
		{"two, received", [][]programs.Op{{isend(2, bytes, 0, 0)}, {isend(2, bytes, 0, 0)},
			{irecv(0, 0, 0), wait(0), irecv(1, 0, 1), wait(1)}}, bytes * 100},
	} {
		r := must.Get(Run(m, &script{1, c.ops, 1}, 1, Options{Fabric: fabric}))(t)
		for rank := range r.Ledgers {
			l := r.Ledgers[rank][0]
			if l[results.Transfer]+l[results.Contention] == 0 {
				continue
			}
			if l[results.Transfer] != bytes*100 || l[results.Contention] != c.contention {
				t.Errorf("%s: rank %d: transfer %v, contention %v; want %v, %v", c.name, rank, l[results.Transfer],
					l[results.Contention], sim.Time(bytes*100), c.contention)
			}
		}
	}
}
