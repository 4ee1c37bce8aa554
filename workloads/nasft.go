package workloads

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
)

// The three-dimensional FFT of NAS FT over a TY x TZ grid of processes:
// Nishtala, Hargrove, Bonachea and Yelick, "Scaling Communication-Intensive
// Applications on BlueGene/P Using One-Sided Communication and Overlap",
// IPDPS 2009, section 4 and appendix.
func init() {
	Register(Kind{"nas-ft-packed", "NAS FT on a TY x TZ grid, all FFTs of a round and then one exchange (Packed Slabs)",
		func() Workload {
			return &nasFT{grain: nasPacked, Library: mpi, NX: 2048, NY: 1024, NZ: 1024, Iterations: 1}
		}})
	Register(Kind{"nas-ft-slabs", "NAS FT on a TY x TZ grid, each slab sent as soon as it is done (Slabs)",
		func() Workload {
			return &nasFT{Strided: true, Library: upc, NX: 2048, NY: 1024, NZ: 1024, Iterations: 1}
		}})
	Register(Kind{"nas-ft-pencils", "NAS FT on a TY x TZ grid, each row sent as soon as it is done (Pencils)",
		func() Workload {
			return &nasFT{grain: nasPencils, Strided: true, Library: upc, NX: 2048, NY: 1024, NZ: 1024, Iterations: 1}
		}})
}

// nasGrain is how many FFTs a process computes before it sends what they made.
type nasGrain int

const (
	nasSlabs   nasGrain = iota // the bytes of a plane
	nasPacked                  // the bytes of a round
	nasPencils                 // one (section 4.1.3)
)

// of returns how many of the planes of a process, and of the rows in each, a message takes.
func (g nasGrain) of(planes, rows int64) (int64, int64) {
	switch g {
	case nasPacked:
		return planes, rows
	case nasPencils:
		return 1, 1
	}
	return 1, rows
}

// Libraries that a program can send with.
const (
	upc = "upc" // puts that complete when the bytes are in the target's memory
	mpi = "mpi" // MPI_Isend and MPI_Irecv
)

// twoSided tells which libraries need a receive.
var twoSided = map[string]bool{upc: false, mpi: true}

// nasFT is Algorithm 1 (Packed Slabs) or 2 of the appendix. Pencils is Algorithm 2 with a row for a slab.
type nasFT struct {
	NX         int64  `key:"nx" unit:"count" doc:"points of the grid along x, the first FFT"`
	NY         int64  `key:"ny" unit:"count" doc:"points along y, the second FFT"`
	NZ         int64  `key:"nz" unit:"count" doc:"points along z, the third FFT"`
	TY         int64  `key:"ty" unit:"count" doc:"processes TY of a plane, which exchange in round 1; 0: the power of two nearest below the root of the ranks, or the root"`
	Library    string `key:"library" unit:"text" doc:"upc: one-sided puts; mpi: two-sided messages"`
	Strided    bool   `key:"strided" unit:"flag" doc:"FFTs along y and z read strided data, instead of data unpacked to unit stride"`
	Round      int64  `key:"round" unit:"count" doc:"only round 1, with evolve before it, or 2, with the last FFTs after it; 0: all. A plane of processes, or a line through all planes, is then enough"`
	Iterations int64  `key:"iterations" unit:"times" doc:"number of identical iterations"`
	grain      nasGrain
}

// The phases are the bars of Figure 8.
var nasFTPhases = []string{"Local FFT", "Synchronous Communication", "In Memory Data Transfers", "NAS Other", "Barrier"}

const (
	nasFFT = iota
	nasCommunication
	nasMemory
	nasOther
	nasBarrier
)

// nasProgram repeats an iteration: evolve, two rounds of FFTs and exchange, the third
// FFTs, and the checksum.
type nasProgram struct {
	grid              programs.Grid // TY x TZ processes
	ranks, iterations int
	only              int // number of the only round; 0: both
	rounds            []nasRound
	evolve, last      machines.Task // of all points
	lastRows          int           // FFTs of the last kind
	perIteration      int           // steps of an iteration
}

// nasRound is the FFTs along one dimension, and the exchange after which a process has
// the data of the next dimension.
type nasRound struct {
	number    int
	team      int // processes that exchange
	ty        int // processes of a plane
	slabs     int // blocks of FFTs, pack and exchange, one after another; 1: Packed Slabs; one for each row: Pencils
	bytes     int64
	row       machines.Task // one FFT
	rows      int           // FFTs of a slab
	pack      machines.Task // of a slab
	unpack    machines.Task // of all slabs
	twoSided  bool
	overlap   bool // Slabs: receives are posted before the first FFT, behind a barrier
	preposts  int  // steps before the first slab
	waitSteps int
}

func (w *nasFT) Program(m *machines.Machine, ranks int) (programs.Program, error) {
	ty, tz, err := w.grid(int64(ranks))
	if err != nil {
		return nil, err
	}
	local := w.NX * w.NY * w.NZ / int64(ranks)
	p := &nasProgram{grid: programs.Grid{int(ty), int(tz)}, ranks: ranks, iterations: int(w.Iterations), only: int(w.Round),
		perIteration: 2, lastRows: int(local / w.NZ)}
	var errs []error
	task := func(kernel string, n float64) machines.Task {
		t, err := m.Task(kernel, n)
		errs = append(errs, err)
		return t
	}
	later := "fft"
	if w.Strided {
		later = "fft-strided"
	}
	p.evolve = task("copy", evolveBytes*float64(local))
	rearranging := m.Rearranging()
	p.last = task(later, float64(w.NZ))
	for i, r := range w.rounds(ty, tz) {
		if w.Round == int64(2-i) {
			continue
		}
		t := nasRound{
			number: i, ty: int(ty), team: int(r.Team), slabs: int(r.Messages / r.Team), bytes: r.Bytes,
			twoSided: twoSided[w.Library], overlap: w.grain != nasPacked,
		}
		length, kernel := w.NX, "fft"
		if i == 1 {
			length, kernel = w.NY, later
		}
		t.row, t.rows = task(kernel, float64(length)), int(local/length)/t.slabs
		t.pack = task(rearranging, float64(complexBytes*local)/float64(t.slabs))
		if !w.Strided {
			t.unpack = task(rearranging, float64(complexBytes*local))
		}
		t.count()
		p.perIteration += t.steps()
		p.rounds = append(p.rounds, t)
	}
	return p, errors.Join(errs...)
}

// evolveBytes is the number of bytes that the evolution of a point copies: it reads a
// complex number and a real factor, and writes two complex numbers (NPB 2.4, ft.f,
// evolve). A copied byte is one byte read and one written, hence the division by two.
const evolveBytes = (16 + 8 + 2*16) / 2

// maxGrid is the largest number of points along a dimension; with it all products fit in
// int64.
const maxGrid = 1 << 16

// grid checks the parameters and returns TY and TZ.
func (w *nasFT) grid(ranks int64) (ty, tz int64, err error) {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, &KeyError{key, fmt.Sprintf(format, args...)})
	}
	ty = w.TY
	if ty == 0 {
		ty = 1
		for 4*ty*ty <= ranks {
			ty *= 2
		}
	}
	if ranks%ty != 0 {
		wrong("ty", "must divide the %d ranks, got %d", ranks, ty)
		return 0, 0, errors.Join(errs...)
	}
	tz = ranks / ty
	check := func(key string, n int64, teams ...int64) {
		if n < 1 || n > maxGrid {
			wrong(key, "must be 1 to %d, got %d", maxGrid, n)
			return
		}
		for _, t := range teams {
			if n%t != 0 {
				wrong(key, "must be a multiple of %d on a grid of %d x %d processes, got %d", t, ty, tz, n)
			}
		}
	}
	check("nx", w.NX, ty)
	check("ny", w.NY, ty, tz)
	check("nz", w.NZ, tz)
	if _, known := twoSided[w.Library]; !known {
		wrong("library", "must be %s or %s, got %q", upc, mpi, w.Library)
	}
	if w.Round > 2 {
		wrong("round", "must be 1, 2, or 0 for both, got %d", w.Round)
	}
	return ty, tz, errors.Join(errs...)
}

func (p *nasProgram) Ranks() int       { return p.ranks }
func (p *nasProgram) Phases() []string { return nasFTPhases }

// Symmetry implements programs.Symmetric.
func (p *nasProgram) Symmetry() programs.Grid { return p.grid }

// Step is evolve, a step of a round, or the last FFTs with the checksum.
func (p *nasProgram) Step(me, step int, do *programs.Ops) bool {
	if step >= p.iterations*p.perIteration {
		return false
	}
	if step %= p.perIteration; step == 0 {
		if p.only != 2 {
			do.Phase(nasOther)
			do.Compute(p.evolve, 1)
		}
		return true
	}
	step--
	for i := range p.rounds {
		r := &p.rounds[i]
		if step < r.steps() {
			r.step(me, step, do)
			return true
		}
		step -= r.steps()
	}
	if p.only == 1 {
		return true
	}
	do.Phase(nasFFT)
	do.Compute(p.last, p.lastRows)
	do.Phase(nasOther)
	do.Barrier() // the checksum: 1024 points, and a reduction on the collective network
	return true
}

// count sets the numbers of steps of the round before its first slab and after its last
// one: posts of receives and a barrier (Slabs), and the waits.
func (r *nasRound) count() {
	if r.overlap {
		r.preposts = 1
		if r.twoSided {
			r.preposts += r.slabs
		}
	}
	r.waitSteps = (r.requests() + waits - 1) / waits
}

// requests is the number of requests that a process waits for: its receives, then its
// sends.
func (r *nasRound) requests() int {
	if r.twoSided {
		return 2 * r.slabs * r.team
	}
	return r.slabs * r.team
}

func (r *nasRound) steps() int { return r.preposts + r.slabs + r.waitSteps + 1 }

func (r *nasRound) step(me, step int, do *programs.Ops) {
	switch {
	case step < r.preposts-1: // lines 3 and 16 of Algorithm 2
		do.Phase(nasCommunication)
		r.receive(me, step, do)
	case step < r.preposts: // lines 4 and 17
		do.Phase(nasBarrier)
		do.Barrier()
	case step < r.preposts+r.slabs:
		r.slab(me, step-r.preposts, do)
	case step < r.preposts+r.slabs+r.waitSteps: // lines 14 and 27
		do.Phase(nasCommunication)
		first := (step - r.preposts - r.slabs) * waits
		for i := first; i < min(first+waits, r.requests()); i++ {
			do.Wait(i)
		}
	default:
		r.finish(do)
	}
}

// slab is lines 6 to 12, or 19 to 25, of Algorithm 2. In Packed Slabs one slab is all
// planes.
func (r *nasRound) slab(me, slab int, do *programs.Ops) {
	do.Phase(nasFFT)
	do.Compute(r.row, r.rows)
	do.Phase(nasMemory)
	do.Compute(r.pack, 1)
	do.Phase(nasCommunication)
	if r.twoSided && !r.overlap {
		r.receive(me, slab, do)
	}
	for t := 1; t <= r.team; t++ { // the process's own part comes last
		request := slab*r.team + t - 1
		if r.twoSided {
			do.Isend(r.peer(me, t), r.bytes, r.tag(slab), r.slabs*r.team+request)
		} else {
			do.Put(r.peer(me, t), r.bytes, request)
		}
	}
}

// receive posts the receives of a slab, in the order in which it will be sent.
func (r *nasRound) receive(me, slab int, do *programs.Ops) {
	for t := 1; t <= r.team; t++ {
		do.Irecv(r.peer(me, r.team-t), r.bytes, r.tag(slab), slab*r.team+t-1)
	}
}

// finish ends the exchange. A put does not notify its target, so a barrier tells that the
// data of the other processes have arrived.
func (r *nasRound) finish(do *programs.Ops) {
	if !r.twoSided {
		do.Phase(nasBarrier)
		do.Barrier()
	}
	do.Phase(nasMemory)
	do.Compute(r.unpack, 1)
}

func (r *nasRound) tag(slab int) int { return r.number*r.slabs + slab }

// peer is the process that is t places ahead in the team (lines 11 and 24 of Algorithm
// 2).
func (r *nasRound) peer(me, t int) int {
	plane, row := me/r.ty, me%r.ty
	if r.number == 0 {
		return plane*r.ty + (t+row)%r.team
	}
	return (t+plane)%r.team*r.ty + row
}

// Metrics are the bars of Figure 8 in seconds per iteration, means over the ranks; the
// time of an iteration; the rate in teraflop/s, with the operations that NAS FT counts;
// and the messages of an iteration and their mean size.
func (w *nasFT) Metrics(_ *machines.Machine, r *results.Result) Metrics {
	bars := make([]float64, len(nasFTPhases))
	for _, phases := range r.Ledgers {
		for i := range phases {
			bars[i] += phases[i].Sum().Seconds() / float64(r.Ranks) / float64(w.Iterations)
		}
	}
	iteration := r.Makespan().Seconds() / float64(w.Iterations)
	all := metrics(
		Metric{"fft_s", bars[nasFFT]},
		Metric{"communication_s", bars[nasCommunication]},
		Metric{"memory_s", bars[nasMemory]},
		Metric{"other_s", bars[nasOther]},
		Metric{"barrier_s", bars[nasBarrier]},
		Metric{"iteration_s", iteration},
	)
	all.AddOr("teraflops", NASFTFlops(float64(w.NX*w.NY*w.NZ))/iteration/1e12, "an iteration takes no time")
	all.Add("messages", float64(r.Messages)/float64(w.Iterations))
	all.AddOr("message_bytes", float64(r.Bytes)/float64(r.Messages), "there is no message")
	return all
}

// NASFTFlops is the number of operations that NAS FT counts for an iteration on the given
// number of points: 5 n log2 n for the FFT, and a few more for evolve and the checksum
// (NPB 2.4, ft.f).
func NASFTFlops(points float64) float64 {
	return points * (5.23518 + 7.21113*math.Log(points))
}
