package training

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/sim/must"
)

// gradients are kernels of a backward pass, each with a collective of its gradients next to it.
func gradients(bytes ...int64) *graph {
	w := ofGraph()
	for i, b := range bytes {
		kernel := fmt.Sprint("k", i)
		w.Operations = append(w.Operations, operation{Name: kernel, Time: 100 * us},
			operation{Name: fmt.Sprint("g", i), Stream: "comm", Collective: "all-reduce", Bytes: b, After: []string{kernel}})
	}
	return w
}

// with adds operations.
func (w *graph) with(more ...operation) *graph {
	w.Operations = append(w.Operations, more...)
	return w
}

// Buckets are those that one would write by hand: at the place of their last member, after the kernels of all, waited
// for by operations that wait for one member.
func TestGraphBucketsByHand(t *testing.T) {
	end := operation{Name: "optimizer", Time: 50 * us, After: []string{"g0", "g2", "g4"}}
	w := gradients(4<<20, 4<<20, 4<<20, 4<<20, 4<<20).with(end)
	w.Bucket = 7 << 20
	hand := ofGraph()
	for i, bytes := range []int64{0, 8 << 20, 0, 8 << 20, 4 << 20} {
		kernel := fmt.Sprint("k", i)
		hand.Operations = append(hand.Operations, operation{Name: kernel, Time: 100 * us})
		if bytes > 0 {
			hand.Operations = append(hand.Operations, operation{Name: fmt.Sprint("g", i), Stream: "comm", Collective: "all-reduce", Bytes: bytes,
				After: []string{kernel}})
		}
	}
	end.After = []string{"g1", "g3", "g4"}
	got, want := runGraph(t, w, 8), runGraph(t, hand.with(end), 8)
	if fmt.Sprint(got.Ledgers) != fmt.Sprint(want.Ledgers) || got.Bytes != want.Bytes {
		t.Errorf("joined %v\nby hand %v", got.Ledgers, want.Ledgers)
	}
	if alone := runGraph(t, gradients(4<<20, 4<<20, 4<<20, 4<<20, 4<<20), 8); alone.Bytes != got.Bytes || alone.Makespan() == got.Makespan() {
		t.Errorf("without buckets %v and %d bytes, with them %v and %d", alone.Makespan(), alone.Bytes, got.Makespan(), got.Bytes)
	}
}

// A series ends at a collective that something waits for, at one of other GPUs, and at another operation between.
// Without a series there are no buckets.
func TestGraphSeries(t *testing.T) {
	reduce := func(name string, after ...string) operation {
		return operation{Name: name, Stream: "comm", Collective: "all-reduce", Bytes: 1 << 20, After: after}
	}
	other := reduce("b")
	other.GPUs = []int{0, 1}
	timed := operation{Name: "b", Stream: "comm", Collective: "all-reduce", Time: us}
	for i, c := range []struct {
		want string
		w    *graph
	}{
		{"[0 1 2]", ofGraph(reduce("a"), reduce("b"), reduce("c"))},
		{"[0 2]", ofGraph(reduce("a"), operation{Name: "k", Time: us}, reduce("b"))},
		{"", ofGraph(reduce("a"), operation{Name: "k", Time: us, After: []string{"a"}}, reduce("b"))},
		{"", ofGraph(reduce("a"), operation{Name: "k", Time: us, HostAfter: []string{"a"}}, reduce("b"))},
		{"", ofGraph(reduce("a"), reduce("b", "a"))},
		{"", ofGraph(reduce("a"), other)},
		{"", ofGraph(reduce("a"), timed, reduce("c"))},
		{"[2 3]", ofGraph(reduce("a"), operation{Name: "k", Time: us, After: []string{"a"}}, reduce("b"), reduce("c"))},
		{"[0 1]", ofGraph(reduce("a"), reduce("b"), operation{Name: "k", Time: us, After: []string{"b"}}, reduce("c"))},
	} {
		got := ""
		for _, s := range c.w.allSeries() {
			got += fmt.Sprint(*s)
		}
		if got != c.want {
			t.Errorf("case %d: series %s, want %s", i, got, c.want)
		}
		c.w.Bucket = 1 << 20
		if err := c.w.CheckGPUs(node(), place(4)); (err == nil) != (c.want != "") {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// Buckets no larger than the listed collectives change nothing; regardless of their size, all bytes are sent, and order is
// kept.
func TestGraphBucketsRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var bytes []int64
		for range 2 + random.IntN(8) {
			bytes = append(bytes, int64(1+random.IntN(1<<24)))
		}
		listed, joined := gradients(bytes...), gradients(bytes...)
		joined.Bucket = slices.Min(bytes)
		if got, want := runGraph(t, joined, 8), runGraph(t, listed, 8); fmt.Sprint(got.Ledgers) != fmt.Sprint(want.Ledgers) {
			t.Fatalf("buckets of %d bytes change %v to %v", joined.Bucket, want.Ledgers, got.Ledgers)
		}
		joined.Bucket = int64(1 + random.IntN(1<<26))
		got := must.Get(joined.bucketed())(t)
		sum, collectives := int64(0), 0
		for i, o := range got.Operations {
			if sum += o.Bytes; o.Bytes > 0 {
				collectives++
			}
			if last := i == len(got.Operations)-1; o.Bytes > 0 && o.Bytes < joined.Bucket && !last {
				t.Fatalf("%s has %d bytes of a bucket of %d", o.Name, o.Bytes, joined.Bucket)
			}
		}
		if want := listed.sum(*listed.allSeries()[0]); sum != want || len(got.Operations) != len(bytes)+collectives {
			t.Fatalf("%d bytes in %d operations, of %d bytes", sum, len(got.Operations), want)
		}
	}
}
