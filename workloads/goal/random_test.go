package goal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// draft is a schedule that can be changed.
type draft [][]draftOp

type draftOp struct {
	Op
	needs []draftEdge
}

type draftEdge struct {
	on    int
	start bool // the start of on is enough
}

func (d draft) schedule(t testing.TB) *Schedule {
	a := NewAssembler(len(d))
	for _, rank := range d {
		for _, op := range rank {
			a.Add(op.Op)
		}
		for i, op := range rank {
			for _, e := range op.needs {
				if e.start {
					a.RequireStart(i, e.on)
				} else {
					a.Require(i, e.on)
				}
			}
		}
		a.EndRank()
	}
	return must.Get(a.Schedule())(t)
}

func (s *Schedule) text() string {
	var b strings.Builder
	s.WriteText(&b)
	return b.String()
}

// without returns a copy without the given operation.
func (d draft) without(rank, op int) draft {
	c := slices.Clone(d)
	c[rank] = nil
	for i, x := range d[rank] {
		if i == op {
			continue
		}
		var needs []draftEdge
		for _, e := range x.needs {
			if e.on > op {
				needs = append(needs, draftEdge{e.on - 1, e.start})
			} else if e.on < op {
				needs = append(needs, e)
			}
		}
		c[rank] = append(c[rank], draftOp{x.Op, needs})
	}
	return c
}

func (d draft) withoutEdge(rank, op, edge int) draft {
	c := slices.Clone(d)
	c[rank] = slices.Clone(d[rank])
	c[rank][op].needs = slices.Delete(slices.Clone(d[rank][op].needs), edge, edge+1)
	return c
}

// shrink removes operations and dependencies as long as the draft fails.
func shrink(d draft, fails func(draft) bool) draft {
	for again := true; again; {
		again = false
		for r := range d {
			for i := len(d[r]) - 1; i >= 0; i-- {
				if c := d.without(r, i); fails(c) {
					d, again = c, true
					continue
				}
				for k := len(d[r][i].needs) - 1; k >= 0; k-- {
					if c := d.withoutEdge(r, i, k); fails(c) {
						d, again = c, true
					}
				}
			}
		}
	}
	return d
}

// shape holds the parameters of random schedules.
type shape struct {
	ranks, ops, cpus, nics int
	sizes                  []uint64
	calcs                  []uint64
	wild                   bool // wildcards on both sides
	unique                 bool // every message has its own tag
	chained                float64
}

func randomShape(r *rand.Rand) shape {
	s := shape{
		ranks: 1 + r.IntN(5), ops: 1 + r.IntN(25), cpus: 1 + r.IntN(3), nics: 1 + r.IntN(2),
		sizes:   []uint64{1, 1, 2, 8, 100, 1000, 1001, 5000, 70000},
		calcs:   []uint64{0, 0, 1, 10, 100, 1000, 1500, 1500, 20000},
		chained: r.Float64(),
	}
	if r.IntN(2) == 0 {
		s.cpus, s.nics = 1, 1
	}
	if r.IntN(4) == 0 { // ties
		s.sizes, s.calcs = []uint64{1, 1, 2}, []uint64{0, 0, 0, 1, 1, 2}
	}
	return s
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// loose draws operations that need not match.
func (s shape) loose(r *rand.Rand) draft {
	d := make(draft, s.ranks)
	for rank := range d {
		for range r.IntN(s.ops + 1) {
			op := Op{
				Kind: OperationKind(1 + r.IntN(3)), Size: pick(r, s.sizes),
				Peer: r.Uint32N(uint32(s.ranks)), Tag: r.Uint32N(3),
				CPU: uint8(r.IntN(s.cpus)), NIC: uint8(r.IntN(s.nics)),
			}
			d[rank] = append(d[rank], draftOp{Op: s.dress(r, op)})
		}
	}
	s.chain(r, d)
	return d
}

// dress may give an operation wildcards; a calc gets its duration.
func (s shape) dress(r *rand.Rand, op Op) Op {
	if op.Kind == Calc {
		return Op{Kind: Calc, Size: pick(r, s.calcs), CPU: op.CPU}
	}
	if s.wild && r.IntN(4) == 0 {
		op.Tag = AnyTag
	}
	if s.wild && op.Kind == Recv && r.IntN(4) == 0 {
		op.Peer = AnySource
	}
	return op
}

// paired draws messages, each with a receive, and calcs among them, in an order in which
// all of them can run: on each rank the operations follow the order in which they were
// drawn, and the send of a message comes before its receive.
func (s shape) paired(r *rand.Rand) draft {
	d := make(draft, s.ranks)
	for i := range r.IntN(s.ops*s.ranks/2 + 1) {
		op := Op{
			Kind: Send, Size: pick(r, s.sizes), Tag: r.Uint32N(3),
			CPU: uint8(r.IntN(s.cpus)), NIC: uint8(r.IntN(s.nics)),
		}
		if s.unique {
			op.Tag = uint32(i)
		}
		from, to := r.IntN(s.ranks), r.IntN(s.ranks)
		if r.IntN(3) == 0 {
			d[from] = append(d[from], draftOp{Op: s.dress(r, Op{Kind: Calc, CPU: op.CPU})})
			continue
		}
		op.Peer = uint32(to)
		d[from] = append(d[from], draftOp{Op: op})
		op.Kind, op.Peer = Recv, uint32(from)
		op.CPU, op.NIC = uint8(r.IntN(s.cpus)), uint8(r.IntN(s.nics))
		d[to] = append(d[to], draftOp{Op: s.dress(r, op)})
	}
	s.chain(r, d)
	return d
}

// chain adds dependencies on earlier operations.
func (s shape) chain(r *rand.Rand, d draft) {
	for _, rank := range d {
		for i := range rank {
			for i > 0 && r.Float64() < s.chained {
				on := i - 1 - r.IntN(min(i, 4))
				rank[i].needs = append(rank[i].needs, draftEdge{on, r.IntN(3) == 0})
				if r.IntN(2) == 0 {
					break
				}
			}
		}
	}
}

func randomParams(r *rand.Rand) CompatParams {
	if r.IntN(4) == 0 { // ties
		one := func() uint64 { return r.Uint64N(2) }
		return CompatParams{one(), one(), one(), one(), one(), 1 << 40 * one()}
	}
	return CompatParams{
		Latency:         pick(r, []uint64{0, 1, 100, 2500, 2500, 50000}),
		Overhead:        pick(r, []uint64{0, 1, 100, 1500, 1500, 3000}),
		Gap:             pick(r, []uint64{0, 1, 100, 1000, 1000, 5000}),
		GapPerByte:      pick(r, []uint64{0, 1, 6, 6}),
		OverheadPerByte: pick(r, []uint64{0, 0, 0, 1, 2, 9}),
		Rendezvous:      pick(r, []uint64{0, 1, 100, 1000, 65535, 1 << 40}),
	}
}

// compare runs many random drafts through same, which returns a difference, and reports
// the first draft that fails, shrunk.
func compare(t *testing.T, runs int, draw func(*rand.Rand) draft, same func(*Schedule, CompatParams) error) {
	t.Helper()
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := randomParams(r)
		d := draw(r)
		if same(d.schedule(t), p) == nil {
			continue
		}
		d = shrink(d, func(c draft) bool { return same(c.schedule(t), p) != nil })
		s := d.schedule(t)
		t.Fatalf("seed %d, %+v: %v\n%s", seed, p, same(s, p), s.text())
	}
}

func differ(what string, got, want any) error {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Errorf("%s: got %s, want %s", what, g, w)
	}
	return nil
}
