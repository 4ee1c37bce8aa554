package workloads

// nasFTRound describes what a process sends in a round of NAS FT (Table 1 of the paper):
// the number of processes in its team, the number of its messages, and the bytes of each.
// Every process of the team gets the same share, the sender included.
type nasFTRound struct{ Team, Messages, Bytes int64 }

// rounds returns Table 1 for a grid of TY x TZ processes.
func (w *nasFT) rounds(ty, tz int64) [2]nasFTRound {
	planes, rows, columns := w.NZ/tz, w.NY/ty, w.NX/ty // of a process
	return [2]nasFTRound{
		w.grain.round(ty, planes, rows, w.NX/ty),
		w.grain.round(tz, planes, columns, w.NY/tz),
	}
}

// round returns what a process sends of its planes in a round, if each process of the team gets
// this many points of each row.
func (g nasGrain) round(team, planes, rows, points int64) nasFTRound {
	p, r := g.of(planes, rows)
	return nasFTRound{team, planes / p * (rows / r) * team, complexBytes * p * r * points}
}

// ExchangeTime is the smallest possible time in seconds of an all-to-all among the nodes
// of a line of a torus or mesh. Each node sends the given bytes in all, the same share to
// every node. Half of these bytes cross the middle of the line; if the line wraps, they
// can also go over its ends. bandwidth is the bandwidth of a link in bytes/s, in each direction.
func ExchangeTime(bytes, nodes, bandwidth float64, wraps bool) float64 {
	crossing := bytes * nodes / 4 // in one direction
	if wraps {
		crossing /= 2
	}
	return crossing / bandwidth
}
