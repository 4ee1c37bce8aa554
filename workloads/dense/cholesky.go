package dense

import "math"

// cholesky is derived from the right-looking algorithm on block-cyclic blocks. In
// step i the diagonal block is factorised and broadcast down its column; with
// k = (r sqrt(p/c) - i - 1) / sqrt(p/c) blocks of the panel in a process these are
// solved and broadcast along the rows and, transposed, down the columns; and the
// busiest process updates ceil(k) (ceil(k) + 1) / 2 blocks of the lower triangle.
// With overlap a thread broadcasts the panel of the next step meanwhile.
//
// The layers of the 2.5D algorithm take 1/c of the updates each, so the panel of a
// step must be reduced over them first, every layer 1/c of it.
func (m *Machine) cholesky(g grid, v Variant) (t float64) {
	threads := m.Threads
	if v.Overlap {
		threads--
	}
	layer, c := g.p/g.c, float64(g.c)
	factor, solve, update := m.dpotrf(g.b, threads), m.dtrsm(g.b, threads), m.dgemm(g.b, threads)/c
	diagonal := m.broadcastSync(g.p, g.side, g.words(), 1)
	panel := m.broadcast(g.p, g.side, g.words(), 1)
	if v.Replicated {
		solve += m.reduceHalving(g.p, g.c, g.words(), layer) / c
	} else {
		panel += diagonal
	}
	for i := g.blocks*g.side - 1; i >= 0; i-- {
		k := float64(i) / float64(g.side)
		busiest := math.Ceil(k) * (math.Ceil(k) + 1) / 2
		t += factor + diagonal + k*solve
		if v.Overlap {
			t += max(k*panel, busiest*update)
		} else {
			t += k*panel + busiest*update
		}
	}
	return t
}

// reduceHalving is a reduction whose reduce-scatter sends half of w words, a quarter
// and so on.
func (m *Machine) reduceHalving(p, q int, w float64, d int) float64 {
	return m.reduceScatter(p, q, w/2/float64(q), d) + m.gather(q, w, d)
}
