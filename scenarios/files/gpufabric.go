package files

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/gpus"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads/experiments"
)

// wireGPUs puts the NICs of the GPUs on the topology and prepares the fabric between them.
func (f *scenarioFile) wireGPUs(w experiments.OnGPUs, tree *keys.Node, problems *keys.Problems) bool {
	m, at := f.Machine, tree.Nearest("fabric.kind")
	kind, err := fabrics.Lookup(f.Fabric)
	if err != nil {
		addAll(problems, at, "fabric", err)
		return false
	}
	node := &m.GPUs.Node
	why := ""
	if c, ok := w.(experiments.Closed); ok {
		why = c.Closed()
	}
	switch {
	case why != "":
		problems.Add(at, "fabric.kind", "must be %s: %s; got %s", fabrics.Kinds()[0].Name, why, f.Fabric)
	case kind.Calibrated:
		problems.Add(at, "fabric.kind", "%s has factors of messages of processes, none of GPUs; use flow", f.Fabric)
	case len(node.NICs) == 0:
		problems.Add(at, "fabric.kind", "%s joins NICs of GPUs, and %s has none; give machine.gpu.nics", f.Fabric, m.Name)
	default:
		before := len(*problems)
		f.layNICs(kind, tree, problems)
		return len(*problems) == before
	}
	return false
}

// layNICs makes the topology whose end points are the NICs of the GPUs, and the fabric on it.
func (f *scenarioFile) layNICs(kind fabrics.Kind, tree *keys.Node, problems *keys.Problems) {
	m := f.Machine
	node := &m.GPUs.Node
	shape, err := m.wiring.shape(max(f.needed(), m.Nodes) * len(node.NICs))
	if err != nil {
		m.wiring.complain(tree, err, problems)
		return
	}
	own, err := ownRails(node.NICs)
	if err != nil {
		problems.Add(m.placeOf("gpu.nics.rails", tree), "machine.gpu.nics.rails", "%s", err)
		return
	}
	if shape.Routers() == 1 {
		own = false // one switch has them all
	}
	places, err := topology.NewRails(shape, len(node.NICs), own)
	switch {
	case err != nil:
		problems.Add(m.placeOfGroup("topology", tree, "machine"), "topology", "%s", err)
		return
	case places.Nodes() < f.needed():
		problems.Add(m.placeOfGroup("topology", tree, "ranks"), "topology", "%v has room for %d of the %d nodes%s", shape, places.Nodes(), f.needed(),
			roomFor(f.needed(), len(node.NICs), own))
		return
	}
	if !affordable(m.placeOfGroup("topology", tree, "machine"), problems, linked(shape, kind)...) {
		return
	}
	nic := nicOf(m.GPUs)
	wiring := m.wiring
	for _, key := range []string{network.LinkInjection, network.LinkEjection} { // the bandwidths of the host's NICs
		wiring = wiring.with(key, new(sim.Rate))
	}
	if _, given := wiring.given.Row(network.LinkWindow); !given { // an operation sends to all at once
		wiring = wiring.with(network.LinkWindow, new(math.MaxInt32))
	}
	if f.Place.Fabric, err = wiring.fabric(kind, &nic, shape); err != nil {
		m.complain(kind, tree, err, problems)
		return
	}
	f.Place.Point, f.shape, f.kind = places.Point, shape, kind
}

// nicOf is what operations reach of a NIC of GPUs.
func nicOf(g *gpus.Machine) network.LogGOPS {
	return network.LogGOPS{Transfer: network.PerByte(1e12 / (g.Node.NICs[0].Bandwidth * g.Fit.Network))}
}

// roomFor says what the NICs of nodes need of a topology, with a fat tree that has it.
func roomFor(nodes, nics int, own bool) string {
	const leaf = 4 // nodes on a switch of the example
	if !own {
		return fmt.Sprintf(": it must have %d end points, one for each NIC", nodes*nics)
	}
	return fmt.Sprintf(": each of the %d NICs of a node is on another switch (machine.gpu.nics.rails), such as machine.topology={kind: "+
		"fat-tree, children: [%d, %d], parents: [%d]}, with %d nodes on each group of %d switches", nics, leaf, (nodes+leaf-1)/leaf*nics, leaf,
		leaf, nics)
}

// ownRails tells whether each NIC of a node is on its own switch, and not all on one.
func ownRails(nics []gpus.NIC) (bool, error) {
	var rails []int
	for _, n := range nics {
		rails = append(rails, n.Rail)
	}
	slices.Sort(rails)
	switch different := len(slices.Compact(rails)); different {
	case 1:
		return false, nil
	case len(nics):
		return true, nil
	default:
		return false, fmt.Errorf("must be all different (each NIC of a node on a separate switch) or all equal (one switch) where links are "+
			"shared; the %d NICs have %d rails", len(nics), different)
	}
}

// Sprayable tells whether messages take one of several ways up a fat tree, on a fabric that can spread them over all.
func (s *Scenario) Sprayable() bool {
	switch t := s.shape.(type) {
	case *topology.FatTree:
		return t.Links() > 0 && s.kind.Name == flowKind
	case *topology.ECMP:
		return t.Links() > 0 && s.kind.Name == flowKind
	}
	return false
}

// flowKind is the fabric that spreads messages over several ways.
const flowKind = "flow"

// Untapered is the setting that gives each switch of a fat tree as many parents as children; "": it has them, or is no fat tree.
func (s *Scenario) Untapered() string {
	t, ok := s.shape.(interface{ Shape() topology.Tree })
	if !ok {
		return ""
	}
	tree := t.Shape()
	full, less := make([]string, len(tree.Up)), false
	for i, up := range tree.Up {
		full[i], less = strconv.Itoa(tree.Down[i]), less || up < tree.Down[i]
	}
	switch row, _ := s.Machine.wiring.value("topology.children"); {
	case !less:
		return ""
	case row.Target().Len() == 0:
		return "topology.taper=1"
	}
	return "topology.parents=[" + strings.Join(full, ", ") + "]"
}
