package results

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// temporary is a file that is removed after its test.
func temporary(t testing.TB) *os.File {
	t.Helper()
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "store")))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func spansOf(l *Lane) (all []Span) {
	for i, s := range l.All() {
		if i != len(all) {
			return nil
		}
		all = append(all, *s)
	}
	return all
}

// Lanes of which parts were moved to a store at any time have the same spans, one after the other and
// by time, as lanes in memory.
func TestMovedLanes(t *testing.T) {
	store := NewStore(temporary(t))
	rapid.Check(t, func(t *rapid.T) {
		var whole, moved [2]Lane
		ends := [2]sim.Time{}
		long := rapid.SampledFrom([]int{1, 40, 2000}).Draw(t, "spans at a time")
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			k := rapid.IntRange(0, 1).Draw(t, "lane")
			for range rapid.IntRange(0, long).Draw(t, "spans") {
				start := ends[k] + sim.Time(len(whole[k].Spans)%3)
				ends[k] = start + 1 + sim.Time(len(whole[k].Spans)%5)
				s := Span{start, ends[k], int32(len(whole[k].Spans)) - 1, NumTerms - 1, 255}
				whole[k].Spans, moved[k].Spans = append(whole[k].Spans, s), append(moved[k].Spans, s)
			}
			if rapid.Bool().Draw(t, "moved") {
				moved[k].Move(store)
			}
		}
		for k := range whole {
			if got := spansOf(&moved[k]); !slices.Equal(got, whole[k].Spans) || moved[k].Len() != len(got) {
				t.Fatalf("%d spans, want %d", len(got), len(whole[k].Spans))
			}
			at := sim.Time(rapid.IntRange(0, int(ends[k])+1).Draw(t, "at"))
			got, want := moved[k].At(at), whole[k].At(at)
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Fatalf("at %v: %v, want %v", at, got, want)
			}
		}
		same := func(a, b *Span) bool { return *a == *b }
		if got := moved[0].Equal(&moved[1], same); got != slices.Equal(whole[0].Spans, whole[1].Spans) || !moved[0].Equal(&whole[0], same) {
			t.Fatalf("equal: %v", got)
		}
	})
	if err := store.Err(); err != nil {
		t.Error(err)
	}
}

// Messages that were moved to a store can be changed, and are the same as in memory.
func TestMovedMessages(t *testing.T) {
	var whole, moved Timeline
	store := NewStore(temporary(t))
	for i := range 3*MessagesTogether + 7 {
		m := Message{From: int32(i), To: int32(-i), Bytes: int64(i) << 32, Posted: sim.Time(i), Insert: 1, Start: 2, Sent: 3, Delivered: 1 << 62}
		whole.Messages, moved.Messages = append(whole.Messages, m), append(moved.Messages, m)
		if len(moved.Messages) == 2*MessagesTogether {
			moved.Move(store)
		}
		for _, id := range []int{i, i / 2, i * 7919 % (i + 1)} {
			if i%97 == 0 {
				sent := func(m *Message) { m.Sent += sim.Time(i) }
				whole.Change(id, sent)
				moved.Change(id, sent)
			}
		}
	}
	if len(moved.Messages) > 2*MessagesTogether || moved.Count() != whole.Count() {
		t.Fatalf("%d of %d messages are in memory", len(moved.Messages), moved.Count())
	}
	n := 0
	for id, m := range moved.AllMessages() {
		if id != n || *m != whole.Messages[id] || id%1000 == 0 && moved.Message(id) != *m {
			t.Fatalf("message %d: %v, want %v", id, *m, whole.Messages[id])
		}
		n++
	}
	if err := moved.Err(); n != whole.Count() || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
}

// full is a file on a full disk.
type full struct{}

var errFull = errors.New("no space left")

func (full) WriteAt([]byte, int64) (int, error) { return 0, errFull }
func (full) ReadAt([]byte, int64) (int, error)  { return 0, io.EOF }

// The first error of a file is kept, and a lane of which nothing can be read ends.
func TestFullStore(t *testing.T) {
	l := Lane{Spans: make([]Span, 3)}
	store := NewStore(full{})
	l.Move(store)
	if got := spansOf(&l); len(got) != 0 || !errors.Is(store.Err(), errFull) {
		t.Errorf("%v, %v", got, store.Err())
	}
}
