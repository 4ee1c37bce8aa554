package laws

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// key is a key that a file may have, with the keys inside it if it is a group.
type key struct {
	keys.Row
	name   string
	inside []*key
	group  bool
	only   []string // choices of other keys that it is for, by its documentation
}

// tables are the keys of all files.
type tables struct {
	scenario, machine, runtime, calibration, piece, maximum []*key
	workloads                                               map[string][]*key
	mappings                                                []string // words that mapping may be
	able                                                    *files.Machine
}

// knownTables returns the keys that the program knows.
func knownTables() (*tables, error) {
	all := files.Tables()
	t := &tables{
		scenario: nest(all.Scenario), machine: nest(all.Machine), runtime: nest(all.Runtime), calibration: nest(all.Calibration),
		piece: nest(all.Piece), maximum: nest(all.Maximum), workloads: map[string][]*key{},
	}
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		t.workloads[name] = nest(files.WorkloadRows(kind.New()))
	}
	words := map[string]bool{}
	t.each(func(k *key) {
		for _, choice := range k.Choices {
			words[plainWords(choice)] = true
		}
	})
	t.each(func(k *key) {
		if k.Choices == nil { // a key with choices says what they are
			k.only = aims(k.Doc, words)
		}
	})
	var err error
	t.able, err = able(t)
	return t, err
}

// nest puts the rows of groups into their groups.
func nest(rows []keys.Row) (top []*key) {
	byPath := map[string]*key{}
	for _, row := range rows {
		parent, name := "", row.Path
		if i := strings.LastIndexByte(row.Path, '.'); i >= 0 {
			parent, name = row.Path[:i], row.Path[i+1:]
		}
		k := &key{Row: row, name: name, group: row.Kind() == "keys"}
		byPath[row.Path] = k
		if above := byPath[parent]; above != nil {
			above.inside, above.group = append(above.inside, k), true
		} else {
			top = append(top, k)
		}
	}
	return top
}

// each calls f for every key of all tables.
func (t *tables) each(f func(*key)) {
	var down func(group []*key)
	down = func(group []*key) {
		for _, k := range group {
			f(k)
			down(k.inside)
		}
	}
	for _, table := range [][]*key{t.scenario, t.machine, t.runtime, t.calibration, t.piece, t.maximum} {
		down(table)
	}
	for _, name := range slices.Sorted(maps.Keys(t.workloads)) {
		down(t.workloads[name])
	}
}

// find returns the key at a path of a table.
func find(table []*key, path ...string) *key {
	if len(path) == 0 {
		return nil
	}
	for _, k := range table {
		if k.name == path[0] {
			if len(path) == 1 {
				return k
			}
			return find(k.inside, path[1:]...)
		}
	}
	return nil
}

// plainWords writes a choice as the documentation does: fat tree for fat-tree.
func plainWords(choice string) string { return strings.ReplaceAll(choice, "-", " ") }

// aims returns the choices that a documentation is for, as in "interrupts, thread: CPU
// time of each piece of work"; none if it does not begin with choices.
func aims(doc string, words map[string]bool) []string {
	before, _, ok := strings.Cut(doc, ":")
	if !ok {
		return nil
	}
	only := strings.Split(before, ", ")
	if slices.ContainsFunc(only, func(word string) bool { return !words[word] }) {
		return nil
	}
	return only
}

// shape is how the values of a key are written.
type shape uint8

const (
	oneValue shape = iota // a text, a flag or a quantity
	aList                 // of values
	aCost                 // by size of message: a value, or pieces
	aRate                 // by size of problem: a value, or points
	aTree                 // decoded elsewhere
	someKeys              // a list of keys
)

func (k *key) shape() shape {
	switch k.To.(type) {
	case *[]int, *[]float64, *[]bool, *[]string:
		return aList
	case *network.Cost:
		return aCost
	case *[]machines.RatePoint:
		return aRate
	}
	if k.Form != "" {
		return aTree
	}
	if k.Inside() != nil {
		return someKeys
	}
	return oneValue
}

// kind of a single value.
func (k *key) isText() bool {
	switch k.To.(type) {
	case *string, *[]string:
		return true
	}
	return false
}

func (k *key) isFlag() bool {
	switch k.To.(type) {
	case *bool, *[]bool:
		return true
	}
	return false
}

var word = regexp.MustCompile(`[A-Za-z][a-z0-9-]*`)

// docWords are the words of a documentation that could be a value.
func docWords(doc string) []string {
	words := word.FindAllString(doc, -1)
	slices.Sort(words)
	return slices.Compact(words)
}
