package nodes

import (
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// A put of n chunks through a window of w chunks, where a chunk costs the sender a and the
// receiver b, and a trip takes L, on a network of unlimited bandwidth: the sender may copy chunk
// i out when chunk i-1 is out and it knows that chunk i-w was copied in.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, w := rapid.IntRange(1, 12).Draw(t, "chunks"), rapid.IntRange(0, 5).Draw(t, "window")
		a, b := sim.Time(rapid.IntRange(1, 50).Draw(t, "a")), sim.Time(rapid.IntRange(1, 50).Draw(t, "b"))
		latency := sim.Time(rapid.IntRange(1, 50).Draw(t, "L"))
		const chunk = 10
		m := machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{Latency: latency},
			Copying: &machines.Copying{SendPerByte: float64(a), ReceivePerByte: float64(b), Buffer: 1 << 20, Chunk: chunk, Window: int64(w * chunk)}}
		out, in := make([]sim.Time, n), make([]sim.Time, n) // the end of each copy
		for i := range n {
			var free, before sim.Time
			if i > 0 {
				free, before = out[i-1], in[i-1]
			}
			if w > 0 && i >= w {
				free = max(free, in[i-w]+latency)
			}
			out[i] = free + a*chunk
			in[i] = max(before, out[i]+latency) + b*chunk
		}
		if got, want := endOfPuts(t, m, 1, int32(n*chunk), Options{}), in[n-1]+latency; got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
