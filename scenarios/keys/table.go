package keys

import (
	"reflect"
	"slices"
	"strings"
)

// Row is one key of a scenario or machine file. The same row decodes it, is a path for
// --set and changes, and is documented in the reference.
type Row struct {
	Path    string    // network.latency
	To      any       // pointer to where the value goes; it holds the default
	Is      Dimension // of quantities
	Times   bool      // counts how often something is done: a larger one is a longer run
	Needs   Need
	Range   Range
	Most    int64                       // largest value of an integer; 0: the largest that its target holds
	Empty   bool                        // a list may be empty
	Choices []string                    // of texts, or a Choice, that name one of a fixed list
	Beside  func(choice string) string  // an example of the keys that a choice needs next to it, or ""; nil: none
	Or      string                      // path of the other key for the same quantity; one of the two is given
	Instead func(value string) []string // paths of the keys that say the same in another way, or nothing with this value: they go where it is set over them
	Form    string                      // of a value that is kept as a tree and decoded later: "a list"
	Doc     string
	Use     any // what else the owner of the table knows about the key
}

// Need tells whether a key is required.
type Need uint8

// A required key must be present if its group is present.
const (
	Optional Need = iota
	Required
)

// Range is the set of values that a quantity may have.
type Range uint8

// The ranges of quantities.
const (
	NotNegative Range = iota
	Positive
	Any
)

// Group is the target of a row for a mapping with its own keys. given is set if the
// mapping is present.
type Group struct{ Given bool }

// Table holds the keys of a kind of file. The rows of a group follow the row of the
// group.
type Table []Row

// Under returns the rows directly inside a group; "" is the whole file.
func (t Table) Under(path string) Table {
	n := 0
	for i := range t {
		if t[i].in(path) {
			n++
		}
	}
	rows := make(Table, 0, n)
	for i := range t {
		if t[i].in(path) {
			rows = append(rows, t[i])
		}
	}
	return rows
}

// Groups holds the rows directly inside each group of a table, by the path of the group.
type Groups map[string]Table

// Groups returns what [Table.Under] does, for every group.
func (t Table) Groups() Groups {
	all := Groups{}
	for _, row := range t {
		group, _ := Split(row.Path)
		all[group] = append(all[group], row)
	}
	return all
}

// KeepBeside remembers the values of the targets that are no part of a struct. restore gives them
// back.
func (t Table) KeepBeside(content any) (restore func()) {
	whole := reflect.ValueOf(content).Elem()
	var targets, kept []reflect.Value
	for i := range t {
		to := t[i].Target()
		if to.UnsafeAddr()-whole.UnsafeAddr() < whole.Type().Size() {
			continue
		}
		targets, kept = append(targets, to), append(kept, reflect.New(to.Type()).Elem())
		kept[len(kept)-1].Set(to)
	}
	return func() {
		for i, to := range targets {
			to.Set(kept[i])
		}
	}
}

// count returns how many keys of a mapping there are among rows of one group.
func (t Table) count(n *Node) (found int) {
	for i := range t {
		if _, own := Split(t[i].Path); n.At(own) != nil {
			found++
		}
	}
	return found
}

// has tells whether there is a key of this name among rows of one group.
func (t Table) has(key string) bool {
	for i := range t {
		if _, own := Split(t[i].Path); own == key {
			return true
		}
	}
	return false
}

// in tells whether a row is directly inside a group.
func (r *Row) in(group string) bool {
	key, ok := strings.CutPrefix(r.Path, group)
	if group != "" && ok {
		key, ok = strings.CutPrefix(key, ".")
	}
	return ok && strings.IndexByte(key, '.') < 0
}

// without returns the rows except the rows of a group that an inner part has too.
func (t Table) without(inner Table) Table {
	return slices.DeleteFunc(slices.Clone(t), func(row Row) bool {
		return strings.Contains(row.Path, ".") && slices.ContainsFunc(inner, func(i Row) bool { return strings.HasSuffix(i.Path, "."+row.Path) })
	})
}

// Meant returns the path whose last key is a word, or what others call so; "" if there is none. Of several it is the one with the
// fewest keys, then its own one, then the first.
func (t Table) Meant(word string) (path string) {
	names := called(bare(word))
	if len(names) == 1 && strings.Contains(names[0], ".") { // of several groups one is meant
		if at := slices.IndexFunc(t, func(row Row) bool { return strings.HasSuffix("."+row.Path, "."+names[0]) }); at >= 0 {
			return t[at].Path
		}
	}
	own, other := t.named(word), t.named(names...)
	if own == "" || other != "" && strings.Count(other, ".") < strings.Count(own, ".") {
		return other
	}
	return own
}

// named returns the shortest path that ends in one of some names; "" if there is none.
func (t Table) named(names ...string) (path string) {
	for i := range t {
		_, own := Split(t[i].Path)
		named := slices.ContainsFunc(names, func(name string) bool {
			return bare(name) == bare(own) || strings.Contains(name, ".") && strings.HasSuffix(t[i].Path, "."+name)
		})
		if named && (path == "" || strings.Count(t[i].Path, ".") < strings.Count(path, ".")) {
			path = t[i].Path
		}
	}
	return path
}

// Split cuts a path into the group and the key.
func Split(path string) (parent, key string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// Row returns the row of a path.
func (t Table) Row(path string) (Row, bool) {
	for i := range t {
		if t[i].Path == path {
			return t[i], true
		}
	}
	return Row{}, false
}

// Keys returns the last step of every path.
func (t Table) Keys() []string {
	var keys []string
	for _, row := range t {
		_, key := Split(row.Path)
		keys = append(keys, key)
	}
	return keys
}

// Alternatives maps each path that has another name to that name.
func (t Table) Alternatives() map[string]string {
	pairs := map[string]string{}
	for _, row := range t {
		if row.Or != "" {
			pairs[row.Path] = row.Or
		}
	}
	return pairs
}

// Instead maps each path to the keys that go where a value is set over them: see Row.Instead.
func (t Table) Instead() map[string]func(value string) []string {
	ways := map[string]func(string) []string{}
	for _, row := range t {
		if row.Instead != nil {
			ways[row.Path] = row.Instead
		}
	}
	return ways
}

// Kind says what kind of value the row takes: "a time".
func (r Row) Kind() string { return r.value().kind(r) }

// Limits says between which values a quantity must be, "" if any will do.
func (r Row) Limits() string {
	if !r.value().amount() || r.Range == Any {
		return ""
	}
	limits := "from 0"
	switch {
	case r.Range == Positive && r.Is == Count:
		limits = "from 1"
	case r.Range == Positive:
		limits = "above 0"
	}
	if r.Most > 0 {
		limits += " to " + integral[int64]{to: &r.Most}.print(r, false)
	}
	return limits
}

// Default returns the value of the row if its key is not given, "" if it has none.
func (r Row) Default() string {
	to := r.value()
	if _, list := to.(records); !list && (r.Needs == Required || r.Range == Positive && r.Target().IsZero()) {
		return ""
	}
	return to.print(r, false)
}
