package workloads

import (
	"errors"
	"fmt"
	"iter"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// The exchange of faces between the blocks of a periodic grid of one, two or three dimensions. Each rank has one
// block and computes while the messages travel. Then all ranks may reduce something, such as a residual or a time step.
func init() {
	Register(Kind{"halo", "3-D 7-point halo exchange (a stencil) on a periodic grid, computation between post and wait, then maybe an all-reduce",
		func() Workload {
			return &halo{Bytes: 8192, Pieces: 1, Iterations: 100, Compute: 100 * sim.Microsecond}
		}})
}

type halo struct {
	X          int64    `key:"x" unit:"count" doc:"ranks along x; those of x, y and z that are 0 are as equal as possible; along a dimension of 1 nothing is sent"`
	Y          int64    `key:"y" unit:"count" doc:"ranks along y"`
	Z          int64    `key:"z" unit:"count" doc:"ranks along z"`
	Bytes      int64    `key:"bytes" unit:"bytes" doc:"size of a face"`
	Pieces     int64    `key:"pieces" unit:"count" doc:"messages into which a face is cut; the bytes stay the same"`
	Iterations int64    `key:"iterations" unit:"times" doc:"iterations"`
	Compute    sim.Time `key:"compute" unit:"time" doc:"computation of an iteration, in addition to the kernel"`
	Kernel     string   `key:"kernel" unit:"text" doc:"kernel of the machine that an iteration runs; if omitted: none"`
	N          int64    `key:"n" unit:"count" doc:"problem size of that run"`
	Reduce     int64    `key:"reduce" unit:"bytes" doc:"size of an all-reduce at the end of each iteration, blocking, by the library's algorithm; 0: none"`

	nonblocking bool // as in collectiveKeys
}

// mostPieces keeps the requests of an iteration few enough to be numbered.
const mostPieces = 1 << 20

type haloProgram struct {
	dims       [3]int
	iterations int
	bytes      int64
	pieces     int
	compute    machines.Task
	kernel     machines.Task
	group      collectives.Group      // of the all-reduce
	by         *collectives.Algorithm // nil: there is none
}

func (w *halo) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &KeyError{key, fmt.Sprintf(format, args...)})
	}
	if w.Bytes < 1 {
		wrong("bytes", "must be at least 1")
	}
	if w.Pieces < 1 || w.Bytes >= 1 && w.Pieces > w.Bytes {
		wrong("pieces", "must be 1 to %d, the bytes of a face, got %d", w.Bytes, w.Pieces)
	}
	if w.Pieces > mostPieces {
		wrong("pieces", "must be at most %d, got %d", mostPieces, w.Pieces)
	}
	if w.Compute < 0 {
		wrong("compute", "must not be negative")
	}
	kernel, err := w.kernel(m)
	if err != nil {
		errs = append(errs, err)
	}
	dims := filled([3]int{int(w.X), int(w.Y), int(w.Z)}, ranks)
	if dims[0] < 1 || dims[1] < 1 || dims[2] < 1 || product(int64(dims[0]), int64(dims[1]), int64(dims[2])) != int64(ranks) {
		if divisor := product(max(w.X, 1), max(w.Y, 1), max(w.Z, 1)); w.X >= 0 && w.Y >= 0 && w.Z >= 0 && product(w.X, w.Y, w.Z) == 0 {
			wrong("x", "x * y * z must divide the %d ranks, where 0 is left open; got %d", ranks, divisor)
		} else {
			wrong("x", "x * y * z must be the %d ranks, got %d * %d * %d", ranks, w.X, w.Y, w.Z)
		}
	}
	p := &haloProgram{dims: dims, iterations: int(w.Iterations), bytes: w.Bytes, pieces: int(w.Pieces),
		compute: machines.Task{Time: w.Compute}, kernel: kernel}
	if w.Reduce < 0 {
		wrong("reduce", "must not be negative")
	} else if w.Reduce > 0 {
		if p.group, p.by, err = w.reduction().plan(collectives.Allreduce.Name, m, ranks); err != nil {
			wrong("reduce", "%s", err)
		}
		p.group.Tag = haloTags
	}
	return p, errors.Join(errs...)
}

// reduction is the all-reduce.
func (w *halo) reduction() *collectiveKeys {
	return &collectiveKeys{Algorithm: auto, Bytes: w.Reduce, nonblocking: w.nonblocking}
}

// Unblock implements Unblocked.
func (w *halo) Unblock() { w.nonblocking = true }

// ByLibrary implements Chosen.
func (w *halo) ByLibrary() bool { return w.Reduce > 0 }

// Remarks implements Remarked.
func (w *halo) Remarks(m *machines.Machine, ranks int) []string {
	if w.Reduce == 0 {
		return nil
	}
	return w.reduction().remarks("all-reduce", collectives.Allreduce.Name, m, ranks)
}

// kernel returns the task of the kernel that runs in an iteration.
func (w *halo) kernel(m *machines.Machine) (run machines.Task, err error) {
	switch {
	case w.Kernel == "" && w.N > 0:
		return run, &KeyError{"n", "is the size of a kernel's problem; give kernel"}
	case w.Kernel == "":
		return run, nil
	case w.N < 1:
		return run, &KeyError{"n", "must be at least 1, the size of the kernel's problem"}
	}
	if run, err = m.Task(w.Kernel, float64(w.N)); err != nil {
		return run, &KeyError{"kernel", err.Error()}
	}
	return run, nil
}

// Range implements Ranged.
func (w *halo) Range(key string, _ int) string {
	if key == "pieces" {
		return fmt.Sprintf("1..%d*2", min(64, w.Bytes))
	}
	return ""
}

func (w *halo) Metrics(*machines.Machine, *results.Result) (m Metrics) { return m }

// filled returns a grid with its zeros replaced so that it has n blocks and these dimensions are as equal as possible, if that can be.
func filled(dims [3]int, n int) [3]int {
	var open []int // dimensions
	for axis, d := range dims {
		switch {
		case d == 0:
			open = append(open, axis)
		case d < 0 || n%d != 0:
			return dims
		default:
			n /= d
		}
	}
	sides := cubic(n)
	if len(open) == 2 {
		a := 1
		for b := 1; b*b <= n; b++ {
			if n%b == 0 {
				a = b
			}
		}
		sides = [3]int{n / a, a, 1}
	} else if len(open) == 1 {
		sides = [3]int{n, 1, 1}
	}
	for i, axis := range open {
		dims[axis] = sides[i]
	}
	return dims
}

// cubic splits n into the three factors that have the least sum, so they are as equal as
// possible; the largest comes first.
func cubic(n int) [3]int {
	best := [3]int{n, 1, 1}
	sum := n + 2
	for a := 1; a*a*a <= n; a++ {
		if n%a != 0 {
			continue
		}
		for b := a; a*b*b <= n; b++ {
			if c := n / a / b; n/a%b == 0 && a+b+c < sum {
				best, sum = [3]int{c, b, a}, a+b+c
			}
		}
	}
	return best
}

func (p *haloProgram) Ranks() int { return p.dims[0] * p.dims[1] * p.dims[2] }

func (p *haloProgram) Phases() []string {
	if p.by == nil {
		return []string{"post", "compute", "wait"}
	}
	return []string{"post", "compute", "wait", "reduce"}
}

// Symmetry implements programs.Symmetric. An all-reduce looks alike on another grid, or on none.
func (p *haloProgram) Symmetry() programs.Grid {
	if p.by != nil {
		return nil
	}
	return p.dims[:]
}

// neighbour is the rank of the next block in direction d: +x -x +y -y +z -z.
func (p *haloProgram) neighbour(me, d int) int {
	axis, stride := d/2, 1
	for i := range axis {
		stride *= p.dims[i]
	}
	n := p.dims[axis]
	at := me / stride % n
	to := (at + 1 + d%2*(n-2)) % n
	return me + (to-at)*stride
}

// directions are those in which there is another block. The faces of a dimension with one block are its own.
func (p *haloProgram) directions() iter.Seq[int] {
	return func(yield func(int) bool) {
		for d := range 6 {
			if p.dims[d/2] > 1 && !yield(d) {
				return
			}
		}
	}
}

// size is the size of the i-th piece of a face.
func (p *haloProgram) size(i int) int64 {
	least, left := p.bytes/int64(p.pieces), p.bytes%int64(p.pieces)
	if int64(i) < left {
		return least + 1
	}
	return least
}

// haloTags are the tags of the faces.
const haloTags = 6

// Step is one iteration. The tag is the direction, so that two messages between the same
// two ranks can be told apart.
func (p *haloProgram) Step(me, step int, do *programs.Ops) bool {
	if step >= p.iterations {
		return false
	}
	do.Phase(0)
	for d := range p.directions() {
		for i := range p.pieces {
			do.Irecv(p.neighbour(me, d), p.size(i), d^1, d*p.pieces+i)
		}
	}
	for d := range p.directions() {
		for i := range p.pieces {
			do.Isend(p.neighbour(me, d), p.size(i), d, (6+d)*p.pieces+i)
		}
	}
	do.Phase(1)
	do.Compute(p.compute, 1)
	do.Compute(p.kernel, 1)
	do.Phase(2)
	for d := range p.directions() {
		for i := range p.pieces {
			do.Wait(d*p.pieces + i)
		}
	}
	for d := range p.directions() {
		for i := range p.pieces {
			do.Wait((6+d)*p.pieces + i)
		}
	}
	if p.by != nil {
		g := p.group
		g.Me = me
		do.Phase(3)
		p.by.Call(g, do)
	}
	return true
}
