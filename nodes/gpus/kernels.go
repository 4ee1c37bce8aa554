package gpus

import (
	"math"

	"overlapsim/sim"
)

// Rates are the fractions of data-sheet numbers that kernels reach, and how fast hosts launch
// kernels.
type Rates struct {
	Rows      string   // rows to which they were fitted
	Products  float64  // fraction of the peak that blocks of a large matrix product reach; 0: the rates are not known
	Attention float64  // fraction of the peak that attention in one kernel reaches; 0: as products as deep as a head is wide
	Moves     float64  // fraction of the memory's bandwidth that kernels reach
	Start     sim.Time // of a kernel, during which its blocks do nothing
	Launch    sim.Time // of the host, for a kernel, with the framework's work before it
	Join      sim.Time // of the host, for a collective
	Signal    sim.Time // until a copy engine, or a fused product, knows that something is there that it waits for
}

// Work is a kernel: equal blocks, one on an SM.
type Work struct {
	Blocks int32
	Block  sim.Time // alone
	Demand int64    // bytes per second that a block moves in memory when alone
}

// Memory is the bandwidth that kernels reach together, in bytes per second.
func (m *Machine) Memory() float64 { return m.Kernels.Moves * m.GPU.Bandwidth }

// tile is the part of a product that a block computes.
type tile struct {
	rows, columns float64
	part          float64 // fraction of the speed of large tiles, as small tiles use each loaded number less often
}

var tiles = []tile{{256, 128, 1}, {128, 128, 0.92}, {128, 64, 0.8}, {64, 64, 0.6}}

// Product is a batch of products of m x k by k x n matrices, computed with the fastest tile. The
// speed of a block falls for small k as k/(k+128), because its loop has a start and an end.
func (m *Machine) Product(p Precision, batch, rows, columns, k float64) Work {
	perSM := m.Kernels.Products * m.GPU.Peak[p] / float64(m.GPU.SMs) * k / (k + 128)
	bytes := p.Bytes() * batch * (rows*columns + rows*k + columns*k)
	best, least := Work{}, math.Inf(1)
	for _, t := range tiles {
		blocks := batch * math.Ceil(rows/t.rows) * math.Ceil(columns/t.columns)
		block := 2 * t.rows * t.columns * k / (perSM * t.part)
		waves := math.Ceil(blocks / float64(m.GPU.SMs))
		if time := max(waves*block, bytes/m.Memory()); time < least {
			least = time
			best = m.work(blocks, block, bytes)
		}
	}
	return best
}

// Attend is a batch of attention in one kernel with the arithmetic of products of m x k by k x n
// matrices, with a block for every 128 rows (FlashAttention-2, arXiv 2307.08691, has 128 or 64).
func (m *Machine) Attend(p Precision, batch, rows, columns, k float64) Work {
	if m.Kernels.Attention == 0 {
		return m.Product(p, batch, rows, columns, k)
	}
	blocks := batch * math.Ceil(rows/128)
	perSM := m.Kernels.Attention * m.GPU.Peak[p] / float64(m.GPU.SMs)
	return m.work(blocks, 2*batch*rows*columns*k/blocks/perSM, 0)
}

// moved is how many bytes a block moves, for kernels that only move bytes: a thread block of PyTorch's element-wise
// kernels has 512 numbers (128 threads, four numbers each), and reads and writes 2 bytes of each. An SM has several
// of these blocks, which end one by one.
const moved = 512 * (2 + 2)

// mostWaves is how many blocks an SM has of such a kernel at most. More would be simulated in vain: the last wave is a hundredth then.
const mostWaves = 64

// Move is a kernel that moves bytes in memory and computes little, with the same number of blocks
// for each SM. Together its blocks could move a quarter more than the memory can, so the memory
// determines its time.
func (m *Machine) Move(bytes float64) Work {
	waves := min(max(1, math.Round(bytes/moved/float64(m.GPU.SMs))), mostWaves)
	return m.work(waves*float64(m.GPU.SMs), bytes/(1.25*m.Memory())/waves, bytes)
}

// Alone is the time of a kernel of this machine that has a GPU to itself, in seconds.
func (m *Machine) Alone(w Work) float64 {
	waves := math.Ceil(float64(w.Blocks) / float64(m.GPU.SMs))
	return max(waves*w.Block.Seconds(), float64(w.Blocks)*w.Block.Seconds()*float64(w.Demand)/m.Memory())
}

// Kernel is a kernel that does an amount of arithmetic at the speed of large products, and moves
// an amount of bytes. The slower of the two determines its time. By default it has one block for
// each SM.
func (m *Machine) Kernel(p Precision, blocks, flops, bytes float64) Work {
	if blocks == 0 {
		blocks = float64(m.GPU.SMs)
	}
	if flops == 0 && blocks == float64(m.GPU.SMs) {
		return m.Move(bytes)
	}
	perSM := m.Kernels.Products * m.GPU.Peak[p] / float64(m.GPU.SMs)
	least := bytes / blocks / (1.25 * m.Memory() / float64(m.GPU.SMs)) // time of a block that only moves bytes
	if flops == 0 {
		return m.work(blocks, least, bytes)
	}
	return m.work(blocks, max(flops/blocks/perSM, least), bytes)
}

// work is a kernel of blocks that each take a number of seconds and together move bytes. If there
// are more blocks than the limit, each block does more work.
func (m *Machine) work(blocks, block, bytes float64) Work {
	if most := float64(math.MaxInt32); blocks > most {
		blocks, block = most, block*blocks/most
	}
	waves := math.Ceil(blocks / float64(m.GPU.SMs))
	w := Work{Blocks: int32(blocks), Block: max(1, sim.Seconds(block+m.Kernels.Start.Seconds()/waves))}
	w.Demand = int64(math.Round(bytes / blocks / w.Block.Seconds()))
	return w
}
