// Package numbers finds the numbers of a run's record by their paths: makespan_s,
// metrics.total_s. Users choose one of them to minimise, or to compare with a measurement.
package numbers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
)

// Record is the record of a run as run --json prints it, as a tree of JSON.
type Record map[string]any

// Of returns the numbers of a record.
func Of(record *outcomes.Record) (Record, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return Read(text)
}

// Read returns the numbers of a record's JSON.
func Read(text []byte) (r Record, err error) {
	return r, json.Unmarshal(text, &r)
}

// At returns the number at a path. The error says which paths there are.
func (r Record) At(path string) (float64, error) {
	var value any = map[string]any(r)
	for _, step := range strings.Split(path, ".") {
		group, _ := value.(map[string]any)
		value = group[step]
	}
	if x, ok := value.(float64); ok {
		return x, nil
	}
	all := pathsOf(map[string]any(r), "")
	slices.Sort(all)
	if near := keys.Nearest(path, all); near != "" {
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
