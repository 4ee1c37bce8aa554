package goal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/sim/must"
)

// TestLanesServeLowestFirst pushes and pops at random, in order and out of order, and
// compares with a sorted slice.
func TestLanesServeLowestFirst(t *testing.T) {
	a := NewAssembler(1)
	a.EndRank()
	schedule := must.Get(a.Schedule())(t)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		l := newLanes(schedule, 3)
		lists := make([][]uint32, 3)
		numbers := r.Perm(400)
		if seed%3 == 0 {
			slices.Sort(numbers)
		}
		for _, n := range numbers {
			kind := uint8(r.IntN(3))
			lane, seq := l.at(0, kind, 0, 0), uint32(n)
			list := &lists[kind]
			first := len(*list) == 0 || seq < (*list)[0]
			if got := l.push(lane, seq+1000, seq+2000, seq); got != first {
				t.Fatalf("seed %d: %d is the first: %v, want %v", seed, seq, got, first)
			}
			*list = append(*list, seq)
			slices.Sort(*list)
			for r.IntN(5) > 1 && len(*list) > 0 {
				seq, some := l.first(lane)
				what, rank := l.pop(lane)
				if want := (*list)[0]; !some || seq != want || what != want+1000 || rank != want+2000 {
					t.Fatalf("seed %d: popped %d, %d, %d, want %d", seed, seq, what, rank, want)
				}
				*list = (*list)[1:]
			}
			if _, some := l.first(lane); some != (len(*list) > 0) {
				t.Fatalf("seed %d: some are left: %v, want %d", seed, some, len(*list))
			}
		}
	}
}

// TestLanesOfManyCPUs: the table for few lanes and the map for many find the same lanes.
func TestLanesOfManyCPUs(t *testing.T) {
	for _, cpus := range []int{2, 256} {
		a := NewAssembler(3)
		for range 3 {
			a.Add(Op{Kind: Calc, CPU: uint8(cpus - 1)})
			a.EndRank()
		}
		s := must.Get(a.Schedule())(t)
		l := newLanes(s, 2)
		if dense := l.slots != nil; dense != (cpus == 2) {
			t.Errorf("%d CPUs: a table: %v", cpus, dense)
		}
		seen := map[uint32]bool{}
		for range 2 {
			for host := range uint32(3) {
				for kind := range uint8(2) {
					for cpu := range cpus {
						i := l.at(host, kind, uint8(cpu), 0)
						seen[i] = true
						if q := l.lanes[i]; q.host != host || q.kind != kind || int(q.cpu) != cpu {
							t.Fatalf("lane of rank %d, kind %d, CPU %d is %+v", host, kind, cpu, q)
						}
					}
				}
			}
		}
		if len(seen) != 3*2*cpus {
			t.Errorf("%d lanes, want %d", len(seen), 3*2*cpus)
		}
	}
}

// TestAgendaSorts: entries are taken by time, then number.
func TestAgendaSorts(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 11))
		var a agenda
		var want []entry
		for i := range r.IntN(200) {
			x := entry{at: r.Uint64N(10), seq: uint32(i) ^ 21, what: uint32(i)}
			a.push(x)
			want = append(want, x)
		}
		slices.SortFunc(want, func(x, y entry) int {
			if x.before(y.at, y.seq) {
				return -1
			}
			return 1
		})
		for i, x := range want {
			if got := a.pop(); got != x {
				t.Fatalf("seed %d: entry %d is %+v, want %+v", seed, i, got, x)
			}
		}
	}
}
