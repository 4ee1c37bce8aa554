package keys

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Setting is a value for a path, from changes, a variant or --set.
type Setting struct {
	Path   string // network.latency
	Value  *Node  // its place is where the path was written
	Beside *Node  // the group in which it was given together with others; nil: alone
}

// Reaches returns the setting as seen from inside the group; ok is false if it is not for
// a key of the group.
func (s Setting) Reaches(group string) (Setting, bool) {
	rest, ok := strings.CutPrefix(s.Path, group+".")
	return Setting{rest, s.Value, s.Beside}, ok
}

// ParseSetting reads "path=value" of --set. The value is a plain scalar, or a YAML list
// or mapping in brackets.
func ParseSetting(text string, problems *Problems) (Setting, bool) {
	at := Place{Flag: "--set " + text}
	path, value, ok := strings.Cut(text, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	switch {
	case !ok:
		problems.Add(at, "", "must be path=value, such as machine.network.latency=3us")
	case path == "":
		problems.Add(at, "", "has no path before the =")
	case value == "":
		problems.Add(at, "", "has no value after the =")
	case !strings.ContainsAny(value[:1], "[{"):
		return Setting{Path: path, Value: &Node{Shape: Scalar, Text: value, Place: at}}, true
	default:
		return flowSetting(at, path, value, problems)
	}
	return Setting{}, false
}

// flowSetting reads a value in brackets.
func flowSetting(at Place, path, value string, problems *Problems) (Setting, bool) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(value), &document); err != nil {
		problems.Add(at, "", "is not YAML: %s", syntaxMessage(err))
		return Setting{}, false
	}
	reader := treeReader{flag: at.Flag, problems: problems}
	return Setting{Path: path, Value: reader.read(document.Content[0], path)}, true
}

// Overlay puts settings into a tree.
type Overlay struct {
	Alternatives map[string]string                      // from the path of a key to the path of its other name
	Instead      map[string]func(value string) []string // from the path of a key to those that go where a value is set over them
	Problems     *Problems
	beside       *Node // of the setting
}

// Apply gives a path of the tree, whose root the caller owns, a value. A group is merged
// key by key, and into a list entry by entry if its keys are indices. Any other value
// replaces the present one, or multiplies it if it is a factor. Of two alternatives the
// one that is set remains. A list that has an origin loses it when an entry changes.
func (o Overlay) Apply(root *Node, s Setting) {
	o.beside = s.Beside
	o.set(root, "", strings.Split(s.Path, "."), s.Value)
}

func (o Overlay) set(n *Node, path string, steps []string, value *Node) {
	if !o.opens(n, path, value.Place) {
		return
	}
	step, inner := steps[0], Join(path, steps[0])
	old := n.child(step)
	switch {
	case old == nil && n.Shape == List:
		o.Problems.Add(value.Place, inner, "%s has no entry %s; it has %d, from 0", path, Quote(step), len(n.Items))
	case len(steps) > 1:
		if old == nil {
			n.Put(step, &Node{Shape: Mapping, Place: value.Place})
		}
		group := n.Own(step)
		if len(steps) == 2 {
			o.instead(group, inner, &Node{Shape: Mapping, Names: steps[1:], Values: []*Node{value}})
		}
		o.set(group, inner, steps[1:], value)
	case old != nil && value.Group() && (old.Group() || old.entries() != nil && value.indexed()):
		old = n.Own(step)
		o.instead(old, inner, value)
		for i, name := range value.Names {
			o.oneOf(value, inner, name)
			o.set(old, inner, []string{name}, value.Values[i])
		}
	default:
		o.replace(n, path, step, value)
	}
}

// instead drops from a group what the keys of another one, which is put over it, say in another way, or what means nothing with them.
// A key that both ways are given for stays, and so does one that a flag set: its reader refuses it.
func (o Overlay) instead(old *Node, path string, over *Node) {
	for i, name := range over.Names {
		ends := o.Instead[Join(path, name)]
		if ends == nil {
			continue
		}
		for _, other := range ends(stated(over.Values[i]).Text) {
			_, key := Split(other)
			had := old.At(key)
			if had != nil && had.Place.Flag == "" && over.At(key) == nil && (o.beside == nil || o.beside.At(key) == nil) {
				old.Drop(key)
			}
		}
	}
}

// oneOf reports a group that gives two alternatives for the same quantity.
func (o Overlay) oneOf(group *Node, path, name string) {
	if _, other := Split(o.Alternatives[Join(path, name)]); other != "" && name < other && group.At(other) != nil {
		o.Problems.Add(group.At(name).Place, Join(path, name), "cannot be given together with %s; give one of them", other)
	}
}

// replace gives a key of a mapping, or an entry of a list, another value, or multiplies
// the present one.
func (o Overlay) replace(n *Node, path, step string, value *Node) {
	step, value = o.multiply(n, Join(path, step), step, value)
	if n.Shape == List {
		n.replace(step, value)
		return
	}
	if other, ok := o.Alternatives[Join(path, step)]; ok {
		_, key := Split(other)
		n.Drop(key)
	}
	n.Put(step, value)
}

// opens tells whether a value can be put into the node, and reports a problem if not.
func (o Overlay) opens(n *Node, path string, at Place) bool {
	switch {
	case n.Shape == Nothing:
		n.Shape = Mapping
	case n.Shape == Scalar:
		o.Problems.Add(at, path, "%s is a single value and has no keys", path)
	case n.Shape == Mapping && n.entries() != nil:
		*n = *n.entries().Copy()
	case n.Shape == Mapping && !n.Group():
		o.Problems.Add(at, path, "%s is a value with its origin; set %s", path, path)
	}
	return n.Group() || n.Shape == List
}
