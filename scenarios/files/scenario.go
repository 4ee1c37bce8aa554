package files

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/transforms"
)

// Scenario is what a scenario file says of a run, checked: all that the run needs.
type Scenario struct {
	Name       string // unique in its study
	Title      string
	Machine    *Machine
	Kind       string // name of the workload
	Workload   workloads.Workload
	Program    programs.Program
	Best       programs.Program // of those that the workload leaves open, as it is written; nil: none was looked for yet
	Ranks      int
	Processes  int     // on a node
	Mapping    string  // how ranks are placed on nodes
	Nodes      []int32 // of each rank; nil: block-wise
	Fabric     string
	Seed       uint64
	Background int         // threads that compute alongside each process, without end
	Text       string      // the file, and the settings on top of it
	Source     Source      // from which it can be read again
	Without    without.Set // the causes that are taken away
	Assumed    []string    // what the machine does not say and the run takes for true, and what of a recorded program runs

	Contention  network.Maker           // the fabric; nil: messages do not contend
	Experiment  experiments.Network     // of an experiment, which has no program
	Place       experiments.Place       // of a workload on GPUs, which has no program
	Calibration *calibrated.Calibration // nil: not calibrated

	tree   *keys.Node // the file, with the settings in it
	moves  transforms.Changes
	edit   func(programs.Program) programs.Program // takes causes away; nil: none is
	whole  *Scenario                               // with all causes; nil: this one
	off    without.Fabric                          // from the network
	shape  topology.Topology
	places topology.Rails // of the NICs on it
	kind   fabrics.Kind
	load   *experiments.Load // on the streams of GPUs; nil: of another workload
	given  []given           // keys that it gives itself, also for its machine
	filled bool              // it fills every place that the topology has

	foreseen *forecast.Foreseen // of its program
}

// scenarioFile holds the content of a scenario file.
type scenarioFile struct {
	Scenario
	fabric                                       keys.Group
	moveKeys                                     moves
	absent                                       absent
	machine, changes, topology, workload, listed *keys.Node
	routers                                      []*keys.Node // the fabric's keys that are passed on to the machine
	calibrated                                   *keys.Node
	mappingFile                                  string
	mappingFirst                                 int
}

func newScenarioFile() *scenarioFile {
	return &scenarioFile{Scenario: Scenario{Mapping: inBlocks, Fabric: fabrics.Kinds()[0].Name, Seed: 1, foreseen: new(forecast.Foreseen)}, moveKeys: newMoves()}
}

// rows is the key table of scenario files.
func (f *scenarioFile) rows() keys.Table {
	rows := keys.Table{
		{Path: "title", To: &f.Title, Doc: "what it is, in a line"},
		{Path: "machine", To: &f.machine, Form: "name, file or keys", Needs: keys.Required,
			Doc: "a machine: a built-in name, a file next to this one, or its keys"},
		{Path: "changes", To: &f.changes, Form: "paths and values", Doc: "changes to the machine, as path: value"},
		{Path: "workload", To: &f.workload, Form: "name and keys", Needs: keys.Required, Doc: "name of the workload, and its parameters"},
		{Path: "ranks", To: &f.Ranks, Is: keys.Count, Range: keys.Positive,
			Doc: "processes of the run; if omitted: as many as the schedule of a goal workload has, or as the topology has room for, if it is no " +
				"crossbar"},
		{Path: "processes_per_node", To: &f.Processes, Is: keys.Count, Range: keys.Positive,
			Doc: "processes on a node; if omitted: what the machine says", Use: (*ran).processesReason},
		{Path: "topology", To: &f.topology, Form: "keys", Doc: "changes to the machine's topology, by its keys"},
		{Path: "mapping", To: &f.Mapping,
			Doc: mappingDoc(), Use: (*ran).unplaced},
		{Path: "mapping_file", To: &f.mappingFile,
			Doc: "file: lines of a rank and its node; consecutive: a CSV file of a machine's nodes and their places on the torus; if omitted: to " +
				"and fro through the torus, as Hopper's nodes are numbered", Use: mapped("file", "consecutive")},
		{Path: "mapping_first", To: &f.mappingFirst, Is: keys.Count,
			Doc: "consecutive: from this node of the file, or the order, on, counted from 0", Use: mapped("consecutive")},
		{Path: "fabric", To: &f.fabric, Doc: "the network between the NICs"},
		{Path: "fabric.kind", To: &f.Fabric, Choices: fabrics.Names(), Doc: fabrics.Doc()},
		{Path: "fabric.calibration", To: &f.calibrated, Form: "name, file or keys",
			Doc: "calibrated: the factors: a built-in name, a file next to this one, or its keys", Use: uncalibrated},
		{Path: "background_threads", To: &f.Background, Is: keys.Count,
			Doc: "threads that compute alongside each process all the time; the machine's runtime says how they share cores", Use: waitsBlocking},
		{Path: "seed", To: &f.Seed, Is: keys.Count, Doc: "of the random streams; the same seed gives the same run", Use: nothingRandom},
		{Path: "runs", To: &f.listed, Form: "a list", Doc: "variants to run, each {name: ..., path: value, ...} on top of the rest"},
	}
	return slices.Concat(rows, f.moveKeys.rows(), f.absent.rows(), f.overrides())
}

var scenarioForms = forms[scenarioFile]{make: func() *form[scenarioFile] {
	f := newScenarioFile()
	return newForm(f, f.rows())
}}

// taken returns a copy that shares nothing with the file.
func (f *scenarioFile) taken() *scenarioFile {
	taken := new(*f)
	taken.routers = slices.Clone(f.routers)
	return taken
}

// decodeScenario makes a run from a tree and the settings on top of it. The settings for
// the machine are applied after the machine has been loaded and changed.
func decodeScenario(tree *keys.Node, settings []keys.Setting, problems *keys.Problems) *Scenario {
	lay := keys.Overlay{Problems: problems}
	measured := measuredBase(tree, settings, problems)
	var machine []machineSetting
	var dropped []given
	for i, s := range settings {
		if i == 0 || (s.Value.Place.Flag == "") != (settings[i-1].Value.Place.Flag == "") {
			dropped = append(dropped, otherWorkload(tree, settings[i:])...)
		}
		for _, one := range apart(s) {
			if of, ok := ofMachine(one); ok {
				machine = append(machine, of)
			} else {
				lay.Apply(tree, one)
			}
		}
	}
	before := len(*problems)
	if inner := tree.Drop("runs"); inner != nil {
		problems.Add(inner.Place, "runs", "can only be given at the top of a scenario file")
	}
	form := scenarioForms.take()
	d := form.decoder(problems)
	d.Inner = func() keys.Table { return insideOf(tree) }
	d.Decode(tree, "")
	f := form.content.taken()
	f.tree = tree
	scenarioForms.give(form)
	checkMapping(f.Mapping, tree.PlaceOf("mapping"), problems)
	f.checkMappingFile(tree, problems)
	machine = append(f.machineChanges(problems), machine...)
	if f.machine != nil {
		var found keys.Problems
		f.Machine = loadMachine(f.machine, machine, &found)
		if f.Machine != nil || !f.routerless(machine, problems) {
			*problems = append(*problems, found...)
		}
	}
	if f.workload != nil {
		f.Workload, f.Kind = decodeWorkload(f.workload, problems)
		if w, ok := f.Workload.(experiments.Fitted); ok && measured != nil {
			w.FittedAs(measured)
		}
		f.unblock()
		f.takeFile(tree, problems)
	}
	if f.machine == nil && tree.At("ranks") == nil && f.Ranks == 0 {
		noRanks(tree, problems)
	}
	if f.Machine != nil {
		f.place(tree, problems)
		f.build(tree, problems)
	}
	if f.Machine != nil && f.Workload != nil && len(*problems) == before {
		f.limit(tree, problems)
	}
	if f.Machine != nil && f.Workload != nil && len(*problems) == before {
		f.wire(tree, problems)
		if len(*problems) == before {
			f.move(tree, problems) // asks the program, which may know its calibration from now on
		}
		f.given, f.tree = slices.Concat(givenInScenario(form.table, tree), f.Machine.given, dropped, overriddenIn(f.Workload, f.workload)), tree
		if f.machine.Place.Flag != "" {
			f.given = append(f.given, given{key: "machine"})
		}
		if len(*problems) == before {
			f.takeAway(tree, problems)
		}
	}
	if len(*problems) > before {
		return nil
	}
	return &f.Scenario
}

// apart returns a setting of the whole fabric, whose keys are of the scenario and of its machine, as a setting for each key.
func apart(s keys.Setting) (all []keys.Setting) {
	if s.Path != "fabric" || !s.Value.Group() {
		return []keys.Setting{s}
	}
	for i, name := range s.Value.Names {
		all = append(all, keys.Setting{Path: keys.Join(s.Path, name), Value: s.Value.Values[i], Beside: s.Value})
	}
	return all
}

// ofMachine returns a setting that is for the machine. The keys of its topology and of its routers are keys of a scenario too: of both
// spellings the later one holds.
func ofMachine(s keys.Setting) (of machineSetting, ok bool) {
	if inside, ok := s.Reaches("machine"); ok {
		return machineSetting{inside, s.Path}, true
	}
	group, key, _ := strings.Cut(s.Path, ".")
	key, _, _ = strings.Cut(key, ".")
	_, ofRouters := routerRows().Row(keys.Join(group, key))
	return machineSetting{s, s.Path}, ofRouters || group == "topology" && (key != "" || s.Value.Group())
}

// machineChanges returns what the file of a scenario changes of its machine.
func (f *scenarioFile) machineChanges(problems *keys.Problems) (all []machineSetting) {
	if f.changes != nil {
		all = listChanges("changes", "machine", "", "{network.latency: 3us}", f.changes, problems)
	}
	if f.topology != nil {
		all = append(all, listChanges(ofShape, "", ofShape, "{kind: torus, dims: [4, 4]}", spelledOut(ofShape, f.topology), problems)...)
	}
	for i, row := range routerRows() {
		if f.routers[i] != nil {
			all = append(all, machineSetting{keys.Setting{Path: row.Path, Value: f.routers[i]}, row.Path})
		}
	}
	return all
}

// measuredBase is the workload of a scenario as it was measured, fitted to the measurement: by its file, and the settings up to the last one
// that tells of the measurement. What follows changes the machine or the program that was measured. If the file lacks something, such as its
// machine, the first of the settings that follow are part of the base too. nil: nothing was measured, or nothing follows.
// A measurement that the base contradicts is a problem, though it may not contradict what follows.
func measuredBase(tree *keys.Node, settings []keys.Setting, problems *keys.Problems) experiments.OnGPUs {
	tells := func(path string) bool {
		return strings.HasPrefix(path, "workload.measured_") || path == "workload.traced" || path == "workload"
	}
	first := 0
	for i, s := range settings {
		if tells(s.Path) || s.Value.Place.Flag == "" {
			first = i + 1
		}
	}
	workload := tree.At("workload")
	inFile := workload != nil && (workload.At("measured_step") != nil || workload.At("traced") != nil)
	if !inFile && !slices.ContainsFunc(settings[:first], func(s keys.Setting) bool { return tells(s.Path) }) {
		return nil
	}
	for n := first; n < len(settings); n++ {
		var none keys.Problems
		if base := decodeScenario(tree.Copy(), settings[:n], &none); base != nil {
			w, _ := base.Workload.(experiments.OnGPUs)
			return w
		}
		of := func(p keys.Problem) bool { return p.Key != "workload" && tells(p.Key) }
		if i := slices.IndexFunc(none, of); i >= 0 && n == first {
			*problems = append(*problems, none[i])
			return nil
		}
	}
	return nil
}

// otherWorkload drops from a scenario what its workload has and the one that settings name has not, and returns it. The settings begin
// with the keys of one run, or of flags: what these give stays, and is refused if the workload that they name has no such key.
func otherWorkload(tree *keys.Node, settings []keys.Setting) (dropped []given) {
	flags := settings[0].Value.Place.Flag != ""
	var name *keys.Node
	for _, s := range settings {
		switch {
		case (s.Value.Place.Flag != "") != flags:
		case s.Path == "workload.name":
			name = s.Value
		case s.Path == "workload" && s.Value.At("name") != nil:
			name = s.Value.At("name")
		}
	}
	group := tree.At("workload")
	if name == nil || group == nil || !group.Group() || group.At("name") == nil {
		return nil
	}
	was := group.At("name").Text
	had, has := insideWorkload(was), insideWorkload(name.Text)
	if len(had) == 0 || len(has) == 0 {
		return nil
	}
	of := because("it is a key of "+was+" and not of "+name.Text, func(*ran) bool { return true })
	group = tree.Own("workload")
	for _, key := range slices.Clone(group.Names) {
		path := keys.Join("workload", key)
		if _, lost := had.Row(path); !lost {
			continue
		}
		if _, kept := has.Row(path); !kept {
			group.Drop(key)
			dropped = append(dropped, given{key: path, idle: []idle{of}})
		}
	}
	return dropped
}

// insideOf returns the keys of the workload and of the machine of a scenario as they are in it.
func insideOf(tree *keys.Node) keys.Table {
	var rows keys.Table
	if workload := tree.At("workload"); workload != nil && workload.At("name") != nil {
		rows = insideWorkload(workload.At("name").Text)
	}
	return append(rows, insideMachine()...)
}

// insideWorkload returns the parameters of a workload as they are in a scenario; none if there is no such workload.
func insideWorkload(name string) (rows keys.Table) {
	if kind, ok := workloads.Lookup(name); ok {
		for _, row := range WorkloadRows(kind.New()) {
			row.Path = keys.Join("workload", row.Path)
			rows = append(rows, row)
		}
	}
	return rows
}

// Meant returns the path of --set whose last key is a word, or what others call so: of a scenario, then of its machine, then of any
// workload, which comes before a group of the machine that has no separate names; "" if there is none.
func Meant(word string) string {
	rows := newScenarioFile().rows()
	all := slices.Concat(rows.Under(""), insideMachine())
	path := all.Meant(word)
	if kind, ok := rows.Row(path + ".kind"); ok {
		return kind.Path
	}
	row, _ := all.Row(path)
	if _, group := row.To.(*keys.Group); path != "" && (!group || path == "machine.runtime" || path == "machine.noise") {
		return path
	}
	var inside keys.Table
	for _, name := range workloads.Names() {
		inside = append(inside, insideWorkload(name)...)
	}
	return cmp.Or(inside.Meant(word), path)
}

// insideMachine returns the keys of machines as they are in a scenario.
func insideMachine() keys.Table {
	form := machineForms.take()
	defer machineForms.give(form)
	rows := slices.Clone(form.table)
	for i := range rows {
		rows[i].Path = keys.Join("machine", rows[i].Path)
	}
	return rows
}

// listChanges returns the settings of a key that holds paths inside a group of the
// machine. Their keys have the prefix, as in a setting of the scenario.
func listChanges(key, prefix, group, example string, n *keys.Node, problems *keys.Problems) []machineSetting {
	if n.Shape != keys.Mapping {
		if n.Shape != keys.Broken {
			if keys := exampleOf(n.Text); keys != "" {
				example = "{kind: " + n.Text + ", " + keys + "}"
			}
			problems.Add(n.Place, key, "must be a mapping such as %s, got %s", example, n.Shape)
		}
		return nil
	}
	var all []machineSetting
	for i, name := range n.Names {
		change := keys.Setting{Path: name, Value: n.Values[i], Beside: n}
		if inside, ok := change.Reaches("machine"); ok {
			problems.Add(change.Value.Place, keys.Join(key, name), "begins inside the machine: write %s", inside.Path)
			continue
		}
		change.Path = keys.Join(group, name)
		all = append(all, machineSetting{change, keys.Join(prefix, change.Path)})
	}
	return all
}

// stock holds the machines of the library that were asked for without changes, by name. A
// machine that has been read stays as it is; what differs from it is a copy.
var stock sync.Map

// loadMachine returns the machine that a node names or contains, with the changes
// applied.
func loadMachine(n *keys.Node, changes []machineSetting, problems *keys.Problems) *Machine {
	if len(changes) > 0 || n.Shape != keys.Scalar || IsFile(n.Text) {
		return readMachine(n, changes, problems)
	}
	if known, ok := stock.Load(n.Text); ok {
		return known.(*Machine)
	}
	m := readMachine(n, nil, problems)
	if m != nil {
		stock.Store(n.Text, m)
	}
	return m
}

// readMachine does the work of loadMachine.
func readMachine(n *keys.Node, changes []machineSetting, problems *keys.Problems) *Machine {
	tree, name := machineFiles.resolve(n, "machine", problems)
	if tree == nil {
		return nil
	}
	lay := machineFiles.overlay(problems)
	before := len(*problems)
	prefix := ""
	if n.Shape == keys.Mapping {
		prefix = "machine"
	}
	runtime := tree.At("runtime")
	library := runtime != nil && runtime.Text != noRuntime
	inProportion(lay, tree, func() {
		var late []machineSetting
		for _, c := range changes {
			if ofDefault(c, tree) {
				late = append(late, c)
			} else {
				setPart(lay, tree, c.Setting)
			}
		}
		late = slices.DeleteFunc(late, func(c machineSetting) bool { return tree.Has(c.Path) }) // a later setting replaced it
		for _, c := range late {
			if !tree.Has(c.Path) {
				setPart(lay, tree, keys.Setting{Path: c.Path, Value: linkDefault(c.Path, tree, name, prefix)})
			}
			setPart(lay, tree, c.Setting)
		}
	})
	m := decodeMachine(tree, name, prefix, problems)
	if m == nil || len(*problems) > before {
		return nil
	}
	m.tree = tree
	for _, c := range changes {
		m.Changes = append(m.Changes, c.Path+"="+c.Value.String())
	}
	if !namesLibrary(library, changes) {
		changes = withoutLibrary(changes)
	}
	m.given = givenOf(m.keys, changes, tree)
	if own := tree.At("topology"); own != nil && n.Text == own.Place.File { // not one of the library
		m.given = append(m.given, ownTopology(tree)...)
	}
	return m
}

// ofDefault tells whether a setting multiplies a number of links that the machine does not give.
func ofDefault(c machineSetting, tree *keys.Node) bool {
	_, factor := keys.IsFactor(c.Value.Text)
	return factor && (c.Path == network.LinkBandwidth || c.Path == network.LinkLatency) && !tree.Has(c.Path)
}

// linkDefault is what links have whose machine does not give it: the bandwidth of the NIC, and no latency.
func linkDefault(path string, tree *keys.Node, name, prefix string) *keys.Node {
	text := "0s"
	if path == network.LinkBandwidth {
		text = "0B/s" // of a machine with mistakes, which are told elsewhere
		if m := decodeMachine(tree.Copy(), name, prefix, new(keys.Problems)); m != nil {
			text = keys.Format(keys.Bandwidth, float64(m.rateOfNIC(m.GPUs != nil && m.Network.OfLinks() <= 0)))
		}
	}
	return &keys.Node{Shape: keys.Scalar, Text: text, Place: tree.Place}
}

// place decides how the ranks are placed on the nodes.
func (f *scenarioFile) place(tree *keys.Node, problems *keys.Problems) {
	m := f.Machine
	if f.Processes == 0 {
		f.Processes = m.Processes
		if _, gpus := f.Workload.(experiments.OnGPUs); gpus && m.GPUs != nil && !f.States("processes_per_node") { // the machine gives its cores
			f.Processes = min(f.Processes, m.GPUs.Node.GPUs)
		}
		f.placeFiled(tree)
	}
	if f.Processes > m.Contexts() {
		at := tree.PlaceOf("processes_per_node")
		if tree.At("processes_per_node") == nil {
			at = m.placeOf("processes_per_node", tree)
		}
		instead := ""
		if m.Contexts() == 1 {
			instead = "; --set processes_per_node=1 makes each process a node"
		}
		problems.Add(at, "processes_per_node", "must be at most the %s of a node of %s%s, got %d%s",
			m.Room(), m.Name, m.ownCores(), f.Processes, instead)
		return
	}
	f.fillNodes()
	if f.Ranks == 0 {
		f.fill(tree, problems)
	}
	if f.Background > 0 && m.Runtime == nil {
		problems.Add(tree.PlaceOf("background_threads"), "background_threads",
			"need a runtime, which says how processes wait; %s has none, give machine.runtime", m.Name)
	} else if f.Background > 0 && m.Slice == 0 && m.Runtime.Waiting != machines.Block {
		problems.Add(tree.PlaceOf("background_threads"), "background_threads",
			"need the time slice of the operating system; give machine.time_slice, such as 4ms")
	}
	need := f.needed()
	if m.Nodes > 0 && need > m.Nodes {
		fits := ""
		if each := (f.Ranks + m.Nodes - 1) / m.Nodes; each <= m.Contexts() {
			fits = fmt.Sprintf("; processes_per_node=%d fits", each)
		}
		problems.Add(f.placeOfRanks(tree), "ranks", "%d at %d per node need %d nodes, %s has %d%s", f.Ranks, f.Processes, need, m.Name, m.Nodes, fits)
	}
}

// placeFiled places a program for which nobody says how many processes a node has: as few as the machine has nodes for. If one node had all, no
// message would cross the network.
func (f *scenarioFile) placeFiled(tree *keys.Node) {
	full, nodes := f.Processes, f.Machine.Nodes
	if full == 1 || f.Ranks == 1 || !f.unplaced(tree) {
		return
	}
	f.Processes = 1
	if nodes > 0 {
		f.Processes = min(full, (f.Ranks+nodes-1)/nodes)
	}
	text, other := fmt.Sprintf("assumed: each of the %d ranks on its own node, so that messages cross the network", f.Ranks), "fills nodes"
	if f.Processes > 1 {
		text = fmt.Sprintf("assumed: %d ranks on a node, the fewest on %d nodes", f.Processes, nodes)
	}
	if f.Ranks <= full {
		full, other = f.Ranks, "puts them on one"
	}
	if f.Processes < full {
		text += fmt.Sprintf(": --set processes_per_node=%d %s", full, other)
	}
	f.Assumed = append(f.Assumed, text)
}

// unplaced tells whether it is not said how many processes a node has, of a recorded program or a schedule that is run without a scenario.
func (f *scenarioFile) unplaced(tree *keys.Node) bool {
	m := f.Machine
	_, filed := f.Workload.(workloads.Filed)
	_, gpus := f.Workload.(experiments.OnGPUs)
	_, known := library(machineFolder, m.Name)
	said := !known && m.Processes != m.Cores || slices.ContainsFunc(m.Changes, func(set string) bool { return strings.HasPrefix(set, "processes_per_node=") })
	return filed && !gpus && !said && tree.Place.Line == 0
}

// placeOfRanks is where the user wrote what decides how many ranks fit: a flag, if there is one.
func (f *scenarioFile) placeOfRanks(tree *keys.Node) keys.Place {
	at := tree.PlaceOf("ranks", "processes_per_node")
	if sized := f.Machine.tree.PlaceOf("nodes"); at.Flag == "" && sized.Flag != "" {
		return sized
	}
	return at
}

// fillNodes puts the processes of the scenario on each node of its machine, as workloads ask the machine.
func (f *scenarioFile) fillNodes() {
	machine, filled := *f.Machine, *f.Machine.Machine
	filled.Processes, machine.Machine = f.Processes, &filled
	f.Machine = &machine
}

// fill makes as many ranks as the topology has room for.
func (f *scenarioFile) fill(tree *keys.Node, problems *keys.Problems) {
	if f.Machine.wiring.grows() {
		noRanks(tree, problems)
		return
	}
	shape, err := f.Machine.wiring.shape(0)
	if err != nil {
		f.Machine.wiring.complain(tree, err, problems)
		return
	}
	places, err := f.Machine.places(shape)
	if err != nil {
		problems.Add(f.Machine.placeOf("nics", tree), "machine", "%s", err)
		return
	}
	f.Ranks, f.filled = places.Nodes()*f.Processes, true
}

// noRanks reports that there are no ranks, unless the key is only mistyped.
func noRanks(tree *keys.Node, problems *keys.Problems) {
	if slices.ContainsFunc(tree.Names, func(name string) bool { return keys.Nearest(name, []string{"ranks"}) != "" }) {
		return
	}
	problems.Add(tree.Place, "ranks", "is missing; it is a whole number such as 32 (processes of the run)")
}

// build makes the program, if the scenario is complete enough for it.
func (f *scenarioFile) build(tree *keys.Node, problems *keys.Problems) {
	before := len(*problems)
	affordable(tree.PlaceOf("ranks"), problems, forecast.Results(f.Ranks))
	if f.Workload == nil || f.Ranks < 1 || len(*problems) > before {
		return
	}
	switch w := f.Workload.(type) {
	case experiments.Experiment:
		f.affordAll(tree, problems)
	case experiments.OnGPUs:
		if f.affordAll(tree, problems) {
			f.prepareGPUs(w, tree, problems)
		}
	default:
		f.program(tree, problems)
	}
}

// program makes the program. Of one that may be symmetric, the run says what it needs.
func (f *scenarioFile) program(tree *keys.Node, problems *keys.Problems) {
	var err error
	f.Program, err = f.Workload.Program(f.Machine.Machine, f.Ranks)
	for f.assumeRates(err) {
		f.Program, err = f.Workload.Program(f.Machine.Machine, f.Ranks)
	}
	var wrong *workloads.KeyError
	if errors.As(err, &wrong) && wrong.Key == "ranks" { // of the scenario
		problems.Add(f.placeOfRanks(tree), wrong.Key, "%s", wrong.Message)
		return
	}
	if err != nil {
		placeErrors(err, f.workload, problems)
		return
	}
	f.remark()
	if programs.Symmetry(f.Program) == nil {
		f.affordAll(tree, problems)
	}
}

// remark keeps what the workload says of what it runs.
func (f *scenarioFile) remark() {
	if w, ok := f.Workload.(workloads.Remarked); ok {
		f.Assumed = append(f.Assumed, w.Remarks(f.Machine.Machine, f.Ranks)...)
	}
}

// affordAll reports a problem if the simulation of all ranks needs more memory than there is.
func (f *scenarioFile) affordAll(tree *keys.Node, problems *keys.Problems) bool {
	return affordable(tree.PlaceOf("ranks"), problems, f.simulated(f.Ranks, 1)...)
}

// alike returns the workload if a few of its ranks stand for all.
func (s *Scenario) alike() (w workloads.Condensable, ok bool) {
	w, ok = s.Workload.(workloads.Condensable)
	return w, ok && w.Condensed()
}

// StandIn returns for how many ranks each simulated one stands.
func (s *Scenario) StandIn() int {
	if _, few := s.alike(); few && s.Program != nil {
		return max(1, s.Ranks/s.Program.Ranks())
	}
	return 1
}

// Timed tells whether a run can have a timeline: of a program, or of the streams of GPUs.
func (s *Scenario) Timed() bool {
	_, streams := s.Workload.(experiments.OnStreams)
	return s.Program != nil || streams
}

// Pathed tells whether the critical path of a run is known: no program waits for a CPU that works for other processes.
func (s *Scenario) Pathed() bool {
	m := s.Machine.Machine
	return s.Timed() && (s.Program == nil || m.Copying == nil || m.Copying.Protocols == 0)
}

// Contended tells whether messages share links.
func (s *Scenario) Contended() bool { return s.Contention != nil || s.Place.Fabric != nil }

// Options adds the options of the scenario to the options of a run.
func (s *Scenario) Options(o nodes.Options) nodes.Options {
	o.Nodes, o.Calibration, o.Background, o.Seed = s.Nodes, s.Calibration, s.Background, s.Seed
	o.Point = s.places.Point
	return o
}

// Symmetric tells whether a run with these options may simulate a few ranks for all.
func (s *Scenario) Symmetric(o nodes.Options) bool {
	_, ok := s.few(o)
	return ok
}

// needed is the number of nodes that the ranks fill, the last one perhaps in part.
func (s *Scenario) needed() int { return (s.Ranks + s.Processes - 1) / s.Processes }

// NodesTaken is the number of nodes that the ranks take.
func (s *Scenario) NodesTaken() int {
	if s.Nodes == nil || s.StandIn() > 1 {
		return s.needed()
	}
	seen := map[int32]bool{}
	for _, n := range s.Nodes {
		seen[n] = true
	}
	return len(seen)
}

// few returns how many ranks a run with these options may simulate for all.
func (s *Scenario) few(o nodes.Options) (ranks int, ok bool) {
	if s.Program == nil || s.Contention != nil {
		return 0, false
	}
	return nodes.Few(s.Machine.Machine, s.Program, s.Processes, s.Options(o))
}

// Placed returns the error of a run at the place of the key that causes it, if there is one. What the numbers of the workload and the machine
// together do is where the user wrote some of them last: in flags, if there are any.
func (s *Scenario) Placed(err error) error {
	var wrong *nodes.Mistake
	if !errors.As(err, &wrong) {
		return err
	}
	at := s.tree.Nearest(wrong.Key)
	if s.tree.Inside(wrong.Key) == nil {
		at = s.Machine.placeOf(wrong.Key, s.tree)
	}
	if wrong.Key == "workload" && at.Flag == "" && len(s.Source.Settings) > 0 {
		at = keys.Place{Flag: "--set " + strings.Join(s.Source.Settings, " --set ")}
	}
	return keys.Problems{{Place: at, Key: wrong.Key, Message: wrong.Message}}
}
