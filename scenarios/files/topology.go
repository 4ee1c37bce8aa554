package files

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// wiring holds the values of a machine for its topology, its links and its routers.
type wiring struct {
	kind  string     // of the topology
	given keys.Table // the values that differ from an empty file
	at    keys.Place // of the topology, or of what changes it; none: the file says nothing of it
}

// wiringFile holds the content of a machine file for its wiring: a value for each key that
// some family of topologies or some fabric reads.
type wiringFile struct {
	kind   string // of the topology
	groups [len(wiringGroups)]keys.Group
	values keys.Table            // by key
	own    map[string]keys.Table // by family: its keys that are other values than the same keys of families before it
}

// unwired is an empty file.
var unwired = sync.OnceValue(func() *wiringFile {
	w := newWiringFile()
	return &w
})

type wiringGroup struct{ path, doc string }

// wiringGroups are the groups of the keys of wiring, in the order of the reference.
var wiringGroups = [...]wiringGroup{
	{"topology", "how nodes are connected, for fabrics where messages contend; if omitted: a crossbar"},
	{"links", "the links of the topology, for fabrics where messages contend"},
	{"fabric", "routers and interfaces, for the packet fabric"},
	{"bucket", "token buckets before the network, for fabrics where messages contend; if omitted: none"},
}

func newWiringFile() wiringFile {
	w := wiringFile{kind: topology.Kinds()[0].Name, own: map[string]keys.Table{}}
	meanings := map[string][]meaning{}
	add := func(reader string, own any) {
		for _, row := range keys.Tagged(own) {
			if w.add(reader, row) {
				meanings[row.Path] = means(meanings[row.Path], reader, row.Doc)
			}
		}
	}
	for _, k := range topology.Kinds() {
		add(k.Name, k.New())
	}
	for _, k := range fabrics.Kinds() {
		add(k.Name, k.New())
	}
	for i := range w.values {
		row := &w.values[i]
		var all []string
		for _, m := range meanings[row.Path] {
			all = append(all, strings.Join(m.readers, ", ")+": "+m.doc)
		}
		row.Doc = strings.Join(all, "; ")
	}
	return w
}

// meaning is what a key means to some families and fabrics.
type meaning struct {
	doc     string
	readers []string
}

// means adds a reader of a key to those to which it means the same, if there are any.
func means(all []meaning, reader, doc string) []meaning {
	i := slices.IndexFunc(all, func(m meaning) bool { return m.doc == doc })
	if i < 0 {
		return append(all, meaning{doc, []string{reader}})
	}
	all[i].readers = append(all[i].readers, reader)
	return all
}

// add adds a key that a family or a fabric reads, unless another one reads it too. A key of the topology
// may be another value for each family, because a machine has one: then shared is false. The other groups serve several
// fabrics. Therefore add
// panics if one of their keys has two types, two defaults or two sets of values, and if a machine file could not have the key.
func (w *wiringFile) add(reader string, row keys.Row) (shared bool) {
	group, _, _ := strings.Cut(row.Path, ".")
	if !slices.ContainsFunc(wiringGroups[:], func(g wiringGroup) bool { return g.path == group }) {
		panic(fmt.Sprintf("%s reads %s; its keys must begin with topology., links., fabric. or bucket.", reader, row.Path))
	}
	known, ok := w.values.Row(row.Path)
	if !ok {
		w.values = append(w.values, row)
		return true
	}
	same := row
	same.To, same.Doc = known.To, known.Doc
	switch {
	case reflect.DeepEqual(known.To, row.To) && reflect.DeepEqual(known, same):
		return true
	case group == "topology":
		row.Doc = reader + ": " + row.Doc
		w.own[reader] = append(w.own[reader], row)
		return false
	case !reflect.DeepEqual(known.To, row.To):
		panic(fmt.Sprintf("%s reads %s as %T with the default %q, others as %T with %q",
			reader, row.Path, row.To, row.Default(), known.To, known.Default()))
	}
	panic(fmt.Sprintf("%s reads %s as %s %s, others as %s %s", reader, row.Path, row.Kind(), row.Limits(), known.Kind(), known.Limits()))
}

// of is the row of a key as a family of topologies reads it.
func (w *wiringFile) of(family, key string) (keys.Row, bool) {
	if row, ok := w.own[family].Row(key); ok {
		return row, true
	}
	return w.values.Row(key)
}

// scope gives the keys of the topology the values that they are for a family.
func (w *wiringFile) scope(family string) {
	for i, row := range w.values {
		w.values[i], _ = w.of(family, row.Path)
	}
}

// familyOf is the family of topologies that the tree of a machine names, if it names one.
func familyOf(tree *keys.Node) string {
	group := tree.At("topology")
	if group == nil {
		return ""
	}
	kind := group.At("kind")
	if kind == nil {
		return ""
	}
	if value := kind.At("value"); value != nil {
		kind = value
	}
	return kind.Text
}

// ofShape is the group of the keys of the topology.
const ofShape = "topology"

// short are groups of a machine that may be given by the value of one of their keys.
var short = map[string]string{ofShape: "kind", "nics": "number"}

// spelledOut is a group that is given by a value alone.
func spelledOut(group string, n *keys.Node) *keys.Node {
	if short[group] == "" || n.Shape != keys.Scalar {
		return n
	}
	return &keys.Node{Shape: keys.Mapping, Place: n.Place, Names: []string{short[group]}, Values: []*keys.Node{n}}
}

// others are the rows of keys that are another value for some families.
func (w *wiringFile) others() (rows keys.Table) {
	for _, k := range topology.Kinds() {
		rows = append(rows, w.own[k.Name]...)
	}
	return rows
}

// rows is the key table of wiring.
func (w *wiringFile) rows() (rows keys.Table) {
	for i, g := range wiringGroups {
		rows = append(rows, keys.Row{Path: g.path, To: &w.groups[i], Doc: g.doc})
		if g.path == "topology" {
			rows = append(rows, keys.Row{Path: topologyKind, To: &w.kind, Choices: topology.Names(), Beside: exampleOf, Doc: topology.Doc(),
				Use: wired(topologyKind)})
		}
		for _, row := range w.values.Under(g.path) {
			row.Use = wired(row.Path)
			rows = append(rows, row)
		}
	}
	return rows
}

// exampleOf is an example of the keys of a topology, or "".
func exampleOf(kind string) string {
	if k, _ := topology.Lookup(kind); len(k.Examples) > 0 {
		return k.Examples[0]
	}
	return ""
}

// topologyKind is the key of the family.
const topologyKind = "topology.kind"

// done returns the wiring once the rows are filled from the tree of a machine. It shares
// nothing with the file.
func (w *wiringFile) done(tree *keys.Node) wiring {
	done := wiring{kind: w.kind, at: placeOfTopology(tree)}
	for _, g := range wiringGroups {
		group := tree.At(g.path)
		if group == nil {
			continue
		}
		for _, name := range group.Names {
			if row, ok := w.values.Row(keys.Join(g.path, name)); ok {
				to := row.Target()
				row.To = reflect.New(to.Type()).Interface()
				row.Target().Set(to)
				done.given = append(done.given, row)
			}
		}
	}
	return done
}

// placeOfTopology is where the topology of a machine's tree is given, or the last change to it.
func placeOfTopology(tree *keys.Node) (at keys.Place) {
	group := tree.At("topology")
	if group == nil {
		return at
	}
	at = group.Place
	for _, value := range group.Values {
		if value.Place.Flag != "" || value.Place.File != group.Place.File {
			at = value.Place
		}
	}
	return at
}

// complain reports why the topology of a scenario's machine cannot be made, where the user wrote it, with an example of its family.
func (w *wiring) complain(tree *keys.Node, err error, problems *keys.Problems) {
	at := w.at
	if at == (keys.Place{}) {
		at = tree.PlaceOf("topology", "machine")
	}
	for _, one := range keys.Unjoin(err) {
		key, message := "topology", one.Error()
		if name, rest, ok := strings.Cut(message, ": "); ok {
			if path, _, _ := strings.Cut(keys.Join(key, name), "["); families(path) != nil {
				key, message = keys.Join(key, name), rest
			}
		}
		problems.Add(at, key, "%s", message)
	}
	last := &(*problems)[len(*problems)-1]
	if example := exampleOf(w.kind); example != "" {
		last.Message += fmt.Sprintf("; an example is {kind: %s, %s}", w.kind, example)
	}
}

// ownTopology are the keys of the topology in a machine file of the user's own that may have no effect: all on a fabric
// without contention, unless the file is a copy of a built-in one, and the keys of other families.
func ownTopology(tree *keys.Node) []given {
	group, ofOthers := tree.At("topology"), ofOthers(familyOf(tree))
	copied := sync.OnceValue(func() bool { return copiesTopology(group) })
	all := []given{{"machine.topology", []idle{func(o *ran) string {
		if o.shaped() || copied() {
			return ""
		}
		return o.uncontended()
	}}, false}}
	for _, name := range group.Names {
		if path := keys.Join("topology", name); ofOthers != nil && ofOthers(path) {
			of := because("the topology is a "+familyOf(tree), (*ran).shaped)
			all = append(all, given{keys.Join("machine", path), []idle{of}, false})
		}
	}
	return all
}

// copiesTopology tells whether a machine of the library has this topology, with the same sources.
func copiesTopology(group *keys.Node) bool {
	kind, text := group.At("kind"), group.String()
	return kind != nil && slices.ContainsFunc(Machines(), func(name string) bool {
		file, _ := library(machineFolder, name)
		if !bytes.Contains(file, []byte("kind: "+kind.Text)) {
			return false
		}
		of := parsedOnce(name, file, new(keys.Problems)).At("topology")
		return of != nil && of.String() == text
	})
}

// dropFabric reports a machine that says on which fabric it runs, which a scenario says, and takes that away.
func dropFabric(tree *keys.Node, prefix string, problems *keys.Problems) {
	given := tree.At("fabric")
	kind := given
	if given != nil && given.Shape == keys.Mapping {
		kind = given.At("kind")
	}
	if kind == nil || kind.Shape != keys.Scalar {
		return
	}
	problems.Add(given.Place, keys.Within(prefix, "fabric"), "is chosen by the scenario, as --set fabric.kind=%s does; "+
		"here it holds the numbers of routers", keys.Quote(kind.Text))
	tree.Drop("fabric")
}

// checkFamily reports a topology that names no family, and has keys of some.
func checkFamily(tree *keys.Node, prefix string, problems *keys.Problems) {
	group := tree.At("topology")
	if group == nil || group.Shape != keys.Mapping || group.At("kind") != nil {
		return
	}
	for _, name := range group.Names {
		if readers := families(keys.Join("topology", name)); len(readers) > 0 {
			problems.Add(group.Place, keys.Within(prefix, topologyKind), "is missing; %s is a key of %s", name, strings.Join(readers, ", "))
			return
		}
	}
}

// ofOthers tells of keys whether they are of other families of topologies than a machine's; nil: it names no family.
func ofOthers(family string) func(path string) bool {
	if _, err := topology.Lookup(family); err != nil {
		return nil
	}
	return func(path string) bool {
		readers := families(path)
		return readers != nil && !slices.Contains(readers, family)
	}
}

// value returns the row of a key with its value; ok is false if the key is not one of
// wiring's.
func (w *wiring) value(key string) (row keys.Row, ok bool) {
	if row, ok := w.given.Row(key); ok {
		return row, true
	}
	return unwired().of(w.kind, key)
}

// unjoined tells whether several groups are joined by a number of cables that the file does not give.
func (w *wiring) unjoined() bool {
	_, cables := w.given.Row("topology.cables")
	_, global := w.given.Row("topology.global")
	groups, _ := w.value("topology.groups")
	return !cables && !global && slices.Contains(families("topology.cables"), w.kind) && groups.Target().Int() > 1
}

// fill copies the values into the keys that a family or a fabric reads.
func (w *wiring) fill(own any) {
	for _, row := range keys.Tagged(own) {
		from, _ := w.value(row.Path)
		if from, to := from.Target(), row.Target(); from.Type() == to.Type() { // else a family that the machine does not have
			to.Set(from)
		}
	}
}

// grows tells whether the topology has as many nodes as requested.
func (w *wiring) grows() bool {
	kind, err := topology.Lookup(w.kind)
	sized := func(key string) bool { _, given := w.given.Row(key); return given }
	return err == nil && kind.Grows && !slices.ContainsFunc(kind.Sizes, sized)
}

// shape makes the topology. If it grows, it has room for the given number of nodes.
func (w *wiring) shape(nodes int) (topology.Topology, error) {
	kind, err := topology.Lookup(w.kind)
	if err != nil {
		return nil, err
	}
	own := kind.New()
	w.fill(own)
	return own.Build(nodes)
}

// Shape is the machine's topology. One that grows has the machine's nodes, or one. The error is of type
// keys.Problems.
func (m *Machine) Shape() (topology.Topology, error) {
	shape, err := m.wiring.shape(max(1, m.Nodes) * m.Rails())
	if err != nil {
		var problems keys.Problems
		addAll(&problems, keys.Place{Flag: "machine " + m.Name}, "topology", err)
		return nil, problems
	}
	return shape, nil
}

// places returns where the NICs of the machine's nodes are on a topology.
func (m *Machine) places(shape topology.Topology) (topology.Rails, error) {
	return topology.NewRails(shape, m.Rails(), m.NICs != nil && m.NICs.Routers)
}

// Fabric prepares a fabric for the machine with the nodes of Shape; nil: messages do not contend on it.
func (m *Machine) Fabric(name string) (network.Maker, error) {
	shape, err := m.Shape()
	if err != nil {
		return nil, err
	}
	kind, err := fabrics.Lookup(name)
	if err != nil {
		return nil, err
	}
	return m.wiring.fabric(kind, &m.Network, shape)
}

// fabric prepares a fabric of this kind for a machine with this NIC; nil: messages do not
// contend on it.
func (w *wiring) fabric(kind fabrics.Kind, nic *network.LogGOPS, shape topology.Topology) (network.Maker, error) {
	own := kind.New()
	w.fill(own)
	return own.Maker(nic, shape)
}

// with returns the wiring with a value for a key of wiring's.
func (w wiring) with(key string, value any) wiring {
	row, _ := w.value(key)
	row.To = value
	return wiring{w.kind, append(keys.Table{row}, w.given...), w.at}
}

// scaled returns the wiring with the value of a key multiplied by the factor; ok is false
// if the key is not one of wiring's.
func (w *wiring) scaled(key string, factor float64) (scaled wiring, ok bool) {
	row, ok := w.value(key)
	if !ok {
		return *w, false
	}
	return w.with(key, times(row.To, factor)), true
}

// times returns a pointer to a value multiplied by the factor.
func times(of any, factor float64) any {
	switch of := of.(type) {
	case *sim.Time:
		return new(sim.Time(math.Round(float64(*of) * factor)))
	case *sim.Rate:
		return new(*of * sim.Rate(factor))
	case *[]sim.Rate:
		all := slices.Clone(*of)
		for i := range all {
			all[i] *= sim.Rate(factor)
		}
		return &all
	}
	return of
}
