package training

import "overlapsim/sim"

// jitter is a key of the spread of the times of kernels. Those that have something in common take the same number of times as long.
type jitter struct {
	key  string
	pass bool // of passes only: not of the optimizer
	of   func(w *transformer) *float64
	// common says what kernels of a pass on a GPU have in common with others.
	common func(b *builder, op int, device, pass int32) (id [2]uint64)
}

var jitters = []jitter{
	{"jitter", false, func(w *transformer) *float64 { return &w.Jitter },
		func(_ *builder, op int, _, _ int32) [2]uint64 { return [2]uint64{uint64(op)} }},
	{"pass_jitter", true, func(w *transformer) *float64 { return &w.JitterPass },
		func(_ *builder, _ int, device, pass int32) [2]uint64 { return [2]uint64{uint64(device), uint64(pass)} }},
	{"micro_batch_jitter", true, func(w *transformer) *float64 { return &w.JitterMB },
		func(b *builder, _ int, device, pass int32) [2]uint64 {
			return [2]uint64{b.replicaOf(device), uint64(pass >> 1)}
		}},
	{"gpu_jitter", false, func(w *transformer) *float64 { return &w.JitterGPU },
		func(_ *builder, _ int, device, _ int32) [2]uint64 { return [2]uint64{uint64(device)} }},
	{"step_jitter", false, func(w *transformer) *float64 { return &w.JitterStep },
		func(*builder, int, int32, int32) [2]uint64 { return [2]uint64{} }},
}

// replicaOf is the number of the data-parallel rank of a GPU, counted over all jobs.
func (b *builder) replicaOf(device int32) uint64 {
	job := int(device) / (b.each() * b.pp)
	return uint64(job*b.dp + int(device)%b.each()/(b.tp*b.cp))
}

// jitters tells whether the times of kernels are drawn.
func (w *transformer) jitters() bool {
	for _, l := range jitters {
		if *l.of(w) > 0 {
			return true
		}
	}
	return false
}

// draws are how many times as long the kernels of a step take. Draws of kernels that have something in common are kept.
type draws struct {
	w    *transformer
	b    *builder
	seed uint64
	step uint64
	kept []map[[2]uint64]float64
}

func (w *transformer) draws(b *builder, seed uint64, step int) *draws {
	d := &draws{w, b, seed, uint64(step), make([]map[[2]uint64]float64, len(jitters))}
	for i := range d.kept {
		d.kept[i] = map[[2]uint64]float64{}
	}
	return d
}

// factor is how many times as long a kernel takes. Passes do not concern what is outside of them.
func (d *draws) factor(op int, device int32) float64 {
	if !d.w.jitters() {
		return 1
	}
	factor, pass := 1.0, d.b.passOf[op]
	for n, l := range jitters {
		spread := *l.of(d.w)
		if spread == 0 || pass < 0 && l.pass {
			continue
		}
		id := l.common(d.b, op, device, pass)
		if n == 0 {
			factor *= d.w.drawnAround(spread, sim.NewStream(d.seed, d.step, id[0]))
			continue
		}
		one, ok := d.kept[n][id]
		if !ok {
			one = d.w.drawnAround(spread, sim.NewStream(d.seed, d.step, id[0], id[1], uint64(n), jittered))
			d.kept[n][id] = one
		}
		factor *= one
	}
	return factor
}

// jittered tells these draws from others.
const jittered = 0x717

// drawnAround draws a number around 1.
func (w *transformer) drawnAround(spread float64, s *sim.Stream) float64 {
	if w.JitterAs == exponential {
		const unit = 1 << 40 // draws are whole numbers
		return 1 - spread + float64(s.Exp(unit))/unit*spread
	}
	return max(0.5, 1+spread*s.Norm())
}

const exponential = "exponential"
