package training

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// A step that was measured on other GPUs says how much longer kernels take than the machine's rates say. The model then says how
// long the kernels of this layout take, and all that communicates.

// Filename implements workloads.Filed. The fit of a base is of a trace that was read.
func (w *transformer) Filename() (key, name string) {
	if w.Traced == "" || w.base != nil {
		return "", ""
	}
	return "traced", w.Traced
}

// Open implements workloads.Filed.
func (w *transformer) Open(path string) (err error) {
	w.steps, err = experiments.ReadSteps(path)
	return err
}

// scaling is how kernels of a run follow from measured ones.
type scaling struct {
	results.Scaled
	factors [experiments.NumClasses]float64
	host    float64 // of launches
	flash   bool
}

// report is what a result says of it; nil if nothing is scaled.
func (s *scaling) report() *results.Scaled {
	if s == nil {
		return nil
	}
	return &s.Scaled
}

// classOf is the class of operations of a kind. Attention of several kernels is made of products.
func classOf(kind uint8, flash bool) experiments.Class {
	switch {
	case kind == attend && flash:
		return experiments.Attention
	case kind == product || kind == attend:
		return experiments.Products
	case kind == optimizer:
		return experiments.Optimizer
	}
	return experiments.ElementWise
}

// scale multiplies the times of kernels and of launches. What kernels move in memory takes as many times as long.
func (s *scaling) scale(g *streams.Graph) {
	if s == nil {
		return
	}
	for i := range g.Ops {
		o := &g.Ops[i]
		o.Launch = sim.Time(float64(o.Launch)*s.host + 0.5)
		if o.Collective == 0 && o.Blocks > 0 {
			o.Work = max(1, sim.Time(float64(o.Work)*s.factors[classOf(o.Kind, s.flash)]+0.5))
		}
	}
}

// FittedAs implements experiments.Fitted.
func (w *transformer) FittedAs(base experiments.OnGPUs) {
	if b, ok := base.(*transformer); ok && b.fit != nil {
		w.base = b.fit
	}
}

// fitted finds how kernels are scaled: as those of the base, or by the measured step on this machine.
func (w *transformer) fitted(m *machines.Machine, place experiments.Place) (err error) {
	if w.fit = nil; w.base == nil {
		w.fit, err = w.scaling(m, place)
		return err
	}
	fit := *w.base
	fit.To, fit.flash = w.laid(), w.Flash
	w.fit = &fit
	return nil
}

// scaling finds how kernels are scaled; nil: they are not.
func (w *transformer) scaling(m *machines.Machine, place experiments.Place) (*scaling, error) {
	var wrong mistakes
	given := w.MeasuredRanks > 0 || w.MeasuredLayout != "" || w.MeasuredBatch > 0
	switch {
	case w.Traced != "" && w.MeasuredStep > 0:
		wrong.add("measured_step", "must be omitted with traced, whose kernels say more")
	case w.Traced == "" && w.MeasuredStep == 0 && given:
		wrong.add("measured_step", "is missing: measured_ranks, measured_layout and measured_batch say of what; or give traced")
	case w.MeasuredStep > 0 && w.MeasuredRanks == 0:
		wrong.add("measured_ranks", "is missing; it is the number of GPUs on which measured_step was measured")
	case w.Traced == "" && w.MeasuredStep == 0:
		return nil, nil
	}
	if wrong != nil {
		return nil, wrong[0]
	}
	there, ranks, err := w.there()
	if err != nil {
		return nil, err
	}
	place = experiments.Place{Ranks: ranks, PerNode: place.PerNode}
	b, err := there.builder(m, place)
	var g *streams.Graph
	if err == nil {
		g, err = b.build()
	}
	if err != nil {
		return nil, &workloads.KeyError{Key: "measured_layout", Message: fmt.Sprintf("the measured step, on %d GPUs as %s, does not fit this model: %s "+
			"(measured_layout and measured_batch say what was measured)", ranks, there.laid(), strings.ReplaceAll(err.Error(), "\n", "; "))}
	}
	s := &scaling{flash: w.Flash, host: 1}
	s.Ranks, s.Layout, s.To, s.Machine, s.Assumed = ranks, there.laid(), w.laid(), m.Name, w.MeasuredLayout == ""
	s.Batch, s.BatchAs = int64(b.micros*b.micro*b.dp), w.batchAs()
	if w.MeasuredStep > 0 {
		return s, s.byStep(g, m.GPUs, place, w.MeasuredStep)
	}
	return s, s.byKernels(b, g, w.steps)
}

// laid is the layout, in one word.
func (w *transformer) laid() string {
	var none mistakes
	w = w.laidOut(&none)
	text := layout(w.TP, w.PP, w.Chunks, w.MicroBatch)
	if w.CP > 1 {
		text += fmt.Sprintf(", cp %d", w.CP)
	}
	return text
}

// batchAs is what the batch of the measured step is taken from; "": a key says it.
func (w *transformer) batchAs() string {
	switch {
	case w.MeasuredBatch > 0:
		return ""
	case w.GlobalBatch > 0:
		return "workload.global_batch"
	}
	return "a micro-batch for each replica"
}

// there is the same model as it was measured, and on how many GPUs. What no key says of it is as here.
func (w *transformer) there() (*transformer, int, error) {
	var wrong mistakes
	t := *w.laidOut(&wrong)
	t.Slow, t.Steps, t.Layout, t.DP = 1, 1, w.MeasuredLayout, 0
	for _, l := range jitters {
		*l.of(&t) = 0
	}
	if l := t.laidOut(&wrong); w.MeasuredLayout != "" && wrong != nil {
		return nil, 0, &workloads.KeyError{Key: "measured_layout", Message: wrong[0].(*workloads.KeyError).Message}
	} else {
		t = *l
	}
	t.Layout = ""
	t.AsyncTP = t.AsyncTP && t.TP > 1
	number := int(w.MeasuredRanks)
	if number == 0 {
		for _, s := range w.steps {
			number = max(number, s.World)
		}
	}
	if number == 0 {
		return nil, 0, &workloads.KeyError{Key: "measured_ranks", Message: "is missing; the trace does not say on how many GPUs it was made"}
	}
	t.GlobalBatch = cmp.Or(w.MeasuredBatch, w.GlobalBatch)
	return &t, number, nil
}

// Bounds of the search for the factor of kernels.
const (
	mostFactor = 1000
	mostTries  = 30
	closeStep  = 1e-6 // of the measured step
)

// byStep finds the factor of all kernels with which the measured step is simulated.
func (s *scaling) byStep(g *streams.Graph, m *gpus.Machine, place experiments.Place, measured sim.Time) error {
	place.Within = 0
	step := func(factor float64) (float64, error) {
		for c := range s.factors {
			s.factors[c] = factor
		}
		s.host = factor
		c := *g
		c.Ops, c.Collectives = append([]streams.Op(nil), g.Ops...), append([]streams.Collective(nil), g.Collectives...)
		s.scale(&c)
		run, err := place.Run(&c)
		if err != nil {
			return 0, err
		}
		return run.Makespan.Seconds(), nil
	}
	want := measured.Seconds()
	as, err := step(1)
	if err != nil {
		return err
	}
	least, err := step(0)
	if err != nil {
		return err
	}
	if want <= least {
		return &workloads.KeyError{Key: "measured_step", Message: fmt.Sprintf("%v is no more than the %.4g s that communication "+
			"takes on %d GPUs in the model", measured, least, place.Ranks)}
	}
	low, high, atLow, atHigh := 0.0, 1.0, least, as
	for atHigh < want {
		if low, atLow, high = high, atHigh, 2*high; high > mostFactor {
			return &workloads.KeyError{Key: "measured_step", Message: fmt.Sprintf("%v is more than %d times the %.4g s of the model on %d GPUs",
				measured, mostFactor, as, place.Ranks)}
		}
		if atHigh, err = step(high); err != nil {
			return err
		}
	}
	factor, simulated := high, atHigh
	for try := 0; try < mostTries && math.Abs(simulated-want) > closeStep*want; try++ {
		factor = low + (high-low)*min(0.95, max(0.05, (want-atLow)/(atHigh-atLow)))
		if simulated, err = step(factor); err != nil {
			return err
		}
		if simulated < want {
			low, atLow = factor, simulated
		} else {
			high, atHigh = factor, simulated
		}
	}
	if peak := max(m.Kernels.Products, m.Kernels.Attention) / factor; peak > 1 {
		return &workloads.KeyError{Key: "measured_step", Message: fmt.Sprintf("%v needs kernels that compute at %.0f %% of the peak of %s, on %d GPUs "+
			"as %s", measured, 100*peak, m.GPU.Title, place.Ranks, s.Layout)}
	}
	s.Step, s.Simulated = &want, &simulated
	s.add("kernels and launches", results.ByMeasurement, &want, &as, factor, "all take as many times as long, so that the step takes the measured time")
	s.add("collectives and messages", results.ByModel, nil, nil, 0, "of this layout on this machine")
	return nil
}

func (s *scaling) add(name, by string, measured, model *float64, factor float64, why string) {
	s.Parts = append(s.Parts, results.ScaledPart{Name: name, By: by, Measured: measured, Model: model, Factor: factor, Why: why})
}

// byKernels finds the factor of each class of kernels from the steps of traces.
func (s *scaling) byKernels(b *builder, g *streams.Graph, steps []experiments.Steps) error {
	var measured, beside, model [experiments.NumClasses]float64
	var collectives []experiments.CollectiveTime
	for _, t := range steps {
		if t.Number == 0 {
			return &workloads.KeyError{Key: "traced", Message: fmt.Sprintf("%s does not say how many steps it has: it has neither "+
				"ProfilerStep, which the profiler writes with a schedule and step(), nor Optimizer.step; give measured_step", t.File)}
		}
		stage := 0
		switch each := b.each(); {
		case t.Rank >= b.each()*b.pp:
			return &workloads.KeyError{Key: "measured_ranks", Message: fmt.Sprintf("must be more than the rank %d of %s, got %d", t.Rank, t.File, s.Ranks)}
		case t.Rank >= 0:
			stage = t.Rank / each
		case b.pp > 1:
			return &workloads.KeyError{Key: "traced", Message: fmt.Sprintf("%s does not say of which rank it is, so its stage of the pipeline is not known", t.File)}
		}
		per := float64(t.Number * len(steps))
		for c, k := range t.Kernels {
			measured[c] += k.Time / per
			beside[c] += k.Beside / per
		}
		for _, c := range t.Collectives {
			c.Time /= per
			collectives = joined(collectives, c)
		}
		for i := range g.Ops {
			if o := &g.Ops[i]; o.Device == int32(stage) && o.Collective == 0 && o.Blocks > 0 {
				model[classOf(o.Kind, s.flash)] += b.alone(o) / float64(len(steps))
			}
		}
	}
	if !s.flash {
		p, a := experiments.Products, experiments.Attention
		measured[p], beside[p], measured[a], beside[a] = measured[p]+measured[a], beside[p]+beside[a], 0, 0
	}
	for c := range experiments.NumClasses {
		s.class(c, measured[c], beside[c], model[c])
	}
	for _, c := range collectives {
		why := "of this layout on this machine; the traced time includes the wait for the last GPU"
		name := c.Operation
		if c.Members > 0 {
			name += fmt.Sprintf(" of %d", c.Members)
		}
		s.add(name, results.ByModel, new(c.Time), nil, 0, why)
	}
	s.add("launches, messages, and collectives that the trace lacks", results.ByModel, nil, nil, 0, "of this layout on this machine")
	return s.fits()
}

// class adds a class of kernels.
func (s *scaling) class(c experiments.Class, measured, beside, model float64) {
	s.factors[c] = 1
	switch {
	case measured == 0 && model == 0:
		return
	case measured == 0:
		s.add(c.String(), results.ByModel, nil, &model, 0, "the trace has none")
		return
	case model == 0:
		s.add(c.String(), results.ByModel, &measured, nil, 0, "this model has none, so these kernels of the trace are omitted")
		return
	}
	why := ""
	if part := beside / measured; part > 0.005 {
		why = fmt.Sprintf("%.0f %% of the time is of kernels that always ran during a collective, whose slow-down is part of it", 100*part)
	}
	s.factors[c] = measured / model
	s.add(c.String(), results.ByMeasurement, &measured, &model, s.factors[c], why)
}

// Bounds of what a trace of the same model can be.
const (
	leastLike = 0.1
	mostLike  = 10
)

// fits returns an error if the trace cannot be one of this model.
func (s *scaling) fits() error {
	for _, p := range s.Parts {
		if p.By == results.ByMeasurement && p.Name == experiments.Products.String() && (p.Factor < leastLike || p.Factor > mostLike) {
			return &workloads.KeyError{Key: "traced", Message: fmt.Sprintf("is not a trace of this model on %d GPUs as %s: its %s take %.3g s a step, "+
				"and those of the model %.3g s; see layers, hidden, measured_layout and measured_batch", s.Ranks, s.Layout, p.Name, *p.Measured, *p.Model)}
		}
	}
	if s.factors == [experiments.NumClasses]float64{1, 1, 1, 1} {
		return &workloads.KeyError{Key: "traced", Message: "has no kernels in its steps that this model has"}
	}
	return nil
}

// joined adds a collective to the collectives of its operation and group.
func joined(all []experiments.CollectiveTime, c experiments.CollectiveTime) []experiments.CollectiveTime {
	for i := range all {
		if all[i].Operation == c.Operation && all[i].Members == c.Members {
			all[i].Time += c.Time
			all[i].Count += c.Count
			return all
		}
	}
	return append(all, c)
}

// alone is the time of a kernel that has a GPU to itself.
func (b *builder) alone(o *streams.Op) float64 {
	return b.machine.Alone(gpus.Work{Blocks: o.Blocks, Block: o.Work, Demand: o.Demand})
}
