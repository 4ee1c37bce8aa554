package goal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/sim"
)

// direction leads from each host to another one, and back.
type direction struct{ to, from []int }

// directions draws ways between hosts that are numbered at random: shifts along a ring, an exclusive
// or, or any permutation.
func directions(r *rand.Rand, hosts int) (list []direction) {
	name, ring := r.Perm(hosts), r.IntN(4) > 0
	if r.IntN(3) > 0 {
		slices.Sort(name)
	}
	for range 1 + r.IntN(4) {
		d := direction{make([]int, hosts), make([]int, hosts)}
		shift, any, bit := r.IntN(hosts), r.Perm(hosts), 1<<r.IntN(3)
		for h := range hosts {
			to := any[h]
			switch {
			case hosts&(hosts-1) == 0 && hosts > 1 && bit < hosts && !ring:
				to = h ^ bit
			case ring:
				to = (h + shift) % hosts
			}
			d.to[name[h]], d.from[name[to]] = name[to], name[h]
		}
		list = append(list, d)
	}
	return list
}

// alike draws a schedule whose ranks do the same.
func (s shape) alike(r *rand.Rand) draft {
	hosts := 2 + r.IntN(8)
	d, ways := make(draft, hosts), directions(r, hosts)
	ahead, early, tagged := r.IntN(2)*r.IntN(3), make(draft, hosts), r.IntN(2)*r.IntN(3)
	for range 1 + r.IntN(s.ops) {
		op := Op{Kind: Calc, CPU: uint8(r.IntN(s.cpus))}
		if r.IntN(3) == 0 {
			d.add(s.dress(r, op), len(d[0]), nil)
			continue
		}
		i := r.IntN(len(ways))
		way := ways[i]
		op = Op{Kind: Send, Size: pick(r, s.sizes), Tag: r.Uint32N(2) + uint32(2*i*tagged), CPU: op.CPU, NIC: uint8(r.IntN(s.nics))}
		d.add(op, len(d[0]), way.to)
		op.Kind, op.CPU, op.NIC = Recv, uint8(r.IntN(s.cpus)), uint8(r.IntN(s.nics))
		from := way.from
		if r.IntN(3) == 0 {
			early.add(op, len(early[0]), from)
			continue
		}
		if op = s.dress(r, op); op.Peer == AnySource {
			from = nil
		}
		d.add(op, max(0, len(d[0])-r.IntN(ahead+1)), from)
	}
	s.chain(r, d[:1])
	for h := range d {
		for i := range d[h] {
			d[h][i].needs = d[0][i].needs
		}
	}
	return d.after(early)
}

// after puts early receives before the operations, in the order of their sources.
func (d draft) after(early draft) draft {
	for h := range d {
		slices.SortStableFunc(early[h], func(a, b draftOp) int { return int(a.Peer) - int(b.Peer) })
		for i := range d[h] {
			d[h][i].needs = slices.Clone(d[h][i].needs)
			for k := range d[h][i].needs {
				d[h][i].needs[k].on += len(early[h])
			}
		}
		d[h] = slices.Concat(early[h], d[h])
	}
	return d
}

// add inserts an operation on all ranks.
func (d draft) add(op Op, at int, peers []int) {
	for h := range d {
		if peers != nil {
			op.Peer = uint32(peers[h])
		}
		d[h] = slices.Insert(d[h], at, draftOp{Op: op})
	}
}

// flaws change one operation of one rank, or its peers.
var flaws = []struct {
	name string
	of   func(rank []draftOp, i int)
}{
	{"size", func(rank []draftOp, i int) { rank[i].Size++ }},
	{"tag", func(rank []draftOp, i int) { rank[i].Tag++ }},
	{"CPU", func(rank []draftOp, i int) { rank[i].CPU ^= 1 }},
	{"NIC", func(rank []draftOp, i int) { rank[i].NIC ^= 1 }},
	{"peer", func(rank []draftOp, i int) {
		switch op := &rank[i]; op.Peer {
		case 0:
			op.Peer = 1
		case AnySource:
		default:
			op.Peer--
		}
	}},
	{"source", func(rank []draftOp, i int) { rank[i].Kind, rank[i].Peer = Recv, AnySource }},
	{"direction", func(rank []draftOp, i int) {
		if op := &rank[i]; hasPeer(&op.Op) {
			op.Kind ^= Send ^ Recv
		}
	}},
	{"operation", func(rank []draftOp, i int) { rank[i].Kind, rank[i].Size = Calc, 1 }},
	{"list of requirements", func(rank []draftOp, i int) { rank[i].needs = nil }},
	{"requirement", func(rank []draftOp, i int) { rank[i].needs = []draftEdge{{on: 0}}[:min(i, 1)] }},
	{"requirement of a start", func(rank []draftOp, i int) { rank[i].needs = []draftEdge{{on: i - 1, start: true}}[:min(i, 1)] }},
	{"dependant", func(rank []draftOp, i int) { rank[len(rank)-1].needs, rank[i].needs = rank[i].needs, nil }},
}

// exchangeOnRing makes every rank send to the next one, twice.
func exchangeOnRing() draft {
	const hosts = 6
	d := make(draft, hosts)
	for h := range d {
		next, last := uint32((h+1)%hosts), uint32((h+hosts-1)%hosts)
		d[h] = []draftOp{
			{Op: Op{Kind: Send, Size: 8, Peer: next}},
			{Op: Op{Kind: Recv, Size: 8, Peer: last}},
			{Op{Kind: Send, Size: 8, Peer: next}, []draftEdge{{on: 1}}},
			{Op: Op{Kind: Recv, Size: 8, Peer: last}},
		}
	}
	return d
}

// Ranks that differ in anything are not alike.
func TestRanksThatDiffer(t *testing.T) {
	if findAlike(exchangeOnRing().schedule(t)) == nil {
		t.Error("the ranks of a ring are not alike")
	}
	for rank := range 6 {
		for _, flaw := range flaws {
			d := exchangeOnRing()
			flaw.of(d[rank], 2)
			if findAlike(d.schedule(t)) != nil {
				t.Errorf("alike, and rank %d has another %s", rank, flaw.name)
			}
		}
	}
	d := exchangeOnRing()
	for h := range d {
		for i := range d[h] {
			d[h][i].Tag = AnyTag
		}
	}
	if findAlike(d.schedule(t)) != nil {
		t.Error("alike, and messages have any tag")
	}
	star := make(draft, 6) // all send to rank 0
	for h := range star {
		star[h] = []draftOp{{Op: Op{Kind: Send, Size: 8}}}
	}
	if findAlike(star.schedule(t)) != nil {
		t.Error("the ranks of a star are alike")
	}
}

// Early receives have another order on each rank, but may not differ in anything else.
func TestEarlyReceivesThatDiffer(t *testing.T) {
	differ := func(what string, change func(s *Schedule), edges ...edge) {
		s, err := puts(6, edges...)
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		if findAlike(s) != nil {
			t.Errorf("alike, and %s", what)
		}
	}
	for _, flaw := range flaws[:4] {
		for early := range 5 {
			differ(fmt.Sprintf("early receive %d of a rank has another %s", early, flaw.name), func(s *Schedule) {
				op := &s.ops[int(s.ranks[3])+early]
				changed := []draftOp{{Op: *op}}
				flaw.of(changed, 0)
				*op = changed[0].Op
			})
		}
	}
	for _, e := range []edge{{5, 0}, {5, 4}, {5, 4 | onStart}, {0, 5}} {
		differ(fmt.Sprintf("early receives are required, or require: %+v", e), func(*Schedule) {}, e)
	}
	differ("those of a source have different sizes", func(s *Schedule) {
		for i := range s.Ops() {
			s.ops[i].Size += uint64(i % 10)
		}
	})
}

// One host stands for all in these schedules, and not in others.
func TestAlikePatterns(t *testing.T) {
	for _, c := range []struct {
		name  string
		alike bool
		build func() (*Schedule, error)
	}{
		{"linear all-to-all", true, func() (*Schedule, error) { return LinearAllToAll(16, 65536) }},
		{"dissemination", true, func() (*Schedule, error) { return Dissemination(24, 8) }},
		{"recursive doubling", true, func() (*Schedule, error) { return RecursiveDoubling(32, 4096) }},
		{"ring", true, func() (*Schedule, error) { return RingAllReduce(16, 1<<20) }},
		{"pencils", true, func() (*Schedule, error) { return Pencils(8, 64, 4096, 2000, false) }},
		{"pencils in reverse", true, func() (*Schedule, error) { return Pencils(8, 64, 4096, 2000, true) }},
		{"puts", true, func() (*Schedule, error) { return puts(9) }},
		{"a torus and a ring", true, func() (*Schedule, error) { return torusAndRing(0) }},
		{"a torus and a ring, one receive of any tag", false, func() (*Schedule, error) { return torusAndRing(AnyTag) }},
		{"halo that does not wrap", false, func() (*Schedule, error) { return Halo(3, 2, 8192, 1000) }},
		{"token ring", false, func() (*Schedule, error) { return TokenRing(8, 2, 1024) }},
	} {
		s, err := c.build()
		if err != nil {
			t.Fatal(err)
		}
		one, err := sameAlone(s, peer.Params())
		if err != nil || one != c.alike {
			t.Errorf("%s: one host for all: %t, want %t; %v", c.name, one, c.alike, err)
		}
	}
}

// puts makes every rank send to all others, the next one first, and expect their messages in the
// order of the ranks. All ranks have the given dependencies.
func puts(ranks int, edges ...edge) (*Schedule, error) {
	a := NewAssembler(ranks)
	for r := range ranks {
		for from := range ranks {
			if from != r {
				a.Recv(8, uint32(from), 0)
			}
		}
		for d := 1; d < ranks; d++ {
			a.Send(8, uint32((r+d)%ranks), 0)
		}
		for _, e := range edges {
			a.edge(e.dependant, e.on, 0)
		}
		a.EndRank()
	}
	return a.Schedule()
}

// torusAndRing makes every rank of a torus of 3 x 3 shift in the first dimension and then around a
// ring, with another tag. Some ranks have the same neighbour in both.
func torusAndRing(tag uint32) (*Schedule, error) {
	a := NewAssembler(9)
	for r := range 9 {
		c := chain{a, -1}
		row := r / 3 * 3
		c.aside(a.Send(8, uint32(row+(r+1)%3), 0))
		c.then(a.Recv(8, uint32(row+(r+2)%3), tag))
		c.aside(a.Send(8, uint32((r+1)%9), 1))
		c.then(a.Recv(8, uint32((r+8)%9), 1))
		a.EndRank()
	}
	return a.Schedule()
}

// A message of one neighbour and a clearance of the other arrive at once. Which comes first depends
// on the numbers of the hosts, so all of them are simulated.
func TestOrderOfNeighbours(t *testing.T) {
	const hosts = 4
	a := NewAssembler(hosts)
	for r := range uint32(hosts) {
		right, left := (r+1)%hosts, (r+hosts-1)%hosts
		a.Send(100, right, 0)
		calc := a.Calc(10)
		a.Require(a.Recv(100, left, 0), calc)
		a.Require(a.Send(1, right, 0), calc)
		a.Require(a.Recv(1, left, 0), calc)
		a.EndRank()
	}
	s, err := a.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	for overhead, alike := range []bool{false, true} {
		p := Params{Latency: 1000, Overhead: sim.Time(overhead), Rendezvous: 10}
		if one, err := sameAlone(s, p); one != alike || err != nil {
			t.Errorf("overhead %v: one host for all: %t, want %t; %v", p.Overhead, one, alike, err)
		}
	}
}

// sameAlone tells whether one host stands for all, and returns an error if the result is not that of
// all hosts.
func sameAlone(s *Schedule, p Params) (one bool, err error) {
	got := runOne(s, p)
	if got == nil {
		return false, nil
	}
	want, err := RunHiding(s, p)
	if err != nil {
		return true, err
	}
	return true, errors.Join(
		differ("finish", got.Finish, want.Finish),
		differ("hidden", got.Hidden, want.Hidden),
		differ("events", got.Events, want.Events),
		differ("messages", got.Messages, want.Messages),
		differ("ledgers", got.Ledgers(), want.Ledgers()),
	)
}

// One host stands for all: the result is the same to the last number, or all hosts are simulated.
func TestOneHostForAll(t *testing.T) {
	runs, ones := 10000, 0
	if testing.Short() {
		runs = 1000
	}
	compare(t, runs, func(r *rand.Rand) draft {
		s := randomShape(r)
		if s.wild = r.IntN(6) == 0; r.IntN(2) == 0 { // ties
			s.sizes, s.calcs = []uint64{1, 1, 2}, []uint64{0, 0, 1, 1, 2}
		}
		d := s.alike(r)
		if r.IntN(4) == 0 {
			rank := d[r.IntN(len(d))]
			pick(r, flaws).of(rank, r.IntN(len(rank)))
		}
		return d
	}, func(s *Schedule, c CompatParams) error {
		r := rand.New(rand.NewPCG(c.Gap, uint64(s.Dependencies())))
		if few := func() uint64 { return r.Uint64N(3) }; r.IntN(2) == 0 {
			c = CompatParams{few(), few(), few(), few(), few(), few()}
		}
		one, err := sameAlone(s, fractional(r, c))
		if one {
			ones++
		}
		return err
	})
	if ones < runs/5 {
		t.Errorf("in %d of %d runs one host stands for all: want a fifth", ones, runs)
	}
}
