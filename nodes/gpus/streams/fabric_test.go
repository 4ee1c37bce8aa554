package streams

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// pipe is a fabric of nodes behind one switch, each with a link of this bandwidth into it and out of it.
func pipe(nodes int, bandwidth sim.Rate) network.Maker {
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		shape, err := topology.NewCrossbar(nodes)
		if err != nil {
			return nil, err
		}
		return flow.New(k, sink, shape, flow.Params{Injection: bandwidth, Ejection: bandwidth})
	}
}

// Two collectives that send through one NIC at once take as long as their bytes need together. One that is alone takes the time
// that it has without a fabric.
func TestFlowsShareNICs(t *testing.T) {
	const transfer = 100 * sim.Microsecond
	all := []Flow{{0, 1, 1e6}} // at 10 GB/s
	for _, c := range []struct {
		bandwidth sim.Rate
		begin     sim.Time // of the second one
		want      sim.Time
	}{
		{20e9, 0, transfer}, {10e9, 0, 2 * transfer}, {5e9, 0, 4 * transfer}, {10e9, transfer, 2 * transfer},
		{10e9, transfer / 2, 2 * transfer}, // half alone, the rest of both shared
	} {
		g := &Graph{Kinds: []string{"all"}, Devices: []Device{h100(), h100()}, Fabric: pipe(2, c.bandwidth),
			Collectives: []Collective{{Latency: 5, Transfer: transfer, Flows: all}, {Latency: 5, Transfer: transfer, Flows: all}},
			Ops: []Op{{Collective: 1}, {Device: 1, Collective: 1}, {Stream: 1, Work: c.begin}, {Stream: 1, Collective: 2},
				{Device: 1, Stream: 1, Collective: 2}}}
		r := run(t, g)
		if diff := r.Makespan - 5 - c.want; diff < 0 || diff > 2 {
			t.Errorf("%.0f GB/s, %v later: %v, want %v", float64(c.bandwidth)/1e9, c.begin, r.Makespan, c.want)
		}
		if l := r.Total(1, 1); l[Contention]+l[Skew]+l[Latency]+l[Transfer]+l[EventWait]+l[Idle] != r.Makespan {
			t.Errorf("ledger %v", l)
		}
	}
}

// Law: on a fabric that nothing fills, every operation of a random graph starts and ends in the picosecond in which it does
// without one.
func TestWideFabricChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		for i := range g.Collectives {
			c := &g.Collectives[i]
			c.Link = 0
			for range rapid.IntRange(0, 4).Draw(t, "flows") {
				from := rapid.Int32Range(0, 7).Draw(t, "from")
				c.Flows = append(c.Flows, Flow{from, (from + 1) % 8, rapid.Int64Range(0, 1<<40).Draw(t, "bytes")})
			}
		}
		plain, err := Run(g)
		if err != nil {
			return
		}
		g.Fabric = pipe(8, 1e30)
		wide, err := Run(g)
		if err != nil || !reflect.DeepEqual(plain.Starts, wide.Starts) || !reflect.DeepEqual(plain.Ends, wide.Ends) {
			t.Fatalf("%v: starts %v ends %v without a fabric, %v and %v with one", err, plain.Starts, plain.Ends, wide.Starts, wide.Ends)
		}
	})
}
