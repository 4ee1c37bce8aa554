package validation

import (
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// Rows do not count if all conditions of one entry of unless hold; a text becomes a list.
func TestUnless(t *testing.T) {
	const text = `
title: t
about: a
scenario: {machine: jacquard, workload: halo, ranks: 8}
where: {kind: [a, b]}
unless:
  - {kind: [a], bytes: {below: nodes, times: 4}}
  - {note: [broken]}
paths: {topology.dims: {column: grid, values: {4x4: 4x2x2}, others: itself, split: x}}
measured: {column: us, unit: us}
predicted: {path: makespan_s}
baseline: constant
`
	set := must.Get(read("t", "t.yaml", []byte(text)))(t)
	var problems keys.Problems
	table := set.prepare("t.csv", []byte("kind,bytes,nodes,note,grid,us\na,31,8,,2x2x2,1\na,32,8,,2x2x2,2\nb,31,8,,4x4,3\n"+
		"b,64,8,broken,2x2x2,4\nc,64,8,,2x2x2,5\n"), &problems)
	must.Do(t, problems.Err())
	var left []string
	for i := range table.rows {
		list, ok := set.bindings[0].text(table, &table.rows[i], &problems)
		left = append(left, table.text(&table.rows[i], "us")+list)
		if !ok {
			t.Error(problems.Err())
		}
	}
	if len(left) != 2 || left[0] != "2[2, 2, 2]" || left[1] != "3[4, 2, 2]" {
		t.Errorf("rows %q count", left)
	}
}

// Texts without their own value are mistakes, unless others says what they stand for.
func TestOthers(t *testing.T) {
	for others, want := range map[string]string{"": "", ", others: itself": "z", ", others: c": "c"} {
		set := must.Get(read("t", "t.yaml", []byte("title: t\nabout: a\nscenario: {machine: jacquard, workload: halo, ranks: 8}\n"+
			"paths: {runtime: {column: library, values: {a: b}"+others+"}}\nmeasured: {column: us, unit: us}\n"+
			"predicted: {path: makespan_s}\nbaseline: constant\n")))(t)
		var problems keys.Problems
		table := set.prepare("t.csv", []byte("library,us\na,1\nz,2\n"), &problems)
		for i, want := range []string{"b", want} {
			got, ok := set.bindings[0].text(table, &table.rows[i], &problems)
			if got != want || ok != (want != "") {
				t.Errorf("%q, row %d: %q, want %q: %v", others, i+1, got, want, problems.Err())
			}
		}
	}
}
