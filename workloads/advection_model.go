package workloads

import (
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// advectionModel is the closed form of tiled upwind advection on a process
// grid: Goumas et al., "Overlapping Computation and Communication in SMT
// Clusters", section III, for tiles that all take the same time.
type advectionModel struct {
	Tiles   int   // K, tiles along the mapping dimension
	Grid    []int // processes along each of the others
	Compute sim.Time
	Message sim.Time // from the end of a tile until a neighbour has the face that it needs
}

// diagonal is the number of messages on the path from the first process to the last one.
func (m advectionModel) diagonal() int {
	n := 0
	for _, g := range m.Grid {
		n += g - 1
	}
	return n
}

// Steps is the number of parallel steps of the schedule [1,..,1].
func (m advectionModel) Steps() int { return m.Tiles + m.diagonal() }

// Total is the time from the first cell to the last, on a network that moves messages by
// itself and each message in less than the time of a tile. The pipeline fills along the
// diagonal, which takes a tile and a message for each hop; after that the last process
// computes one tile after another. Total is the same for both schedules: a process does
// not wait for the end of a parallel step, only for its message (derived).
func (m advectionModel) Total() sim.Time {
	return m.Compute*sim.Time(m.Steps()) + m.Message*sim.Time(m.diagonal())
}

// estimate is a rough run time in seconds: the work of a process in the middle for each
// tile, and the filling of the pipeline. It decides which tile and grid are chosen where
// they are not given.
func (p *advectionProgram) estimate(m *machines.Machine) float64 {
	kind := 1<<len(p.grid) - 1
	for d, g := range p.grid {
		if p.cells[d]%int64(g) == 0 {
			kind &^= 1 << d
		}
	}
	b := &p.blocks[kind]
	var work, message sim.Time
	for d := range p.grid {
		faces := min(2, p.grid[d]-1) // received and sent
		bytes := p.bytes(&b.faces[d], 0)
		each := b.faces[d].pack.Time + m.Network.SendOverhead.Of(bytes)
		if c := m.Copying; c != nil {
			each += sim.PerByte(bytes, (c.SendPerByte+c.ReceivePerByte)/2)
		}
		work += each * sim.Time(faces)
		if faces > 0 {
			message = max(message, m.Network.Latency+m.Network.Transfer.Of(bytes))
		}
	}
	compute := b.sweep.Time * sim.Time(p.tile)
	model := advectionModel{p.tiles(), p.grid, compute + work, message}
	if p.algorithm == asymmetric {
		model.Compute = max(compute, work)
	}
	return model.Total().Seconds()
}
