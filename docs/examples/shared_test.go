package main

import (
	"strings"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

func init() {
	topology.Register(topology.Kind{
		Name: "my-star", Doc: "nodes around a switch", New: func() topology.Keys { return &starKeys{Leaves: []int{4}} },
	})
}

// starKeys has keys that are numbers of another kind for dragonfly-plus: leaves is one number there, cables is above 0.
type starKeys struct {
	Leaves []int    `key:"topology.leaves" unit:"count" in:"positive" doc:"nodes of each switch"`
	Cables sim.Time `key:"topology.cables" unit:"time" doc:"a time"`
}

// Build implements topology.Keys.
func (k *starKeys) Build(int) (topology.Topology, error) {
	nodes := 0
	for _, n := range k.Leaves {
		nodes += n
	}
	return topology.NewCrossbar(nodes)
}

const star = "machine: loggp\nchanges: {topology: {kind: my-star, LEAVES}}\nfabric: {kind: flow}\n" +
	"workload: {name: halo, bytes: 8B}\nranks: 4\nprocesses_per_node: 1\n"

// Two kinds may use the same key for different values. Each reads its own, and its mistakes are told in its own words.
func TestSharedKeys(t *testing.T) {
	for leaves, want := range map[string]string{
		"leaves: [2, 2], cables: 3us": "",
		"leaves: [2, 1]":              "do not fit on 3 nodes",
		"cables: 0s":                  "",
		"cables: 3":                   "text.yaml:2:37: topology.cables: must be a time such as 3us, got 3, which has no unit",
		"leaves: 0":                   "topology.leaves[0]: must be positive, got 0",
	} {
		_, err := scenarios.Read("text.yaml", []byte(strings.Replace(star, "LEAVES", leaves, 1)), nil)
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", leaves, err, want)
		}
	}
	plus := strings.Replace(star, "kind: my-star, LEAVES", "kind: dragonfly-plus, groups: 3, leaves: [2], spines: 2, cables: 1, nodes_per_router: 2", 1)
	must.Refuse(scenarios.Read("text.yaml", []byte(plus), nil))(t, "must be a whole number such as 32")
	for _, row := range files.Tables().Machine {
		if row.Path == "topology.leaves" && strings.Contains(row.Doc, "my-star") && row.Kind() != "a whole number, or a list" {
			t.Errorf("%s: %s", row.Doc, row.Kind())
		}
	}
}
