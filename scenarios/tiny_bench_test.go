package scenarios

import (
	"fmt"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// BenchmarkTiny loads and runs scenarios of few events, of which each has another value of
// a key of the workload or of the machine: what a point of a sweep costs next to its files.
func BenchmarkTiny(b *testing.B) {
	text := []byte("machine: jacquard\nworkload: {name: token-ring}\nranks: 4\n")
	for _, vary := range []string{"workload.bytes=%dB", "machine.network.gap=%dns"} {
		b.Run(vary, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s := must.Get(Read("tiny.yaml", text, []string{fmt.Sprintf(vary, 1+i%1000)}))(b)
				outcome, err := s.Runs[0].Run(nodes.Options{})
				if err != nil || outcome.Result.Events != 40 {
					b.Fatalf("%d events, %v", outcome.Result.Events, err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scenarios/s")
		})
	}
}
