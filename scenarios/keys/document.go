package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"overlapsim/workloads/inputs"
)

// LargestFile is the largest size of a scenario or machine file, in bytes.
const LargestFile = 1 << 20

// ReadLimited reads an input, and never more than a byte beyond the limit.
func ReadLimited(name string) ([]byte, error) {
	f, err := inputs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, LargestFile+1))
}

// ReasonOf removes the part of an error that the place of the message already gives.
func ReasonOf(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// ReadText returns the tree of a YAML text, or nil if it has no usable one. It reports
// problems of form: every feature of YAML beyond scalars, lists and mappings, keys given
// twice, and more than one document.
func ReadText(name string, text []byte, problems *Problems) *Node {
	start := Place{File: name, Line: 1, Column: 1}
	if len(text) > LargestFile {
		problems.Add(start, "", "is larger than %s, which is the most a file may have", FormatBytes(LargestFile))
		return nil
	}
	if at, what := notText(text); what != "" {
		problems.Add(place(name, text, at), "", "is not a text file: it has %s", what)
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	if err := decoder.Decode(&document); err == io.EOF {
		problems.Add(start, "", "is empty; it should hold keys and values")
		return nil
	} else if err != nil {
		at := syntaxPlace(name, text, err)
		problems.Add(at, "", "is not YAML: %s%s", syntaxMessage(err), tabs(text, at.Line))
		return nil
	}
	if err := decoder.Decode(&more); err == nil {
		problems.Add(Place{File: name, Line: more.Line, Column: more.Column}, "", "is a second document; a file holds one")
	} else if err != io.EOF {
		problems.Add(syntaxPlace(name, text, err), "", "is not YAML: %s", syntaxMessage(err))
	}
	reader := treeReader{file: name, problems: problems}
	root := reader.read(document.Content[0], "")
	if root.Shape == Nothing {
		problems.Add(start, "", "is empty; it should hold keys and values")
		return nil
	}
	return root
}

// notText returns the evidence that the bytes are not text, and its place.
func notText(text []byte) (at int, what string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return i, fmt.Sprintf("the byte 0x%02x, which is not UTF-8", text[i])
		case unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != 0x85:
			return i, fmt.Sprintf("the control character %U", r)
		}
		i += size
	}
	return 0, ""
}

// place returns the line and column of a byte.
func place(name string, text []byte, at int) Place {
	before := text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	return Place{File: name, Line: line, Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1}
}

var (
	syntaxLine   = Pattern(`line (\d+): `)
	syntaxParser = Pattern(`did not find expected (['<]|key|node)`)
	syntaxAnchor = Pattern(`unknown anchor '(.*)' referenced`)
)

// syntaxPlace returns the place where the YAML reader gave up. The reader names the line,
// except the first one, and no column. Its parser, unlike its scanner, counts lines from
// 0.
func syntaxPlace(name string, text []byte, err error) Place {
	if m := syntaxAnchor().FindStringSubmatch(err.Error()); m != nil {
		return place(name, text, max(0, bytes.Index(text, []byte("*"+m[1]))))
	}
	line := 1
	if m := syntaxLine().FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
		if syntaxParser().MatchString(err.Error()) {
			line++
		}
	}
	lines := bytes.Split(text, []byte("\n"))
	line = min(line, len(lines))
	indent := len(lines[line-1]) - len(bytes.TrimLeft(lines[line-1], " \t"))
	return Place{File: name, Line: line, Column: indent + 1}
}

func syntaxMessage(err error) string {
	return syntaxLine().ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "")
}

// tabs says that a line begins with a tab, or nothing if it does not.
func tabs(text []byte, line int) string {
	indented := bytes.Split(text, []byte("\n"))[line-1]
	if bytes.HasPrefix(bytes.TrimLeft(indented, " "), []byte("\t")) {
		return " (a tab; YAML is indented by blanks)"
	}
	return ""
}

// treeReader turns YAML nodes into a tree.
type treeReader struct {
	file     string
	flag     string // set if the text was a flag, in which lines have no meaning
	problems *Problems
}

func (r *treeReader) place(y *yaml.Node) Place {
	if r.flag != "" {
		return Place{Flag: r.flag}
	}
	return Place{File: r.file, Line: y.Line, Column: y.Column}
}

// read returns the tree of a YAML node at the path.
func (r *treeReader) read(y *yaml.Node, path string) *Node {
	n := &Node{Place: r.place(y)}
	if y.Style&yaml.TaggedStyle != 0 {
		r.problems.Add(n.Place, path, "has the tag %s; tags are not used here", y.ShortTag())
		n.Shape = Broken
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.Text = y.Value
		n.Shape = Scalar
		if y.ShortTag() == "!!null" {
			n.Shape = Nothing
		}
	case yaml.SequenceNode:
		n.Shape = List
		for i, item := range y.Content {
			n.Items = append(n.Items, r.read(item, fmt.Sprintf("%s[%d]", path, i)))
		}
	case yaml.MappingNode:
		n.Shape = Mapping
		seen := map[string]*Node{} // a file may have very many keys
		for i := 0; i+1 < len(y.Content); i += 2 {
			r.entry(n, seen, y.Content[i], y.Content[i+1], path)
		}
	case yaml.AliasNode:
		r.problems.Add(n.Place, path, "is an alias (*%s); write the value out", y.Value)
		n.Shape = Broken
	}
	return n
}

// entry adds a key and its value to a mapping that has the keys seen.
func (r *treeReader) entry(n *Node, seen map[string]*Node, key, value *yaml.Node, path string) {
	at := r.place(key)
	if key.Kind != yaml.ScalarNode || key.Style&yaml.TaggedStyle != 0 {
		r.problems.Add(at, path, "has a key that is not a word")
		return
	}
	child := Join(path, key.Value)
	if first := seen[key.Value]; first != nil {
		r.problems.Add(at, child, "is given twice, first at %d:%d", first.Place.Line, first.Place.Column)
		return
	}
	v := r.read(value, child)
	v.Place = at
	seen[key.Value] = v
	n.Names, n.Values = append(n.Names, key.Value), append(n.Values, v)
}

// Join appends a key to a path, quoted unless it is a plain word.
func Join(path, key string) string {
	if path == "" {
		return Quote(key)
	}
	return path + "." + Quote(key)
}
