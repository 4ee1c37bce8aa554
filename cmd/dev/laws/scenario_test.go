package laws

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// scenario draws a whole case.
func (d *draw) scenario() Case {
	s := mapping()
	fabric := d.fabric()
	d.ranks = one(d, []int{1, 2, 2, 2, 3, 4, 4, 4, 4, 6, 8, 8, 9, 12, 16, 16, 32})
	d.maybe(s, "title", 0.1, func() *Tree { return scalar(d.strange()) })
	s.put("machine", d.machine())
	name := one(d, workloads.Names())
	gpus := onGPUs(name) && !d.chance(staysWrong)
	if gpus { // most machines have no GPUs
		s.put("machine", scalar(one(d, gpuMachines(name))))
		fabric = nil
	}
	s.put("workload", d.workload(name))
	s.put("ranks", number(d.ranks))
	if !d.chance(staysWrong) {
		d.fit(s)
	}
	if !gpus { // their machine says where they are
		d.maybe(s, "processes_per_node", 0.7, func() *Tree { return number(one(d, []int{1, 1, 1, 2, 2, 4})) })
		d.maybe(s, "topology", d.needsTopology(), d.topology)
		d.place(s)
	}
	if fabric != nil {
		s.put("fabric", fabric)
	}
	d.maybe(s, "background_threads", 0.06, func() *Tree { return number(d.IntN(3)) })
	d.maybe(s, "moves", 0.05, func() *Tree { return d.value(find(d.tables.scenario, "moves")) }) // many programs cannot be cut
	d.maybe(s, "seed", 0.3, func() *Tree { return number(d.Uint64N(1000)) })
	d.maybe(s, "changes", 0.2, d.changes)
	d.maybe(s, "runs", 0.03, d.runs)
	d.others(s)
	return Case{Scenario: s, Settings: d.settings(), Files: d.files}
}

// special are the keys of a scenario that are drawn together, as they depend on each other.
var special = []string{
	"title", "machine", "changes", "workload", "ranks", "processes_per_node", "topology", "mapping", "mapping_file", "mapping_first", "fabric",
	"background_threads", "moves", "seed", "runs",
}

// others draws the other keys of a scenario.
func (d *draw) others(s *Tree) {
	for _, k := range d.tables.scenario {
		if !slices.Contains(special, k.name) && k.shape() != aTree {
			d.maybe(s, k.name, d.given(k), func() *Tree { return d.value(k) })
		}
	}
}

// maybe draws a key with a probability.
func (d *draw) maybe(s *Tree, key string, often float64, value func() *Tree) {
	if d.chance(often) {
		s.put(key, value())
	}
}

// settings draws the settings of the command line.
func (d *draw) settings() (all []string) {
	for d.chance(0.25) {
		path, value := d.change()
		all = append(all, path+"="+value.line())
	}
	return all
}

// fabric draws the fabric; nil: the scenario has none.
func (d *draw) fabric() *Tree {
	kind := find(d.tables.scenario, "fabric", "kind")
	if d.chance(0.25) {
		d.chosen[kind.Default()] = true
		return nil
	}
	f := mapping()
	f.put(kind.name, d.single(kind))
	for _, k := range find(d.tables.scenario, "fabric").inside {
		switch over := find(d.tables.machine, "fabric", k.name); {
		case k == kind:
		case over != nil && d.chance(map[bool]float64{true: 0.08, false: 0.002}[d.chosen["packet"]]):
			f.put(k.name, d.value(over))
		case over == nil && d.chance(d.calibrates()):
			f.put(k.name, d.calibration())
		}
	}
	return f
}

// calibrates is how often a fabric has a calibration.
func (d *draw) calibrates() float64 {
	return map[bool]float64{true: 0.95, false: 0.01}[d.chosen["calibrated"]]
}

// needsTopology is how often a topology is drawn: often for a fabric that may need
// its links, one that is neither the default nor measured.
func (d *draw) needsTopology() float64 {
	if d.chosen["ideal"] || d.chosen["calibrated"] {
		return 0.1
	}
	return 0.7
}

// topology draws how nodes are connected. For the packet fabric it often draws a torus.
func (d *draw) topology() *Tree {
	t := d.group(find(d.tables.machine, "topology").inside)
	if d.chosen["packet"] && t.at("kind") != nil && d.chance(0.6) {
		d.chosen["torus"] = true
		t.put("kind", scalar("torus"))
		if t.at("dims") == nil {
			t.put("dims", d.value(find(d.tables.machine, "topology", "dims")))
		}
	}
	return t
}

// gpuMachines are machines with GPUs, and with the rates that a workload asks for.
func gpuMachines(workload string) []string {
	if workload == "expert-exchange" {
		return []string{"b200", "dgx-h100", "dgx-h800", "h200"}
	}
	return []string{"dgx-a100", "dgx-a100-megatron", "dgx-h100-nemo", "dgx-1v-pytorch", "h100-torchtitan"}
}

// onGPUs tells whether a workload runs on GPUs.
func onGPUs(name string) bool {
	kind, _ := workloads.Lookup(name)
	_, on := kind.New().(experiments.OnGPUs)
	return on
}

// machine draws a machine of the library, its keys, or both.
func (d *draw) machine() *Tree {
	switch p := d.Float64(); {
	case p < 0.35:
		return scalar(one(d, files.Machines()))
	case p < 0.5:
		m := mapping()
		m.put("base", scalar(one(d, files.Machines())))
		for range 1 + d.IntN(3) {
			k := one(d, d.tables.machine)
			if k.name != "base" && k.name != "topology" {
				m.put(k.name, d.value(k))
			}
		}
		return m
	}
	m := d.group(slices.DeleteFunc(slices.Clone(d.tables.machine), func(k *key) bool {
		return k.name == "topology" && d.chance(0.8) || k.name == "fabric" && !d.chosen["packet"] && d.chance(0.9)
	}))
	if d.chosen["packet"] && m.at("fabric") == nil {
		m.put("fabric", d.value(find(d.tables.machine, "fabric")))
	}
	return m
}

// runtime draws a communication library: of the library, its keys, or both.
func (d *draw) runtime() *Tree {
	switch p := d.Float64(); {
	case p < 0.3:
		return scalar(one(d, files.Runtimes()))
	case p < 0.35:
		return scalar("none")
	case p < 0.5:
		rt := d.group(d.tables.runtime)
		rt.put("base", scalar(one(d, files.Runtimes())))
		return rt
	}
	return d.group(d.tables.runtime)
}

// calibration draws measured factors: from the library, or made up.
func (d *draw) calibration() *Tree {
	if d.chance(0.4) {
		return scalar(one(d, files.Calibrations()))
	}
	c := mapping()
	c.put("c_avg", d.factors())
	if d.chance(0.6) {
		l, processes := list(), 1
		for range 1 + d.IntN(4) {
			row := d.factors()
			processes += 1 + d.IntN(16)
			row.put("processes", number(processes))
			l.values = append(l.values, row)
		}
		c.put("c_max", l)
	}
	if d.chance(0.2) {
		c.put("degree", number(1+d.IntN(3)))
	}
	return c
}

// factors draws a curve of factors by rank distance.
func (d *draw) factors() *Tree {
	m, distances, factors, distance := mapping(), list(), list(), 0
	for range 1 + d.IntN(3) {
		distance += 1 + d.IntN(4)
		distances.values = append(distances.values, number(distance))
		factors.values = append(factors.values, scalar(strconv.FormatFloat(0.8+3*d.Float64(), 'f', 2, 64)))
	}
	m.put("distances", distances)
	m.put("factors", factors)
	return m
}

// workload draws the parameters of a workload. Defaults of the size of a real run
// are replaced.
func (d *draw) workload(name string) *Tree {
	if name == "trace" && !d.chance(staysWrong) {
		return d.recorded()
	}
	w := mapping()
	w.put("name", scalar(name))
	for _, k := range d.tables.workloads[name] {
		if !small(k) || d.chance(0.5) {
			w.put(k.name, d.parameter(k))
		}
	}
	return w
}

// small tells whether a run with the default of a parameter is small.
func small(k *key) bool {
	if k.isText() || k.isFlag() {
		return true
	}
	value, err := strconv.ParseFloat(k.Default(), 64)
	return err == nil && value <= 8
}

// parameter draws a workload's parameter.
func (d *draw) parameter(k *key) *Tree {
	if k.Is == keys.Count && k.Range != keys.Any && k.shape() == oneValue && !k.isText() && !k.isFlag() && d.chance(0.3) {
		if d.chance(0.3) {
			return number(one(d, divisors(d.ranks)))
		}
		return number(min(d.ranks, 16) * one(d, []int{1, 1, 1, 2, 4}))
	}
	if k.name == "file" {
		d.files[scheduleName] = d.schedule()
		return scalar(scheduleName)
	}
	return d.value(k)
}

// place draws the placement of ranks on nodes.
func (d *draw) place(s *Tree) {
	if d.chance(0.65) {
		return
	}
	mapping := one(d, d.tables.mappings)
	if d.chosen["torus"] && d.chance(0.5) {
		letters := []rune("XYZ")[:1+d.IntN(3)]
		letters = append(letters, 'T')
		d.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
		mapping = string(letters)
	}
	s.put("mapping", scalar(mapping))
	if mapping == "file" || d.chance(0.03) {
		d.files["ranks.map"] = d.mappingFile(s)
		s.put("mapping_file", scalar("ranks.map"))
	}
	if mapping == "consecutive" && d.chance(0.5) || d.chance(0.02) {
		s.put("mapping_first", number(d.IntN(4)))
	}
}

// mappingFile draws the node of each rank.
func (d *draw) mappingFile(s *Tree) string {
	perNode := 1
	if n := s.at("processes_per_node"); n != nil {
		perNode, _ = strconv.Atoi(n.text)
	}
	var out strings.Builder
	order := d.Perm((d.ranks + perNode - 1) / perNode)
	for rank := range d.ranks {
		fmt.Fprintf(&out, "%d %d\n", rank, order[rank/perNode])
	}
	return out.String()
}

// changes draws changes to the machine.
func (d *draw) changes() *Tree {
	m := mapping()
	for range 1 + d.IntN(2) {
		if path, value := d.machineChange(); m.at(path) == nil {
			m.put(path, value)
		}
	}
	return m
}

// change draws a path of the scenario and a value for it.
func (d *draw) change() (path string, value *Tree) {
	if d.chance(0.8) {
		path, value = d.machineChange()
		return "machine." + path, value
	}
	if d.chance(0.5) {
		return "seed", number(d.IntN(100))
	}
	k := one(d, d.tables.scenario)
	if k.group || k.shape() == aTree || k.isText() {
		return "ranks", number(d.ranks)
	}
	return k.name, d.value(k)
}

// machineChange draws a path inside the machine and a value, or a factor.
func (d *draw) machineChange() (path string, value *Tree) {
	table, prefix := d.tables.machine, ""
	if d.chance(0.2) {
		table, prefix = d.tables.runtime, "runtime."
	}
	k := d.leaf(table)
	path = prefix + k.Path
	switch {
	case k.name == "base" || k.name == "title" || k.name == "name":
		return "network.latency", scalar(d.time())
	case d.chance(0.3) && !k.isText() && !k.isFlag():
		return path, scalar(one(d, []string{"x0.5", "x2", "x1.3"}))
	}
	return path, d.value(k)
}

// leaf draws a key that is not a group; each level of the tables is equally likely.
func (d *draw) leaf(table []*key) *key {
	for {
		k := one(d, table)
		if !k.group || k.name == "runtime" {
			return k
		}
		table = k.inside
	}
}

// runs draws variants.
func (d *draw) runs() *Tree {
	l := list()
	for i := range 1 + d.IntN(3) {
		m := mapping()
		m.put("name", scalar(fmt.Sprintf("run %d", i)))
		for d.chance(0.6) {
			if path, value := d.change(); m.at(path) == nil {
				m.put(path, value)
			}
		}
		l.values = append(l.values, m)
	}
	return l
}
