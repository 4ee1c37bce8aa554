package workloads

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The bandwidth microbenchmark of Nishtala et al., IPDPS 2009, section 3.3.2: one core of
// each node of a torus floods the given number of its six links in turn, in both
// directions at once.
func init() {
	Register(Kind{"flood-links", "one process per node of a 3-D torus sends a long series of messages over 1 to 6 of its links, in turn",
		func() Workload {
			return &floodLinks{Call: "put", X: 4, Y: 4, Z: 4, Links: 6, Bytes: 8192, Messages: 32, Window: 16}
		}})
}

type floodLinks struct {
	Call     string   `key:"call" unit:"text" doc:"put, get, or mpi: MPI_Isend, and receives posted before"`
	X        int64    `key:"x" unit:"count" doc:"nodes along x; ranks are numbered with x varying fastest"`
	Y        int64    `key:"y" unit:"count" doc:"nodes along y"`
	Z        int64    `key:"z" unit:"count" doc:"nodes along z"`
	Links    int64    `key:"links" unit:"count" doc:"links in use, 1 to 6: both of a dimension, then those of the next; the odd one between pairs"`
	Bytes    int64    `key:"bytes" unit:"bytes" doc:"size of a message"`
	Messages int64    `key:"messages" unit:"times" doc:"messages over each link"`
	Window   int64    `key:"window" unit:"count" doc:"messages over each link after which a process waits for all; 0: it waits at the end (puts and gets)"`
	Layer    sim.Time `key:"layer" unit:"time" doc:"CPU time of the layer above, for each message"`
}

func (w *floodLinks) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	call, err := callOf(w.Call)
	errs := []error{err}
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &KeyError{key, fmt.Sprintf(format, args...)})
	}
	if w.Links < 1 || w.Links > 6 {
		wrong("links", "must be 1 to 6, got %d", w.Links)
	}
	for i, n := range []int64{w.X, w.Y, w.Z} {
		if used := 2*int64(i) < w.Links; n < 1 || used && (n < 4 || n%2 != 0) {
			wrong(string("xyz"[i]), "must be an even number from 4 on where links are used, got %d", n)
		}
	}
	if product(w.X, w.Y, w.Z) != int64(ranks) {
		wrong("x", "x * y * z must be the %d ranks, got %d * %d * %d", ranks, w.X, w.Y, w.Z)
	}
	if w.Window > maxWindow || w.Window == 0 && w.Messages > maxWindow {
		wrong("window", "must be at most %d, got %d", maxWindow, w.Window)
	}
	window := w.Window
	if window == 0 {
		window = w.Messages
	}
	return &floodProgram{*w, call, int(min(window, w.Messages)), ranks}, errors.Join(errs...)
}

// maxWindow keeps a step of the program small.
const maxWindow = 1 << 12

type floodProgram struct {
	floodLinks
	call          call
	window, ranks int
}

func (p *floodProgram) Ranks() int       { return p.ranks }
func (p *floodProgram) Phases() []string { return []string{"flood"} }

// Step is one window of messages.
func (p *floodProgram) Step(me, step int, do *programs.Ops) bool {
	first := step * p.window
	if first >= int(p.Messages) {
		return false
	}
	n := min(p.window, int(p.Messages)-first) * int(p.Links)
	if p.call.twoSided {
		for i := range n {
			do.Irecv(p.peer(me, i%int(p.Links), -1), p.Bytes, i, n+i)
		}
	}
	for i := range n {
		to := p.peer(me, i%int(p.Links), +1)
		do.Compute(machines.Task{Time: p.Layer}, 1)
		p.call.begin(do, to, p.Bytes, i)
	}
	for i := range n {
		do.Wait(i)
		if p.call.twoSided {
			do.Wait(n + i)
		}
	}
	return true
}

// peer is the node at the far end of a link, or with way -1 the node whose link of this
// number ends here. If the number of links is odd, the last one joins neighbours in
// pairs.
func (p *floodProgram) peer(me, link, way int) int {
	dims := [3]int{int(p.X), int(p.Y), int(p.Z)}
	stride := 1
	for d := range link / 2 {
		stride *= dims[d]
	}
	size := dims[link/2]
	x := me / stride % size
	to := x ^ 1
	if link%2 == 1 || link+1 < int(p.Links) {
		to = (x + way*(1-2*(link%2)) + size) % size
	}
	return me + (to-x)*stride
}

// Metrics are the bandwidths of a node, in MB/s for both directions together and in MiB/s
// for one direction. They are means over the time until the last node ends.
func (w *floodLinks) Metrics(_ *machines.Machine, r *results.Result) (all Metrics) {
	rate := float64(w.Bytes) * float64(w.Messages*w.Links) / r.Makespan().Seconds()
	all.AddOr("MBps", 2*rate/1e6, noTime)
	all.AddOr("one_way_MiBps", rate/(1<<20), noTime)
	return all
}
