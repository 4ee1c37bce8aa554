package collectives

// Neighbourhoods: each member exchanges with its neighbours along each dimension of a periodic
// grid, first ahead and then back. The data that it sends starts at 0: one vector for all
// neighbours, or a block for each. The data that it receives follows, in the same order.

// NeighbourGatherLinear and NeighbourExchangeLinear post all messages at once.
var (
	NeighbourGatherLinear = &Algorithm{
		Of: NeighbourGather, Name: "linear", How: "all messages at once", Source: "Open MPI, coll_basic_neighbor_allgather.c: cart",
		Schedule: Schedule{one, func(g *Group, _ int, r *Round) {
			g.exchange(r, func(int) Span { return g.whole() }, func(i int) Span { return Span{int64(i+1) * g.Bytes, g.Bytes} })
		}}, Needs: gridded, Symmetry: ofGrid,
	}
	NeighbourExchangeLinear = &Algorithm{
		Of: NeighbourExchange, Name: "linear", How: "all messages at once", Source: "Open MPI, coll_basic_neighbor_alltoall.c: cart",
		Schedule: Schedule{one, func(g *Group, _ int, r *Round) {
			g.exchange(r, g.toNeighbour, func(i int) Span { s := g.toNeighbour(i); return Span{g.Bytes + s.From, s.Bytes} })
		}}, Needs: gridded, Symmetry: ofGrid,
	}
)

func init() { Register(NeighbourGatherLinear, NeighbourExchangeLinear) }

func one(*Group) int { return 1 }

// gridded is a Needs.
func gridded(g *Group) string {
	places := 1
	for _, n := range g.Dims {
		places *= n
	}
	if len(g.Dims) == 0 || places != g.Ranks {
		return "needs a grid of all ranks"
	}
	return ""
}

// exchange sends to every neighbour and receives from it. Along a dimension of 2, the two
// neighbours are one member; the messages match in their order.
func (g *Group) exchange(r *Round, out, in func(i int) Span) {
	for i := range 2 * len(g.Dims) {
		if to := g.neighbour(i); to != g.Me {
			r.Recv(to, in(i))
		} else {
			r.Copy(out(i^1), in(i))
		}
	}
	for i := range 2 * len(g.Dims) {
		if to := g.neighbour(i ^ 1); to != g.Me {
			r.Send(to, out(i^1))
		}
	}
}

// toNeighbour is the block for the i-th neighbour; the blocks have one size.
func (g *Group) toNeighbour(i int) Span {
	size := g.Bytes / int64(2*len(g.Dims))
	return Span{int64(i) * size, size}
}

// neighbour is the i-th neighbour: ahead along the first dimension, back along it, ahead along
// the second one.
func (g *Group) neighbour(i int) int {
	stride := 1
	for _, n := range g.Dims[:i/2] {
		stride *= n
	}
	n := g.Dims[i/2]
	at := g.Me / stride % n
	to := (at + 1 + i%2*(n-2)) % n
	return g.Me + (to-at)*stride
}
