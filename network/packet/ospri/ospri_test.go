package ospri

import (
	"math"
	"strings"
	"testing"

	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// A ring in which everybody reaches for the next node has no contention: the
// times are those of the formula.
func TestNeighbours(t *testing.T) {
	b := BlueGeneP()
	b.Grid = topology.Grid{Sizes: []int{8}}
	const data, control, hop = 640 * sim.Nanosecond, 188235 * sim.Picosecond, 100 * sim.Nanosecond
	const packets = 5
	rest := 2*hop + b.AnswerLatency + b.Completion
	for _, c := range []struct {
		op   Op
		want sim.Time
	}{
		{Put, b.PutOverhead + 10*(packets*data+control) + control + rest},
		{Get, b.GetOverhead + control + 10*packets*data + rest},
	} {
		got, err := b.Displacement(c.op, []int{1}, packets*240)
		if err != nil {
			t.Fatal(err)
		}
		want := 10 * packets * 240 / c.want.Seconds() / (1 << 20)
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%v: %v MiB/s, want %v", c.op, got, want)
		}
	}
}

// With a window of one, every put waits for the acknowledgement of the previous one.
func TestWindow(t *testing.T) {
	b := BlueGeneP()
	b.Grid, b.Window = topology.Grid{Sizes: []int{8}}, 1
	const data, control, hop = 640 * sim.Nanosecond, 188235 * sim.Picosecond, 100 * sim.Nanosecond
	round := b.PutOverhead + 5*data + 2*control + 2*hop + b.AnswerLatency
	got, err := b.Displacement(Put, []int{1}, 1200)
	if err != nil {
		t.Fatal(err)
	}
	if want := 12000 / (10*round + b.Completion).Seconds() / (1 << 20); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("%v MiB/s, want %v", got, want)
	}
}

// Gets keep the links busy: gets half-way round a ring of 8, in either direction, load
// each link twice, and the last one is complete when the links have carried all bytes.
func TestLinksBusy(t *testing.T) {
	b := BlueGeneP()
	b.Grid.Sizes = []int{8}
	l, err := b.Diagonal(Get, 100, 65536, packet.Static)
	if err != nil {
		t.Fatal(err)
	}
	want := 2 * 274 * 0.640
	if l.Max < want || l.Max > want*1.02 || l.Min > l.Mean || l.Mean > l.Max {
		t.Errorf("%+v, want a maximum of about %v us", l, want)
	}
}

// Half of the nodes of a ring have an even coordinate.
func TestPercent(t *testing.T) {
	b := BlueGeneP()
	b.Grid = topology.Grid{Sizes: []int{8, 2}}
	for percent, want := range map[int]int{100: 16, 50: 8, 25: 4} {
		run, err := b.Run(Put, []int{4, 1}, 1, percent)
		if err != nil {
			t.Fatal(err)
		}
		if times := run.Times(); len(times) != want {
			t.Errorf("%d%%: %d nodes took part, want %d", percent, len(times), want)
		}
	}
}

// A node alone takes the time of the formula, wherever it is, and no longer than among
// others.
func TestAlone(t *testing.T) {
	b := BlueGeneP()
	b.Grid = topology.Grid{Sizes: []int{8}}
	run, err := b.Run(Get, []int{3}, 2400, 100)
	if err != nil {
		t.Fatal(err)
	}
	const data, control, hop = 640 * sim.Nanosecond, 188235 * sim.Picosecond, 100 * sim.Nanosecond
	want := b.GetOverhead + control + 10*10*data + 6*hop + b.AnswerLatency + b.Completion
	for node := range run.Nodes {
		got, err := b.Alone(Get, []int{3}, 2400, node)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("node %d takes %v alone, want %v", node, got, want)
		}
		if took := run.Nodes[node].End - run.Nodes[node].Start; took <= got {
			t.Errorf("node %d takes %v among others, %v alone", node, took, got)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		spoil        func(*Benchmark)
		displacement []int
		bytes        int64
		want         string
	}{
		{func(b *Benchmark) { b.Operations = 0 }, []int{1, 1, 1}, 1, "operations: must be at least 1, got 0"},
		{func(b *Benchmark) { b.Window = -1 }, []int{1, 1, 1}, 1, "must not be negative"},
		{func(b *Benchmark) {}, []int{1, 1}, 1, "displacement: must have 3 dimensions, got [1 1]"},
		{func(b *Benchmark) {}, []int{1, 1, 1}, 0, "bytes: must be at least 1, got 0"},
		{func(b *Benchmark) { b.Slots = 1 }, []int{1, 1, 1}, 1, "slots: must be at least 2, got 1"},
		{func(b *Benchmark) { b.Grid.Sizes = []int{8, 0, 8} }, []int{1, 1, 1}, 1, "dims[1]: must be at least 1, got 0"},
	} {
		b := BlueGeneP()
		c.spoil(&b)
		if _, err := b.Displacement(Put, c.displacement, c.bytes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for _, percent := range []int{0, 75, 200} {
		_, err := BlueGeneP().Diagonal(Put, percent, 1, packet.Static)
		if err == nil || !strings.Contains(err.Error(), "percent: must divide 100") {
			t.Errorf("%d%%: got %v", percent, err)
		}
	}
}

// Where two dimensions are loaded and one is not, gets lose by the rule among adaptive
// packets; where all are loaded alike they do not. By age they lose nowhere.
func TestGetsAtUnequalDisplacements(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	age := BlueGeneP()
	age.AdaptiveArbitration = packet.OldestFirst
	for _, c := range []struct {
		displacement []int
		least, most  float64 // by age over by the rule
	}{{[]int{3, 3, 1}, 1.5, 1.9}, {[]int{3, 3, 3}, 0.98, 1.02}} {
		old, err := age.Displacement(Get, c.displacement, 16384)
		if err != nil {
			t.Fatal(err)
		}
		got, err := BlueGeneP().Displacement(Get, c.displacement, 16384)
		if err != nil {
			t.Fatal(err)
		}
		if x := old / got; x < c.least || x > c.most {
			t.Errorf("%v: %.0f MiB/s by age, %.0f by the rule: %.2f, want %v to %v", c.displacement, old, got, x, c.least, c.most)
		}
	}
}
