package scenarios

import (
	"overlapsim/nodes"
	"overlapsim/workloads"
)

// Scenario is a run that has been checked and can start.
type Scenario struct {
	Name      string // unique in its study
	Title     string
	Machine   *Machine
	Kind      string // name of the workload
	Workload  workloads.Workload
	Program   nodes.Program
	Ranks     int
	Processes int    // on a node
	Mapping   string // how ranks are placed on nodes
	Fabric    string
	Seed      uint64
	Text      string // the file, and the settings on top of it
}

// Mappings and fabrics that a scenario may choose.
var (
	Mappings = []string{"block"}
	Fabrics  = []string{"ideal"}
)

// scenarioFile holds what a scenario file may say.
type scenarioFile struct {
	Scenario
	fabric                             group
	machine, changes, workload, listed *node
}

func newScenarioFile() *scenarioFile {
	return &scenarioFile{Scenario: Scenario{Mapping: Mappings[0], Fabric: Fabrics[0], Seed: 1}}
}

// rows is the key table of scenario files.
func (f *scenarioFile) rows() table {
	return table{
		{Path: "title", To: &f.Title, Doc: "what it is, in a line"},
		{Path: "machine", To: &f.machine, Form: "name, file or keys", Needs: Required, Doc: "a machine: a library name, a file beside this one, or its keys"},
		{Path: "changes", To: &f.changes, Form: "paths and values", Doc: "changes to the machine, as path: value"},
		{Path: "workload", To: &f.workload, Form: "name and keys", Needs: Required, Doc: "name of the workload, and its parameters"},
		{Path: "ranks", To: &f.Ranks, Is: Count, Needs: Required, Range: Positive, Doc: "processes of the run"},
		{Path: "processes_per_node", To: &f.Processes, Is: Count, Range: Positive, Doc: "processes on a node; left out: what the machine says"},
		{Path: "mapping", To: &f.Mapping, Choices: Mappings, Doc: "how ranks are placed: block fills one node after the other"},
		{Path: "fabric", To: &f.fabric, Doc: "the network between the NICs"},
		{Path: "fabric.kind", To: &f.Fabric, Choices: Fabrics, Doc: "ideal: no contention, LogGP between end points"},
		{Path: "seed", To: &f.Seed, Is: Count, Doc: "of the random streams; the same seed gives the same run"},
		{Path: "runs", To: &f.listed, Form: "a list", Doc: "variants to run, each {name: ..., path: value, ...} on top of the rest"},
	}
}

// decodeScenario makes a run of a tree and the settings on top of it. Those
// for the machine wait until the machine has been loaded and changed.
func decodeScenario(tree *node, settings []setting, problems *Problems) *Scenario {
	lay := overlay{problems: problems}
	var machine []setting
	for _, s := range settings {
		if inside, ok := s.reaches("machine"); ok {
			machine = append(machine, inside)
		} else {
			lay.apply(tree, s)
		}
	}
	before := len(*problems)
	if inner := tree.drop("runs"); inner != nil {
		problems.add(inner.place, "runs", "can only be given at the top of a scenario file")
	}
	f := newScenarioFile()
	d := decoder{table: f.rows(), problems: problems}
	d.decode(tree, "")
	if f.changes != nil {
		machine = append(listChanges(f.changes, problems), machine...)
	}
	if f.machine != nil {
		f.Machine = loadMachine(f.machine, machine, problems)
	}
	if f.workload != nil {
		f.Workload, f.Kind = decodeWorkload(f.workload, problems)
	}
	if f.Machine != nil {
		f.place(tree, problems)
		f.build(tree, problems)
	}
	if len(*problems) > before {
		return nil
	}
	return &f.Scenario
}

// listChanges returns the settings of the key changes.
func listChanges(n *node, problems *Problems) []setting {
	if n.shape != mapping {
		if n.shape != broken {
			problems.add(n.place, "changes", "must be a mapping such as {network.latency: 3us}, got %s", n.shape)
		}
		return nil
	}
	var all []setting
	for i, path := range n.names {
		change := setting{path, n.values[i]}
		if inside, ok := change.reaches("machine"); ok {
			problems.add(change.value.place, join("changes", path), "begins inside the machine: write %s", inside.path)
		} else {
			all = append(all, change)
		}
	}
	return all
}

// loadMachine returns the machine that a node names or is, changed.
func loadMachine(n *node, changes []setting, problems *Problems) *Machine {
	tree, name := resolveMachine(n, "machine", problems)
	if tree == nil {
		return nil
	}
	lay := overlay{alternatives: new(machineFile).rows().alternatives(), problems: problems}
	before := len(*problems)
	for _, c := range changes {
		lay.apply(tree, c)
	}
	prefix := ""
	if n.shape == mapping {
		prefix = "machine"
	}
	m := decodeMachine(tree, name, prefix, problems)
	if m == nil || len(*problems) > before {
		return nil
	}
	for _, c := range changes {
		m.Changes = append(m.Changes, c.path+"="+c.value.String())
	}
	return m
}

// place works out how the ranks lie on the nodes.
func (f *scenarioFile) place(tree *node, problems *Problems) {
	m := f.Machine
	if f.Processes == 0 {
		f.Processes = m.Processes
	}
	if f.Processes > m.Cores {
		problems.add(tree.placeOf("processes_per_node"), "processes_per_node", "must be at most the %d cores of a node of %s, got %d", m.Cores, m.Name, f.Processes)
		return
	}
	need := (f.Ranks + f.Processes - 1) / f.Processes
	if m.Nodes > 0 && need > m.Nodes {
		problems.add(tree.placeOf("ranks"), "ranks", "%d at %d per node need %d nodes, %s has %d", f.Ranks, f.Processes, need, m.Name, m.Nodes)
	}
}

// build makes the program, as far as it is known what it should be.
func (f *scenarioFile) build(tree *node, problems *Problems) {
	before := len(*problems)
	checkMemory(f.Ranks, availableMemory(), tree.placeOf("ranks"), problems)
	if f.Workload == nil || f.Ranks < 1 || len(*problems) > before {
		return
	}
	var err error
	if f.Program, err = f.Workload.Program(f.Machine.Machine, f.Ranks); err != nil {
		placeErrors(err, f.workload, problems)
	}
}
