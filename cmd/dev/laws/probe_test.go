package laws

import (
	"errors"
	"slices"

	"overlapsim/scenarios/keys"
)

// probe finds the valid words for mapping: those in its documentation that the program
// accepts on a torus.
func (t *tables) probe(l *lab) error {
	s, err := read([]byte(`{machine: jacquard, workload: {name: shift, bytes: 1B}, ranks: 4, processes_per_node: 1,
		topology: {kind: torus, dims: [4, 1, 1]}}`))
	if err != nil {
		return err
	}
	c := Case{Scenario: s, Files: map[string]string{"ranks.map": "0 0\n1 1\n2 2\n3 3\n"}}
	for _, word := range docWords(find(t.scenario, "mapping").Doc) {
		s.put("mapping", scalar(word))
		s.drop("mapping_file")
		if word == "file" {
			s.put("mapping_file", scalar("ranks.map"))
		}
		_, err := l.load(c)
		var problems keys.Problems
		if !errors.As(err, &problems) {
			t.mappings = append(t.mappings, word)
		}
	}
	if !slices.Contains(t.mappings, find(t.scenario, "mapping").Default()) {
		return errors.New("the documentation of mapping does not name its default")
	}
	return nil
}
