package match

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slowQueue is the obvious second version: a slice, searched from its front.
type slowQueue []Envelope[uint32]

func (q *slowQueue) take(source, tag uint32) (e Envelope[uint32], ok bool) {
	for i := range *q {
		if (*q)[i].matches(source, tag) {
			e = (*q)[i]
			*q = slices.Delete(*q, i, i+1)
			return e, true
		}
	}
	return e, false
}

// TestQueuesLikeSlices takes and adds at random, in queues of up to a thousand
// entries that fill and empty many times, with few and many sources and tags,
// with and without wildcards on either side.
func TestQueuesLikeSlices(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		sources, tags := uint32(1+r.IntN(30)), uint32(1+r.IntN(30))
		wildEntry, wildSearch := r.Float64()*0.3*float64(r.IntN(2)), r.Float64()*0.5*float64(r.IntN(2))
		draw := func(n uint32, wild float64) uint32 {
			if r.Float64() < wild {
				return Any
			}
			return r.Uint32N(n)
		}
		const queues = 3
		fast := newQueueSet[uint32](queues)
		slow := make([]slowQueue, queues)
		grow := 0.5
		for step := range uint32(3000) {
			if step%500 == 0 {
				grow = r.Float64()
			}
			i := r.IntN(queues)
			if r.Float64() < grow {
				e := Envelope[uint32]{draw(sources, wildEntry), draw(tags, wildEntry), step}
				fast.Add(i, e)
				slow[i] = append(slow[i], e)
				continue
			}
			source, tag := draw(sources, wildSearch), draw(tags, wildSearch)
			got, ok := fast.Take(i, source, tag)
			want, wantOK := slow[i].take(source, tag)
			if got != want || ok != wantOK {
				t.Fatalf("seed %d, step %d: take(%d, %d) = %v, %v; want %v, %v", seed, step, source, tag, got, ok, want, wantOK)
			}
		}
		for i := range queues {
			if fast.Len(i) != len(slow[i]) || !slices.Equal(slices.Collect(fast.All(i)), slow[i]) {
				t.Fatalf("seed %d: queue %d differs at the end", seed, i)
			}
		}
	}
}

// TestQueuesForgetStaleReferences leaves bins for wildcards unused while entries come and
// go. The memory must not grow with the number of entries.
func TestQueuesForgetStaleReferences(t *testing.T) {
	q := newQueueSet[uint32](1)
	for i := range uint32(100) {
		q.Add(0, Envelope[uint32]{i, i, i})
	}
	q.Take(0, 99, Any)
	for i := range uint32(100_000) {
		q.Add(0, Envelope[uint32]{1000 + i, 7, i})
		if _, ok := q.Take(0, 1000+i, 7); !ok {
			t.Fatalf("entry %d is lost", i)
		}
	}
	if n := len(q.nodes); n > 200 {
		t.Errorf("%d nodes for 100 entries", n)
	}
	if x := q.indexes[q.queues[0].index-1]; x.bySource != nil || len(x.pairs.slots) > 4096 {
		t.Errorf("the index grew: %d bins, references by source: %v", len(x.pairs.slots), x.bySource != nil)
	}
}

// TestMatchingOrder is MPI's rule: first posted, first served; messages do not
// overtake.
func TestMatchingOrder(t *testing.T) {
	m := NewMatching[string](1)
	m.Post(0, Envelope[string]{Any, 1, "any"})
	m.Post(0, Envelope[string]{3, 1, "three"})
	if e, _ := m.Arrive(0, Envelope[string]{3, 1, "first"}); e.Value != "any" {
		t.Errorf("the first message met %q, want any", e.Value)
	}
	if e, _ := m.Arrive(0, Envelope[string]{3, 1, "second"}); e.Value != "three" {
		t.Errorf("the second message met %q, want three", e.Value)
	}
	m.Arrive(0, Envelope[string]{4, 2, "a"})
	m.Arrive(0, Envelope[string]{4, 2, "b"})
	if e, _ := m.Post(0, Envelope[string]{4, Any, "r"}); e.Value != "a" {
		t.Errorf("the receive got %q, want a", e.Value)
	}
}

// benchmarkQueues keeps n entries and takes them in an order that starts at the far end,
// which is the worst for a search from the front.
func benchmarkQueues(b *testing.B, n int) {
	q := newQueueSet[uint32](1)
	b.ReportAllocs()
	for range b.N {
		for i := range uint32(n) {
			q.Add(0, Envelope[uint32]{i, 0, i})
		}
		for i := range uint32(n) {
			if e, ok := q.Take(0, uint32(n)-1-i, 0); !ok || e.Value != uint32(n)-1-i {
				b.Fatalf("took %v, %v, want %d", e, ok, uint32(n)-1-i)
			}
		}
	}
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "matches/s")
}

func BenchmarkQueues8(b *testing.B)     { benchmarkQueues(b, 8) }
func BenchmarkQueues100(b *testing.B)   { benchmarkQueues(b, 100) }
func BenchmarkQueues10000(b *testing.B) { benchmarkQueues(b, 10_000) }
