package keys

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fact is one value of a machine as its file states it.
type Fact struct {
	Path     string // network.send_overhead[1].time
	Value    string // as written
	Origin   string // one of Origins; "" if no origin is given
	Source   string
	Quantity bool  // a number, not a text
	Place    Place // of its key
}

// Origins are the possible origins of a number: published; derived, by arithmetic on
// published numbers; fitted; or chosen, for a machine that is not real or where no number
// was found.
var Origins = []string{"published", "derived", fitted, "chosen"}

const fitted = "fitted"

// Fitted tells whether a fit found the number.
func (f *Fact) Fitted() bool { return f.Origin == fitted }

// Decoder fills the targets of a table from a tree and notes every mistake.
type Decoder struct {
	Table  Table
	Groups Groups       // of the table; nil: looked up where they are needed
	Inner  func() Table // other keys that may have been meant, by their paths; nil: none
	// Elsewhere is the path in other files of what others call by a word, if nothing here is called so; nil: none.
	Elsewhere func(word string) string

	Apart    func(path string) bool // keys that are not named in the place of an unknown one; nil: none
	Problems *Problems
	Origins  bool   // values may be written with their origin
	Facts    []Fact // in the order of the table
	stated   Fact   // origin and source that apply now
}

// Decode fills the targets of the rows from a mapping. The prefix is the place of the
// mapping in the file: "" or a path.
func (d *Decoder) Decode(n *Node, prefix string) {
	if n.Shape == Broken {
		return
	}
	if n.Shape != Mapping {
		d.Problems.Add(n.Place, prefix, "must be %s, got %s", d.wanted("", n), n.Shape)
		return
	}
	d.mapping(n, prefix, "")
}

// under returns the rows directly inside a group.
func (d *Decoder) under(path string) Table {
	if d.Groups != nil {
		return d.Groups[path]
	}
	return d.Table.Under(path)
}

// wanted says what should stand in the place of a node that is not a mapping. If the node
// is a word that one of the keys accepts, wanted names that key.
func (d *Decoder) wanted(path string, n *Node) string {
	rows := d.Table.Under(path)
	for _, row := range rows {
		if n.Shape == Scalar && slices.Contains(row.Choices, n.Text) {
			_, key := Split(row.Path)
			text := key + ": " + n.Text
			if row.Beside != nil && row.Beside(n.Text) != "" {
				text += ", " + row.Beside(n.Text)
			}
			for _, of := range rows {
				kinds, _, _ := strings.Cut(of.Doc, ": ")
				if _, other := Split(of.Path); of.Is == Time && slices.Contains(strings.Split(kinds, ", "), n.Text) {
					text += fmt.Sprintf(", %s: %s", other, of.Is.Example())
				}
			}
			return fmt.Sprintf("a mapping: {%s}", text)
		}
	}
	text := "a mapping of keys (" + strings.Join(rows.Keys(), ", ") + ")"
	if slices.ContainsFunc(rows, func(row Row) bool { return row.Needs != Required || row.Is <= Number }) {
		return text
	}
	var given []string // quantities, all of which are needed
	for _, row := range rows {
		_, key := Split(row.Path)
		given = append(given, key+": "+row.Is.Example())
	}
	return text + ", such as {" + strings.Join(given, ", ") + "}"
}

// mostUnknown is how many unknown keys of a mapping are reported each by itself.
const mostUnknown = 100

// unknown reports the keys of a mapping that no row has, and returns what they may mean.
func (d *Decoder) unknown(rows Table, n *Node, prefix, path string) (mistyped []string) {
	if rows.count(n) == len(n.Names) { // as is usual
		return nil
	}
	found := 0
	for i, name := range n.Names {
		if rows.has(name) {
			continue
		}
		if found++; found <= mostUnknown {
			mistyped = append(mistyped, Nearest(name, rows.Keys()))
			d.Problems.AddKind(UnknownKey, n.Values[i].Place, Within(prefix, Join(path, name)), "unknown key, %s", d.suggest(name, prefix, path, n.Values[i]))
		}
	}
	if more := found - mostUnknown; more > 0 {
		d.Problems.AddKind(UnknownKey, n.Place, prefix, "has %d more unknown keys", more)
	}
	return mistyped
}

// suggest says what could replace an unknown key of a group: the only key that names its value, a key with a similar name, a
// key of that name in another group, one that is described by it, or all keys of the group. A key that should
// hold others may be the wrong group of the only one in it.
func (d *Decoder) suggest(key, prefix, path string, value *Node) string {
	all := d.Table
	if d.Apart != nil {
		all = slices.DeleteFunc(slices.Clone(all), func(row Row) bool { return d.Apart(row.Path) })
	}
	here := all.Under(path)
	if names := here.naming(value); len(names) == 1 {
		return question(names)
	}
	if names := CalledHere(key, here.Keys()); len(names) > 0 {
		return question(names)
	}
	if d.Inner != nil {
		inner := d.Inner()
		all = slices.Concat(all.without(inner), inner)
	}
	if group := all.group(key); group != "" && value.Shape == Mapping {
		return question([]string{Within(prefix, group)})
	}
	if near := Nearest(key, here.Keys()); near != "" {
		if value.Shape == Mapping && len(value.Names) == 1 && here.has(value.Names[0]) {
			near = value.Names[0]
		}
		both := []string{near}
		if d.Elsewhere != nil && nearest(key, here.Keys()) == nil && len(called(bare(key))) > 0 { // the beginning alone is the same
			if path := d.Elsewhere(key); path != "" {
				both = append(both, path)
			}
		}
		return question(both)
	}
	for _, row := range all {
		if parent, other := Split(row.Path); row.Path == key && parent != "" {
			return fmt.Sprintf("write %s: {%s: ...}", parent, other)
		}
	}
	if meant := all.Meant(key); meant != "" {
		return question([]string{meant})
	}
	if d.Elsewhere != nil {
		if path := d.Elsewhere(key); path == key || path != "" && len(called(bare(key))) > 0 {
			return question([]string{path})
		}
	}
	return InsteadOf(key, here.Keys(), func(key string) string {
		row, _ := d.Table.Row(Join(path, key))
		return row.Doc
	})
}

// group returns the path of the group of a name; "": there is none.
func (t Table) group(name string) string {
	for i := range t {
		if _, own := Split(t[i].Path); own == name && len(t.Under(t[i].Path)) > 0 {
			return t[i].Path
		}
	}
	return ""
}

// naming lists the keys of texts that have a word among their choices, or in what is said of them.
func (t Table) naming(value *Node) (names []string) {
	if value.Shape != Scalar || !strings.Contains(value.Text, "-") { // a word of prose says little
		return nil
	}
	for _, row := range t {
		_, text := row.To.(*string)
		words := strings.FieldsFunc(row.Doc, func(r rune) bool { return strings.ContainsRune(" ,;:()", r) })
		if text && slices.Contains(slices.Concat(row.Choices, words), value.Text) {
			_, key := Split(row.Path)
			names = append(names, key)
		}
	}
	return names
}

// mapping decodes the group at the path of the table. A key that is present but mistyped
// is not reported as missing too.
func (d *Decoder) mapping(n *Node, prefix, path string) {
	rows := d.under(path)
	mistyped := d.unknown(rows, n, prefix, path)
	for i := range rows {
		row := &rows[i]
		_, key := Split(row.Path)
		value := n.At(key)
		_, other := Split(row.Or)
		switch {
		case value == nil && slices.Contains(mistyped, key):
		case value != nil && row.Or != "" && n.At(other) != nil && row.Or < row.Path:
			d.Problems.Add(value.Place, Within(prefix, row.Path), "cannot be given together with %s; give one of them", other)
		case value != nil:
			d.value(*row, value, prefix)
		case row.Needs == Required && row.Or == "":
			d.Problems.Add(n.Place, Within(prefix, row.Path), "is missing; it is %s", row.describe())
		case row.Needs == Required && n.At(other) == nil && row.Path < row.Or:
			d.Problems.Add(n.Place, Within(prefix, row.Path), "is missing; it is %s, or give %s", row.describe(), other)
		}
	}
}

// Within is a path in the form that a user writes.
func Within(prefix, path string) string {
	if prefix == "" {
		return path
	}
	return prefix + "." + path
}

// describe says what a missing key should hold.
func (r Row) describe() string {
	if r.value().amount() {
		return fmt.Sprintf("%s such as %s (%s)", r.Is, r.Is.Example(), r.Doc)
	}
	return r.Doc
}

// value decodes the value of a key.
func (d *Decoder) value(row Row, n *Node, prefix string) {
	path := Within(prefix, row.Path)
	switch to := row.To.(type) {
	case *Group:
		if n.Shape == Mapping {
			to.Given = true
			d.mapping(n, prefix, row.Path)
		} else if n.Shape != Broken && !row.leftOut(n) {
			d.Problems.Add(n.Place, path, "must be %s, got %s", d.wanted(row.Path, n), n.Shape)
		}
	case **Node:
		*to = d.kept(n, path)
	case *Tree:
		*to = Tree{n, path, d.Problems}
	default:
		d.leaf(row, n, path)
	}
}

// kept returns a value that is decoded later, without its origin; nil after problems. A list is a fact.
func (d *Decoder) kept(n *Node, path string) *Node {
	before := d.stated
	defer func() { d.stated = before }()
	if d.Origins && n.At("value") != nil {
		n = d.unwrap(n, path)
	}
	if n != nil && n.Shape == List {
		fact := d.stated
		fact.Path, fact.Value, fact.Place, fact.Quantity = path, n.String(), n.Place, true
		d.Facts = append(d.Facts, fact)
	}
	return n
}

// None is written in place of a group that the base has and the machine does not have.
const None = "none"

// leftOut tells whether a node says that the group does not exist.
func (r Row) leftOut(n *Node) bool {
	return r.Needs != Required && n.Shape == Scalar && n.Text == None
}

// leaf decodes a value that may carry its origin.
func (d *Decoder) leaf(row Row, n *Node, path string) {
	before := d.stated
	defer func() { d.stated = before }()
	if d.Origins && n.Shape == Mapping {
		if n = d.unwrap(n, path); n == nil {
			return
		}
	}
	row.value().decode(d, row, n, path)
}

// unwrap takes {value, origin, source} apart and returns the value.
func (d *Decoder) unwrap(n *Node, path string) *Node {
	if value, stated, ok := n.stated(); ok {
		d.stated = stated
		return value
	}
	if n.At("value") == nil {
		d.Problems.Add(n.Place, path, "must be a value, a list of values, or a mapping with value, origin and source; got a mapping without value")
		return nil
	}
	var stated struct{ origin, source string }
	var value *Node
	inner := Decoder{Problems: d.Problems, Table: Table{
		{Path: "value", To: &value, Needs: Required, Doc: "the value"},
		{Path: "origin", To: &stated.origin, Needs: Required, Choices: Origins, Doc: "published, derived, fitted or chosen"},
		{Path: "source", To: &stated.source, Needs: Required, Doc: "where it is from"},
	}}
	inner.Decode(n, path)
	d.stated = Fact{Origin: stated.origin, Source: stated.source}
	return value
}

// stated takes {value, origin, source} apart if there is nothing wrong with it, as is
// usual: a machine states the origin of each of its numbers.
func (n *Node) stated() (value *Node, stated Fact, ok bool) {
	value, origin, source := n.At("value"), n.At("origin"), n.At("source")
	if len(n.Names) != 3 || value == nil || origin == nil || source == nil || origin.Shape != Scalar || source.Shape != Scalar {
		return nil, Fact{}, false
	}
	stated = Fact{Origin: strings.TrimSpace(origin.Text), Source: strings.TrimSpace(source.Text)}
	return value, stated, slices.Contains(Origins, stated.Origin) && stated.Source != ""
}

// scalar decodes a text, a flag or a single quantity.
func (d *Decoder) scalar(to scalar, row Row, n *Node, path string) {
	if n.Shape != Scalar {
		if n.Shape != Broken {
			d.Problems.Add(n.Place, path, "must be %s, got %s", to.wanted(row), n.Shape)
		}
		return
	}
	if err := to.read(row, n.Text); err != nil {
		kind := Other
		if errors.As(err, new(fraction)) {
			kind = Fraction
		}
		d.Problems.AddKind(kind, n.Place, path, "%s%s", err, n.origin())
		return
	}
	fact := d.stated
	fact.Path, fact.Value, fact.Place, fact.Quantity = path, n.Text, n.Place, to.amount()
	d.Facts = append(d.Facts, fact)
}

// meant names the choices that a text may have meant.
func (r Row) meant(text string) string {
	said := said(text, r.Choices, func(choice string) string { return r.described()[choice] })
	if near := cmp.Or(Several(text), question(meantBy(text, r.Choices)), question(said)); near != "" {
		return "; " + near
	}
	return ""
}

// described returns what the doc says of each choice, if it has "choice: " before each description
// and "; " after it.
func (r Row) described() map[string]string {
	all, choice := map[string]string{}, ""
	for _, part := range strings.Split(r.Doc, "; ") {
		if name, _, found := strings.Cut(part, ": "); found && slices.Contains(r.Choices, name) {
			choice = name
		}
		all[choice] += " " + part
	}
	return all
}
