package overlap

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// libraries are the rows of the paper's figures.
func libraries(t testing.TB) []*scenarios.Scenario {
	study := must.Get(scenarios.Load("mpi-libraries", nil))(t)
	if len(study.Runs) != 20 {
		t.Fatalf("%d libraries, the paper has 20", len(study.Runs))
	}
	return study.Runs
}

// Section III.B: without computation the overlap benchmarks take T_comm, which
// other programs measure.
func TestWithoutComputation(t *testing.T) {
	for _, run := range libraries(t) {
		s := must.Get(workloads.NewOverlapSuite(run.Machine.Machine, nil))(t)
		for _, b := range workloads.OverlapBenchmarks {
			for _, size := range []int64{1, 1000, 30_000, 500_000} {
				want := must.Get(s.Communication(b, size))(t)
				got, _, err := s.Measure(b, workloads.OverlapPoint{Bytes: size})
				if err != nil {
					t.Fatal(err)
				}
				if off := float64(got)/float64(want) - 1; math.Abs(off) > 0.02 {
					t.Errorf("%s: %s of %d B takes %s, T_comm is %s (%+.1f %%)", run.Name, b.Name, size, got, want, 100*off)
				}
			}
		}
	}
}

// Behind a token bucket communication takes what its rate allows.
func TestBehindBucket(t *testing.T) {
	m := must.Get(files.LoadMachine("loopback-openmpi"))(t)
	fabric := must.Get(m.Behind(2))(t)
	s := must.Get(workloads.NewOverlapSuite(m.Machine, fabric))(t)
	got, err := s.Communication(workloads.OverlapBenchmarks[0], 4<<20)
	if least := sim.Seconds((4<<20 - 16<<10) * 8 / 1e9); err != nil || got < least {
		t.Errorf("%v, %v; 4 MiB at 1 Gbit/s take %v", got, err, least)
	}
}

// few runs the suite of one library at a few points.
func few(t testing.TB, set string) *Library {
	study := must.Get(scenarios.Load("overlap", []string{set}))(t)
	l := &Library{Name: set, Machine: study.Runs[0].Machine, Sizes: []int64{1000, 500_000}}
	s := must.Get(workloads.NewOverlapSuite(l.Machine.Machine, nil))(t)
	for _, b := range workloads.OverlapBenchmarks {
		m := must.Get(l.benchmark(s, b))(t)
		l.Maps = append(l.Maps, m)
	}
	return l
}

// The ledger of a cell sums to the time of node 0, and the ratio is eq. (1).
func TestCells(t *testing.T) {
	l := few(t, "machine.runtime=mvapich2-2.2")
	zero := must.Get(workloads.NewOverlapSuite(l.Machine.Machine, nil))(t)
	latency := must.Get(zero.Communication(workloads.OverlapBenchmarks[0], 0))(t)
	for _, m := range l.Maps {
		for y, row := range m.Cells {
			for x, c := range row {
				want := c.Measured
				switch m.Name {
				case "sender", "receiver", "strided":
					want += latency
				case "both":
					want *= 2
				}
				if off := c.Ledger.Sum() - want; off < 0 || off > 1 { // half of a time is rounded
					t.Errorf("%s at %d, %d: the ledger sums to %s, want %s", m.Name, x, y, c.Ledger.Sum(), want)
				}
				if want := workloads.OverlapRatio(c.Measured, m.Communication[x], m.Compute[y]); c.Ratio != want {
					t.Errorf("%s at %d, %d: ratio %g, want %g", m.Name, x, y, c.Ratio, want)
				}
			}
		}
	}
}

// The range of the paper, in powers of the square root of 2, each once.
func TestGrid(t *testing.T) {
	s, c := sizes(), computations()
	if s[0] != 1 || s[len(s)-1] != 16<<20 || c[0] != sim.Microsecond || c[len(c)-1] > 20*sim.Millisecond || c[len(c)-1] < 14*sim.Millisecond {
		t.Errorf("sizes %v, computations %v", s, c)
	}
	for i := 1; i < len(s); i++ {
		if s[i] <= s[i-1] || float64(s[i])/float64(s[i-1]) > 2 {
			t.Errorf("%d after %d", s[i], s[i-1])
		}
	}
	for i := 1; i < len(c); i++ {
		if r := float64(c[i]) / float64(c[i-1]); math.Abs(r-math.Sqrt2) > 1e-4 {
			t.Errorf("%s after %s", c[i], c[i-1])
		}
	}
}

// The white line is where the computation takes as long as the communication, and ends
// with the map.
func TestLine(t *testing.T) {
	m := &Map{Compute: computations()}
	m.Communication = []sim.Time{sim.Microsecond / 2, m.Compute[0], m.Compute[7], m.Compute[len(m.Compute)-1], sim.Second}
	got := m.line()
	for i, want := range []float64{math.NaN(), 0, 7, float64(len(m.Compute) - 1), math.NaN()} {
		if math.IsNaN(want) != math.IsNaN(got[i]) || math.Abs(got[i]-want) > 1e-3 {
			t.Errorf("at %s: %g, want %g", m.Communication[i], got[i], want)
		}
	}
}

// The CSV file has a line for every cell, and the JSON the same numbers.
func TestOutputs(t *testing.T) {
	l := few(t, "machine.runtime=openmpi-1.10")
	var out bytes.Buffer
	must.Do(t, WriteCSV(&out, []*Library{l}))
	lines := must.Get(csv.NewReader(&out).ReadAll())(t)
	record, at := l.Record(), 1
	for i, m := range l.Maps {
		for y, row := range m.Cells {
			for x, c := range row {
				if got := lines[at][7]; got != strconv.FormatFloat(c.Ratio, 'g', -1, 64) || *record.Maps[i].Ratio[y][x] != c.Ratio {
					t.Fatalf("line %d has the ratio %s, want %g", at, got, c.Ratio)
				}
				at++
			}
		}
	}
	if at != len(lines) || len(lines[0]) != len(lines[1]) {
		t.Errorf("%d lines, want %d", len(lines), at)
	}
	var page bytes.Buffer
	for _, libraries := range [][]*Library{{l}, {l, l}} {
		if err := report.Write(&page, Page(libraries)); err != nil {
			t.Error(err)
		}
	}
	if _, err := json.Marshal(record); err != nil {
		t.Error(err)
	}
}

func BenchmarkSuite(b *testing.B) {
	study := must.Get(scenarios.Load("overlap", []string{"machine.runtime=openmpi-1.10"}))(b)
	points := 0
	for b.Loop() {
		l := must.Get(Run("openmpi", study.Runs[0].Machine, Done))(b)
		points = 0
		for _, m := range l.Maps {
			points += len(m.Cells) * len(l.Sizes)
		}
	}
	if points != (5*29+16)*48 {
		b.Fatalf("%d points", points)
	}
	b.ReportMetric(float64(points*b.N)/b.Elapsed().Seconds(), "points/s")
}

// If communication takes no time, there is nothing to overlap: no ratio is written, and
// all written numbers are finite.
func TestFreeCommunication(t *testing.T) {
	must.Long(t)
	m, err := files.ReadMachine("free.yaml", []byte("cores: 1\nnetwork: {latency: 0s, send_overhead: 0s, gap: 0s, gap_per_byte: 0ns/B}\n"))
	if err != nil {
		t.Fatal(err)
	}
	l := must.Get(Run("free", m, Done))(t)
	text, err := json.Marshal(l.Record())
	if err != nil || !bytes.Contains(text, []byte(`"ratio":[[null,`)) {
		t.Errorf("%.200s, %v; want no ratio", text, err)
	}
	var csv bytes.Buffer
	if err := WriteCSV(&csv, []*Library{l}); err != nil || strings.Contains(csv.String(), "NaN") || strings.Contains(csv.String(), "Inf") {
		t.Errorf("%.300s, %v; want nothing that is no number", csv.String(), err)
	}
	for _, one := range l.Maps {
		most, _, _ := one.Most()
		if z := l.Zones(one); z != (Zones{}) || most != 0 {
			t.Errorf("%s: zones %+v, most %g of nothing", one.Name, z, most)
		}
	}
}

// A node with few cores has a row for every number of threads; one with many has steps, and
// the last is all cores but one.
func TestThreads(t *testing.T) {
	for _, c := range []struct{ cores, rows int }{{1, 1}, {8, 8}, {64, 64}, {65, 65}, {128, 67}, {math.MaxInt32, 64 + 51}} {
		all := threads(c.cores)
		if len(all) != c.rows || all[len(all)-1] != c.cores-1 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("%d cores: %d rows, want %d: %v", c.cores, len(all), c.rows, all)
		}
	}
}

// A suite that is stopped has the benchmarks that were done; what was under way is nobody's.
func TestStopped(t *testing.T) {
	study := must.Get(scenarios.Load("overlap", nil))(t)
	for stop := range 3 {
		begun := 0
		do := func(work func() (*Map, error)) (*Map, error) {
			if begun++; begun > stop {
				return nil, scenarios.ErrStopped
			}
			return work()
		}
		l, err := Run("some", study.Runs[0].Machine, do)
		if !errors.Is(err, scenarios.ErrStopped) || len(l.Maps) != stop {
			t.Errorf("stopped at benchmark %d: %v, %d maps", stop+1, err, len(l.Maps))
		}
	}
}
