package workloads

import (
	"slices"

	"overlapsim/nodes"
	"overlapsim/sim"
)

// Tune finds the tile and the process grid, where they are not given, as the
// paper does (section V.A: "in each case we report the best performance
// attained"): first the best tile on the grid that the closed form prefers,
// then the best of all grids with that tile, then the tile again.
func (w *advection) Tune(m *nodes.Machine, ranks int, try func(nodes.Program) (sim.Time, error)) (nodes.Program, error) {
	first, err := w.Program(m, ranks)
	if err != nil {
		return nil, err
	}
	grids, tiles := w.grids(ranks), w.tiles()
	s := &advectionSearch{w: w, m: m, try: try, best: first.(*advectionProgram)}
	if len(grids) > 1 || len(tiles) > 1 {
		if err := s.search(grids, tiles); err != nil {
			return nil, err
		}
	}
	w.chosen = s.best
	return s.best, nil
}

// advectionSearch keeps the best program tried so far.
type advectionSearch struct {
	w     *advection
	m     *nodes.Machine
	try   func(nodes.Program) (sim.Time, error)
	best  *advectionProgram
	least sim.Time // 0: nothing has been tried
	tried []*advectionProgram
}

func (s *advectionSearch) search(grids [][]int, tiles []int) error {
	for _, tile := range tiles {
		if err := s.attempt(s.best.grid, tile); err != nil {
			return err
		}
	}
	tile := s.best.tile
	for _, grid := range grids {
		if err := s.attempt(grid, tile); err != nil {
			return err
		}
	}
	grid := s.best.grid
	for _, tile := range tiles {
		if err := s.attempt(grid, tile); err != nil {
			return err
		}
	}
	return nil
}

// attempt tries a grid and a tile, once.
func (s *advectionSearch) attempt(grid []int, tile int) error {
	for _, p := range s.tried {
		if p.tile == tile && slices.Equal(p.grid, grid) {
			return nil
		}
	}
	p, err := s.w.program(s.m, grid, tile)
	if err != nil {
		return err
	}
	s.tried = append(s.tried, p)
	t, err := s.try(p)
	if err == nil && (s.least == 0 || t < s.least) {
		s.best, s.least = p, t
	}
	return err
}
