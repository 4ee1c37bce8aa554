package workloads

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Tune finds the tile and the process grid where they are not given, as the paper does
// (section V.A: "in each case we report the best performance attained"). On the grid that
// the closed form prefers, it moves from tile to tile as long as the time gets shorter.
// It then tries all grids that are not much worse by the closed form, and then the tiles
// again. It ends when it has tried mostTried programs.
func (w *advection) Tune(m *machines.Machine, ranks int, try func(programs.Program) (*results.Result, error)) (programs.Program, error) {
	first, err := w.Program(m, ranks)
	if err != nil {
		return nil, err
	}
	grids, tiles := w.grids(ranks), w.tiles()
	s := &advectionSearch{w: w, m: m, try: try, best: first.(*advectionProgram)}
	if len(grids) > 1 || len(tiles) > 1 {
		s.tiles(tiles)
		s.grids(grids)
		s.tiles(tiles)
	}
	w.chosen = s.best
	return s.best, s.err
}

// advectionSearch keeps the best program tried so far.
type advectionSearch struct {
	w     *advection
	m     *machines.Machine
	try   func(programs.Program) (*results.Result, error)
	best  *advectionProgram
	least sim.Time // 0: no program has been tried
	tried []*advectionProgram
	err   error // the first one
}

// tiles tries larger tiles, then smaller ones, each until the time gets longer.
func (s *advectionSearch) tiles(all []int) {
	s.attempt(s.best.grid, s.best.tile)
	for _, direction := range []int{+1, -1} {
		for s.err == nil {
			i := slices.Index(all, s.best.tile) + direction
			if i < 0 || i >= len(all) || !s.attempt(s.best.grid, all[i]) {
				break
			}
		}
	}
}

// mostTried bounds the search. On the paper's cluster none of its searches tries more than 16.
const mostTried = 24

// muchWorse is the largest ratio, by the closed form, of the time on a grid that is tried
// to the time on the best grid. The closed form does not know which processes wait for
// each other.
const muchWorse = 1.2

func (s *advectionSearch) grids(all [][]int) {
	tile, limit := s.best.tile, muchWorse*s.best.estimate(s.m)
	for _, grid := range all {
		if p, err := s.w.program(s.m, grid, tile); err == nil && p.estimate(s.m) <= limit {
			s.attempt(grid, tile)
		}
	}
}

// like tells whether two programs of the same cells do the same: along a dimension with one process nothing is sent, so it does not
// matter which dimension that is if the others are as long.
func (p *advectionProgram) like(q *advectionProgram) bool {
	return p.tile == q.tile && slices.Equal(p.divided(), q.divided())
}

// divided returns the dimensions along which there are several processes: how many, and of how many cells.
func (p *advectionProgram) divided() (all [][2]int64) {
	for d, processes := range p.grid {
		if processes > 1 {
			all = append(all, [2]int64{int64(processes), p.cells[d]})
		}
	}
	return all
}

// attempt tries a grid and a tile, at most once, and tells whether they are the best so
// far.
func (s *advectionSearch) attempt(grid []int, tile int) bool {
	p, err := s.w.program(s.m, grid, tile)
	if err == nil && (len(s.tried) == mostTried || slices.ContainsFunc(s.tried, p.like)) {
		return false
	}
	if err == nil && s.err == nil {
		var r *results.Result
		s.tried = append(s.tried, p)
		if r, err = s.try(p); err == nil && (s.least == 0 || r.Makespan() < s.least) {
			s.best, s.least = p, r.Makespan()
			return true
		}
	}
	if s.err == nil {
		s.err = err
	}
	return false
}
