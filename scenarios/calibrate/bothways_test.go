package calibrate

import (
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// Where the processors copy, windows of one direction and of both tell what a send and what a receive cost them. Where a NIC does
// the work, the two directions share nothing, and no overhead is found.
func TestBothWays(t *testing.T) {
	var sizes []int64
	for size := int64(1); size <= 1<<20; size *= 2 {
		sizes = append(sizes, size)
	}
	for _, c := range []struct {
		overheads string
		per       float64 // overhead of a send, and 0.8 of it of a receive, in ns/B
	}{
		{"send_overhead: [{from: 0B, time: 1us, per_byte: 1ns/B}], receive_overhead: [{from: 0B, time: 0.5us, per_byte: 0.8ns/B}]", 1},
		{"send_overhead: 0.2us, receive_overhead: 0.1us", 0},
	} {
		m, err := files.ReadMachine("copies.yaml", []byte("cores: 1\nnodes: 2\nnetwork: {latency: 1us, gap: 0.1us, bandwidth: 10GB/s, "+c.overheads+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		d := must.Get(measure(m.Machine, nodes.Options{}, sizes, OneWay, Stream, BothStreams))(t)
		f := must.Get(newFit(d, "copies", ""))(t)
		for _, bytes := range []int64{1 << 14, 1 << 17, 1 << 20} {
			n, truth := &f.Machine.Network, &m.Network
			for i, pair := range [][2]float64{
				{n.SendOverhead.Of(bytes).Seconds(), truth.SendOverhead.Of(bytes).Seconds()},
				{n.ReceiveOverhead.Of(bytes).Seconds(), truth.ReceiveOverhead.Of(bytes).Seconds()},
			} {
				found, want := pair[0], pair[1]
				if c.per > 0 && math.Abs(found/want-1) > 0.05 || c.per == 0 && found > 1e-6 {
					t.Errorf("%s: %d B, overhead %d: %g s, want %g", c.overheads, bytes, i, found, want)
				}
			}
		}
	}
}
