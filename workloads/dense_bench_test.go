package workloads

import (
	"fmt"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
	"overlapsim/workloads/dense"
)

// BenchmarkCannon runs 2D Cannon with overlap, by default on 1,024 processes. -bench
// Cannon/65536 runs the size of the paper's largest machine.
func BenchmarkCannon(b *testing.B) {
	_, machine, c := crowded(b)
	for _, processes := range []int{1024, 65536} {
		b.Run(fmt.Sprint(processes), func(b *testing.B) {
			if processes > 1024 && testing.Short() {
				b.Skip("takes 8 GiB")
			}
			for range b.N {
				w := &denseWorkload{Size: 65536, Layers: 1, Overlap: true, Threads: 6, algorithm: &dense.Algorithms[0]}
				p := must.Get(w.Program(machine, processes))(b)
				r := must.Get(nodes.Run(machine, p, 4, nodes.Options{Calibration: c, NoSymmetry: true}))(b)
				side := p.(*denseProgram).Side
				if want := uint64(2 * processes * side); r.Messages != want {
					b.Fatalf("%d messages, want %d", r.Messages, want)
				}
				b.ReportMetric(float64(r.Messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			}
		})
	}
}
