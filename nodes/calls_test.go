package nodes

import (
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// A rendezvous by write: the sender posts its request, finds the reply at the end of its
// computation, and posts the bytes; the receiver finds the request, posts the reply, and finds
// the finish. Helper threads do all of this except the first post, and do it at once.
func TestCallsOfARendezvous(t *testing.T) {
	const o, latency, work, transfer = 10, 100, 5000, 600
	send := []programs.Op{{Kind: programs.OpSend, Peer: 1, Amount: transfer}, {Kind: programs.OpCompute, Amount: work}, {Kind: programs.OpWait}}
	receive := []programs.Op{{Kind: programs.OpReceive, Peer: 0}, {Kind: programs.OpWait}}
	post := func(at sim.Time) results.Call { return results.Call{At: at, Kind: results.Post} }
	poll := func(at sim.Time) results.Call { return results.Call{At: at, Kind: results.Poll} }
	for _, c := range []struct {
		by   machines.Agent
		want [][]results.Call // by lane of a CPU or a helper
	}{
		{machines.InCalls, [][]results.Call{
			{post(o), poll(o + work), post(o + work + o)},
			{poll(o + latency), post(o + latency + o), poll(o + work + o + transfer + latency)}}},
		{machines.Thread, [][]results.Call{
			{post(o)}, {poll(2*o + 2*latency), post(3*o + 2*latency)},
			nil, {poll(o + latency), post(2*o + latency), poll(3*o + 3*latency + transfer)}}},
	} {
		m := machines.Machine{Name: "m", Cores: 2, Processes: 1,
			Network: network.LogGOPS{Latency: latency, SendOverhead: network.Constant(o), Transfer: network.PerByte(1), Rendezvous: 1},
			Runtime: &machines.Runtime{Progress: machines.Progression{By: c.by}, Rendezvous: machines.Write}}
		r := runScript(t, &m, Options{Timeline: true, Calls: true}, send, receive)
		var got [][]results.Call
		for _, l := range r.Timeline.Lanes {
			if l.Kind == results.CPULane || l.Kind == results.HelperLane {
				got = append(got, l.Calls)
			}
		}
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v: got %v, want %v", c.by, got, c.want)
		}
	}
}
