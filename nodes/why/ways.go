package why

import (
	"math"

	"overlapsim/sim"
)

// Piece is what passed between a moment and the one before it.
type Piece struct {
	Start, End sim.Time
	What
}

// piece returns the piece before a moment.
func (t *Tree) piece(m place) Piece {
	return Piece{t.At(t.From(m)), t.At(m), t.What(m)}
}

// Path returns what led to a moment, beginning at the start of the run.
func (t *Tree) Path(end Moment) []Piece {
	n, last := 0, t.Place(end)
	for m := last; m > 0; m = t.From(m) {
		n++
	}
	pieces := make([]Piece, n)
	for m := last; m > 0; m = t.From(m) {
		n--
		pieces[n] = t.piece(m)
	}
	return pieces
}

// Sum adds up what moves a moment: pieces and effects, each with the weight with which it
// moves the moment.
type Sum interface {
	Piece(p Piece, weight float64)
	Effect(e Effect, weight float64)
}

// Magnitudes are sums, in ps, that show how reliable a sum over all paths is.
type Magnitudes struct {
	Parts    float64 // sum of the magnitudes of all pieces and effects
	Rounding float64 // largest error of the moment because numbers are rounded
}

// Ways adds up the path to a moment, or all paths if it led through mixes.
func (t *Tree) Ways(end Moment, s Sum) (g Magnitudes) {
	last := t.Place(end)
	if len(t.kept.mixes)+len(t.fresh.mixes) == 0 {
		for m := last; m > 0; m = t.From(m) {
			g.piece(t.piece(m), 1, s)
		}
		return g
	}
	weights := make([]float64, last+1)
	weights[last] = 1
	for m := last; m > 0; m-- {
		if weights[m] != 0 {
			t.step(m, weights, &g, s)
		}
	}
	return g
}

// step adds what passed before a moment, and hands the moment's weight on to the moments before
// it.
func (t *Tree) step(m place, weights []float64, g *Magnitudes, s Sum) {
	weight := weights[m]
	hand := func(to place, by float64) {
		weights[to] += by
		g.sums(by, weights[to], t.At(to))
	}
	x := t.Mix(m)
	if x == nil {
		hand(t.From(m), weight)
		g.piece(t.piece(m), weight, s)
		return
	}
	g.Rounding += math.Abs(weight) // the moment was rounded to a whole ps
	for _, by := range x.Influences {
		hand(t.By(m, by), weight*by.Weight)
	}
	for _, e := range x.Effects {
		g.Parts += math.Abs(weight * e.Time)
		s.Effect(e, weight)
	}
}

func (g *Magnitudes) piece(p Piece, weight float64, s Sum) {
	g.Parts += math.Abs(weight * float64(p.End-p.Start))
	s.Piece(p, weight)
}

// unit is the largest relative error of a floating-point operation.
const unit = 0x1p-53

// sums notes the rounding errors when a weight is multiplied and added, given the weight and the
// sum. If a weight is off by d, the result is off by d times the time of its moment, because all
// parts before the moment add up to that time.
func (g *Magnitudes) sums(weight, sum float64, at sim.Time) {
	g.Rounding += unit * (math.Abs(weight) + math.Abs(sum)) * float64(at)
}
