package files

import (
	"slices"
	"strings"
	"sync"

	"overlapsim/network/fabrics"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads/experiments"
)

// routerRows are the keys of a machine's routers; a scenario also has them under fabric.
var routerRows = sync.OnceValue(func() keys.Table {
	w := unwired()
	return w.values.Under("fabric")
})

// overrides are the rows of a scenario's fabric that are passed on to the machine.
func (f *scenarioFile) overrides() keys.Table {
	rows := slices.Clone(routerRows())
	f.routers = make([]*keys.Node, len(rows))
	for i := range rows {
		readers, _, _ := strings.Cut(rows[i].Doc, ": ")
		rows[i] = keys.Row{Path: rows[i].Path, To: &f.routers[i], Form: rows[i].Kind(), Doc: readers + ": as the machine's"}
	}
	return rows
}

// routerless reports settings that do not suffice for routers, if neither the machine has some nor the scenario's network model reads them.
func (f *scenarioFile) routerless(machine []machineSetting, problems *keys.Problems) bool {
	var routers, others []machineSetting
	for _, s := range machine {
		if strings.HasPrefix(s.key, "fabric.") {
			routers = append(routers, s)
		} else {
			others = append(others, s)
		}
	}
	if len(routers) == 0 || f.Fabric == "packet" || f.Fabric == "backlog" {
		return false
	}
	alone := loadMachine(f.machine, others, new(keys.Problems))
	if alone == nil {
		return false
	}
	if _, err := alone.packetParams(); err == nil {
		return false
	}
	for _, r := range routers {
		more := ""
		if r.Path == "fabric.routing" {
			more = "; where links are shared, the topology chooses routes: topology.routing"
		}
		problems.Add(r.Value.Place, r.Path, "is of routers, for fabric.kind packet or backlog; it is %s, and %s has no routers%s", f.Fabric, alone.Title, more)
	}
	return true
}

// packetParams returns the parameters of the machine's routers.
func (m *Machine) packetParams() (packet.Params, error) {
	var own fabrics.PacketKeys
	m.wiring.fill(&own)
	return own.Params(&m.Network)
}

// grid returns the parameters of the machine's torus.
func (m *Machine) grid() topology.Grid {
	var own topology.TorusKeys
	m.wiring.fill(&own)
	return own.Grid()
}

// prepare checks an experiment.
func (f *scenarioFile) prepare(experiment experiments.Experiment, shape topology.Topology, tree *keys.Node, problems *keys.Problems) {
	before := len(*problems)
	if f.Fabric != "packet" {
		problems.Add(tree.Nearest("fabric.kind"), "fabric.kind", "must be packet: %s is an experiment on that fabric; got %s", f.Kind, f.Fabric)
	}
	if f.Mapping != inBlocks {
		problems.Add(tree.PlaceOf("mapping"), "mapping", "must be %s for an experiment that has a process on every node, got %s", inBlocks,
			keys.Quote(f.Mapping))
	}
	if torus := topology.Tori.Name; f.Machine.wiring.kind != torus {
		problems.Add(f.Machine.placeOf(topologyKind, tree), topologyKind, "must be %s for an experiment, got %s", torus, f.Machine.wiring.kind)
		return
	}
	if f.Processes != 1 {
		problems.Add(tree.PlaceOf("processes_per_node"), "processes_per_node", "must be 1 for an experiment, got %d", f.Processes)
	} else if f.Ranks != shape.Nodes() {
		problems.AddKind(keys.Settled, tree.PlaceOf("ranks"), "ranks",
			"must be the %d nodes of the %v for an experiment, got %d; it may be omitted",
			shape.Nodes(), shape, f.Ranks)
	}
	if len(*problems) > before {
		return
	}
	p, err := f.Machine.packetParams()
	if err != nil {
		addAll(problems, f.Machine.placeOfGroup("fabric", tree, "machine"), "fabric", err)
		return
	}
	f.Experiment = experiments.Network{Grid: f.Machine.grid(), Packet: p, Seed: f.Seed}
	if err := experiment.Check(f.Machine.Machine, f.Experiment); err != nil {
		placeErrors(err, f.workload, problems)
	}
}
