package optimize

import (
	"slices"

	"overlapsim/scenarios/sweep"
)

// suggestions are the values that a user is shown for a path without a known range, the first of
// them that the scenario can be loaded with.
var suggestions = []string{"1..64", "1KiB..1MiB", "1us..1ms", "1GB/s..64GB/s", "1,2", "x0.5..x2", "0.0..1.0",
	"1GF/s..64GF/s"}

// suggestion asks for the values of a path whose range is not known, with an example that runs.
func (r *Request) suggestion(path string) string {
	text := "its range is not known; give the values to choose from"
	for _, values := range suggestions {
		if _, all, wrong := sweep.Values(path+"="+values, mostValues); wrong == nil && r.loads(path, all[0], all[len(all)-1]) {
			return text + ", such as --over " + path + "=" + values
		}
	}
	return text + ", as --over " + path + "=VALUES"
}

// loading are the values with which the scenario can be loaded; nil: fewer than two.
func (r *Request) loading(path string, values []string) (some []string) {
	for _, value := range values {
		if r.loads(path, value) {
			some = append(some, value)
		}
	}
	if len(some) < 2 {
		return nil
	}
	return some
}

// loads tells whether the scenario can be loaded with some values.
func (r *Request) loads(path string, values ...string) bool {
	return !slices.ContainsFunc(values, func(value string) bool {
		_, err := r.load(append(slices.Clone(r.Set), path+"="+value))
		return err != nil
	})
}
