package scenarios

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// setting is a value for a path, from changes, a variant or --set.
type setting struct {
	path  string // network.latency
	value *node  // its place is where the path was written
}

// reaches returns the setting as seen from inside the group; ok is false if it is not for
// a key of the group.
func (s setting) reaches(group string) (setting, bool) {
	rest, ok := strings.CutPrefix(s.path, group+".")
	return setting{rest, s.value}, ok
}

// parseSetting reads "path=value" of a flag. The value is a plain scalar, or a YAML list
// or mapping in brackets.
func parseSetting(flag, text string, problems *Problems) (setting, bool) {
	at := Place{Flag: flag + " " + text}
	path, value, ok := strings.Cut(text, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	switch {
	case !ok:
		problems.add(at, "", "must be path=value, such as machine.network.latency=3us")
	case path == "":
		problems.add(at, "", "has no path before the =")
	case value == "":
		problems.add(at, "", "has no value after the =")
	case !strings.ContainsAny(value[:1], "[{"):
		return setting{path, &node{shape: scalar, text: value, place: at}}, true
	default:
		return flowSetting(at, path, value, problems)
	}
	return setting{}, false
}

// flowSetting reads a value in brackets.
func flowSetting(at Place, path, value string, problems *Problems) (setting, bool) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(value), &document); err != nil {
		problems.add(at, "", "is not YAML: %s", syntaxMessage(err))
		return setting{}, false
	}
	reader := treeReader{flag: at.Flag, problems: problems}
	return setting{path, reader.read(document.Content[0], path)}, true
}

// overlay puts settings into a tree.
type overlay struct {
	alternatives map[string]string // from the path of a key to the path of its other name
	problems     *Problems
}

// apply gives a path of the tree a value. A group is merged key by key. Any other value
// replaces the present one, or multiplies it if it is a factor. Of two alternatives the
// one that is set remains.
func (o overlay) apply(root *node, s setting) {
	o.set(root, "", strings.Split(s.path, "."), s.value)
}

func (o overlay) set(n *node, path string, steps []string, value *node) {
	if !o.opens(n, path, value.place) {
		return
	}
	step, inner := steps[0], join(path, steps[0])
	old := n.child(step)
	switch {
	case old == nil && n.shape == list:
		o.problems.add(value.place, inner, "%s has no entry %s; it has %d, from 0", path, quote(step), len(n.items))
	case len(steps) > 1:
		if old == nil {
			old = &node{shape: mapping, place: value.place}
			n.put(step, old)
		}
		o.set(old, inner, steps[1:], value)
	case old != nil && old.group() && value.group():
		for i, name := range value.names {
			o.oneOf(value, inner, name)
			o.set(old, inner, []string{name}, value.values[i])
		}
	default:
		o.replace(n, path, step, value)
	}
}

// oneOf reports a group that gives two alternatives for the same quantity.
func (o overlay) oneOf(group *node, path, name string) {
	if _, other := split(o.alternatives[join(path, name)]); other != "" && name < other && group.at(other) != nil {
		o.problems.add(group.at(name).place, join(path, name), "cannot be given beside %s; give one of them", other)
	}
}

// replace gives a key of a mapping, or an entry of a list, another value, or multiplies
// the present one.
func (o overlay) replace(n *node, path, step string, value *node) {
	step, value = o.multiply(n, join(path, step), step, value)
	if n.shape == list {
		*n.child(step) = *value.clone()
		return
	}
	if other, ok := o.alternatives[join(path, step)]; ok {
		_, key := split(other)
		n.drop(key)
	}
	n.put(step, value.clone())
}

// opens tells whether a value can be put into the node, and reports a problem if not.
func (o overlay) opens(n *node, path string, at Place) bool {
	switch {
	case n.shape == nothing:
		n.shape = mapping
	case n.shape == scalar:
		o.problems.add(at, path, "%s is a single value and has no keys", path)
	case n.shape == mapping && !n.group():
		o.problems.add(at, path, "%s is a value with its origin; set %s", path, path)
	}
	return n.group() || n.shape == list
}
