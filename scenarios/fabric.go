package scenarios

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// linksFile holds what a machine file says of the links of its topology.
type linksFile struct {
	given               group
	bandwidth           []float64
	latency             sim.Time
	injection, ejection float64
	window              int
	turn                float64
}

// rows is the key table of links.
func (f *linksFile) rows() table {
	return table{
		{Path: "links", To: &f.given, Doc: "the links of the topology, for fabrics where messages contend"},
		{Path: "links.bandwidth", To: &f.bandwidth, Is: Bandwidth, Range: Positive, Doc: "of a link in one direction, for all or for each dimension, level or kind; left out: as the NIC's"},
		{Path: "links.latency", To: &f.latency, Is: Time, Doc: "what each link adds to network.latency"},
		{Path: "links.injection", To: &f.injection, Is: Bandwidth, Doc: "what a node sends at most; 0: what its NIC's channels do"},
		{Path: "links.ejection", To: &f.ejection, Is: Bandwidth, Doc: "what a node receives at most; 0: as network.bandwidth"},
		{Path: "links.window", To: &f.window, Is: Count, Doc: "backlog: messages under way at once by each first link of a node; 0: one"},
		{Path: "links.turn", To: &f.turn, Is: Number, Range: NotNegative, Doc: "backlog: how much more of a ring a message takes that turns into it, as a fraction; 0: no more than on its first dimension"},
	}
}

// fabrics that a scenario may choose.
var fabrics = []string{"ideal", "flow", "packet", "calibrated", "backlog"}

// mappings that are words; others are orders of a torus's dimensions.
var mappings = []string{"block", "cyclic", "random", "file", "consecutive"}

// wire lays the ranks on the nodes of the topology and prepares the fabric.
func (f *scenarioFile) wire(tree *node, problems *Problems) {
	m := f.Machine
	need := (f.Ranks + f.Processes - 1) / f.Processes
	shape, err := m.shape.shape(max(need, m.Nodes))
	if err != nil {
		addAll(problems, tree.placeOf("topology", "machine"), "topology", err)
		return
	}
	if f.Fabric == "calibrated" {
		f.calibrate(tree, problems)
	}
	if f.Fabric == "flow" || f.Fabric == "packet" || f.Fabric == "backlog" || f.Mapping != "block" {
		if f.Nodes, err = f.lay(shape, tree); err != nil {
			addAll(problems, tree.placeOf("mapping", "ranks"), "mapping", err)
			return
		}
	}
	f.shape = shape
	if f.contend, err = m.contended(f.Fabric, shape); err != nil {
		addAll(problems, tree.placeOf("fabric", "machine"), "fabric", err)
		return
	}
	if f.contend != nil {
		m.checkWay(shape, tree, problems)
	}
	if experiment, ok := f.Workload.(workloads.Experiment); ok {
		f.prepare(experiment, shape, tree, problems)
	}
}

// addAll reports each of joined errors.
func addAll(problems *Problems, at Place, key string, err error) {
	for _, one := range unjoin(err) {
		problems.add(at, key, "%s", one)
	}
}

// lay returns the node of each rank.
func (f *scenarioFile) lay(shape topology.Topology, tree *node) ([]int32, error) {
	switch f.Mapping {
	case "block":
		return topology.Block(shape.Nodes(), f.Processes, f.Ranks)
	case "cyclic":
		return topology.Cyclic(shape.Nodes(), f.Processes, f.Ranks, nodes.Threads(f.Program))
	case "random":
		return topology.Random(shape.Nodes(), f.Processes, f.Ranks, f.Seed)
	case "file", "consecutive":
		return f.layByFile(shape, tree)
	}
	torus, ok := shape.(*topology.Torus)
	if !ok {
		return nil, fmt.Errorf("%s orders the dimensions of a torus, the topology is a %v", f.Mapping, shape)
	}
	return torus.Order(f.Mapping, f.Processes, f.Ranks)
}

// checkMapping complains about what is no mapping on any topology.
func checkMapping(mapping string, at Place, problems *Problems) {
	if !slices.Contains(mappings, mapping) && strings.Trim(mapping, "ABCDEFGHTWXYZ") != "" {
		problems.add(at, "mapping", "must be one of %s, or an order such as XYZT on a torus, got %s", strings.Join(mappings, ", "), quote(mapping))
	}
}

func (f *scenarioFile) layByFile(shape topology.Topology, tree *node) ([]int32, error) {
	if f.mappingFile == "" && f.Mapping == "consecutive" {
		return f.consecutive(shape, func(t *topology.Torus) ([]int32, error) { return t.Serpentine(), nil })
	}
	if f.mappingFile == "" {
		return nil, fmt.Errorf("%s needs mapping_file", f.Mapping)
	}
	path := f.mappingFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(tree.place.File), path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if f.Mapping == "file" {
		return topology.ReadMapping(file, f.mappingFile, shape.Nodes(), f.Processes, f.Ranks)
	}
	return f.consecutive(shape, func(t *topology.Torus) ([]int32, error) {
		return topology.ReadPlaces(file, f.mappingFile, t)
	})
}

// consecutive lays the ranks on nodes of consecutive numbers of a torus.
func (f *scenarioFile) consecutive(shape topology.Topology, number func(*topology.Torus) ([]int32, error)) ([]int32, error) {
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

// contended prepares a fabric on which messages contend; nil: on that of this kind
// they do not.
func (m *Machine) contended(kind string, shape topology.Topology) (fabricMaker, error) {
	switch kind {
	case "flow":
		return m.flow(shape)
	case "packet":
		return m.packet(shape)
	case "backlog":
		return m.backlog(shape)
	}
	return nil, nil
}

// flow prepares a fabric of max-min fair sharing.
func (m *Machine) flow(shape topology.Topology) (fabricMaker, error) {
	nic := nicBandwidth(&m.Network)
	p := flow.Params{
		Capacity: m.links.bandwidth, Injection: m.links.injection, Ejection: m.links.ejection,
		Limit: nic, Latency: m.Network.Latency, HopLatency: m.links.latency,
	}
	if len(p.Capacity) == 0 {
		p.Capacity = []float64{nic}
	}
	if len(p.Capacity) == 1 {
		p.Capacity = slices.Repeat(p.Capacity, len(shape.Classes()))
	}
	if p.Ejection == 0 {
		p.Ejection = nic
	}
	check := func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		fabric, err := flow.New(k, sink, shape, p)
		return flowFabric{fabric, shape, p, m}, err
	}
	_, err := check(sim.NewKernel(), nil)
	return check, err
}

// nicBandwidth is the rate at which a NIC moves a large message.
func nicBandwidth(p *network.LogGOPS) float64 { return 1e12 / p.Transfer.Further() }

type fabricMaker = func(*sim.Kernel, network.Sink) (network.Contended, error)

// flowFabric adds to a flow fabric what it knows of an empty network.
type flowFabric struct {
	*flow.Fabric
	shape topology.Topology
	p     flow.Params
	m     *Machine
}

// Capacities implements network.Explained. What the machine file leaves out follows
// from its NIC.
func (f flowFabric) Capacities() (all []network.Quantity) {
	nic := network.Quantity{Name: nicGap, Value: f.p.Limit}
	add := func(name string, given []float64) {
		q := network.Quantity{Name: name}
		if len(given) == 0 || given[0] == 0 {
			q = nic
		} else if q.Value = given[0]; slices.Min(given) != slices.Max(given) {
			q.Value = math.NaN()
		}
		all = append(all, q)
	}
	for range f.shape.Classes() {
		add(linkBandwidth, f.m.links.bandwidth)
	}
	add(linkInjection, []float64{f.m.links.injection})
	add(linkEjection, []float64{f.m.links.ejection})
	return append(all, nic)
}

// LinkLatency implements network.Explained.
func (f flowFabric) LinkLatency() network.Quantity {
	return network.Quantity{Name: linkLatency, Value: f.p.HopLatency.Seconds()}
}

// Parameters of fabrics, by their keys in machine files.
const (
	nicGap        = "network.gap_per_byte"
	linkBandwidth = "links.bandwidth"
	linkLatency   = "links.latency"
	linkInjection = "links.injection"
	linkEjection  = "links.ejection"
)

// scaled returns links with a parameter so many times as large; ok: it is one of
// theirs.
func (f linksFile) scaled(parameter string, factor float64) (scaled linksFile, ok bool) {
	f.bandwidth = slices.Clone(f.bandwidth)
	switch parameter {
	case linkBandwidth:
		for i := range f.bandwidth {
			f.bandwidth[i] *= factor
		}
	case linkLatency:
		f.latency = sim.Time(math.Round(float64(f.latency) * factor))
	case linkInjection:
		f.injection *= factor
	case linkEjection:
		f.ejection *= factor
	default:
		return f, false
	}
	return f, true
}

// Latency implements network.Fabric.
func (f flowFabric) Latency(from, to int32) sim.Time {
	return f.p.Latency + sim.Time(f.shape.Hops(int(from), int(to)))*f.p.HopLatency
}
