package points

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
)

// Numbers are the numbers of a run by their paths, as run --json prints them: makespan_s, metrics.total_s. Users
// choose one of them to minimise, or to compare with a measurement.
type Numbers map[string]any

// TakeNumbers takes all numbers of a run.
func TakeNumbers(o *outcomes.Outcome) (Numbers, error) { return NumbersOf(o.Record()) }

// NumbersOf returns the numbers of a record.
func NumbersOf(r *outcomes.RunRecord) (Numbers, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return ReadNumbers(text)
}

// ReadNumbers returns the numbers of a record's JSON.
func ReadNumbers(text []byte) (n Numbers, err error) {
	return n, json.Unmarshal(text, &n)
}

// At returns the number at a path. The error says which paths there are.
func (n Numbers) At(path string) (float64, error) {
	var value any = map[string]any(n)
	for _, step := range strings.Split(path, ".") {
		group, _ := value.(map[string]any)
		value = group[step]
	}
	if x, ok := value.(float64); ok {
		return x, nil
	}
	all := pathsOf(map[string]any(n), "")
	slices.Sort(all)
	near := keys.Nearest(path, all)
	for _, other := range all {
		if _, name := keys.Split(other); near == "" && keys.Nearest(path, []string{name}) != "" { // without its group or its unit
			near = other
		}
	}
	if near != "" {
		return 0, fmt.Errorf("the run has no number %s, did you mean %s?", path, near)
	}
	return 0, fmt.Errorf("the run has no number %s; it has those that run --json prints, such as makespan_s or ledger.overhead_s", path)
}

// pathsOf returns the paths of the numbers in a tree, in any order.
func pathsOf(tree any, path string) (all []string) {
	switch value := tree.(type) {
	case float64:
		all = append(all, path)
	case map[string]any:
		for key, inside := range value {
			all = append(all, pathsOf(inside, strings.TrimPrefix(path+"."+key, "."))...)
		}
	}
	return all
}
