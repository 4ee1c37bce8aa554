// Package kinds has tables of named kinds: topologies, fabrics, workloads. Other modules add
// theirs in the same way as overlapsim adds its own.
package kinds

import (
	"fmt"
	"slices"
	"strings"
)

// Table holds the kinds of one family in the order in which they were registered.
type Table[K any] struct {
	Family string // the word for messages: "topology"
	names  []string
	all    []K
}

// proper tells whether a name is made as names are. Scenario files and command lines can use such a
// name without quotes.
func proper(name string) bool {
	for word := range strings.SplitSeq(name, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return name[0] >= 'a'
}

// Register adds a kind. It panics if the name is not made of lower-case words and numbers with
// hyphens between them, or if another kind has the name, because both are errors in the program.
// Call it from init, before anything is read or run.
func (t *Table[K]) Register(name string, k K) {
	if !proper(name) {
		panic(fmt.Sprintf("%s %q: a name is lower-case letters and digits, with hyphens between words, such as fat-tree", t.Family, name))
	}
	if slices.Contains(t.names, name) {
		panic(fmt.Sprintf("%s %s is registered twice", t.Family, name))
	}
	t.names, t.all = append(t.names, name), append(t.all, k)
}

// Names returns the names of all kinds.
func (t *Table[K]) Names() []string { return slices.Clone(t.names) }

// All returns all kinds.
func (t *Table[K]) All() []K { return slices.Clone(t.all) }

// Find finds the kind that a key "kind" names, or returns an error that lists all names.
func (t *Table[K]) Find(name string) (k K, err error) {
	k, ok := t.Lookup(name)
	if !ok {
		err = fmt.Errorf("kind: must be one of %s, got %s", strings.Join(t.names, ", "), name)
	}
	return k, err
}

// Doc describes all kinds in one line: "ring: nodes in a circle; fat-tree: ...".
func (t *Table[K]) Doc(of func(K) string) string {
	all := make([]string, len(t.all))
	for i, k := range t.all {
		all[i] = t.names[i] + ": " + of(k)
	}
	return strings.Join(all, "; ")
}

// Lookup finds a kind by its name.
func (t *Table[K]) Lookup(name string) (k K, ok bool) {
	i := slices.Index(t.names, name)
	if i < 0 {
		return k, false
	}
	return t.all[i], true
}
