package optimize

import (
	"fmt"

	"overlapsim/workloads"
)

// Batch is a number of sequences of a step with which values can be run that cannot be run with the present number.
type Batch struct {
	Setting string `json:"setting"`
	More    int    `json:"more"` // values that can be run with it only
}

// fittingBatch is the first multiple, from the present number of sequences, of what one micro-batch of each replica takes at every value
// that can be run with some number of them; nil: no more values could be run.
func (f *finder) fittingBatch(o *Optimum) *Batch {
	if n, _ := o.Failed(); n == 0 || f.study.Path == globalBatch {
		return nil
	}
	w, ok := f.today.Workload.(workloads.Batched)
	if !ok {
		return nil
	}
	present, _ := w.Batch(f.today.Ranks)
	of := func(n int64) string { return fmt.Sprintf("%s=%d", globalBatch, n) }
	fits := int64(1)
	for i := range o.Points {
		if s, err := f.pool.Load(f.settings(o.Points[i].index, of(0))); err == nil {
			if w, ok := s.Workload.(workloads.Batched); ok {
				each, _ := w.Batch(s.Ranks)
				fits = multiple(fits, max(1, each))
			}
		}
	}
	b := &Batch{Setting: of((present + fits - 1) / fits * fits)}
	for i := range o.Points {
		if p := &o.Points[i]; p.Result == nil {
			if _, err := f.pool.Load(f.settings(p.index, b.Setting)); err == nil {
				b.More++
			}
		}
	}
	if b.More == 0 {
		return nil
	}
	return b
}

// multiple is the least common multiple of two numbers.
func multiple(a, b int64) int64 {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}
