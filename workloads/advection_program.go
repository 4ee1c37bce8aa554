package workloads

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// advectionProgram is Algorithm 3, 4 or 5 on a process grid. In the asymmetric program a process is
// two ranks; the even one computes.
type advectionProgram struct {
	algorithm advectionAlgorithm
	cells     []int64
	grid      []int
	steps     int
	tile      int
	blocks    []block // indexed by kind: bit d is set if the block has the larger share of dimension d
}

// block is the part of space that a process owns, and its cost.
type block struct {
	sweep machines.Task // one time step of all its cells
	faces []face        // by dimension
}

// face is the layer of a block that its neighbour needs.
type face struct {
	cells      int64
	pack, rest machines.Task // copies of the face of a whole tile, and of the last tile
}

func (w *advection) program(m *machines.Machine, grid []int, tile int) (*advectionProgram, error) {
	p := &advectionProgram{algorithm: w.algorithm, cells: w.cells(), grid: grid, steps: int(w.Steps), tile: tile}
	p.blocks = make([]block, 1<<len(grid))
	for i := range p.blocks {
		b := &p.blocks[i]
		var err error
		if b.sweep, err = m.TaskAmong(fmt.Sprintf("advection%dd", len(grid)), float64(p.volume(i)), p.perCore(m)); err != nil {
			return nil, err
		}
		b.faces = make([]face, len(grid))
		for d := range b.faces {
			f := &b.faces[d]
			f.cells = p.volume(i) / p.side(i, d)
			if f.pack, err = m.Task("copy", float64(p.bytes(f, 0))); err != nil {
				return nil, err
			}
			if f.rest, err = m.Task("copy", float64(p.bytes(f, p.tiles()-1))); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// side is the number of cells of a block along a dimension. Bit d of the kind of the
// block says whether it has one cell more than the smallest block.
func (p *advectionProgram) side(kind, d int) int64 {
	n := p.cells[d] / int64(p.grid[d])
	if kind>>d&1 == 1 {
		n++
	}
	return n
}

func (p *advectionProgram) volume(kind int) int64 {
	v := int64(1)
	for d := range p.grid {
		v *= p.side(kind, d)
	}
	return v
}

// perCore is the number of processes that compute on a core and share its cache, if the
// machine gives its number of cores, and 1 if not.
func (p *advectionProgram) perCore(m *machines.Machine) float64 {
	cores := m.Nodes * m.Cores
	if cores == 0 || m.Sharing == nil {
		return 1
	}
	return float64((p.processes() + cores - 1) / cores)
}

// tiles is K, the tiles of a process.
func (p *advectionProgram) tiles() int { return (p.steps + p.tile - 1) / p.tile }

// depth is the number of time steps of a tile.
func (p *advectionProgram) depth(tile int) int { return min(p.tile, p.steps-tile*p.tile) }

// bytes is the size in bytes of the message for a face of a tile.
func (p *advectionProgram) bytes(f *face, tile int) int64 {
	return product(cellBytes, f.cells, int64(p.depth(tile)))
}

// copying is the task of packing or unpacking a face of a tile.
func (p *advectionProgram) copying(f *face, tile int) machines.Task {
	if p.depth(tile) < p.tile {
		return f.rest
	}
	return f.pack
}

// Threads is the number of ranks of a process.
func (p *advectionProgram) Threads() int {
	if p.algorithm == asymmetric {
		return 2
	}
	return 1
}

func (p *advectionProgram) processes() int {
	n := 1
	for _, g := range p.grid {
		n *= g
	}
	return n
}

func (p *advectionProgram) Ranks() int       { return p.processes() * p.Threads() }
func (p *advectionProgram) Phases() []string { return advectionPhases }

// at returns the position of a process along a dimension, and the difference in number to
// the next process along it; x varies fastest.
func (p *advectionProgram) at(process, d int) (place, stride int) {
	stride = 1
	for i := range d {
		stride *= p.grid[i]
	}
	return process / stride % p.grid[d], stride
}

// kind tells which block a process has. If the cells of a dimension do not divide evenly,
// the first processes along it have one cell more.
func (p *advectionProgram) kind(process int) int {
	kind := 0
	for d := range p.grid {
		if place, _ := p.at(process, d); int64(place) < p.cells[d]%int64(p.grid[d]) {
			kind |= 1 << d
		}
	}
	return kind
}

// below returns the process that this one receives from along a dimension, and above the
// process that it sends to; -1 if there is none.
func (p *advectionProgram) below(process, d int) int {
	if place, stride := p.at(process, d); place > 0 {
		return process - stride
	}
	return -1
}

func (p *advectionProgram) above(process, d int) int {
	if place, stride := p.at(process, d); place < p.grid[d]-1 {
		return process + stride
	}
	return -1
}

// Step is an iteration of the loop. Overlapping programs have one iteration more at the
// start, which receives the data of the first tile, and one more at the end, which sends
// the data of the last tile.
func (p *advectionProgram) Step(me, step int, do *programs.Ops) bool {
	a := &advectionStep{p, do, me / p.Threads(), nil}
	a.block = &p.blocks[p.kind(a.process)]
	switch {
	case p.algorithm == standard && step < p.tiles():
		a.standard(step)
	case p.algorithm == overlapping && step < p.tiles()+2:
		a.overlapping(step - 1)
	case p.algorithm == asymmetric && step < p.tiles()+2:
		if me%2 == 0 {
			a.compute(step - 1)
			a.meet(me + 1)
			a.meet(me + 1)
		} else {
			a.communicating(step-1, me-1)
		}
	default:
		return false
	}
	return true
}

// advectionStep appends the operations of an iteration of a process.
type advectionStep struct {
	*advectionProgram
	do      *programs.Ops
	process int
	block   *block
}

// standard is Algorithm 3, lines 2 to 8.
func (a *advectionStep) standard(tile int) {
	a.receive(tile)
	a.await(0)
	a.unpack(tile)
	a.compute(tile)
	a.pack(tile)
	a.send(tile)
	a.await(len(a.grid))
}

// overlapping is Algorithm 4, lines 2 to 7.
func (a *advectionStep) overlapping(tile int) {
	a.receive(tile + 1)
	a.send(tile - 1)
	a.compute(tile)
	a.await(0)
	a.await(len(a.grid))
	a.unpack(tile + 1)
	a.pack(tile)
}

// communicating is the communication thread of Algorithm 5, lines 10 to 16.
func (a *advectionStep) communicating(tile, partner int) {
	a.receive(tile + 1)
	a.send(tile - 1)
	a.await(0)
	a.await(len(a.grid))
	a.meet(partner)
	a.unpack(tile + 1)
	a.pack(tile)
	a.meet(partner)
}

// exists tells whether the program has this tile.
func (a *advectionStep) exists(tile int) bool { return tile >= 0 && tile < a.tiles() }

// rank is the rank of a process that communicates.
func (a *advectionStep) rank(process int) int { return process*a.Threads() + a.Threads() - 1 }

// receive posts the receives of a tile. Along dimension d the request is d and the tag is
// d.
func (a *advectionStep) receive(tile int) {
	if !a.exists(tile) {
		return
	}
	a.do.Phase(advectionCommunication)
	for d := range a.grid {
		if from := a.below(a.process, d); from >= 0 {
			a.do.Irecv(a.rank(from), a.bytes(&a.block.faces[d], tile), d, d)
		}
	}
}

// send starts the sends of a tile. Their requests have the numbers after the requests of receives.
func (a *advectionStep) send(tile int) {
	if !a.exists(tile) {
		return
	}
	a.do.Phase(advectionCommunication)
	for d := range a.grid {
		if to := a.above(a.process, d); to >= 0 {
			a.do.Isend(a.rank(to), a.bytes(&a.block.faces[d], tile), d, len(a.grid)+d)
		}
	}
}

// await waits for the receives or the sends. A request that was not used counts as
// complete.
func (a *advectionStep) await(first int) {
	a.do.Phase(advectionCommunication)
	for d := range a.grid {
		a.do.Wait(first + d)
	}
}

func (a *advectionStep) compute(tile int) {
	if a.exists(tile) {
		a.do.Phase(advectionComputation)
		a.do.Compute(a.block.sweep, a.depth(tile))
	}
}

func (a *advectionStep) unpack(tile int) { a.copyFaces(tile, a.below) }
func (a *advectionStep) pack(tile int)   { a.copyFaces(tile, a.above) }

// copyFaces copies the faces that are exchanged with neighbours.
func (a *advectionStep) copyFaces(tile int, neighbour func(process, d int) int) {
	if !a.exists(tile) {
		return
	}
	a.do.Phase(advectionPacking)
	for d := range a.grid {
		if neighbour(a.process, d) >= 0 {
			a.do.Compute(a.copying(&a.block.faces[d], tile), 1)
		}
	}
}

// meet is a barrier of the two threads of a process.
func (a *advectionStep) meet(partner int) {
	a.do.Phase(advectionSynchronization)
	a.do.Meet(partner)
}
