package papers

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios"
)

// reader decodes a YAML file and collects what is wrong with it.
type reader struct {
	file     string
	problems scenarios.Problems
}

func (r *reader) place(n *yaml.Node) scenarios.Place {
	return scenarios.Place{File: r.file, Line: n.Line, Column: n.Column}
}

func (r *reader) complain(n *yaml.Node, path, format string, args ...any) {
	r.problems = append(r.problems, scenarios.Problem{Place: r.place(n), Key: path, Message: fmt.Sprintf(format, args...)})
}

// err returns the problems sorted by place, nil if there are none.
func (r *reader) err() error { return sorted(r.problems) }

// sorted returns problems in the order of their places, each once, as an error.
func sorted(problems scenarios.Problems) error {
	var all scenarios.Problems
	for _, p := range problems {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b scenarios.Problem) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
	if all == nil {
		return nil
	}
	return all
}

// root returns the only document of a file, or nil.
func (r *reader) root(text []byte) *yaml.Node {
	start := &yaml.Node{Line: 1, Column: 1}
	var document, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&document)
	if err == io.EOF || err == nil && len(document.Content) == 0 {
		r.complain(start, "", "is empty")
		return nil
	}
	if err != nil {
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		if n, _ := fmt.Sscanf(message, "line %d:", &start.Line); n == 1 {
			_, message, _ = strings.Cut(message, ": ")
		}
		r.complain(start, "", "is not YAML: %s", message)
		return nil
	}
	if decoder.Decode(&more) != io.EOF {
		r.complain(start, "", "holds more than one document")
	}
	return document.Content[0]
}

// field is a key of a mapping and what reads its value.
type field struct {
	name     string
	required bool
	read     func(n *yaml.Node, path string)
}

// fields reads a mapping with known keys.
func (r *reader) fields(n *yaml.Node, path string, known ...field) {
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	given := map[string]bool{}
	r.entries(n, path, func(key, v *yaml.Node, path string) {
		i := slices.Index(names, key.Value)
		if i < 0 {
			r.complain(key, path, "unknown key%s", meant(key.Value, names))
			return
		}
		given[key.Value] = true
		known[i].read(v, path)
	})
	for _, f := range known {
		if f.required && !given[f.name] && n.Kind == yaml.MappingNode {
			r.complain(n, join(path, f.name), "is missing")
		}
	}
}

// entries reads a mapping with keys of the writer's own choice, in order.
func (r *reader) entries(n *yaml.Node, path string, read func(key, v *yaml.Node, path string)) {
	if n.Kind != yaml.MappingNode {
		r.complain(n, path, "must be a mapping of keys, got %s", shape(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		inside := join(path, key.Value)
		if seen[key.Value] {
			r.complain(key, inside, "is given twice")
			continue
		}
		seen[key.Value] = true
		read(key, v, inside)
	}
}

// items reads a list.
func (r *reader) items(n *yaml.Node, path string, read func(v *yaml.Node, path string)) {
	if n.Kind != yaml.SequenceNode {
		r.complain(n, path, "must be a list, got %s", shape(n))
		return
	}
	for i, v := range n.Content {
		read(v, fmt.Sprintf("%s[%d]", path, i))
	}
}

// text reads a text that is not empty.
func (r *reader) text(to *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
			r.complain(n, path, "must be a text, got %s", shape(n))
			return
		}
		*to = strings.TrimSpace(n.Value)
	}
}

// number reads a number.
func (r *reader) number(to *float64) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		x, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != yaml.ScalarNode || err != nil || x-x != 0 {
			r.complain(n, path, "must be a number, got %s", shape(n))
			return
		}
		*to = x
	}
}

// expression reads an expression; whether its names are known is checked when
// the whole paper is there.
func (r *reader) expression(to *Expression) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		var text string
		if r.text(&text)(n, path); text == "" {
			return
		}
		e, err := parse(text, r.place(n))
		if err != nil {
			r.complain(n, path, "%s", err)
			return
		}
		*to = e
	}
}

// shape says what a node is, for messages.
func shape(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return strconv.Quote(n.Value)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
