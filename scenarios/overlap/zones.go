package overlap

import (
	"fmt"
	"math"
	"slices"

	"overlapsim/workloads"
)

// most is the highest ratio that the colours distinguish.
const most = 2.0

// Zones are the mean ratios of the four parts of a map that the paper's text discusses:
// messages up to the rendezvous threshold or larger, and computation shorter than the
// communication or not. Ratios are cropped as the colours are, to 0 and 2. They are below
// 0 where the 0-byte latency, which the benchmark subtracts, was hidden too.
type Zones struct {
	EagerShort float64 `json:"eager_short"`
	EagerLong  float64 `json:"eager_long"`
	LargeShort float64 `json:"large_short"`
	LargeLong  float64 `json:"large_long"`
}

// Zones returns the mean ratios of a map by computation time. A zone without
// points is 0.
func (l *Library) Zones(m *Map) Zones {
	var sum, count [2][2]float64
	for y, row := range m.Cells {
		for x, c := range row {
			if math.IsNaN(c.Ratio) {
				continue
			}
			large, long := 0, 0
			if s := l.Machine.Network.Rendezvous; s > 0 && l.Sizes[x] > s {
				large = 1
			}
			if m.Compute[y] >= m.Communication[x] {
				long = 1
			}
			sum[large][long] += min(max(c.Ratio, 0), most)
			count[large][long]++
		}
	}
	mean := func(large, long int) float64 { return sum[large][long] / max(1, count[large][long]) }
	return Zones{mean(0, 0), mean(0, 1), mean(1, 0), mean(1, 1)}
}

// Most returns the highest ratio of a map, and the place of its row and its column.
func (m *Map) Most() (most float64, y, x int) {
	for i, row := range m.Cells {
		for k, c := range row {
			if c.Ratio > most {
				most, y, x = c.Ratio, i, k
			}
		}
	}
	return most, y, x
}

// ZoneTable returns the mean ratios of each benchmark by computation time, as a table with a
// head.
func (l *Library) ZoneTable() [][]string {
	rows := [][]string{{"  0: all hides, 1: nothing; computation is", "eager: shorter", "longer", "larger: shorter", "longer"}}
	for _, m := range l.Maps {
		if m.Threads != nil {
			continue
		}
		z := l.Zones(m)
		row := []string{"  " + m.Title}
		for _, ratio := range []float64{z.EagerShort, z.EagerLong, z.LargeShort, z.LargeLong} {
			row = append(row, fmt.Sprintf("%.2f", ratio))
		}
		rows = append(rows, row)
	}
	return rows
}

// Benchmarks are the names of the maps of a suite, of single messages or of collectives.
func Benchmarks(ofCollectives bool) (names []string) {
	if ofCollectives {
		for _, of := range workloads.OverlapCollectives {
			names = append(names, of.Name)
		}
		return names
	}
	for _, b := range workloads.OverlapBenchmarks {
		names = append(names, b.Name)
	}
	return append(names, workloads.OverlapLoad.Name)
}

// Only returns the suite with some of its maps, by their names; none means all.
func (l *Library) Only(benchmarks []string) *Library {
	if len(benchmarks) == 0 {
		return l
	}
	some := *l
	some.Maps = slices.DeleteFunc(slices.Clone(l.Maps), func(m *Map) bool { return !slices.Contains(benchmarks, m.Name) })
	return &some
}
