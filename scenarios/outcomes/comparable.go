package outcomes

import (
	"fmt"
	"slices"
	"strings"
)

// Compared is what of a run of a training step tells with which others it compares.
type Compared struct {
	Machine string
	GPUs    int
	*Step
}

// Compared takes it from the record of a run.
func (r *RunRecord) Compared() Compared { return Compared{r.Machine, r.Ranks, r.Step} }

// Comparable says how the batch of training steps that are compared grows with their GPUs, and whether the products of their machines were
// measured in the same way; nothing of runs that are no steps.
func Comparable(all []Compared) (lines []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(c Compared) bool { return c.Step == nil || c.Batch == 0 })
	if len(all) < 2 {
		return nil
	}
	for _, line := range []string{scaling(all), products(all)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// scaling says how the batch grows with the GPUs; "": neither changes.
func scaling(all []Compared) string {
	few, many := all[0], all[0]
	same, each := true, true // the batch of all GPUs, of each GPU
	for _, c := range all {
		if c.GPUs < few.GPUs {
			few = c
		}
		if c.GPUs > many.GPUs {
			many = c
		}
		same = same && c.Batch == all[0].Batch
		each = each && c.Batch*int64(all[0].GPUs) == all[0].Batch*int64(c.GPUs)
	}
	switch {
	case few.GPUs == many.GPUs: // a sweep says itself which of several batches computes most
		return ""
	case same:
		return fmt.Sprintf("strong scaling: a global batch of %d on %d to %d GPUs", few.Batch, few.GPUs, many.GPUs)
	case each:
		return fmt.Sprintf("weak scaling: the global batch grows with the GPUs, from %d on %d to %d on %d: --set workload.global_batch=N keeps it", few.Batch, few.GPUs, many.Batch, many.GPUs)
	}
	least, most := few.Batch, few.Batch
	for _, c := range all {
		least, most = min(least, c.Batch), max(most, c.Batch)
	}
	return fmt.Sprintf("global batches of %d to %d: the steps do different work, for which tokens/s per GPU allow", least, most)
}

// kinds are where rates of products come from, by their origin.
var kinds = []struct{ origin, says string }{{"derived", "measured alone"}, {"chosen", "not measured"}, {"fitted", "fitted to whole steps"}}

// products says that products were fitted to whole steps on some machines and not on others, and how much that makes; "": they were not.
func products(all []Compared) string {
	var said []string
	least, most := 0., 0. // of those that were fitted, of the others
	for _, kind := range kinds {
		var names []string
		for _, c := range all {
			if name := fmt.Sprintf("%s (%.3g)", c.Machine, c.Products); c.ProductsOrigin == kind.origin && !slices.Contains(names, name) {
				names = append(names, name)
				if kind.origin != "fitted" {
					most = max(most, c.Products)
				} else if least == 0 || c.Products < least {
					least = c.Products
				}
			}
		}
		if names != nil {
			said = append(said, kind.says+" on "+strings.Join(names, ", "))
		}
	}
	if least == 0 || most <= least {
		return ""
	}
	return fmt.Sprintf("rates of products are %s: a difference below %.0f %% between these may come from that", strings.Join(said, ", "), 100*(most/least-1))
}
