package flow

import (
	"fmt"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// counter counts arrivals.
type counter struct{ ended int }

func (c *counter) Sent(uint32, sim.Time, sim.Time) {}
func (c *counter) Arrived(uint32, sim.Time)        { c.ended++ }

// torus is one of 8x8x8 nodes with 12.5 GB/s and 200 ns per link, with latency first.
func torus() (topology.Topology, Params, error) {
	t, err := topology.NewTorus(topology.Grid{Sizes: []int{8, 8, 8}})
	p := Params{LatencyFirst: true, HopLatency: 200 * sim.Nanosecond}
	for range t.Classes() {
		p.Capacity = append(p.Capacity, 12.5e9)
	}
	return t, p, err
}

const message = 64 << 10

// BenchmarkSolver runs flows between random nodes of an 8x8x8 torus that begin
// together and end one by one.
func BenchmarkSolver(b *testing.B) {
	for _, flows := range []int{500, 1000, 2000, 4000, 8000, 32000} {
		b.Run(fmt.Sprint(flows), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				t, p, err := torus()
				if err != nil {
					b.Fatal(err)
				}
				k, c, stream := sim.NewKernel(), &counter{}, sim.NewStream(1)
				f := must.Get(New(k, c, t, p))(b)
				for i := range flows {
					from := stream.Intn(512)
					to := (from + 1 + stream.Intn(511)) % 512
					f.Start(transfer(uint32(i), int32(from), int32(to), message+int64(stream.Intn(message))))
				}
				k.Run()
				if c.ended != flows {
					b.Fatalf("%d of %d flows ended", c.ended, flows)
				}
			}
			b.ReportMetric(float64(flows*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
