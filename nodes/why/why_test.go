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
	all []Moment // from which it may continue
}

// draw draws a history: each moment follows one of those before it, or is a mix of some.
func draw(t *rapid.T) *drawn {
	d := &drawn{History: New(What{Part: 9}), all: make([]Moment, 1)}
	for range rapid.IntRange(1, 40).Draw(t, "moments") {
		d.draw(t)
	}
	return d
}

func (d *drawn) before(t *rapid.T) Moment { return rapid.SampledFrom(d.all).Draw(t, "before") }

func (d *drawn) last() Moment { return d.all[len(d.all)-1] }

func (d *drawn) draw(t *rapid.T) {
	from, now := d.before(t), Moment{}
	at := from.At + sim.Time(rapid.IntRange(0, 50).Draw(t, "length"))
	w := What{
		Amount: rapid.Int64Range(0, 9).Draw(t, "amount"), Index: rapid.Int32().Draw(t, "index"), Message: rapid.Int32Min(-1).Draw(t, "message"),
		Part: uint8(rapid.IntRange(0, 3).Draw(t, "part")), Resource: rapid.Uint8().Draw(t, "resource"),
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		other, weight := d.before(t), float64(rapid.IntRange(-8, 8).Draw(t, "weight"))/4
		now = d.Mixed(from, at, w, Mix{
			Influences: []Influence{{from, 1 - weight}, {other, weight}},
			Effects:    []Effect{{Parameter: 1, Time: weight * 8}}, Amount: w.Amount,
		})
	case 1:
		other := d.before(t)
		now = d.Last(from, other, max(from.At, other.At))
	default:
		now = d.Add(from, at, w)
	}
	d.all = append(d.all, now)
}

// tally adds up the lengths of pieces by part, and the effects by parameter.
type tally struct{ parts, effects [10]float64 }

func (s *tally) Piece(p Piece, weight float64) { s.parts[p.Part] += weight * float64(p.End-p.Start) }

func (s *tally) Effect(e Effect, weight float64) { s.effects[e.Parameter] += weight * e.Time }

// slow is the tally by its definition: a moment depends on what earlier moments depend on,
// each weighted by how far it moves the moment, and on its own piece or effects.
func (d *Tree) slow(m place) (s tally) {
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
			add(d.slow(d.By(m, by)), by.Weight)
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
		tree, end, at := d.Tree(), d.last(), sim.Time(0)
		for _, p := range tree.Path(end) {
			if p.Start != at || p.End < p.Start {
				t.Fatalf("a piece from %v to %v follows one that ends at %v", p.Start, p.End, at)
			}
			at = p.End
		}
		if at != end.At || at != tree.At(tree.Place(end)) {
			t.Fatalf("the path ends at %v, the moment is at %v", at, end.At)
		}
		var got tally
		g := tree.Ways(end, &got)
		want := tree.slow(tree.Place(end))
		for i := range got.parts {
			off := math.Abs(got.parts[i]-want.parts[i]) + math.Abs(got.effects[i]-want.effects[i])
			if off > 1e-9*(1+g.Parts) {
				t.Fatalf("%+v\nshould be %+v", got, want)
			}
		}
	})
}

// Forgetting changes neither the path nor the sum of what the run continues from. A second history
// with the same moments never forgets.
func TestForget(t *testing.T) {
	forgot, kept, pages := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d, whole := &drawn{History: New(What{Part: 9}), all: make([]Moment, 1)}, &drawn{History: New(What{Part: 9})}
		d.Often()
		for range rapid.IntRange(1, 6).Draw(t, "times") {
			for range rapid.IntRange(1, 10).Draw(t, "moments") {
				d.draw(t)
			}
			for range rapid.SampledFrom([]int{0, 0, 1, 3 * pageSize}).Draw(t, "more") {
				d.all = append(d.all[:len(d.all)-1], d.Add(d.last(), d.last().At+1, What{}))
			}
			repeat(&d.History, &whole.History)
			d.drop(t)
			d.Forget(d.each, 0)
		}
		tree, all := d.Tree(), whole.Tree()
		for _, m := range d.all {
			if got, want := tree.Path(m), all.Path(m); !slices.Equal(got, want) {
				t.Fatalf("the path was %v, it is %v", want, got)
			}
			var got, want tally
			tree.Ways(m, &got)
			all.Ways(m, &want)
			for j := range got.parts {
				if math.Abs(got.parts[j]-want.parts[j])+math.Abs(got.effects[j]-want.effects[j]) > 1e-6 {
					t.Fatalf("the sum was %v, it is %v", want, got)
				}
			}
		}
		if d.Lost() != nil {
			t.Fatal(d.Lost())
		}
		forgot += all.Len() - tree.Len()
		kept += tree.Len()
		pages = max(pages, len(tree.kept.pages))
	})
	if forgot == 0 || kept == 0 || pages < 3 {
		t.Errorf("%d moments were forgotten, %d kept, on at most %d pages", forgot, kept, pages)
	}
}

// each visits what the run continues from.
func (d *drawn) each(visit func(*Moment)) {
	for i := range d.all {
		visit(&d.all[i])
	}
}

// drop lets the run continue from some moments only.
func (d *drawn) drop(t *rapid.T) {
	d.all = append(rapid.SliceOfNDistinct(rapid.SampledFrom(d.all), 0, 3, rapid.ID).Draw(t, "held"), d.last())
}

// repeat adds the fresh moments of a history to another one, which has all those before them.
func repeat(from, to *History) {
	for i := int(to.before) + to.fresh.n - int(from.before); i < from.fresh.n; i++ {
		m := from.fresh.at(i)
		w := What{m.amount, m.index, m.message, m.origin.part(), m.origin.resource()}
		if before := (Moment{number: m.origin.from()}); m.amount < 0 {
			x := from.fresh.mixes[^m.amount]
			x.Influences = slices.Clone(x.Influences)
			to.Mixed(before, m.at, w, x)
		} else {
			to.Add(before, m.at, w)
		}
	}
}

// A time without an explanation is an error; the first one counts.
func TestLost(t *testing.T) {
	for name, lose := range map[string]func(*History){
		"a piece that ends before it begins": func(h *History) { h.Add(h.Add(Moment{}, 5, What{}), 4, What{}) },
		"a moment at another time":           func(h *History) { h.Is(h.Add(Moment{}, 5, What{}), 6) },
		"two moments that are both too late": func(h *History) { h.Last(h.Add(Moment{}, 5, What{}), h.Add(Moment{}, 7, What{}), 4) },
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
	for i := range sim.Time(20) {
		want := Moment{At: max(0, i-1)}
		if r.Push(Moment{At: i + 1}); r.Oldest() != want {
			t.Fatalf("after %d pushes the oldest is %v, should be %v", i+1, r.Oldest(), want)
		}
	}
	if none := NewRing(0); none.Oldest() != (Moment{}) {
		t.Error("a ring without room remembers something")
	}
}
