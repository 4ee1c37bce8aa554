package validation

import (
	"math"
	"slices"
	"testing"

	"overlapsim/sim/must"
)

// What a variant of a program gains over its blocking variant is predicted within 4 points in the median,
// and within 12 at worst.
func TestGainsOfPrograms(t *testing.T) {
	var off []float64
	for _, name := range []string{"programs-openmpi", "programs-mpich"} {
		set := must.Get(Load(name))(t)
		rows := validate(t, Request{Set: set}).Rows
		blocking := map[string]*row{}
		for _, r := range rows {
			program, variant := r.table.text(r.line, "program"), r.table.text(r.line, "variant")
			if variant == "a2a" || variant == "blk_p1" {
				blocking[program] = r
				continue
			}
			than := blocking[program]
			measured, predicted := 100*(r.Measured/than.Measured-1), 100*(r.Predicted/than.Predicted-1)
			off = append(off, math.Abs(predicted-measured))
			t.Logf("%s %s %s: %.1f %% measured, %.1f %% predicted", name, program, variant, measured, predicted)
		}
	}
	slices.Sort(off)
	t.Logf("off by %.2f points in the median, %.2f at worst", off[len(off)/2], off[len(off)-1])
	if median, worst := off[len(off)/2], off[len(off)-1]; median > 4 || worst > 12 {
		t.Errorf("gains are off by %.1f points in the median, %.1f at worst", median, worst)
	}
}

// What the exchange of the blocking stencil gains if it is made non-blocking is what the non-blocking variant
// gains, within 4 points.
func TestMovedExchange(t *testing.T) {
	for _, name := range []string{"programs-openmpi", "programs-mpich"} {
		set := must.Get(Load(name))(t)
		moved := *set
		moved.settings = append(slices.Clone(set.settings), "moves.waits=exchange")
		written, at := validate(t, Request{Set: set}).Rows, validate(t, Request{Set: &moved}).Rows
		const blocking, nonblocking = 0, 1 // the rows of the stencil
		measured := 100 * (written[nonblocking].Measured/written[blocking].Measured - 1)
		predicted := 100 * (at[blocking].Predicted/written[blocking].Predicted - 1)
		t.Logf("%s: %.1f %% measured, %.1f %% predicted from the blocking variant", name, measured, predicted)
		if math.Abs(measured-predicted) > 4 {
			t.Errorf("%s: the non-blocking variant gains %.1f %%, the blocking one with moves %.1f %%", name, measured, predicted)
		}
	}
}
