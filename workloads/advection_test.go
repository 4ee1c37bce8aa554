package workloads

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// advectionMachine computes a cell in 1 ns (2-D: 5 flops) or 1.4 ns, and packs
// a byte in the given time.
func advectionMachine(packing float64) *machines.Machine {
	rate := func(work func(float64) float64, perSecond float64) machines.Kernel {
		return machines.Kernel{Work: work, Rate: []machines.RatePoint{{N: 1, Rate: perSecond}}}
	}
	return &machines.Machine{Name: "test", Cores: 2, Processes: 2, Kernels: map[string]machines.Kernel{
		"advection2d": rate(work("advection2d"), 5e9),
		"advection3d": rate(work("advection3d"), 5e9),
		"copy":        rate(work("copy"), 1/packing),
	}}
}

func runAdvection(t testing.TB, w *advection, m *machines.Machine, ranks int) *results.Result {
	t.Helper()
	return simulate(t, w, m, ranks, m.Processes, nodes.Options{})
}

// If copies take no time and the network moves messages by itself, both schedules take
// exactly the time of the closed form.
func TestAdvectionEqualsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := []int{rapid.IntRange(1, 4).Draw(t, "x"), rapid.IntRange(1, 4).Draw(t, "y")}
		if rapid.Bool().Draw(t, "3-D") {
			grid = append(grid, rapid.IntRange(1, 3).Draw(t, "z"))
		}
		tile := rapid.SampledFrom([]int{1, 2, 5, 12}).Draw(t, "tile")
		w := newAdvection(rapid.SampledFrom([]advectionAlgorithm{standard, overlapping}).Draw(t, "algorithm"))
		w.X, w.Y, w.Steps, w.Tile = int64(6*grid[0]), int64(5*grid[1]), 60, int64(tile)
		if len(grid) == 3 {
			w.Z = int64(4 * grid[2])
		}
		w.Grid = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(grid)), "x"), "[]")
		m := advectionMachine(1e-30)
		m.Network.Latency = sim.Time(rapid.IntRange(0, 1e6).Draw(t, "L"))
		ranks := 1
		for _, n := range grid {
			ranks *= n
		}
		r := simulate(t, w, m, ranks, m.Processes, nodes.Options{})
		cell := sim.Nanosecond * 30
		if len(grid) == 3 {
			cell = 7 * sim.Nanosecond / 5 * 120
		}
		model := advectionModel{60 / tile, grid, cell * sim.Time(tile), m.Network.Latency}
		if r.Makespan() != model.Total() {
			t.Fatalf("%v on %v with tiles of %d: %v, model %v", w.algorithm, grid, tile, r.Makespan(), model.Total())
		}
	})
}

// A network that is slower than the processes sets the pace.
func TestAdvectionOnSlowNetwork(t *testing.T) {
	m := advectionMachine(1e-30)
	m.Network.Transfer = network.PerByte(1e6) // a message of 80 B takes 80 us, a tile 0.1 us
	m.Processes, m.Cores = 1, 1
	for _, a := range []advectionAlgorithm{standard, overlapping} {
		w := newAdvection(a)
		w.X, w.Y, w.Steps, w.Tile, w.Grid = 50, 10, 40, 1, "5x1"
		const message, compute = 80 * sim.Microsecond, 100 * sim.Nanosecond
		want := 4*(compute+message) + 39*message + compute
		if a == overlapping { // after the first hop a message has its own step, as long as the message
			want += 3 * (message - compute)
		}
		if got := runAdvection(t, w, m, 5).Makespan(); got != want {
			t.Errorf("algorithm %d: %v, want %v", a, got, want)
		}
	}
}

// The asymmetric program on two processes, one above the other. Every step takes two
// barriers and the longer of the computation and the message. Each process begins two
// steps after the one below it, because a message arrives in the step in which it is
// sent.
func TestAsymmetricStep(t *testing.T) {
	const compute, meeting = 600 * sim.Nanosecond, 70 * sim.Nanosecond // 60 cells in 10 steps
	for _, latency := range []sim.Time{0, 500 * ns, 900 * ns} {
		m := advectionMachine(1e-30)
		m.Barrier.Threads, m.Network.Latency = meeting, latency
		w := newAdvection(asymmetric)
		w.X, w.Y, w.Steps, w.Tile, w.Grid = 6, 10, 100, 10, "1x1"
		alone := 10*(compute+2*meeting) + 2*2*meeting
		if got := runAdvection(t, w, m, 2).Makespan(); got != alone {
			t.Errorf("one process: %v, want %v", got, alone)
		}
		w.X, w.Grid = 12, "2x1"
		// The first message leaves after steps -1 and 0 of the first process. After that
		// the second process is never ahead, so it does not wait again.
		want := 2*meeting + (compute + 2*meeting) + latency + alone
		if got := runAdvection(t, w, m, 4).Makespan(); got != want {
			t.Errorf("two processes, L = %v: %v, want %v", latency, got, want)
		}
	}
}

// The program computes the whole iteration space, and packs and sends every face in it,
// even if the space is divided unevenly.
func TestAdvectionConservesCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom([]advectionAlgorithm{standard, overlapping, asymmetric}).Draw(t, "algorithm")
		w := newAdvection(a)
		side := rapid.Int64Range(5, 23)
		w.X, w.Y, w.Steps = side.Draw(t, "x"), side.Draw(t, "y"), rapid.Int64Range(1, 20).Draw(t, "steps")
		if rapid.Bool().Draw(t, "3-D") {
			w.Z = side.Draw(t, "z")
		}
		w.Tile = rapid.Int64Range(1, w.Steps).Draw(t, "tile")
		processes := rapid.SampledFrom([]int{1, 2, 4, 5, 6, 12}).Draw(t, "processes")
		grids := w.grids(processes * w.threads())
		if len(grids) == 0 {
			return
		}
		grid := rapid.SampledFrom(grids).Draw(t, "grid")
		p := must.Get(w.program(advectionMachine(1e-9), grid, int(w.Tile)))(t)
		var computed sim.Time
		bytes, copied := int64(0), sim.Time(0)
		for r := range p.Ranks() {
			for op, phase := range operations(p, r) {
				switch {
				case op.Kind == programs.OpSend:
					bytes += op.Amount
				case op.Kind == programs.OpCompute && phase == advectionComputation:
					computed += sim.Time(op.Amount)
				case op.Kind == programs.OpCompute:
					copied += sim.Time(op.Amount)
				}
			}
		}
		cells, faces := w.Steps, int64(0)
		for _, n := range p.cells {
			cells *= n
		}
		for d, g := range grid {
			faces += cells / p.cells[d] * int64(g-1)
		}
		perCell := sim.Nanosecond
		if len(grid) == 3 {
			perCell = sim.Nanosecond * 7 / 5
		}
		if computed != perCell*sim.Time(cells) || bytes != cellBytes*faces || copied != 2*sim.Nanosecond*sim.Time(bytes) {
			t.Fatalf("%v computed of %d cells, %d bytes sent of %d faces, %v copied", computed, cells, bytes, faces, copied)
		}
	})
}

// operations yields the operations of a rank, each with its phase.
func operations(p programs.Program, rank int) func(func(programs.Op, int) bool) {
	return func(yield func(programs.Op, int) bool) {
		var do programs.Ops
		phase := 0
		for step, more := 0, true; more; step++ {
			do.Reset()
			more = p.Step(rank, step, &do)
			for _, op := range do.List() {
				if op.Kind == programs.OpPhase {
					phase = int(op.Phase)
				}
				if !yield(op, phase) {
					return
				}
			}
		}
	}
}

// The last step of the linear schedules is the one that the model says: the tile at a
// place runs at the sum of its coordinates, each times its factor in Pi.
func TestLinearSchedules(t *testing.T) {
	model := advectionModel{Tiles: 5, Grid: []int{3, 2, 4}}
	for factor, steps := range map[int]int{1: model.Steps(), 2: model.SlowSteps()} {
		last := 0
		for place := range 3 * 2 * 4 {
			x, y, z := place%3, place/3%2, place/6
			last = max(last, model.Tiles-1+factor*(x+y+z))
		}
		if last+1 != steps {
			t.Errorf("factor %d: %d steps, want %d", factor, last+1, steps)
		}
	}
}

// A second version of Algorithm 3, process by process: when a process is calculated, the
// messages from the processes below it are already known. A CPU does one thing at a time.
// A NIC sends one message at a time and receives one at a time.
func TestStandardAgreesWithRecurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newAdvection(standard)
		w.X, w.Y, w.Z, w.Steps = 13, 11, 7, 30
		w.Tile = rapid.Int64Range(1, 30).Draw(t, "tile")
		ranks := rapid.SampledFrom([]int{1, 2, 6, 8, 12}).Draw(t, "ranks")
		m := advectionMachine(1e-9)
		m.Cores, m.Processes = 1, 1
		ps := rapid.IntRange(0, 3e6)
		m.Network = network.LogGOPS{
			Latency: sim.Time(ps.Draw(t, "L")), SendOverhead: network.Constant(sim.Time(ps.Draw(t, "o"))),
			ReceiveOverhead: network.Constant(sim.Time(ps.Draw(t, "o receive"))), Transfer: network.PerByte(float64(ps.Draw(t, "G")) / 1000),
		}
		program := must.Get(w.Program(m, ranks))(t)
		r := must.Get(nodes.Run(m, program, 1, nodes.Options{}))(t)
		want, tie := standardFinish(program.(*advectionProgram), &m.Network)
		if !tie && !slices.Equal(r.Finish, want) {
			t.Fatalf("%v\nwant %v", r.Finish, want)
		}
	})
}

// advectionMessage is a face on its way to a neighbour.
type advectionMessage struct {
	d, tile int
	bytes   int64
	at      sim.Time // at the NIC, and then in memory
}

// standardFinish returns the time at which each process ends. tie tells that two messages
// reached a process at the same instant; their order is then arbitrary.
func standardFinish(p *advectionProgram, n *network.LogGOPS) (finish []sim.Time, tie bool) {
	coming := make([][]advectionMessage, p.Ranks())
	for r := range p.Ranks() { // the ranks below have smaller numbers
		in := coming[r]
		slices.SortFunc(in, func(a, b advectionMessage) int { return int(a.at - b.at) })
		taken := sim.Time(0)
		there := map[[2]int]sim.Time{}
		for i, m := range in {
			tie = tie || i > 0 && in[i-1].at == m.at
			taken = max(m.at, taken+n.Transfer.Of(m.bytes))
			there[[2]int{m.d, m.tile}] = taken
		}
		var cpu, nic sim.Time
		b := &p.blocks[p.kind(r)]
		for tile := range p.tiles() {
			for d := range b.faces {
				if p.below(r, d) >= 0 {
					cpu = max(cpu, there[[2]int{d, tile}]) + n.ReceiveOverhead.Of(0)
				}
			}
			for d := range b.faces {
				if p.below(r, d) >= 0 {
					cpu += p.copying(&b.faces[d], tile).Time
				}
			}
			cpu += b.sweep.Time * sim.Time(p.depth(tile))
			for d := range b.faces {
				if p.above(r, d) >= 0 {
					cpu += p.copying(&b.faces[d], tile).Time
				}
			}
			for d := range b.faces {
				if to := p.above(r, d); to >= 0 {
					cpu += n.SendOverhead.Of(0)
					bytes := p.bytes(&b.faces[d], tile)
					nic = max(nic, cpu) + n.Transfer.Of(bytes)
					coming[to] = append(coming[to], advectionMessage{d, tile, bytes, nic + n.Latency})
				}
			}
		}
		finish = append(finish, cpu)
	}
	return finish, tie
}

func TestFactorisations(t *testing.T) {
	if got := fmt.Sprint(factorisations(4, 2)); got != "[[1 4] [2 2] [4 1]]" {
		t.Error(got)
	}
	if got := len(factorisations(16, 3)); got != 15 { // ways to spread four factors of two
		t.Errorf("%d", got)
	}
}

func TestAdvectionMistakes(t *testing.T) {
	for want, set := range map[string]func(*advection){
		"x: must be 1":                   func(w *advection) { w.X = 0 },
		"steps: must be 1":               func(w *advection) { w.Steps = -1 },
		"tile: must be 1 to the 256":     func(w *advection) { w.Tile = 300 },
		"product is the 6 processes":     func(w *advection) { w.Grid = "2x2" },
		"must be 2 numbers":              func(w *advection) { w.Grid = "6" },
		`such as 4x2, got "a"`:           func(w *advection) { w.Grid = "a" },
		"no grid of 6 processes":         func(w *advection) { w.X, w.Y = 1, 5 },
		"needs an even number of ranks,": func(w *advection) { w.algorithm, w.X = asymmetric, 7 },
	} {
		w := newAdvection(standard)
		set(w)
		ranks := 6
		if w.algorithm == asymmetric {
			ranks = 7
		}
		must.Refuse(w.Program(advectionMachine(1e-9), ranks))(t, want)
	}
}

// The shared variants run on 8 nodes with two cores of two contexts each and one memory.
// The others run the same program, but no process slows another down.
func BenchmarkAdvection(b *testing.B) {
	for _, shared := range []bool{false, true} {
		for _, name := range []string{"advection-std", "advection-asym"} {
			b.Run(fmt.Sprintf("%s/shared=%v", name, shared), func(b *testing.B) { benchmarkAdvection(b, name, shared) })
		}
	}
}

func benchmarkAdvection(b *testing.B, name string, shared bool) {
	kind, _ := Lookup(name)
	w := kind.New().(*advection)
	w.X, w.Y, w.Z, w.Tile, w.Grid = 192, 192, 192, 1, "4x4x2"
	messages := uint64(256 * (3*4*2 + 4*3*2 + 4*4*1))
	if w.algorithm == asymmetric {
		w.Grid = "4x2x2"
		messages = 256 * (3*2*2 + 4*1*2 + 4*2*1)
	}
	m := advectionMachine(1e-9)
	m.Processes, m.Cores = 4, 4
	if shared {
		m.Cores, m.Sharing = 2, &machines.Sharing{Contexts: 2, Bandwidth: 4e9}
		m.Sharing.SlowDown[cores.FP] = [cores.NumProfiles]float64{0, 2, 2, 1.5, 1, 1.5}
		m.Sharing.SlowDown[cores.Copy] = [cores.NumProfiles]float64{0, 1.5, 2, 1.5, 1, 1.5}
	}
	var events uint64
	for b.Loop() {
		r := runAdvection(b, w, m, 32)
		if events = r.Events; r.Messages != messages {
			b.Fatalf("%d messages, want %d", r.Messages, messages)
		}
	}
	b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// The search finds a program within 2 % of the best of all tiles and grids. It tries
// nothing if tile and grid are given.
func TestTuneFindsTheBest(t *testing.T) {
	for _, a := range []advectionAlgorithm{standard, overlapping, asymmetric} {
		w := newAdvection(a)
		w.X, w.Y, w.Z, w.Steps = 40, 30, 20, 64
		m := advectionMachine(1e-9)
		m.Network.Latency = 20 * sim.Microsecond
		m.Network.SendOverhead, m.Network.ReceiveOverhead = network.Constant(5*sim.Microsecond), network.Constant(5*sim.Microsecond)
		m.Network.Transfer = network.PerByte(2000)
		tries := 0
		try := func(p programs.Program) (*results.Result, error) {
			tries++
			return nodes.Run(m, p, m.Processes, nodes.Options{})
		}
		ranks := 12 * w.threads()
		best := must.Get(w.Tune(m, ranks, try))(t)
		got := must.Get(try(best))(t).Makespan()
		least := sim.Forever
		for _, grid := range w.grids(ranks) {
			for _, tile := range w.tiles() {
				p, _ := w.program(m, grid, tile)
				least = min(least, must.Get(try(p))(t).Makespan())
			}
		}
		if float64(got) > 1.02*float64(least) {
			t.Errorf("algorithm %d: the search finds %v, the best is %v", a, got, least)
		}
		w.Grid, w.Tile, tries = "3x2x2", 4, 0
		if _, err := w.Tune(m, ranks, try); err != nil || tries > 0 {
			t.Errorf("%d tries with nothing open, %v", tries, err)
		}
	}
}

// The search ends with its best program so far, also where the next one is always better and every grid is as good.
func TestTuneEnds(t *testing.T) {
	w := newAdvection(standard)
	w.X, w.Y, w.Z, w.Steps = 101, 103, 107, 1<<20
	m := advectionMachine(1e-9)
	m.Network.Transfer = network.PerByte(1)
	tries := 0
	best, err := w.Tune(m, 360, func(programs.Program) (*results.Result, error) {
		tries++
		return &results.Result{Finish: []sim.Time{sim.Second - sim.Time(tries)}}, nil
	})
	if err != nil || tries != mostTried || best != programs.Program(w.chosen) || len(w.grids(360)) <= mostTried {
		t.Errorf("%d tries of %d grids, %v", tries, len(w.grids(360)), err)
	}
}

// SlowSteps is the number of parallel steps of the schedule [2,..,1,..,2], in which each message takes its own step.
func (m advectionModel) SlowSteps() int { return m.Tiles + 2*m.diagonal() }

// Programs that the search takes for alike do the same operations, and others do not. Tags and requests have the number of the dimension.
func TestAlikeGrids(t *testing.T) {
	w := newAdvection(standard)
	w.X, w.Y, w.Z, w.Steps = 12, 12, 16, 6
	m := advectionMachine(1e-9)
	operations := func(p *advectionProgram) (all [][]programs.Op) {
		for r := range p.Ranks() {
			var do programs.Ops
			for step := 0; p.Step(r, step, &do); step++ {
			}
			ops := slices.DeleteFunc(do.List(), func(op programs.Op) bool { return op.Kind == programs.OpWait })
			for i := range ops {
				ops[i].Tag, ops[i].Request = 0, 0
			}
			all = append(all, ops)
		}
		return all
	}
	alike := 0
	for _, grid := range w.grids(12) {
		for _, other := range w.grids(12) {
			p, _ := w.program(m, grid, 4)
			q, _ := w.program(m, other, 4)
			if p.like(q) != reflect.DeepEqual(operations(p), operations(q)) {
				t.Errorf("%v and %v: alike %t", grid, other, p.like(q))
			}
			if p.like(q) && !slices.Equal(grid, other) {
				alike++
			}
		}
	}
	if alike == 0 {
		t.Error("no two grids are alike")
	}
}
