package outcomes

import (
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/workloads"
)

// Step is what is asked first of a step of training. A number that is not known is nil.
type Step struct {
	Time        float64  `json:"step_s"`
	Most        *float64 `json:"step_99_in_100_s,omitempty"` // what 99 in 100 steps do not exceed, if several were drawn
	MFU         *float64 `json:"mfu,omitempty"`              // arithmetic of the model, without recomputation, divided by the peak
	Tokens      *float64 `json:"tokens_per_s_per_gpu,omitempty"`
	Memory      *float64 `json:"memory_GB,omitempty"`     // of a GPU of the stage that needs most
	OfMemory    *float64 `json:"gpu_memory_GB,omitempty"` // that the GPU has
	Exposed     Ordered  `json:"exposed_s,omitempty"`     // by kind of communication: the makespan less that without the kind
	LaunchBound *float64 `json:"launch_bound,omitempty"`  // the part of the makespan that the absence of launches saves

	Batch          int64   `json:"global_batch,omitempty"`     // sequences or images of a step on all GPUs
	Products       float64 `json:"products_of_peak,omitempty"` // rate of matrix products; 0: a measured step gives it
	ProductsOrigin string  `json:"products_origin,omitempty"`  // fitted: to whole steps; derived: measured alone; chosen: not measured; "": set
}

// Step has the headline numbers of a step of training that need no answer; nil: it is no step of training.
func (o *Outcome) Step() *Step { return o.stepOf(0, nil) }

// stepOf takes the headline numbers of a step of training from the metrics of a run and from its answer; nil: it
// is no step of training.
func (o *Outcome) stepOf(makespan float64, a *Answer) *Step {
	s := new(Step)
	for _, m := range o.Metrics {
		switch m.Name {
		case "step_s":
			s.Time = m.Value
		case "step_99_in_100_s":
			s.Most = &m.Value
		case "mfu":
			s.MFU = &m.Value
		case "tokens_per_s_per_gpu":
			s.Tokens = &m.Value
		}
	}
	if needs, of := o.Memory(); of > 0 {
		s.Memory, s.OfMemory = &needs, &of
	}
	if a != nil {
		for _, c := range a.ByKind {
			s.Exposed = append(s.Exposed, Member{strings.ReplaceAll(c.Cause, "-", "_"), makespan - c.Makespan})
		}
		if c := a.Absence("launches"); c != nil {
			s.LaunchBound = &c.Saves
		}
	}
	if w, ok := o.Workload.(workloads.Batched); ok {
		s.Batch, _ = w.Batch(o.Ranks)
	}
	if o.Result.Scaled == nil {
		s.Products, s.ProductsOrigin = o.StepProducts()
	}
	if o.Result.On != results.GPUs || s.Time == 0 || s.MFU == nil && s.Exposed == nil {
		return nil
	}
	return s
}

// Memory is what a GPU of the stage that needs most has in memory, and what the GPU has, in GB; 0, 0: it is not known.
func (o *Outcome) Memory() (needs, of float64) {
	for _, m := range o.Metrics {
		if m.Name == "memory_GB" {
			return m.Value, float64(o.Machine.GPUs.GPU.Memory) / 1e9
		}
	}
	return 0, 0
}

// Answered adds an answer to a record.
func (o *Outcome) Answered(r *RunRecord, a *Answer) {
	r.Answer, r.Step = a, o.stepOf(r.Makespan, a)
}
