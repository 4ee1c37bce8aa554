package dense

// trsm is T_TRSM of section V-B with the changes that Table IV asks for (see
// docs/validation/papers/cray.md): U is broadcast over the distance 1 and X over the distance of a row, all
// processes wait for both, and a broadcast has one latency however many blocks it moves.
func (m *Machine) trsm(g Grid, v Variant) float64 {
	r, rows := float64(g.Blocks), float64(g.Blocks)/float64(g.Layers) // rows of square blocks of X in a layer
	u, x := m.panel(g, 1), m.panel(g, g.Side)
	solve := rows * m.dtrsm(g.Block, trsmLacks.threads(v, "dtrsm", m.Threads))
	update := rows * m.dgemm(g.Block, trsmLacks.threads(v, "dgemm", m.Threads))
	t := m.layers(g) + solve
	if v.Overlap {
		t += u.blocks(r)
	} else {
		t += u.blocks(1)
	}
	for left := range g.Blocks * g.Side {
		k := float64(left) / float64(g.Side)
		t += solve + x.blocks(rows)
		if v.Overlap {
			t += max(u.blocks(k), k*update)
		} else {
			t += u.blocks(k+1/float64(g.Side)) + k*update
		}
	}
	return t
}

// layers is the communication of 2.5D TRSM before and after: U goes to all layers (three
// quarters of its blocks), and the rows of X are spread over the layers and collected
// again.
func (m *Machine) layers(g Grid) float64 {
	if g.Layers == 1 {
		return 0
	}
	layer, w := g.layer(), g.owned()
	return m.broadcast(g.Processes, g.Layers, 0.75*w, layer) + m.reduceScatter(g.Processes, g.Layers, w/float64(g.Layers), layer) +
		m.gather(g.Layers, w, layer)
}
