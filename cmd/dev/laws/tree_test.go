package laws

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Tree is a part of a YAML file that can be changed and written: a scalar, a
// list or a mapping.
type Tree struct {
	form   form
	text   string   // of a scalar
	keys   []string // of a mapping
	values []*Tree  // of a mapping, in the order of keys, or of a list
}

type form uint8

const (
	scalarForm form = iota
	listForm
	mappingForm
)

func scalar(text string) *Tree         { return &Tree{text: text} }
func list(items ...*Tree) *Tree        { return &Tree{form: listForm, values: items} }
func mapping() *Tree                   { return &Tree{form: mappingForm} }
func number[T int | uint64](n T) *Tree { return scalar(fmt.Sprint(n)) }

// index returns the place of a key in a mapping, or of the entry of that number
// in a list; -1: there is none.
func (t *Tree) index(step string) int {
	if t.form == listForm {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(t.values) {
			return i
		}
		return -1
	}
	for i, key := range t.keys {
		if key == step {
			return i
		}
	}
	return -1
}

// at follows a path; nil: it leads nowhere.
func (t *Tree) at(path ...string) *Tree {
	for _, step := range path {
		i := -1
		if t != nil {
			i = t.index(step)
		}
		if i < 0 {
			return nil
		}
		t = t.values[i]
	}
	return t
}

// put gives a key of a mapping a value.
func (t *Tree) put(key string, value *Tree) {
	if i := t.index(key); i >= 0 {
		t.values[i] = value
		return
	}
	t.keys, t.values = append(t.keys, key), append(t.values, value)
}

// set gives a path a value; mappings on the way to it are made.
func (t *Tree) set(value *Tree, path ...string) {
	for _, step := range path[:len(path)-1] {
		if t.at(step) == nil {
			t.put(step, mapping())
		}
		t = t.at(step)
	}
	if last := path[len(path)-1]; t.form == listForm {
		t.values[t.index(last)] = value
	} else {
		t.put(last, value)
	}
}

// drop removes the part at a path, if it exists.
func (t *Tree) drop(path ...string) {
	parent := t.at(path[:len(path)-1]...)
	if parent == nil {
		return
	}
	if i := parent.index(path[len(path)-1]); i >= 0 {
		parent.remove(i)
	}
}

// remove removes the entry of that number from a list or a mapping.
func (t *Tree) remove(i int) {
	t.values = append(t.values[:i:i], t.values[i+1:]...)
	if t.form == mappingForm {
		t.keys = append(t.keys[:i:i], t.keys[i+1:]...)
	}
}

func (t *Tree) clone() *Tree {
	c := *t
	c.keys = append([]string(nil), t.keys...)
	c.values = nil
	for _, v := range t.values {
		c.values = append(c.values, v.clone())
	}
	return &c
}

// steps cuts a path as the program writes it, network.send_overhead[1].time,
// into keys and numbers of entries.
func steps(path string) []string { return strings.Split(brackets.Replace(path), ".") }

var brackets = strings.NewReplacer("[", ".", "]", "")

// plain tells whether YAML reads a text as it is, without a special meaning.
func plain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '.', c == '-':
		case i > 0 && (c == '_' || c == '/'):
		default:
			return false
		}
	}
	return text != "" && text != "null"
}

// quoted writes a scalar.
func quoted(text string) string {
	if plain(text) {
		return text
	}
	return strconv.Quote(text)
}

// line writes the tree on one line.
func (t *Tree) line() string {
	var parts []string
	switch t.form {
	case listForm:
		for _, v := range t.values {
			parts = append(parts, v.line())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mappingForm:
		for i, v := range t.values {
			parts = append(parts, quoted(t.keys[i])+": "+v.line())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return quoted(t.text)
}

// wide is the largest length of a mapping that is written on one line.
const wide = 100

// yaml writes the tree as a file.
func (t *Tree) yaml() string {
	var out strings.Builder
	t.write(&out, "")
	return out.String()
}

func (t *Tree) write(out *strings.Builder, indent string) {
	for i, v := range t.values {
		fmt.Fprintf(out, "%s%s:", indent, quoted(t.keys[i]))
		if text := v.line(); v.form != mappingForm || len(text) < wide && indent != "" || len(v.keys) == 0 {
			fmt.Fprintf(out, " %s\n", text)
		} else {
			out.WriteString("\n")
			v.write(out, indent+"  ")
		}
	}
}

// read returns the tree of a YAML text without tags, aliases and the like.
func read(text []byte) (*Tree, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("no YAML in %q", text)
	}
	return fromNode(document.Content[0]), nil
}

func fromNode(y *yaml.Node) *Tree {
	t := &Tree{text: y.Value}
	switch y.Kind {
	case yaml.MappingNode:
		t.form = mappingForm
		for i := 0; i+1 < len(y.Content); i += 2 {
			t.keys, t.values = append(t.keys, y.Content[i].Value), append(t.values, fromNode(y.Content[i+1]))
		}
	case yaml.SequenceNode:
		t.form = listForm
		for _, item := range y.Content {
			t.values = append(t.values, fromNode(item))
		}
	}
	return t
}
