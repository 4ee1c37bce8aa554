package gputrace

import (
	"errors"
	"fmt"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/results"
)

// A job on more GPUs, each of which does what a traced one did: only collectives of all GPUs change.

// world is the number of GPUs of the traced job; 0: not known.
func (w *replay) world() (n int) {
	for _, r := range w.ranks {
		n = max(n, r.world)
	}
	return n
}

// spans tells whether an operation is of all GPUs of a job whose number is changed.
func (w *replay) spans(o *operation) bool {
	return w.GPUs > 0 && o.kind == collective && o.members > 1 && o.members == w.world()
}

// grown is the function that says by how much longer an operation takes on the GPUs that are asked for, in ns.
func (w *replay) grown(m *gpus.Machine) func(o *operation) float64 {
	return func(o *operation) float64 {
		if !w.spans(o) {
			return 0
		}
		more := *o
		more.members = int(w.GPUs)
		was, _ := costOf(m, o, o.bytes) // CheckGPUs has tried both already
		is, _ := costOf(m, &more, o.bytes)
		return (is.Total() - was.Total()).Seconds() * 1e9
	}
}

// checkGPUs returns an error if the trace cannot be scaled to the GPUs that are asked for.
func (w *replay) checkGPUs(m *gpus.Machine) error {
	if w.GPUs == 0 {
		return nil
	}
	world := w.world()
	switch {
	case world == 0:
		return errors.New("cannot be set: the trace does not say of how many GPUs its job was (distributedInfo)")
	case w.GPUs < 2 || w.GPUs > mostMembers:
		return fmt.Errorf("must be 2 to %d, got %d", mostMembers, w.GPUs)
	}
	all, lacking := 0, 0
	var why error
	for _, r := range w.ranks {
		for i := range r.ops {
			o := &r.ops[i]
			if o.kind != collective || o.members > 1 && o.members < world {
				continue
			}
			all++
			more := *o
			more.members = int(w.GPUs)
			for _, one := range []*operation{o, &more} {
				if _, err := costOf(m, one, one.bytes); err != nil {
					lacking, why = lacking+1, err
					break
				}
			}
		}
	}
	switch {
	case all == 0:
		return fmt.Errorf("cannot be set: the trace has no collective of all %d GPUs", world)
	case lacking > 0:
		return fmt.Errorf("cannot be set: %d of %d collectives that may be of all %d GPUs have no time on the machine: %w", lacking, all, world, why)
	}
	return nil
}

// scaled says what is as traced, and what the machine adds, for each GPU; nil: the job has as many GPUs as in the trace.
func (w *replay) scaled(m *gpus.Machine) *results.Scaled {
	if w.GPUs == 0 {
		return nil
	}
	s := &results.Scaled{Ranks: w.world(), To: fmt.Sprintf("%d GPUs, each with the work of a traced one", w.GPUs)}
	var kernels, others float64
	var names []string
	longer, of := map[string]float64{}, map[string]float64{}
	for _, r := range w.ranks {
		for i := range r.ops {
			o, t := &r.ops[i], seconds(r.ops[i].end-r.ops[i].start)/float64(len(w.ranks))
			switch {
			case w.spans(o):
				if of[o.collective] == 0 {
					names = append(names, o.collective)
				}
				of[o.collective] += t
				longer[o.collective] += w.grown(m)(o) / 1e9 / float64(len(w.ranks))
			case o.kind == collective:
				others += t
			default:
				kernels += t
			}
		}
	}
	add := func(name, by string, measured float64, more *float64, why string) {
		s.Parts = append(s.Parts, results.ScaledPart{Name: name, By: by, Measured: &measured, Longer: more, Why: why})
	}
	add("kernels, copies and fills", results.ByMeasurement, kernels, nil, "as traced: each GPU does the same")
	if others > 0 {
		add("collectives of fewer GPUs", results.ByMeasurement, others, nil, "as traced: their groups stay the same")
	}
	for _, name := range names {
		add(fmt.Sprintf("%s of %d", name, s.Ranks), results.ByModel, of[name], new(longer[name]),
			fmt.Sprintf("as traced, and longer by what %d GPUs need more on the machine", w.GPUs))
	}
	s.Parts = append(s.Parts, results.ScaledPart{Name: "launches and pauses", By: results.ByMeasurement, Why: "as traced"})
	return s
}
