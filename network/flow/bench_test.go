package flow

import (
	"fmt"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
)

// The patterns and platforms of the yardstick: 12.5 GB/s and 200 ns per link,
// 64 KiB messages.

const message = 64 << 10

// chain lets each rank send to rank+1, rank+2, ..., with so many messages under way at a time.
type chain struct {
	f      *Fabric
	ranks  int32
	rounds int32
	next   []int32 // of each rank
	ended  int
}

func (c *chain) send(rank int32) {
	if c.next[rank] == c.rounds {
		return
	}
	c.next[rank]++
	c.f.Start(uint32(rank), rank, (rank+c.next[rank])%c.ranks, message)
}

func (c *chain) Sent(id uint32, _ sim.Time)    { c.send(int32(id)) }
func (c *chain) Arrived(id uint32, _ sim.Time) { c.ended++ }

var platforms = map[string]func(ranks int) (topology.Topology, Params, error){
	"crossbar": func(ranks int) (topology.Topology, Params, error) {
		t, err := topology.NewCrossbar(ranks)
		return t, Params{Injection: 12.5e9, Ejection: 12.5e9, Latency: 400 * sim.Nanosecond}, err
	},
	"tree": func(ranks int) (topology.Topology, Params, error) {
		t, err := topology.NewFatTree(topology.Tree{Down: []int{8, 8, ranks / 64}, Up: []int{8, 8}})
		return t, Params{Capacity: []float64{12.5e9, 12.5e9}, Injection: 12.5e9, Ejection: 12.5e9,
			Latency: 400 * sim.Nanosecond, HopLatency: 200 * sim.Nanosecond}, err
	},
	"torus": func(ranks int) (topology.Topology, Params, error) {
		t, err := topology.NewTorus(topology.Grid{Sizes: []int{8, ranks / 64, 8}})
		return t, Params{Capacity: []float64{12.5e9, 12.5e9, 12.5e9}, HopLatency: 200 * sim.Nanosecond}, err
	},
}

func runPattern(b *testing.B, platform string, ranks, rounds, window int) {
	st := cpu(); defer func() { report(b, st, ranks*rounds) }()
	for range b.N {
		t, p, err := platforms[platform](ranks)
		if err != nil {
			b.Fatal(err)
		}
		p.LatencyFirst = true
		k := sim.NewKernel()
		c := &chain{ranks: int32(ranks), rounds: int32(rounds), next: make([]int32, ranks)}
		c.f, err = New(k, c, t, p)
		if err != nil {
			b.Fatal(err)
		}
		for range window {
			for r := range ranks {
				c.send(int32(r))
			}
		}
		k.Run()
		if c.ended != ranks*rounds {
			b.Fatalf("%d messages", c.ended)
		}
		b.ReportMetric(k.Now().Seconds()*1e6, "us-simulated")
		b.ReportMetric(float64(k.Processed()), "events")
	}
	b.ReportMetric(float64(ranks*rounds*b.N)/b.Elapsed().Seconds(), "messages/s")
}

func BenchmarkPatterns(b *testing.B) {
	for _, platform := range []string{"crossbar", "tree", "torus"} {
		for _, ranks := range []int{512, 1024} {
			b.Run(fmt.Sprintf("pencil/%s/%d", platform, ranks), func(b *testing.B) { runPattern(b, platform, ranks, 64, 1) })
			b.Run(fmt.Sprintf("bulk/%s/%d", platform, ranks), func(b *testing.B) { runPattern(b, platform, ranks, 64, 64) })
		}
	}
}
