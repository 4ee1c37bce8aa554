package keys

import (
	"fmt"
	"iter"
)

// Tree is a part of a YAML file whose kind another package defines: a value, a list or a
// mapping. It is read with the rows and the messages of scenario files, and its mistakes
// go to the problems of its file. The zero Tree stands for a part that was omitted or
// cannot be read: it is empty, and reading it reports no problem.
type Tree struct {
	node     *Node
	path     string
	problems *Problems
}

// ReadTree returns the tree of the text of a file.
func ReadTree(file string, text []byte, problems *Problems) Tree {
	n := ReadText(file, text, problems)
	if n == nil {
		return Tree{}
	}
	return Tree{n, "", problems}
}

// TreeOf returns a file that was read as nodes as a tree.
func TreeOf(n *Node, problems *Problems) Tree { return Tree{n, "", problems} }

// Given tells whether the part is there.
func (t Tree) Given() bool { return t.node != nil && t.node.Shape != Broken }

// IsNull tells whether the part is a key without a value.
func (t Tree) IsNull() bool { return t.Given() && t.node.Shape == Nothing }

// IsMapping tells whether the part holds keys.
func (t Tree) IsMapping() bool { return t.Given() && t.node.Shape == Mapping }

// IsList tells whether the part is a list.
func (t Tree) IsList() bool { return t.Given() && t.node.Shape == List }

// Place is the place of the part: of its key, or of the part itself in a list.
func (t Tree) Place() Place { return t.node.Place }

// String returns the part on one line, in the form that --set takes.
func (t Tree) String() string { return t.node.String() }

// Complain reports a problem of the part.
func (t Tree) Complain(format string, args ...any) {
	t.problems.Add(t.node.Place, t.path, format, args...)
}

// ComplainOf reports a problem of a key of the part, whether the key is present or not.
func (t Tree) ComplainOf(key, format string, args ...any) {
	t.problems.Add(t.node.PlaceOf(key), Join(t.path, key), format, args...)
}

// At returns the value of a key; it is the zero Tree if there is none.
func (t Tree) At(key string) Tree {
	if n := t.node.At(key); n != nil {
		return Tree{n, Join(t.path, key), t.problems}
	}
	return Tree{}
}

// Decode reads a mapping with known keys. The target of a row may be a Tree.
func (t Tree) Decode(rows ...Row) {
	if t.Given() {
		d := Decoder{Table: rows, Problems: t.problems}
		d.Decode(t.node, t.path)
	}
}

// Entries iterates over a mapping whose keys the writer chooses, in their order.
func (t Tree) Entries() iter.Seq2[string, Tree] {
	return func(yield func(string, Tree) bool) {
		if !t.has(Mapping, "must be a mapping of keys") {
			return
		}
		for i, key := range t.node.Names {
			if !yield(key, Tree{t.node.Values[i], Join(t.path, key), t.problems}) {
				return
			}
		}
	}
}

// Items iterates over a list.
func (t Tree) Items() iter.Seq[Tree] {
	return func(yield func(Tree) bool) {
		if !t.has(List, "must be a list") {
			return
		}
		for i, item := range t.node.Items {
			if !yield(Tree{item, fmt.Sprintf("%s[%d]", t.path, i), t.problems}) {
				return
			}
		}
	}
}

// has tells whether the part has this shape, and reports a problem if it has another.
func (t Tree) has(shape shape, wanted string) bool {
	if t.Given() && t.node.Shape != shape {
		t.Complain("%s, got %s", wanted, t.node.Shape)
	}
	return t.Given() && t.node.Shape == shape
}

// Text returns a text.
func (t Tree) Text() (text string) {
	t.leaf(Row{To: &text})
	return text
}

// Texts returns a list of texts, or one text as a list of one.
func (t Tree) Texts() (all []string) {
	t.leaf(Row{To: &all})
	return all
}

// Number returns a number without a unit.
func (t Tree) Number() (x float64) {
	t.leaf(Row{To: &x, Is: Number, Range: Any})
	return x
}

func (t Tree) leaf(row Row) {
	if t.Given() {
		d := Decoder{Problems: t.problems}
		d.leaf(row, t.node, t.path)
	}
}
