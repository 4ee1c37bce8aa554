package files

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/inputs"
)

// mapping is a way to place ranks on nodes.
type mapping struct {
	name, doc string
	lay       func(f *scenarioFile, shape topology.Topology, tree *keys.Node) ([]int32, error)
	// random tells that the seed decides.
	random bool
}

// Mappings are the ways to place ranks on nodes, each with what it does.
func Mappings() (rows [][]string) {
	for _, m := range mappings {
		rows = append(rows, []string{m.name, m.doc})
	}
	return append(rows, otherMappings...)
}

// otherMappings are examples of those without a name.
var otherMappings = [][]string{
	{"8x8/4x2", "a grid of ranks and its cells, cell after cell; the first dimension varies fastest"},
	{"XYZT", "an order of the dimensions of a torus, T for the processes of a router; the first letter varies fastest"},
}

// mappingDoc describes the key.
func mappingDoc() string {
	var all []string
	for _, row := range Mappings() {
		all = append(all, row[0]+" ("+row[1]+")")
	}
	return "how ranks are placed: " + strings.Join(all, ", ")
}

// mappings are the mappings with a name; others are cells of a grid, or orders of the dimensions of a torus.
var mappings = []mapping{
	{name: inBlocks, doc: "one node after the other", lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
		return topology.Block(f.places.Nodes(), f.Processes, f.Ranks)
	}},
	{name: "cyclic", doc: "one for each node that block fills, then the next; threads of a process stay together", lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
		return topology.Cyclic(f.needed(), f.Processes, f.Ranks, programs.Threads(f.Program))
	}},
	{name: "cyclic-all", doc: "as cyclic, over all nodes of the machine", lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
		return topology.Cyclic(f.places.Nodes(), f.Processes, f.Ranks, programs.Threads(f.Program))
	}},
	{name: "spread", doc: "as block, on nodes evenly over all", lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
		return topology.Spread(f.places.Nodes(), f.Processes, f.Ranks)
	}},
	{name: "random", doc: "each anywhere on the nodes that block fills, by seed", random: true, lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
		return topology.Random(f.needed(), f.Processes, f.Ranks, f.Seed)
	}},
	{name: "random-all", doc: "each anywhere on the machine, by seed", random: true, lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
		return topology.Random(f.places.Nodes(), f.Processes, f.Ranks, f.Seed)
	}},
	{name: "file", doc: "as mapping_file says", lay: (*scenarioFile).layByFile},
	{name: "consecutive", doc: "on nodes of a torus in the order of their numbers, from mapping_first on", lay: (*scenarioFile).layByPlaces},
}

// inBlocks is the mapping that is taken unless another one is given.
const inBlocks = "block"

// mappingOf returns the mapping of that name. A name that no mapping has is a grid with cells, or an order of dimensions.
func mappingOf(name string) mapping {
	for _, m := range mappings {
		if m.name == name {
			return m
		}
	}
	if strings.Contains(name, "/") {
		return mapping{name: name, lay: func(f *scenarioFile, _ topology.Topology, _ *keys.Node) ([]int32, error) {
			return topology.Cells(name, f.places.Nodes(), f.Processes, f.Ranks)
		}}
	}
	return mapping{name: name, lay: (*scenarioFile).layInOrder}
}

func mappingNames() (all []string) {
	for _, m := range mappings {
		all = append(all, m.name)
	}
	return all
}

// behindBuckets is the fabric of a machine with a token bucket, unless another one is named.
const behindBuckets = "backlog"

// limit sees to it that a machine with a token bucket does not run without it.
func (f *scenarioFile) limit(tree *keys.Node, problems *keys.Problems) {
	if !f.Machine.Limited() {
		return
	}
	group := tree.At("fabric")
	if group == nil || group.At("kind") == nil {
		f.Fabric = behindBuckets
		return
	}
	if kind, err := fabrics.Lookup(f.Fabric); err == nil && !limited(kind) {
		var others []string
		for _, k := range fabrics.Kinds() {
			if limited(k) {
				others = append(others, k.Name)
			}
		}
		problems.Add(group.At("kind").Place, "fabric.kind",
			"%s has no token bucket, and machine %s has one; use %s, or take it away: machine.bucket.rate=0B/s", f.Fabric, f.Machine.Name, strings.Join(others, " or "))
	}
}

// Limited tells whether the machine has token buckets.
func (m *Machine) Limited() bool {
	rate, ok := m.wiring.value("bucket.rate")
	return ok && !rate.Target().IsZero()
}

// Behind is the inner fabric of a machine with token buckets, for some nodes; nil: it has no buckets, and messages do not contend.
func (m *Machine) Behind(nodes int) (network.Maker, error) {
	if !m.Limited() {
		return nil, nil
	}
	kind, err := fabrics.Lookup(behindBuckets)
	if err != nil {
		return nil, err
	}
	shape, err := m.wiring.shape(max(nodes, m.Nodes) * m.Rails())
	if err != nil {
		return nil, err
	}
	return m.wiring.fabric(kind, &m.Network, shape)
}

// limited tells whether a machine may have token buckets before a fabric.
func limited(k fabrics.Kind) bool {
	return slices.ContainsFunc(keys.Tagged(k.New()), func(row keys.Row) bool { return row.Path == "bucket.rate" })
}

// wire places the ranks on the nodes of the topology and prepares the fabric.
func (f *scenarioFile) wire(tree *keys.Node, problems *keys.Problems) {
	if f.Place.Fabric != nil { // the NICs of GPUs are on it
		return
	}
	m := f.Machine
	shape, err := m.wiring.shape(max(f.needed(), m.Nodes) * m.Rails())
	if err != nil {
		m.wiring.complain(tree, err, problems)
		return
	}
	kind, err := fabrics.Lookup(f.Fabric)
	if err != nil {
		addAll(problems, tree.PlaceOf("fabric"), "fabric", err)
		return
	}
	if !affordable(m.placeOfGroup("topology", tree, "machine"), problems, linked(shape, kind)...) {
		return
	}
	if kind.Calibrated {
		f.calibrate(tree, problems)
	}
	if f.places, err = m.places(shape); err != nil {
		problems.Add(m.placeOf("nics", tree), "machine", "%s", err)
		return
	}
	if room := f.places.Nodes(); (kind.Places || f.Mapping != inBlocks) && f.Ranks > room*f.Processes {
		ends := ""
		if n := m.Rails(); n > 1 {
			ends = fmt.Sprintf(": %v has %d end points, and each node takes %d (nics.number)", shape, shape.Nodes(), n)
		}
		problems.Add(f.placeOfRanks(tree), "ranks", "%d do not fit on %s with %s%s", f.Ranks, keys.Plural(room, "node"), eachHas(f.Processes), ends)
		return
	}
	if kind.Places || f.Mapping != inBlocks {
		if f.Nodes, err = mappingOf(f.Mapping).lay(f, shape, tree); err != nil {
			addAll(problems, tree.PlaceOf("mapping", "ranks"), "mapping", err)
			return
		}
		if f.Program != nil {
			f.Nodes = f.Nodes[:f.Program.Ranks()] // fewer if some stand for all
		}
	}
	f.shape, f.kind = shape, kind
	if f.Contention, err = m.wiring.fabric(kind, &m.Network, shape); err != nil {
		m.complain(kind, tree, err, problems)
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

// placeOfGroup is where the user gave a group of the scenario that is one of the machine too, or else another key of the scenario: a flag,
// which may be for the machine, if there is one.
func (m *Machine) placeOfGroup(group string, tree *keys.Node, or string) keys.Place {
	at := tree.PlaceOf(group, or)
	if own := m.placeOf(group, tree); at.Flag == "" && own.Flag != "" {
		return own
	}
	return at
}

// complain reports why a fabric of a kind cannot be made for the machine, at the key that is wrong, if the error names one.
func (m *Machine) complain(kind fabrics.Kind, tree *keys.Node, err error, problems *keys.Problems) {
	rows := keys.Tagged(kind.New())
	for _, one := range keys.Unjoin(err) {
		message, ofRouters := strings.CutPrefix(one.Error(), "packet: ")
		name, why, _ := strings.Cut(message, ": ")
		group := "links"
		if ofRouters {
			group = "fabric"
		}
		if row, ok := rows.Row(keys.Join(group, strings.ToLower(strings.ReplaceAll(name, " ", "_")))); ok {
			problems.Add(m.placeOf(row.Path, tree), row.Path, "%s", why)
		} else {
			at := m.placeOfGroup("fabric", tree, "machine")
			if chosen := tree.Inside("fabric.kind"); chosen != nil && chosen.Place.Flag != "" {
				at = chosen.Place // the flag that was last
			}
			problems.Add(at, "fabric", "%s", one)
		}
	}
}

// eachHas says how many processes each node has.
func eachHas(processes int) string {
	if processes == 1 {
		return "one process each"
	}
	return fmt.Sprintf("%d processes each", processes)
}

// checkAlike reports what makes pairs of nodes differ, if a few ranks stand for all.
func (f *scenarioFile) checkAlike(tree *keys.Node, problems *keys.Problems) {
	if _, ok := f.alike(); !ok {
		return
	}
	_, single := f.shape.(*topology.Crossbar)
	at := tree.PlaceOf("workload")
	switch {
	case f.Contention != nil && !single:
		problems.Add(at, "workload.alike", "needs a network whose pairs of nodes are all alike, the topology is a %v; "+
			"to simulate all ranks: --set workload.alike=false", f.shape)
	case f.kind.Calibrated:
		problems.Add(at, "workload.alike", "needs a network whose pairs of nodes are all alike, not factors by distance; to simulate all ranks: --set workload.alike=false")
	case f.Processes != 1:
		problems.Add(at, "workload.alike", "needs one process on each node, processes_per_node=1, got %d", f.Processes)
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

// layInOrder fills the routers of a torus in an order of its dimensions.
func (f *scenarioFile) layInOrder(shape topology.Topology, _ *keys.Node) ([]int32, error) {
	if n := f.Machine.Rails(); n > 1 {
		return nil, fmt.Errorf("%s orders nodes on a torus, whose end points are NICs where a node has %d of them (nics.number)", f.Mapping, n)
	}
	torus, ok := shape.(*topology.Torus)
	if !ok {
		return nil, fmt.Errorf("%s orders the dimensions of a torus, the topology is a %v; mapping=block fits any", f.Mapping, shape)
	}
	return torus.Order(f.Mapping, f.Processes, f.Ranks)
}

// checkMapping reports a problem if the text is not a mapping on any topology.
func checkMapping(mapping string, at keys.Place, problems *keys.Problems) {
	if names := mappingNames(); !slices.Contains(names, mapping) && !strings.Contains(mapping, "/") && strings.Trim(mapping, "ABCDEFGHTWXYZ") != "" {
		problems.Add(at, "mapping", "must be one of %s, a grid of ranks and its cells such as 8x8/4x2, or an order such as XYZT on a torus, got %s",
			strings.Join(names, ", "), keys.Quote(mapping))
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

// mostMapping is the largest size of a mapping file: the file of a million ranks has a fifth of it.
const mostMapping = 64 << 20

// layByFile places the ranks as a file says.
func (f *scenarioFile) layByFile(_ topology.Topology, tree *keys.Node) ([]int32, error) {
	file, err := f.readMappingFile(tree)
	if err != nil {
		return nil, err
	}
	return topology.ReadMapping(file, f.mappingFile, f.places.Nodes(), f.Processes, f.Ranks)
}

// layByPlaces places the ranks on nodes with consecutive numbers, which a file gives, or else the order back and forth through the torus.
func (f *scenarioFile) layByPlaces(shape topology.Topology, tree *keys.Node) ([]int32, error) {
	if f.mappingFile == "" {
		return f.consecutive(shape, func(t *topology.Torus) ([]int32, error) { return t.Serpentine(), nil })
	}
	file, err := f.readMappingFile(tree)
	if err != nil {
		return nil, err
	}
	return f.consecutive(shape, func(t *topology.Torus) ([]int32, error) {
		return topology.ReadPlaces(file, f.mappingFile, t)
	})
}

func (f *scenarioFile) readMappingFile(tree *keys.Node) (io.Reader, error) {
	if f.mappingFile == "" {
		return nil, fmt.Errorf("%s needs mapping_file", f.Mapping)
	}
	text, err := disk.Read(beside(tree.Place.File, f.mappingFile), mostMapping)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.mappingFile, err)
	}
	return bytes.NewReader(text), nil
}

// consecutive places the ranks on nodes with consecutive numbers of a torus.
func (f *scenarioFile) consecutive(shape topology.Topology, number func(*topology.Torus) ([]int32, error)) ([]int32, error) {
	if n := f.Machine.Rails(); n > 1 {
		return nil, fmt.Errorf("consecutive places nodes on a torus, whose end points are NICs where a node has %d of them (nics.number)", n)
	}
	torus, ok := shape.(*topology.Torus)
	if !ok {
		return nil, fmt.Errorf("consecutive places nodes on a torus, the topology is a %v; mapping=block fits any", shape)
	}
	places, err := number(torus)
	if err != nil {
		return nil, err
	}
	return topology.Consecutive(places, f.mappingFirst, f.Processes, f.Ranks)
}
