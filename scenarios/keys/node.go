package keys

import (
	"slices"
	"strconv"
	"strings"
)

// Node is a part of a file as it was written: a scalar, a list or a mapping, and its
// place. Base machines, changes, variants and --set are all put into the tree before
// decoding. Therefore one decoder checks them all, and every mistake keeps its own place.
//
// Many trees share nodes. Code that changes one changes a [Node.Copy] of it, and of the
// nodes above it.
type Node struct {
	Shape  shape
	Place  Place   // of its key, if it has one
	Text   string  // of a scalar
	note   string  // how the text was computed: "x0.5 of 3us"
	Items  []*Node // of a list
	Names  []string
	Values []*Node // of a mapping, in the order of names
}

// shape is the form of a node.
type shape uint8

const (
	Nothing shape = iota // a key without a value
	Scalar
	List
	Mapping
	Broken // a mistake that has been reported
)

func (s shape) String() string {
	return [...]string{"nothing", "a single value", "a list", "a mapping", "a mistake"}[s]
}

// At returns the value of a key of a mapping, or nil.
func (n *Node) At(name string) *Node {
	for i, other := range n.Names {
		if other == name {
			return n.Values[i]
		}
	}
	return nil
}

// PlaceOf returns the place of the first of the keys that a flag gives, which is the last that was written; otherwise of the first
// that is present, or of their mapping.
func (n *Node) PlaceOf(names ...string) Place {
	for _, name := range names {
		if value := n.At(name); value != nil && value.Place.Flag != "" {
			return value.Place
		}
	}
	for _, name := range names {
		if value := n.At(name); value != nil {
			return value.Place
		}
	}
	return n.Place
}

// Inside returns the value of a path of keys, or nil.
func (n *Node) Inside(path string) *Node {
	for _, key := range strings.Split(path, ".") {
		if n == nil {
			return nil
		}
		n = n.At(key)
	}
	return n
}

// Stated is the text of a value, without its origin.
func (n *Node) Stated() string { return stated(n).Text }

// With returns another value with its origin, written at the same place.
func (n *Node) With(text, origin, source string) *Node {
	of := func(text string) *Node { return &Node{Shape: Scalar, Text: text, Place: n.Place} }
	return &Node{Shape: Mapping, Place: n.Place, Names: []string{"value", "origin", "source"}, Values: []*Node{of(text), of(origin), of(source)}}
}

// Nearest returns the place of a path, or of the longest part of it that exists.
func (n *Node) Nearest(path string) Place { return n.nearest(path).Place }

// NearestFlag returns the place of a path, or of the longest part of it that exists. Of a mapping it is the key that a flag gives, if one is.
func (n *Node) NearestFlag(path string) Place {
	n = n.nearest(path)
	for _, inner := range n.Values {
		if inner.Place.Flag != "" {
			return inner.Place
		}
	}
	return n.Place
}

func (n *Node) nearest(path string) *Node {
	for _, step := range strings.Split(path, ".") {
		inner := n.child(step)
		if inner == nil {
			break
		}
		n = inner
	}
	return n
}

// Put gives a key of a mapping a value, and replaces a present one.
func (n *Node) Put(name string, value *Node) {
	for i, other := range n.Names {
		if other == name {
			n.Values[i] = value
			return
		}
	}
	n.Names = append(n.Names, name)
	n.Values = append(n.Values, value)
}

// Drop removes a key of a mapping and returns its value, or nil.
func (n *Node) Drop(name string) *Node {
	for i, other := range n.Names {
		if other == name {
			value := n.Values[i]
			n.Names = append(n.Names[:i:i], n.Names[i+1:]...)
			n.Values = append(n.Values[:i:i], n.Values[i+1:]...)
			return value
		}
	}
	return nil
}

// Copy returns a node with the same values or items, which can be given others.
func (n *Node) Copy() *Node {
	c := *n
	c.Names, c.Values, c.Items = slices.Clone(n.Names), slices.Clone(n.Values), slices.Clone(n.Items)
	return &c
}

// Own replaces the value of a key, or an item, that is present by a copy, and returns it.
func (n *Node) Own(name string) *Node {
	return n.replace(name, n.child(name).Copy())
}

// replace replaces the value of a key, or an item, that is present.
func (n *Node) replace(name string, value *Node) *Node {
	if n.Shape == List {
		i, _ := strconv.Atoi(name)
		n.Items[i] = value
	} else {
		n.Put(name, value)
	}
	return value
}

// Group tells whether a node holds its own keys. A value that is written with its
// origin does not: {value: 3us, origin: published, source: ...}.
func (n *Node) Group() bool { return n.Shape == Mapping && n.At("value") == nil }

// entries returns a list, with or without its origin; nil: the node is none.
func (n *Node) entries() *Node {
	if value := n.At("value"); value != nil {
		n = value
	}
	if n.Shape != List {
		return nil
	}
	return n
}

// indexed tells whether all keys of a mapping are indices of a list.
func (n *Node) indexed() bool {
	return !slices.ContainsFunc(n.Names, func(name string) bool { _, err := strconv.Atoi(name); return err != nil })
}

// child follows one step of a path: a key of a mapping or an index of a list.
func (n *Node) child(name string) *Node {
	switch n.Shape {
	case Mapping:
		return n.At(name)
	case List:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
	}
	return nil
}

// String writes the node on one line, as YAML.
func (n *Node) String() string {
	var parts []string
	switch n.Shape {
	case List:
		for _, item := range n.Items {
			parts = append(parts, item.inside())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Mapping:
		for i, name := range n.Names {
			parts = append(parts, name+": "+n.Values[i].inside())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.Text
}

// inside writes the node as a part of another one: a text that YAML would take apart there stands in quotes.
func (n *Node) inside() string {
	if n.Shape == Scalar && strings.ContainsAny(n.Text, ",:#[]{}\"'\\\n") {
		return strconv.Quote(n.Text)
	}
	return n.String()
}

// Has tells whether there is a node at a path.
func (n *Node) Has(path string) bool {
	for _, step := range strings.Split(path, ".") {
		if n = n.child(step); n == nil {
			return false
		}
	}
	return true
}

// WithoutLines puts a file, without lines, in the place of all places of a tree whose text the user has not written.
func (n *Node) WithoutLines(file string) {
	n.Place = Place{File: file}
	for _, inner := range slices.Concat(n.Items, n.Values) {
		inner.WithoutLines(file)
	}
}
