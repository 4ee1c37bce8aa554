package calibrate

import (
	"fmt"
	"math"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios/calibrate/outputs"
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

// Where processes copy, windows do not tell how fast the NIC is. It is no faster than they are, also if messages leave by RDMA later.
func TestNICNoFasterThanWindows(t *testing.T) {
	var sizes []int64
	for size := int64(1); size <= 1<<20; size *= 2 {
		sizes = append(sizes, size)
	}
	for _, c := range []struct {
		name             string
		receive, fastest float64 // ns/B
		with             []Quantity
		pairs            int
	}{
		{"both ways", 0.5, 1, []Quantity{OneWay, Stream, BothStreams}, 0},
		{"several pairs", 0.2, 0.5, []Quantity{OneWay, Stream}, 4},
	} {
		m := must.Get(files.ReadMachine("copies.yaml", fmt.Appendf(nil, "cores: 1\nnodes: 2\nnetwork: {latency: 1us, gap: 0.1us, bandwidth: 100GB/s, "+
			"send_overhead: [{from: 0B, time: 1us, per_byte: 1ns/B}], receive_overhead: [{from: 0B, time: 0.5us, per_byte: %gns/B}]}\n", c.receive)))(t)
		d := must.Get(measure(m.Machine, nodes.Options{}, sizes, c.with...))(t)
		if c.pairs > 0 {
			together := outputs.Table{Test: outputs.Stream, Pairs: c.pairs}
			for _, bytes := range sizes { // all pairs together are twice as fast as one
				together.Rows = append(together.Rows, outputs.Row{Bytes: bytes, Seconds: float64(c.pairs) * (0.5e-6 + c.fastest*1e-9*float64(bytes))})
			}
			d.Together = []outputs.Table{together}
		}
		f := must.Get(newFit(d, "copies", ""))(t)
		for _, bytes := range []int64{1 << 14, 1 << 17, 1 << 20} {
			if got := f.Machine.Network.Transfer.Of(bytes).Seconds() * 1e9 / float64(bytes); got < 0.99*c.fastest {
				t.Errorf("%s: %d B occupy the NIC for %.3g ns/B, measured were %g", c.name, bytes, got, c.fastest)
			}
			if e := must.Get(f.time(OneWay, bytes))(t)/d.Samples[OneWay][bytes][0] - 1; math.Abs(e) > 0.05 {
				t.Errorf("%s: %d B take %.0f %% longer one way than measured", c.name, bytes, 100*e)
			}
		}
	}
}
