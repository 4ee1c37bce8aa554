package training

import (
	"slices"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// uneven tells whether GPUs of a stage are not equal, so that all are simulated.
func (w *transformer) uneven() bool { return w.Slow > 1 || w.Jitter > 0 }

// unevenKeys checks the keys of slow GPUs and of jitter.
func (w *transformer) unevenKeys(ranks int, wrong *mistakes) {
	switch {
	case w.Slow < 1 || w.Slow > mostSlow:
		wrong.add("slow", "must be 1 to %d times, got %v", mostSlow, w.Slow)
	case int(w.SlowGPU) >= ranks:
		wrong.add("slow_gpu", "must be one of the GPUs 0 to %d, got %d", ranks-1, w.SlowGPU)
	}
	if w.Jitter > 1 {
		wrong.add("jitter", "must be at most 1, the whole time of a kernel, got %v", w.Jitter)
	}
	if w.Steps > 1 && w.Jitter == 0 {
		wrong.add("steps", "are all equal without jitter; leave it out, or give jitter")
	}
	if w.Steps > mostSteps {
		wrong.add("steps", "must be at most %d, got %d", mostSteps, w.Steps)
	}
	if w.uneven() && w.ExpertSkew > 1 {
		wrong.add("expert_skew", "must be 1 where GPUs are slow or have jitter, got %v: the GPU with most tokens stands for all", w.ExpertSkew)
	}
}

// Bounds of what is uneven.
const (
	mostSlow  = 1000
	mostSteps = 10_000
)

// runUneven runs steps in which every GPU is simulated, and returns the result of the one of median length.
func (w *transformer) runUneven(b *builder, g *streams.Graph, by *scaling, place experiments.Place) (*results.Result, error) {
	type drawn struct {
		number int
		time   sim.Time
	}
	var steps []drawn
	events := uint64(0)
	for n := range int(w.Steps) {
		p := place
		p.Timeline, p.Critical = false, false
		if w.Steps == 1 {
			break
		}
		run, err := p.Run(w.drawn(g, place.Seed, n))
		if err != nil {
			return nil, err
		}
		steps, events = append(steps, drawn{n, run.Makespan}), events+run.Events
	}
	slices.SortStableFunc(steps, func(a, b drawn) int { return int(min(1, max(-1, a.time-b.time))) })
	median := 0
	if len(steps) > 0 {
		median = steps[(len(steps)-1)/2].number
	}
	run, err := place.Run(w.drawn(g, place.Seed, median))
	if err != nil {
		return nil, err
	}
	all := newOutcome(run, kindNames, place, b.bytes())
	all.Events += events
	all.Scaled = by.report()
	for gpu := range place.Ranks {
		all.spread(gpu, []int{gpu})
		all.Beside = append(all.Beside, run.Hidden(int32(gpu), computeStream, product, attend))
	}
	for _, s := range steps {
		all.Steps = append(all.Steps, s.time)
	}
	return all.finished(place), nil
}

// drawn is a copy of a graph in which the kernels of the slow GPU take longer, and all take the time that is drawn for a step.
func (w *transformer) drawn(g *streams.Graph, seed uint64, step int) *streams.Graph {
	c := *g
	c.Devices, c.Ops, c.Collectives = slices.Clone(g.Devices), slices.Clone(g.Ops), slices.Clone(g.Collectives)
	for i := range c.Ops {
		o := &c.Ops[i]
		if o.Collective > 0 || o.Blocks == 0 {
			continue
		}
		time := float64(o.Work)
		if o.Device == int32(w.SlowGPU) {
			time *= w.Slow
		}
		if w.Jitter > 0 {
			time = w.jittered(time, sim.NewStream(seed, uint64(step), uint64(i)))
		}
		o.Demand = int64(float64(o.Demand) * float64(o.Work) / time) // the same bytes
		o.Work = max(1, sim.Time(time+0.5))
	}
	return &c
}

// jittered draws a time around a mean.
func (w *transformer) jittered(mean float64, s *sim.Stream) float64 {
	if w.JitterAs == exponential {
		return mean*(1-w.Jitter) + float64(s.Exp(sim.Time(mean*w.Jitter)))
	}
	return max(mean/2, mean*(1+w.Jitter*s.Norm()))
}

const exponential = "exponential"
