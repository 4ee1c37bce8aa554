package scenarios

import (
	"strconv"
	"strings"
)

// node is a part of a file as it was written: a scalar, a list or a mapping, and its
// place. Base machines, changes, variants and --set are all put into the tree before
// decoding. So one decoder checks them all, and every mistake keeps its own place.
type node struct {
	shape  shape
	place  Place   // of its key, if it has one
	text   string  // of a scalar
	note   string  // how the text was computed: "x0.5 of 3us"
	items  []*node // of a list
	names  []string
	values []*node // of a mapping, in the order of names
}

// shape is the form of a node.
type shape uint8

const (
	nothing shape = iota // a key without a value
	scalar
	list
	mapping
	broken // a mistake that has been reported
)

func (s shape) String() string {
	return [...]string{"nothing", "a single value", "a list", "a mapping", "a mistake"}[s]
}

// at returns the value of a key of a mapping, or nil.
func (n *node) at(name string) *node {
	for i, other := range n.names {
		if other == name {
			return n.values[i]
		}
	}
	return nil
}

// placeOf returns the place of the first of the keys that is present, or of their
// mapping.
func (n *node) placeOf(names ...string) Place {
	for _, name := range names {
		if value := n.at(name); value != nil {
			return value.place
		}
	}
	return n.place
}

// nearest returns the place of a path, or of the longest part of it that exists.
func (n *node) nearest(path string) Place {
	for _, step := range strings.Split(path, ".") {
		inner := n.child(step)
		if inner == nil {
			break
		}
		n = inner
	}
	return n.place
}

// put gives a key of a mapping a value, and replaces a present one.
func (n *node) put(name string, value *node) {
	for i, other := range n.names {
		if other == name {
			n.values[i] = value
			return
		}
	}
	n.names = append(n.names, name)
	n.values = append(n.values, value)
}

// drop removes a key of a mapping and returns its value, or nil.
func (n *node) drop(name string) *node {
	for i, other := range n.names {
		if other == name {
			value := n.values[i]
			n.names = append(n.names[:i:i], n.names[i+1:]...)
			n.values = append(n.values[:i:i], n.values[i+1:]...)
			return value
		}
	}
	return nil
}

// clone returns a deep copy.
func (n *node) clone() *node {
	c := *n
	c.names = append([]string(nil), n.names...)
	c.items = cloneAll(n.items)
	c.values = cloneAll(n.values)
	return &c
}

func cloneAll(nodes []*node) []*node {
	var all []*node
	for _, n := range nodes {
		all = append(all, n.clone())
	}
	return all
}

// group tells whether a node holds keys of its own. A value that is written with its
// origin does not: {value: 3us, origin: published, source: ...}.
func (n *node) group() bool { return n.shape == mapping && n.at("value") == nil }

// child follows one step of a path: a key of a mapping or an index of a list.
func (n *node) child(name string) *node {
	switch n.shape {
	case mapping:
		return n.at(name)
	case list:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) {
			return n.items[i]
		}
	}
	return nil
}

// String writes the node on one line, as YAML.
func (n *node) String() string {
	var parts []string
	switch n.shape {
	case list:
		for _, item := range n.items {
			parts = append(parts, item.String())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapping:
		for i, name := range n.names {
			parts = append(parts, name+": "+n.values[i].String())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.text
}

// has tells whether there is a node at a path.
func (n *node) has(path string) bool {
	for _, step := range strings.Split(path, ".") {
		if n = n.child(step); n == nil {
			return false
		}
	}
	return true
}
