package workloads

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Closed forms on the ideal fabric. Put: o, bytes, two latencies. Get: o, request, L,
// bytes, L. mpi: two eager messages.
func TestRoundTrips(t *testing.T) {
	m := peerMachine()
	n := m.Network
	o, G := n.SendOverhead.Of(0), n.Transfer.Of(5000)
	for call, want := range map[string]float64{
		"put": (o + G + 2*n.Latency).Seconds(),
		"get": (o + G + 2*n.Latency).Seconds(),
		mpi:   (2*o + G + 2*n.Latency + 2*n.ReceiveOverhead.Of(0)).Seconds(),
	} {
		w := &roundTrip{Call: call, Bytes: 5000, Repeat: 3}
		got := metric(t, m, w, 2, "round_trip_s")
		near(t, call, got, want)
	}
	w := &roundTrip{Call: "put", Bytes: 5000, Repeat: 3}
	near(t, "local completion", metric(t, m, w, 2, "local_s"), (o + G).Seconds())
}

// With network.early a put is locally complete when both its overhead is paid and its bytes have left, which begins
// after the insertion: max(o, g + G). It is known to be there two latencies after it has left.
func TestEarlyPuts(t *testing.T) {
	for _, bytes := range []int64{8, 5000, 50000} {
		m := peerMachine()
		n := &m.Network
		n.Early, n.SendOverhead = true, network.Constant(20*sim.Microsecond)
		o, out := n.SendOverhead.Of(bytes), n.Gap+n.Transfer.Of(bytes)
		w := &roundTrip{Call: "put", Bytes: bytes, Repeat: 3}
		near(t, "local completion", metric(t, m, w, 2, "local_s"), max(o, out).Seconds())
		near(t, "round trip", metric(t, m, w, 2, "round_trip_s"), max(o, out+2*n.Latency).Seconds())
	}
}

// metric runs a workload on the ideal fabric.
func metric(t *testing.T, m *machines.Machine, w Workload, ranks int, name string) float64 {
	t.Helper()
	r := simulate(t, w, m, ranks, 1, nodes.Options{})
	for _, x := range list(w.Metrics(m, r)) {
		if x.Name == name {
			return x.Value
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// When a node sends over a link, the node at its end expects the message. Over the links
// in use every node reaches different neighbours one step away.
func TestFloodPeers(t *testing.T) {
	for links := int64(1); links <= 6; links++ {
		w := &floodLinks{Call: mpi, X: 4, Y: 6, Z: 8, Links: links, Messages: 1}
		prog := must.Get(w.Program(peerMachine(), 4*6*8))(t)
		p := prog.(*floodProgram)
		for me := range p.Ranks() {
			seen := map[int]bool{}
			for l := range int(links) {
				to := p.peer(me, l, +1)
				seen[to] = true
				if back := p.peer(to, l, -1); back != me {
					t.Fatalf("%d links: %d sends to %d by link %d, which expects %d", links, me, to, l, back)
				}
			}
			if len(seen) != int(links) || seen[me] {
				t.Fatalf("%d links: %d reaches %v", links, me, seen)
			}
		}
	}
}

// The NIC limits a flood of large messages; the CPU time per message limits a flood of
// small ones.
func TestFloodLimits(t *testing.T) {
	m := peerMachine()
	n := m.Network
	large := metric(t, m, &floodLinks{Call: "put", X: 4, Y: 4, Z: 4, Links: 6, Bytes: 1 << 20, Messages: 20}, 64, "MBps")
	if limit := 2e6 / n.Transfer[0].PerByte; large > limit || large < 0.98*limit {
		t.Errorf("large messages: %g MB/s, the NIC does %g both ways", large, limit)
	}
	const layer = 7000 * ns
	small := metric(t, m, &floodLinks{Call: "put", X: 4, Y: 4, Z: 4, Links: 2, Bytes: 8, Messages: 200, Layer: layer}, 64, "MBps")
	each := (layer + max(n.Gap, n.SendOverhead.Of(0))).Seconds()
	if want := 2 * 8 / each / 1e6; small > want || small < 0.95*want {
		t.Errorf("small messages: %g MB/s, the CPU allows %g", small, want)
	}
}
