package optimize

import (
	"slices"
	"strings"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/sweep"
)

// suggestions are the values that a user is shown for a path without a known range, the first of
// them that the scenario can be loaded with.
var suggestions = []string{"1..64", "1KiB..1MiB", "1us..1ms", "1GB/s..64GB/s", "1,2", "x0.5..x2", "0.0..1.0",
	"1GF/s..64GF/s", "false,true"}

// suggestion asks for the values of a path whose range is not known, with an example that runs.
func (r *Request) suggestion(path string, choices []files.Choice) string {
	text := "its range is not known; give the values to choose from"
	for _, values := range append(r.words(path, choices), suggestions...) {
		if _, all, wrong := sweep.Values(path+"="+values, mostValues); wrong == nil && r.loads(path, all[0], all[len(all)-1]) {
			return text + ", such as --over " + path + "=" + values
		}
	}
	return text + ", as --over " + path + "=VALUES"
}

// words returns the first two words that a path may be set to, as values to choose from.
func (r *Request) words(path string, choices []files.Choice) []string {
	i := slices.IndexFunc(choices, func(c files.Choice) bool { return c.Path == path })
	if i < 0 {
		return nil
	}
	var some []string
	for _, word := range choices[i].Values {
		if r.loads(path, word) {
			some = append(some, word)
		}
		if len(some) == 2 {
			return []string{strings.Join(some, ",")}
		}
	}
	return nil
}

// loads tells whether the scenario can be loaded with some values.
func (r *Request) loads(path string, values ...string) bool {
	return !slices.ContainsFunc(values, func(value string) bool {
		_, err := scenarios.Load(r.Scenario, append(slices.Clone(r.Set), path+"="+value))
		return err != nil
	})
}
