package why

import (
	"math"
	"slices"
	"testing"

	"overlapsim/sim"
	"pgregory.net/rapid"
)

// drawn is a history of random moments.
type drawn struct {
	History
	now Moment // the last one
}

// draw draws a history: each moment follows one of those before it, or is a mix of some.
func draw(t *rapid.T) *drawn {
	d := &drawn{History: New(What{Part: 9})}
	for range rapid.IntRange(1, 40).Draw(t, "moments") {
		d.draw(t)
	}
	return d
}

func (d *drawn) before(t *rapid.T) Moment {
	return Moment(rapid.IntRange(0, d.Len()-1).Draw(t, "before"))
}

func (d *drawn) draw(t *rapid.T) {
	from := d.before(t)
	at := d.At(from) + sim.Time(rapid.IntRange(0, 50).Draw(t, "length"))
	w := What{Amount: rapid.Int64Range(0, 9).Draw(t, "amount"), Part: uint8(rapid.IntRange(0, 3).Draw(t, "part"))}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		other, weight := d.before(t), float64(rapid.IntRange(-8, 8).Draw(t, "weight"))/4
		d.now = d.Mixed(from, at, w, Mix{
			Influences: []Influence{{from, 1 - weight}, {other, weight}},
			Effects:    []Effect{{Parameter: 1, Time: weight * 8}}, Amount: w.Amount,
		})
	case 1:
		other := d.before(t)
		d.now = d.Last(from, other, max(d.At(from), d.At(other)))
	default:
		d.now = d.Add(from, at, w)
	}
}

// tally adds up the lengths of pieces by part, and the effects by parameter.
type tally struct{ parts, effects [10]float64 }

func (s *tally) Piece(p Piece, weight float64) { s.parts[p.Part] += weight * float64(p.End-p.Start) }

func (s *tally) Effect(e Effect, weight float64) { s.effects[e.Parameter] += weight * e.Time }

// slow is the tally by its definition: a moment depends on whatever earlier moments depend on,
// each weighted by how far it moves the moment, and on its own piece or effects.
func (d *drawn) slow(m Moment) (s tally) {
	if m == 0 {
		return s
	}
	add := func(of tally, weight float64) {
		for i := range s.parts {
			s.parts[i] += weight * of.parts[i]
			s.effects[i] += weight * of.effects[i]
		}
	}
	x := d.Mix(m)
	if x == nil {
		add(d.slow(d.From(m)), 1)
		s.Piece(d.piece(m), 1)
		return s
	}
	for _, by := range x.Influences {
		if by.Weight != 0 {
			add(d.slow(by.From), by.Weight)
		}
	}
	for _, e := range x.Effects {
		s.Effect(e, 1)
	}
	return s
}

// A path leads from the start to the moment without gap, and a sum over all paths agrees with its
// definition.
func TestWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		at := sim.Time(0)
		for _, p := range d.Path(d.now) {
			if p.Start != at || p.End < p.Start {
				t.Fatalf("a piece from %v to %v follows one that ends at %v", p.Start, p.End, at)
			}
			at = p.End
		}
		if at != d.At(d.now) {
			t.Fatalf("the path ends at %v, the moment is at %v", at, d.At(d.now))
		}
		var got tally
		g := d.Ways(d.now, &got)
		want := d.slow(d.now)
		for i := range got.parts {
			off := math.Abs(got.parts[i]-want.parts[i]) + math.Abs(got.effects[i]-want.effects[i])
			if off > 1e-9*(1+g.Parts) {
				t.Fatalf("%+v\nshould be %+v", got, want)
			}
		}
	})
}

// Forgetting at any time changes neither the path nor the sum of what comes later.
func TestForget(t *testing.T) {
	forgot := 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		roots := []Moment{d.now, d.before(t), 0}
		type known struct {
			path []Piece
			sum  tally
		}
		know := func(m Moment) (k known) {
			k.path = d.Path(m)
			d.Ways(m, &k.sum)
			return k
		}
		var before []known
		for _, m := range roots {
			before = append(before, know(m))
		}
		n := d.Len()
		d.Often()
		if !d.Full() {
			t.Fatal("a history that forgets often is not full")
		}
		d.Forget(func(visit func(*Moment)) {
			for i := range roots {
				visit(&roots[i])
			}
		}, 0)
		for i, m := range roots {
			after := know(m)
			if !slices.Equal(after.path, before[i].path) {
				t.Fatalf("the path was %v, it is %v", before[i].path, after.path)
			}
			for j := range after.sum.parts {
				if math.Abs(after.sum.parts[j]-before[i].sum.parts[j]) > 1e-6 {
					t.Fatalf("the sum was %v, it is %v", before[i].sum, after.sum)
				}
			}
		}
		if d.Len() < n {
			forgot++
		}
		if d.Lost() != nil {
			t.Fatal(d.Lost())
		}
	})
	if forgot == 0 {
		t.Error("nothing was ever forgotten")
	}
}

// A time without an explanation is an error; the first one counts.
func TestLost(t *testing.T) {
	for name, lose := range map[string]func(*History){
		"a piece that ends before it begins": func(h *History) { h.Add(h.Add(0, 5, What{}), 4, What{}) },
		"a moment at another time":           func(h *History) { h.Is(h.Add(0, 5, What{}), 6) },
		"two moments that are both too late": func(h *History) { h.Last(h.Add(0, 5, What{}), h.Add(0, 7, What{}), 4) },
	} {
		h := New(What{})
		if lose(&h); h.Lost() == nil {
			t.Errorf("%s: no error", name)
		}
		first := h.Lost()
		if h.Lose("another"); h.Lost() != first {
			t.Errorf("%s: then %v", name, h.Lost())
		}
	}
}

// A ring gives back the oldest moment when it is full.
func TestRing(t *testing.T) {
	r := NewRing(3)
	for i := range Moment(20) {
		want := max(0, i-1)
		if r.Push(i + 1); r.Oldest() != want {
			t.Fatalf("after %d pushes the oldest is %d, should be %d", i+1, r.Oldest(), want)
		}
	}
	if none := NewRing(0); none.Oldest() != 0 {
		t.Error("a ring without room remembers something")
	}
}
