package gpus

import (
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// inChunks sends the tokens of an exchange with two stages message by message, in that many
// chunks: to the GPU of the same rail in each other domain, and from there to each GPU of the
// domain; the tokens for the own domain go at once. It returns when the last one ends.
func inChunks(t *testing.T, c *Communicator, x *Exchange, chunks int) sim.Time {
	t.Helper()
	g := must.Get(c.group())(t)
	v := x.volume(g)
	s := newSchedule(c, g)
	port := x.port(g, &c.Machine.Exchanges)
	nic := g.network / float64(g.per) * c.Machine.Exchanges.Network
	out, in := s.links(g.n, port), s.links(g.n, port)
	netOut, netIn := s.links(g.n, max(1, nic)), s.links(g.n, max(1, nic)) // unused in one domain
	s.begin(0)
	forward := func(from, chunk int, last []int32, after int32) {
		first := from / g.per * g.per
		for to := first; to < first+g.per; to++ {
			last[to-first] = s.add(task{member: to, route: []int32{out + int32(from), in + int32(to)},
				bytes: int64(v.Links / float64(g.n*chunks))}, after, last[to-first])
		}
	}
	for from := range g.n {
		for domain := range g.domains {
			at := domain*g.per + from%g.per // the GPU on the same rail
			way, last := s.last[from], make([]int32, g.per)
			for i := range last {
				last[i] = -1
			}
			for chunk := range chunks {
				if at != from {
					way = s.add(task{member: at, route: []int32{netOut + int32(from), netIn + int32(at)},
						bytes: int64(v.Network / float64((g.domains-1)*chunks))}, way)
				}
				forward(at, chunk, last, way)
			}
		}
	}
	ends := must.Get(s.run(make([]sim.Time, g.n)))(t)
	var all sim.Time
	for _, e := range ends {
		all = max(all, e)
	}
	return all
}

// In chunks the stages of an exchange overlap: it takes the time of the formula, with one chunk
// more at each end.
func TestStagesOverlap(t *testing.T) {
	const chunks = 24
	for _, gpus := range []int{8, 16, 32} {
		x := &Exchange{Tokens: 4096, Bytes: 7392, Experts: 256, TopK: 8, Domains: 4, Stages: TwoStage, SMs: 24}
		c := First(exchanger(), gpus, 8)
		cost, _, err := c.Exchange(x)
		if err != nil {
			t.Fatal(err)
		}
		got := inChunks(t, c, x, chunks)
		if over := got.Seconds()/cost.Transfer.Seconds() - 1; over < -0.001 || over > 2.0/chunks {
			t.Errorf("%d GPUs: %v in chunks, %v by the formula: %+.1f %%", gpus, got, cost.Transfer, 100*over)
		}
	}
}
