package flow

import (
	"fmt"
	"testing"

	"overlapsim/sim"
)

func BenchmarkRandomFlows(b *testing.B) {
	for _, flows := range []int{500, 1000, 2000, 4000, 8000, 32000} {
		b.Run(fmt.Sprint(flows), func(b *testing.B) {
	st := cpu(); defer func() { report(b, st, flows) }()
			for range b.N {
				t, p, err := platforms["torus"](512)
				if err != nil {
					b.Fatal(err)
				}
				k := sim.NewKernel()
				c := &chain{}
				c.f, err = New(k, idle{c}, t, p)
				if err != nil {
					b.Fatal(err)
				}
				stream := sim.NewStream(1)
				for i := range flows {
					from := stream.Intn(512)
					c.f.Start(uint32(i), int32(from), int32((from+1+stream.Intn(511))%512), message + int64(stream.Intn(message)))
				}
				k.Run()
				if c.ended != flows {
					b.Fatalf("%d messages", c.ended)
				}
				b.ReportMetric(float64(k.Processed()), "events")
			}
			b.ReportMetric(float64(flows*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

type idle struct{ *chain }

func (idle) Sent(uint32, sim.Time) {}

func BenchmarkAllToAll(b *testing.B) { 
	for _, p := range []string{"crossbar", "tree", "torus"} {
		b.Run(p, func(b *testing.B) { runPattern(b, p, 1024, 1023, 1) })
	}
}
