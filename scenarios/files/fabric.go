package files

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/inputs"
)

// mappings are the mappings with a name; others are orders of the dimensions of a torus.
var mappings = []string{"block", "cyclic", "spread", "random", "file", "consecutive"}

// wire places the ranks on the nodes of the topology and prepares the fabric.
func (f *scenarioFile) wire(tree *keys.Node, problems *keys.Problems) {
	m := f.Machine
	need := (f.Ranks + f.Processes - 1) / f.Processes
	shape, err := m.wiring.shape(max(need, m.Nodes) * m.Rails())
	if err != nil {
		addAll(problems, tree.PlaceOf("topology", "machine"), "topology", err)
		return
	}
	kind, err := fabrics.Lookup(f.Fabric)
	if err != nil {
		addAll(problems, tree.PlaceOf("fabric"), "fabric", err)
		return
	}
	if !affordable(tree.PlaceOf("topology", "machine"), problems, forecast.Links(shape.Links(), kind.PerLink)) {
		return
	}
	if kind.Calibrated {
		f.calibrate(tree, problems)
	}
	if f.places, err = m.places(shape); err != nil {
		problems.Add(tree.PlaceOf("machine"), "machine", "%s", err)
		return
	}
	if kind.Places || f.Mapping != mappings[0] {
		if f.Nodes, err = f.lay(shape, tree); err != nil {
			addAll(problems, tree.PlaceOf("mapping", "ranks"), "mapping", err)
			return
		}
		if f.Program != nil {
			f.Nodes = f.Nodes[:f.Program.Ranks()] // fewer if some stand for all
		}
	}
	f.shape, f.kind = shape, kind
	if f.Contention, err = m.wiring.fabric(kind, &m.Network, shape); err != nil {
		addAll(problems, tree.PlaceOf("fabric", "machine"), "fabric", err)
		return
	}
	if f.Contention != nil {
		m.checkWay(kind, shape, tree, problems)
	}
	f.checkAlike(tree, problems)
	if experiment, ok := f.Workload.(experiments.Experiment); ok {
		f.prepare(experiment, shape, tree, problems)
	}
}

// checkAlike reports what makes pairs of nodes differ, if a few ranks stand for all.
func (f *scenarioFile) checkAlike(tree *keys.Node, problems *keys.Problems) {
	w, ok := f.Workload.(workloads.Condensable)
	if !ok || !w.Condensed() {
		return
	}
	_, single := f.shape.(*topology.Crossbar)
	at := tree.PlaceOf("workload")
	switch {
	case f.Contention != nil && !single:
		problems.Add(at, "workload.alike", "needs a network whose pairs of nodes are all alike, the topology is a %v", f.shape)
	case f.kind.Calibrated:
		problems.Add(at, "workload.alike", "needs a network whose pairs of nodes are all alike, not factors by distance")
	case f.Processes != 1:
		problems.Add(at, "workload.alike", "needs one process on each node, got %d", f.Processes)
	case f.Machine.Noise.Takes():
		problems.Add(at, "workload.alike", "needs ranks that all take the same time; %s has noise", f.Machine.Name)
	}
}

// addAll reports each of joined errors.
func addAll(problems *keys.Problems, at keys.Place, key string, err error) {
	for _, one := range keys.Unjoin(err) {
		problems.Add(at, key, "%s", one)
	}
}

// lay returns the node of each rank.
func (f *scenarioFile) lay(shape topology.Topology, tree *keys.Node) ([]int32, error) {
	switch f.Mapping {
	case "block":
		return topology.Block(f.places.Nodes(), f.Processes, f.Ranks)
	case "cyclic":
		return topology.Cyclic(f.places.Nodes(), f.Processes, f.Ranks, programs.Threads(f.Program))
	case "spread":
		return topology.Spread(f.places.Nodes(), f.Processes, f.Ranks)
	case "random":
		return topology.Random(f.places.Nodes(), f.Processes, f.Ranks, f.Seed)
	case "file", "consecutive":
		return f.layByFile(shape, tree)
	}
	if n := f.Machine.Rails(); n > 1 {
		return nil, fmt.Errorf("%s orders nodes on a torus, whose end points are NICs where a node has %d of them (nics.number)", f.Mapping, n)
	}
	torus, ok := shape.(*topology.Torus)
	if !ok {
		return nil, fmt.Errorf("%s orders the dimensions of a torus, the topology is a %v", f.Mapping, shape)
	}
	return torus.Order(f.Mapping, f.Processes, f.Ranks)
}

// checkMapping reports a problem if the text is not a mapping on any topology.
func checkMapping(mapping string, at keys.Place, problems *keys.Problems) {
	if !slices.Contains(mappings, mapping) && strings.Trim(mapping, "ABCDEFGHTWXYZ") != "" {
		problems.Add(at, "mapping", "must be one of %s, or an order such as XYZT on a torus, got %s",
			strings.Join(mappings, ", "), keys.Quote(mapping))
	}
}

// checkMappingFile reports a problem if the file cannot be read, whether it is needed or
// not.
func (f *scenarioFile) checkMappingFile(tree *keys.Node, problems *keys.Problems) {
	if f.mappingFile == "" {
		return
	}
	file, err := inputs.Open(beside(tree.Place.File, f.mappingFile))
	if err != nil {
		problems.Add(tree.PlaceOf("mapping_file"), "mapping_file", "%s cannot be read: %s", f.mappingFile, keys.ReasonOf(err))
		return
	}
	file.Close()
}

// mostMapping is the largest size of a mapping file: that of a million ranks has a fifth of it.
const mostMapping = 64 << 20

func (f *scenarioFile) layByFile(shape topology.Topology, tree *keys.Node) ([]int32, error) {
	if f.mappingFile == "" && f.Mapping == "consecutive" {
		return f.consecutive(shape, func(t *topology.Torus) ([]int32, error) { return t.Serpentine(), nil })
	}
	if f.mappingFile == "" {
		return nil, fmt.Errorf("%s needs mapping_file", f.Mapping)
	}
	text, err := disk.Read(beside(tree.Place.File, f.mappingFile), mostMapping)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.mappingFile, err)
	}
	file := bytes.NewReader(text)
	if f.Mapping == "file" {
		return topology.ReadMapping(file, f.mappingFile, f.places.Nodes(), f.Processes, f.Ranks)
	}
	return f.consecutive(shape, func(t *topology.Torus) ([]int32, error) {
		return topology.ReadPlaces(file, f.mappingFile, t)
	})
}

// consecutive places the ranks on nodes with consecutive numbers of a torus.
func (f *scenarioFile) consecutive(shape topology.Topology, number func(*topology.Torus) ([]int32, error)) ([]int32, error) {
	if n := f.Machine.Rails(); n > 1 {
		return nil, fmt.Errorf("consecutive places nodes on a torus, whose end points are NICs where a node has %d of them (nics.number)", n)
	}
	torus, ok := shape.(*topology.Torus)
	if !ok {
		return nil, fmt.Errorf("consecutive places nodes on a torus, the topology is a %v", shape)
	}
	places, err := number(torus)
	if err != nil {
		return nil, err
	}
	return topology.Consecutive(places, f.mappingFirst, f.Processes, f.Ranks)
}
