package nodes

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network/flow"
	"overlapsim/nodes/results"
	"overlapsim/nodes/why"
	"overlapsim/sim"
)

// slopeKinds draw instances of every kind that has derivatives.
var slopeKinds = map[string]func(*rapid.T) *slopeCase{
	"RDMA":      func(t *rapid.T) *slopeCase { return fine(t, &slopeCase{instance: drawInstance(t, false)}) },
	"copying":   func(t *rapid.T) *slopeCase { return fine(t, &slopeCase{instance: drawInstance(t, true)}) },
	"library":   func(t *rapid.T) *slopeCase { return fine(t, &slopeCase{instance: drawLibrary(t)}) },
	"contended": func(t *rapid.T) *slopeCase { return fine(t, &slopeCase{instance: drawLibrary(t), contended: true}) },
	"calibrated": func(t *rapid.T) *slopeCase {
		return fine(t, &slopeCase{instance: drawAny(t), calibration: testCalibration(t)})
	},
	"links": func(t *rapid.T) *slopeCase {
		p := &flow.Params{Capacity: []sim.Rate{1e5}, Injection: 1.3e5, HopLatency: 3_000_000}
		return fine(t, &slopeCase{instance: drawAny(t), links: p})
	},
	"shared": func(t *rapid.T) *slopeCase {
		in := &slopeCase{instance: drawInstance(t, rapid.Bool().Draw(t, "copying"))}
		in.share(t)
		return in
	},
}

func fine(t *rapid.T, in *slopeCase) *slopeCase {
	in.finer(t, 10_000_000)
	return in
}

// TestSlopesAddUp checks Euler's theorem: if all times are multiplied by a factor, so is the
// makespan. Therefore the contributions of the parameters, and of what belongs to none, add up to it.
// Slow-downs are not times.
func TestSlopesAddUp(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(slopeKinds)) {
		draw := slopeKinds[name]
		t.Run(name, func(t *testing.T) {
			added := 0
			rapid.Check(t, func(t *rapid.T) {
				in := draw(t)
				c, result, err := in.run(in.machine)
				if err != nil || result.Makespan() == 0 {
					return
				}
				added++
				end, _ := c.causes.lastEnd(result.Finish)
				all, stability := c.causes.slopes(in.machine, end)
				sum := stability.Other
				for _, s := range all {
					if s.Unit != results.Factor {
						sum += s.Time
					}
				}
				// Every piece was rounded to a picosecond, and even its smallest part has
				// ten million of them.
				makespan := result.Makespan().Seconds()
				if off := math.Abs(sum-makespan) / makespan; off > stability.Rounding+1e-6*stability.Amplification {
					t.Fatalf("%v%+v\nadd up to %g s, the makespan is %g s: %+v", in, all, sum, makespan, stability)
				}
			})
			if added < enough(50) {
				t.Errorf("only %d runs were compared", added)
			}
		})
	}
}

// TestAmplification compares with a second, slow version. It makes every part longer by
// itself, and follows that forwards to the end of the run.
func TestAmplification(t *testing.T) {
	amplified := 0
	for _, name := range slices.Sorted(maps.Keys(slopeKinds)) {
		draw := slopeKinds[name]
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := draw(t)
				c, result, err := in.run(in.machine)
				if err != nil || result.Makespan() == 0 || c.causes.Tree().Len() > 1000 {
					return
				}
				end, _ := c.causes.lastEnd(result.Finish)
				want, rounding := amplification(c.causes.Tree(), end)
				got := result.Stability.Amplification
				if math.Abs(want-got) > 1e-9*want {
					t.Fatalf("%vthe parts move the end by %g of it, the run says %g", in, want, got)
				}
				if r := result.Stability.Rounding; r < rounding*(1-1e-9) || r > rounding+1e-9*got {
					t.Fatalf("%vends that are rounded move the end by %g of it, the run says %g", in, rounding, r)
				}
				if got > 1.001 {
					amplified++
				}
			})
		})
	}
	if t.Logf("%d runs amplify", amplified); amplified < enough(10) {
		t.Errorf("only %d runs amplify", amplified)
	}
}

// amplification lengthens every part by itself, and moves every end of a mix by a picosecond.
func amplification(t *why.Tree, to cause) (parts, rounding float64) {
	end := t.Place(to)
	shift := make([]float64, end+1)
	moved := func(part int32, by float64) float64 {
		for at := int32(1); at <= end; at++ {
			shift[at] = 0
			if x := t.Mix(at); x == nil {
				shift[at] = shift[t.From(at)]
			} else {
				for _, i := range x.Influences {
					shift[at] += i.Weight * shift[t.By(at, i)]
				}
			}
			if at == part {
				shift[at] += by
			}
		}
		return math.Abs(shift[end]) / float64(t.At(end))
	}
	for at := int32(1); at <= end; at++ {
		x := t.Mix(at)
		if x == nil {
			parts += moved(at, float64(t.At(at)-t.At(t.From(at))))
			continue
		}
		rounding += moved(at, 1)
		for _, e := range x.Effects {
			parts += moved(at, e.Time)
		}
	}
	return parts, rounding
}
