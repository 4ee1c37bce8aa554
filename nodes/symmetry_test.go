package nodes

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// around is a program in which all ranks of a grid do the same; the peers of its operations
// are offsets. One rank may do more than the others.
type around struct {
	grid  programs.Grid
	steps [][]programs.Op
	odd   int // the rank that does more; negative: none
	lies  bool
}

func (p *around) Ranks() int       { return p.grid.Places() }
func (p *around) Phases() []string { return []string{"a", "b"} }

func (p *around) Symmetry() programs.Grid {
	if p.odd >= 0 && !p.lies {
		return nil
	}
	return p.grid
}

func (p *around) Step(rank, step int, do *programs.Ops) bool {
	if step >= len(p.steps) {
		return false
	}
	if rank == p.odd {
		do.Compute(machines.Task{Time: 1}, 1)
	}
	for _, op := range p.steps[step] {
		switch op.Kind {
		case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend, programs.OpReceive:
			if op.Peer != programs.AnySource {
				op.Peer = int32(p.grid.Move(rank, int(op.Peer)))
			}
		}
		do.Add(op)
	}
	return true
}

func (p *around) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, "grid", p.grid)
	for _, ops := range p.steps {
		fmt.Fprintln(&b, "step")
		for _, op := range ops {
			fmt.Fprintf(&b, "  %+v\n", op)
		}
	}
	return b.String()
}

// drawAround draws a program. Most of what is sent is received.
func drawAround(t *rapid.T, d times) *around {
	p := &around{odd: -1}
	p.grid = rapid.SampledFrom([]programs.Grid{{8}, {9}, {16}, {4, 4}, {3, 3, 3}, {2, 2, 2}, {2, 2, 2, 2}, {5, 4}, {2, 12}}).Draw(t, "grid")
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		p.steps = append(p.steps, drawAlike(t, d, p.grid))
	}
	if rapid.IntRange(0, 9).Draw(t, "odd?") == 9 {
		p.odd = rapid.IntRange(0, p.Ranks()-1).Draw(t, "odd")
	}
	return p
}

// drawAlike draws a step of all ranks.
func drawAlike(t *rapid.T, d times, grid programs.Grid) []programs.Op {
	var do programs.Ops
	offset := rapid.IntRange(0, grid.Places()-1)
	bytes, tag := rapid.IntRange(0, 20), rapid.IntRange(0, 1)
	var open []int
	for range rapid.IntRange(1, 6).Draw(t, "operations") {
		request, to := len(open), offset.Draw(t, "offset")
		size := int64(bytes.Draw(t, "bytes"))
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0:
			activity := cores.Activity{
				Profile: cores.Profile(rapid.IntRange(0, int(cores.NumProfiles)-1).Draw(t, "profile")),
				Demand:  int64(rapid.IntRange(0, 3).Draw(t, "demand")) * 1e9,
			}
			do.Compute(machines.Task{Time: 1 + d.draw(t, "time"), Activity: activity}, 1)
		case 1:
			do.Put(to, size, request)
			open = append(open, request)
		case 2:
			do.Get(to, size, request)
			open = append(open, request)
		case 3:
			do.Barrier()
		case 4:
			do.Phase(rapid.IntRange(0, 1).Draw(t, "phase"))
		case 5:
			do.Test(request)
		case 6:
			if distance := rapid.IntRange(0, 5).Draw(t, "distance"); rapid.Bool().Draw(t, "among") {
				do.PatternAmong(rapid.IntRange(2, 8).Draw(t, "processes"), distance)
			} else {
				do.Pattern(distance, rapid.Bool().Draw(t, "synchronised"))
			}
		default:
			tag, from := tag.Draw(t, "tag"), grid.Back(to)
			if rapid.IntRange(0, 19).Draw(t, "any?") == 19 {
				from = programs.AnySource
			}
			receive := func() { do.Irecv(from, size, tag, request+1) }
			first := rapid.Bool().Draw(t, "receives first")
			if first {
				receive()
			}
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				do.Signal(to, size, tag, request)
			case 1:
				do.IsendStrided(to, size, tag, request)
			default:
				do.Isend(to, size, tag, request)
			}
			if !first {
				receive()
			}
			open = append(open, request, request+1)
		}
	}
	for _, request := range rapid.Permutation(open).Draw(t, "waits") {
		do.Wait(request)
	}
	return do.List()
}

// drawEqual draws a machine whose nodes are equal, mostly.
func drawEqual(t *rapid.T, d times, perNode int) *machines.Machine {
	m := drawMachine(t, d)
	if rapid.IntRange(0, 9).Draw(t, "noisy") < 9 {
		m.Noise = nil
	}
	m.Network.Gap++
	if rapid.IntRange(0, 3).Draw(t, "copying") == 3 {
		m.Copying = drawCopying(t, d)
	}
	if rapid.Bool().Draw(t, "library") {
		m.Runtime = drawRuntime(t, d, m)
		if m.Runtime.Progress.By.Tests() {
			m.Noise = nil
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "sharing") == 3 && m.Noise == nil {
		drawSharing(t, m, &instance{machine: m, perNode: perNode, script: new(script)})
	}
	return m
}

// Two nodes stand for all: the result is the same to the last number, or the run is refused.
func TestSymmetry(t *testing.T) {
	counts, calibration := map[string]int{}, testCalibration(t)
	often(t, 20, func(t *rapid.T) {
		d := times{rapid.IntRange(0, 3).Draw(t, "wide") > 0}
		perNode := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "per node")
		m, p := drawEqual(t, d, perNode), drawAround(t, d)
		o := Options{}
		if rapid.IntRange(0, 9).Draw(t, "most?") == 9 {
			o.MostEvents = uint64(rapid.IntRange(1, 2000).Draw(t, "most events"))
		}
		if rapid.IntRange(0, 3).Draw(t, "free?") == 3 {
			m.Free()
			if m.Runtime != nil {
				m.Runtime.Progress.By = machines.Triggered
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "calibrated?") == 3 {
			o.Calibration = calibration
		}
		got, ok, err := runSymmetric(m, p, perNode, o)
		kind := fmt.Sprintf("library %v, copying %v, shared %v, calibrated %v, free %v", m.Runtime != nil, m.Copying != nil,
			m.Sharing != nil, o.Calibration != nil, m.IsFree())
		counts[kind]++
		if !ok {
			return
		}
		counts[kind+", at once"]++
		if err == ErrMostEvents {
			return // the run of all has more of them
		}
		if got != nil && (got.Folded == 0 || o.MostEvents > 0 && got.Work() > o.MostEvents) {
			t.Fatalf("%d of %d events stand for others, at most %d", got.Folded, got.Events, o.MostEvents)
		}
		o.NoSymmetry, o.MostEvents = true, 0
		want, wantErr := Run(m, p, perNode, o)
		if got != nil {
			if got.Folded = 0; m.IsFree() { // the order of equals decides how often a rank looks
				got.Events = want.Events
			}
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v%+v\n%d per node\ntwo nodes: %+v %v\nall:       %+v %v", p, m, perNode, got, err, want, wantErr)
		}
	})
	t.Log(counts)
	const plain = "library false, copying false, shared false, calibrated "
	if counts[plain+"false, free false"] > 3*counts[plain+"false, free false, at once"] || counts[plain+"true, free false, at once"] < enough(3) ||
		counts[plain+"false, free true"] > 4*counts[plain+"false, free true, at once"] {
		t.Errorf("too few runs are simulated on two nodes: %v", counts)
	}
}

// A program that wrongly declares itself symmetric is found out if it differs from node to node.
func TestSymmetryLies(t *testing.T) {
	open := &ringOpen{16}
	m := &machines.Machine{Name: "drawn", Cores: 1, Processes: 1}
	m.Network.Latency, m.Network.Gap = 5, 3
	if _, ok, _ := runSymmetric(m, open, 1, Options{}); ok {
		t.Error("an open chain of ranks was taken for a ring")
	}
}

// ringOpen is a chain of ranks that says that it is a ring.
type ringOpen struct{ ranks int }

func (p *ringOpen) Ranks() int              { return p.ranks }
func (p *ringOpen) Phases() []string        { return nil }
func (p *ringOpen) Symmetry() programs.Grid { return programs.Grid{p.ranks} }

func (p *ringOpen) Step(rank, step int, do *programs.Ops) bool {
	if step == 0 && rank+1 < p.ranks {
		do.Put(rank+1, 8, 0)
		do.Wait(0)
	}
	return step == 0
}

// Before it simulates all ranks after all, the run asks whether it may; a run of few ranks does
// not ask.
func TestAllAfterAll(t *testing.T) {
	m := &machines.Machine{Name: "drawn", Cores: 1, Processes: 1}
	m.Network.Latency, m.Network.Gap = 5, 3
	var do programs.Ops
	do.Put(1, 8, 0)
	do.Wait(0)
	no := errors.New("they do not fit")
	for _, c := range []struct {
		program programs.Program
		want    error
	}{{&ringOpen{16}, no}, {&around{grid: programs.Grid{16}, steps: [][]programs.Op{do.List()}, odd: -1}, nil}} {
		asked := 0
		_, err := Run(m, c.program, 1, Options{All: func() error { asked++; return no }})
		if err != c.want || asked > 0 != (c.want != nil) {
			t.Errorf("%T: %v after it was asked %d times, want %v", c.program, err, asked, c.want)
		}
	}
}

// Moves on a grid form a group: each has an inverse, and their order does not matter. Blocks move
// with their places.
func TestGridMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := programs.Grid(rapid.SliceOfN(rapid.IntRange(1, 6), 1, 4).Draw(t, "grid"))
		place := rapid.IntRange(0, grid.Places()-1)
		a, b := place.Draw(t, "a"), place.Draw(t, "b")
		if grid.Move(a, b) != grid.Move(b, a) || grid.Move(grid.Move(a, b), grid.Back(b)) != a || grid.Move(0, a) != a {
			t.Fatalf("%v: %d and %d", grid, a, b)
		}
		size := rapid.IntRange(1, 12).Draw(t, "size")
		blocks := grid.Blocks(size)
		if blocks == nil {
			return
		}
		if blocks.Places()*size != grid.Places() {
			t.Fatalf("%v in blocks of %d: %v", grid, size, blocks)
		}
		by := rapid.IntRange(0, blocks.Places()-1).Draw(t, "by")
		if want := blocks.Move(a/size, by)*size + a%size; grid.Move(a, by*size) != want {
			t.Fatalf("%v in blocks of %d, %v: block %d moves %d to %d, not %d", grid, size, blocks, by, a, grid.Move(a, by*size), want)
		}
	})
}

// A barrier costs what it costs with all ranks, and the sums are the sums over all ranks.
func TestSymmetricBarrier(t *testing.T) {
	m := &machines.Machine{Name: "drawn", Cores: 1, Processes: 1, Barrier: machines.Barrier{Base: 100, PerRound: 10}}
	m.Network.Latency, m.Network.Gap, m.Network.PerPeer = 1000, 3, 1
	var do programs.Ops
	do.Put(1, 8, 0)
	do.Wait(0)
	do.Barrier()
	p := &around{grid: programs.Grid{1 << 20}, steps: [][]programs.Op{do.List()}, odd: -1}
	r, ok, err := runSymmetric(m, p, 1, Options{})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if want := sim.Time(2000 + 3 + 100 + 20*10); r.Makespan() != want || r.Messages != 1<<20 || r.Ranks != 1<<20 {
		t.Errorf("%d ranks, %d messages end at %v, want %v", r.Ranks, r.Messages, r.Makespan(), want)
	}
}
