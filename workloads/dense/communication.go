package dense

// word is the size of a matrix element in bytes.
const word = 8

// average is T_comm(w, d), section IV: no process waits for the slowest.
func (m *Machine) average(w float64, d int) float64 {
	return m.Average(d) * m.ideal(w)
}

// synchronised is T_comm_sync(p, w, d), section IV: all p processes wait for the
// slowest.
func (m *Machine) synchronised(p int, w float64, d int) float64 {
	return m.Maximum(p, min(d, p-d)) * m.ideal(w) // a shift by d is one by d - p
}

// ideal is T_comm_ideal(w): the time to move w words between two processes when no others
// communicate.
func (m *Machine) ideal(w float64) float64 { return m.Latency + m.PerByte*word*w }

// reduceScatter is T_redSca_sync(p, q, w, d), section V-A: recursive halving over q
// processes a distance d apart; the last of log2 q steps synchronises. It is also
// T_scatter_sync (V-B), where w is the words that each process gets.
func (m *Machine) reduceScatter(p, q int, w float64, d int) (t float64) {
	for i := 1; ; i *= 2 {
		words := w * float64(q) / float64(i)
		if 2*i >= q {
			return t + m.synchronised(p, words, i*d)
		}
		t += m.average(words, i*d)
	}
}

// gather is T_gather(q, w, d), section V-A: a binomial tree that collects w words.
// It is also T_all-gather (V-B).
func (m *Machine) gather(q int, w float64, d int) (t float64) {
	for i := 1; i < q; i *= 2 {
		t += m.average(w/float64(q)*float64(i), i*d)
	}
	return t
}

// gatherSync is a gather whose last step synchronises.
func (m *Machine) gatherSync(p, q int, w float64, d int) float64 {
	half := q / 2
	return m.gather(half, w/2, d) + m.synchronised(p, w/2, half*d)
}

// reduce is T_reduce(p, q, w, d), section V-A (Rabenseifner).
func (m *Machine) reduce(p, q int, w float64, d int) float64 {
	return m.reduceScatter(p, q, w, d) + m.gather(q, w, d)
}

// broadcast is T_bcast(p, q, w, d), section V-B: a scatter of w words, then an
// all-gather.
func (m *Machine) broadcast(p, q int, w float64, d int) float64 {
	return m.reduceScatter(p, q, w/float64(q), d) + m.gather(q, w, d)
}

// broadcastSync is T_bcast_sync(p, q, w, d): a broadcast for whose last step all wait.
func (m *Machine) broadcastSync(p, q int, w float64, d int) float64 {
	return m.reduceScatter(p, q, w/float64(q), d) + m.gatherSync(p, q, w, d)
}

// panel is the time of a broadcast of some blocks of a panel.
type panel struct{ alone, block float64 }

// panel is the time of a broadcast over the processes of a row or column, which are the given
// distance apart. All processes wait for it.
func (m *Machine) panel(g Grid, distance int) panel {
	alone := m.broadcastSync(g.Processes, g.Side, 0, distance)
	return panel{alone, m.broadcastSync(g.Processes, g.Side, g.words(), distance) - alone}
}

// blocks is the time for a number of blocks: one latency, if there are any.
func (p panel) blocks(n float64) float64 {
	if n == 0 {
		return 0
	}
	return p.alone + n*p.block
}

// replicate is T_iniRepl(p, w, c), section V-A: it moves A and B from the first layer to
// the last one.
func (m *Machine) replicate(p int, w float64, c int) float64 {
	return 2 * m.synchronised(p, w, (c-1)*p/c)
}
