package nodes

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// windows counts what several processors could do at once in one run. An event of one node
// is the cause of no event of another one within the latency L. Therefore all events from the first
// pending one on, up to L later, could be dispatched by node, each processor with its own
// nodes; then all wait for each other. That is the conservative window of Chandy, Misra and
// Bryant with barriers.
type windows struct {
	symmetricProgram          // knows whose an event is
	length           sim.Time // L
	end              sim.Time // of the present window
	blocks           []share
	number           uint64 // of windows
	events           uint64
}

// share counts events with nodes in equal blocks, each with its own processor.
type share struct {
	window []uint64 // events of each part in the present window
	steps  uint64   // events that are dispatched one after another: the most of a part, of all windows
}

func (w *windows) begin(c *cluster) {
	w.c = c
	c.self = c.kernel.Register(w)
}

// Handle implements sim.Handler.
func (w *windows) Handle(e sim.Event) {
	if e.At >= w.end {
		w.close()
		w.end = e.At + w.length
		w.number++
	}
	node := w.owner(e.Kind, e.Arg)
	for i := range w.blocks {
		p := &w.blocks[i]
		p.window[int(node)*len(p.window)/len(w.c.nics)]++
	}
	w.events++
	w.c.Handle(e)
}

// close ends a window.
func (w *windows) close() {
	for i := range w.blocks {
		p := &w.blocks[i]
		most := uint64(0)
		for _, n := range p.window {
			most = max(most, n)
		}
		p.steps += most
		clear(p.window)
	}
}

// countWindows runs a program with its ranks on that many processors.
func countWindows(t testing.TB, m *machines.Machine, p programs.Program, processors ...int) *windows {
	t.Helper()
	w := &windows{length: m.Network.Latency}
	for _, n := range processors {
		w.blocks = append(w.blocks, share{window: make([]uint64, n)})
	}
	r := must.Get(run(m, p, 1, Options{}, w.begin))(t)
	if w.close(); w.events != r.Events {
		t.Fatalf("%d events in windows, %d in the run", w.events, r.Events)
	}
	return w
}

// windowMachine has the latency of a fabric of today.
func windowMachine(noise *machines.Noise) *machines.Machine {
	return &machines.Machine{Name: "m", Cores: 1, Processes: 1, Noise: noise, Network: network.LogGOPS{
		Latency: sim.Microsecond, SendOverhead: network.Constant(300 * sim.Nanosecond), ReceiveOverhead: network.Constant(300 * sim.Nanosecond),
		Gap: 300 * sim.Nanosecond, Transfer: network.PerByte(100),
	}}
}

// stepsOf returns a program in which each rank sends to all these offsets, and receives from
// the opposite ones, computing meanwhile.
func stepsOf(grid programs.Grid, bytes int64, compute sim.Time, times int, offsets ...[]int) programs.Program {
	p := &around{grid: grid, odd: -1}
	for range times {
		for _, step := range offsets {
			var do programs.Ops
			for i, to := range step {
				do.Irecv(grid.Back(to), bytes, i, i)
				do.Isend(to, bytes, i, len(step)+i)
			}
			if compute > 0 {
				do.Compute(machines.Task{Time: compute}, 1)
			}
			for i := range 2 * len(step) {
				do.Wait(i)
			}
			p.steps = append(p.steps, do.List())
		}
	}
	return p
}

// Ranks in step have equal shares of the events of each window. With a token, only the remaining
// work of its last holder continues alongside the work of the next one.
func TestWindows(t *testing.T) {
	m := windowMachine(nil)
	w := countWindows(t, m, stepsOf(programs.Grid{16}, 8, 0, 3, []int{1}), 1, 2, 16)
	for i, n := range []uint64{1, 2, 16} {
		if got := w.blocks[i].steps; got*n != w.events {
			t.Errorf("%d processors: %d events one after another of %d", n, got, w.events)
		}
	}
	token := countWindows(t, m, &relay{16}, 16)
	if got := token.blocks[0].steps; 2*got < token.events || got > token.events {
		t.Errorf("a token: %d events one after another of %d", got, token.events)
	}
}

// relay passes a token from rank to rank.
type relay struct{ ranks int }

func (p *relay) Ranks() int       { return p.ranks }
func (p *relay) Phases() []string { return nil }
func (p *relay) Step(me, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	if me > 0 {
		do.Recv(me-1, 8, 0)
	}
	if me+1 < p.ranks {
		do.Send(me+1, 8, 0)
	}
	return true
}

// BenchmarkWindows reports for some runs the events of a window, and how many times as fast
// 2, 16 and 64 processors could be if they waited for each other at no cost.
func BenchmarkWindows(b *testing.B) {
	grid := programs.Grid{16, 16, 16}
	halo := []int{1, 15, 16, 240, 256, 3840}
	var doubling [][]int
	for k := 1; k < 1<<16; k *= 2 {
		doubling = append(doubling, []int{k})
	}
	noise := &machines.Noise{Rate: 1000, Length: 10 * sim.Microsecond}
	for _, c := range []struct {
		name    string
		machine *machines.Machine
		program programs.Program
		events  uint64
	}{
		{"halo", windowMachine(nil), stepsOf(grid, 8192, 100*sim.Microsecond, 10, halo), 782336},
		{"halo, noise", windowMachine(noise), stepsOf(grid, 8192, 100*sim.Microsecond, 10, halo), 786400},
		{"halo of 64", windowMachine(noise), stepsOf(programs.Grid{4, 4, 4}, 8192, 100*sim.Microsecond, 100, []int{1, 3, 4, 12, 16, 48}), 122259},
		{"dissemination", windowMachine(nil), stepsOf(programs.Grid{1 << 16}, 8, 0, 1, doubling...), 3211264},
		{"all-to-all of 256", windowMachine(nil), stepsOf(programs.Grid{256}, 65536, 0, 1, offsets(256)), 196096},
		{"token", windowMachine(nil), &relay{1024}, 4093},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				w := countWindows(b, c.machine, c.program, 2, 16, 64)
				b.ReportMetric(float64(w.events)/float64(w.number), "events/window")
				b.ReportMetric(float64(w.number), "windows")
				for i, name := range []string{"times/2", "times/16", "times/64"} {
					b.ReportMetric(float64(w.events)/float64(w.blocks[i].steps), name)
				}
				if w.events != c.events {
					b.Errorf("%d events, want %d", w.events, c.events)
				}
			}
		})
	}
}

// offsets are those to all other ranks of a ring.
func offsets(ranks int) []int {
	var all []int
	for to := 1; to < ranks; to++ {
		all = append(all, to)
	}
	return all
}

// BenchmarkMeeting reports the cost of two processors waiting for each other: the smallest of
// many batches, because other programs may have the processors.
func BenchmarkMeeting(b *testing.B) {
	const batch = 100
	var turn atomic.Int64
	go func() {
		for i := int64(0); i < int64(b.N)*batch; i++ {
			for turn.Load() != 2*i+1 {
			}
			turn.Store(2*i + 2)
		}
	}()
	least := time.Duration(math.MaxInt64)
	for i := range int64(b.N) {
		begun := time.Now()
		for j := i * batch; j < (i+1)*batch; j++ {
			turn.Store(2*j + 1)
			for turn.Load() != 2*j+2 {
			}
		}
		least = min(least, time.Since(begun))
	}
	b.ReportMetric(float64(least.Nanoseconds())/batch, "ns/meeting")
}
