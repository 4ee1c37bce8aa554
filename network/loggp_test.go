package network

import (
	"math/rand/v2"
	"testing"

	"overlapsim/sim"
)

func TestCost(t *testing.T) {
	steps := Cost{{Base: 100, PerByte: 2}, {From: 10, Base: 7}, {From: 100, PerByte: 0.5}}
	for _, c := range []struct {
		name  string
		cost  Cost
		bytes int64
		want  sim.Time
	}{
		{"the zero cost is free", nil, 1 << 40, 0},
		{"constant", Constant(42), 1 << 40, 42},
		{"per byte", PerByte(3), 14, 42},
		{"no bytes", steps, 0, 100},
		{"last byte of a piece", steps, 9, 118},
		{"first byte of the next", steps, 10, 7},
		{"constant piece", steps, 99, 7},
		{"last piece", steps, 100, 50},
		{"rounded once, half away from zero", steps, 101, 51},
		{"not per byte", PerByte(0.25), 1001, 250},
	} {
		if got := c.cost.Of(c.bytes); got != c.want {
			t.Errorf("%s: %v bytes cost %d ps, want %d", c.name, c.bytes, got, c.want)
		}
	}
}

// The cost of a size is the cost of the last piece that starts at or below it.
func TestCostIsAStepFunctionOfLinearPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		c := Cost{{Base: sim.Time(random.IntN(50)), PerByte: float64(random.IntN(4))}}
		for from := int64(0); len(c) < 1+random.IntN(5); {
			from += 1 + random.Int64N(9)
			c = append(c, Piece{from, sim.Time(random.IntN(50)), float64(random.IntN(4))})
		}
		for bytes := range int64(60) {
			var want sim.Time
			for _, p := range c {
				if p.From <= bytes {
					want = p.Base + sim.Time(bytes)*sim.Time(p.PerByte)
				}
			}
			if got := c.Of(bytes); got != want {
				t.Fatalf("%v: %d bytes cost %d ps, want %d", c, bytes, got, want)
			}
		}
	}
}

// However bytes are cut, their pieces cost no less than the bound, and equal pieces of the size whose bytes cost least cost little more.
func TestInPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		c := Cost{{Base: sim.Time(random.IntN(50)), PerByte: 3 * random.Float64()}}
		for from := int64(0); len(c) < 1+random.IntN(5); {
			from += 1 + random.Int64N(9)
			c = append(c, Piece{from, sim.Time(random.IntN(50)), 3 * random.Float64()})
		}
		largest, bytes, pieces, cost := 1+random.Int64N(40), int64(0), int64(0), sim.Time(0)
		for range 1 + random.IntN(20) {
			size := 1 + random.Int64N(largest)
			bytes, pieces, cost = bytes+size, pieces+1, cost+c.Of(size)
		}
		if least := c.InPieces(bytes, pieces, largest); least > cost {
			t.Fatalf("%v: %d bytes in %d pieces of up to %d cost %d ps, less than %d", c, bytes, pieces, largest, cost, least)
		}
		const n = 10
		best := 2.0
		for size := int64(1); size <= largest; size++ {
			best = min(best, float64(n*c.Of(size))/float64(c.InPieces(n*size, n, largest)+2*n))
		}
		if best > 1 {
			t.Fatalf("%v: equal pieces of up to %d bytes cost at least %v times the bound", c, largest, best)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct{ outstanding, perPeer, processes, want int }{
		{0, 0, 8, 0}, {5, 0, 8, 5}, {0, 2, 8, 14}, {20, 2, 8, 14}, {5, 2, 8, 5}, {5, 2, 1, 5}, {0, 2, 1, 0},
	} {
		p := LogGOPS{Outstanding: c.outstanding, PerPeer: c.perPeer}
		if got := p.Limit(c.processes); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
