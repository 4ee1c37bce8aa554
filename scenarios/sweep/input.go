package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads/goal"
	"overlapsim/workloads/traces"
)

// File is a copy of a file that the points need.
type File struct {
	Name string
	Text string // or the contents of the file, if they are not text
}

// fileForm is a file in JSON; contents that are not text are in base64.
type fileForm struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Binary []byte `json:"binary,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (f File) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(f.Text) {
		return json.Marshal(fileForm{Name: f.Name, Text: f.Text})
	}
	return json.Marshal(fileForm{Name: f.Name, Binary: []byte(f.Text)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *File) UnmarshalJSON(text []byte) error {
	var form fileForm
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	f.Name, f.Text = form.Name, form.Text
	if form.Binary != nil {
		f.Text = string(form.Binary)
	}
	return nil
}

// inputs collects copies of a scenario and of the files that it names, so that a sweep
// continues as it began even if they change. The copies name each other instead of the
// original files.
type inputs struct {
	files    []File
	names    map[string]string // of the copy, by absolute path
	before   map[string]string // value of a setting, by the setting with the copy's name
	problems *keys.Problems
}

// scenarioFiles copies a scenario once for each of its runs, each copy with only that
// run. It returns the names of the runs and of the copies. A scenario without runs has
// one run without a name.
func (in *inputs) scenarioFiles(name string, settings []string) (runs, files []string) {
	text, file, err := openScenario(name, settings)
	var root yaml.Node
	if err == nil {
		err = yaml.Unmarshal(text, &root)
	}
	if err != nil || len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		in.refuse(name, err)
		return nil, nil
	}
	top := root.Content[0]
	changed := in.rewrite(top, filepath.Dir(file))
	variants := valueOf(top, "runs")
	if variants == nil || variants.Kind != yaml.SequenceNode || len(variants.Content) == 0 {
		if changed {
			text = encode(&root)
		}
		return []string{""}, []string{in.add(file, text)}
	}
	all := variants.Content
	for _, variant := range all {
		in.rewrite(variant, filepath.Dir(file))
	}
	for _, variant := range all {
		variants.Content = []*yaml.Node{variant}
		runs = append(runs, textOf(variant, "name"))
		files = append(files, in.add(file, encode(&root)))
	}
	return runs, files
}

// openScenario returns the text of a scenario and the path of its file.
func openScenario(name string, settings []string) (text []byte, file string, err error) {
	if text, ok := files.ScenarioText(name); ok {
		return text, name + ".yaml", nil
	}
	if text, file, ok, err := files.OfInput(name, settings); ok || err != nil {
		return text, file, err
	}
	text, err = keys.ReadLimited(name)
	return text, name, err
}

// refuse reports why a scenario cannot be used, in the words of the loader of scenarios.
func (in *inputs) refuse(name string, why error) {
	if _, err := scenarios.Load(name, nil); err != nil {
		in.report(err)
	} else {
		in.report(fmt.Errorf("scenario %s: %v", name, why))
	}
}

// report adds an error to the problems.
func (in *inputs) report(err error) {
	if several, ok := err.(keys.Problems); ok {
		*in.problems = append(*in.problems, several...)
		return
	}
	*in.problems = append(*in.problems, keys.Problem{Place: keys.Place{Flag: "input"}, Message: err.Error()})
}

// rewrite replaces the names of files in a scenario, or in a run of one, by the names of
// their copies. It tells whether there are any.
func (in *inputs) rewrite(n *yaml.Node, folder string) bool {
	changed := in.part(valueOf(n, "machine"), folder)
	for _, group := range []string{"fabric", "changes", "workload"} {
		if inner := valueOf(n, group); inner != nil {
			changed = in.rewriteKeys(inner, group+".", folder) || changed
		}
	}
	return in.rewriteKeys(n, "", folder) || changed
}

// rewriteKeys does the same for the keys of a group that name files, as single words or
// as paths.
func (in *inputs) rewriteKeys(n *yaml.Node, prefix, folder string) (changed bool) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		switch strings.TrimPrefix(prefix+n.Content[i].Value, "changes.") {
		case "mapping_file":
			changed = in.plain(n.Content[i+1], folder) || changed
		case "workload.file":
			changed = in.program(n.Content[i+1], folder) || changed
		case "runtime", "machine.runtime", "fabric.calibration":
			changed = in.part(n.Content[i+1], folder) || changed
		}
	}
	return changed
}

// part copies the file of a machine, a runtime or a calibration, the files that it is
// based on, and the runtime that it names.
func (in *inputs) part(n *yaml.Node, folder string) bool {
	if n == nil {
		return false
	}
	if n.Kind == yaml.MappingNode {
		base := in.part(valueOf(n, "base"), folder)
		return in.part(valueOf(n, "runtime"), folder) || base
	}
	if n.Kind != yaml.ScalarNode || !files.IsFile(n.Value) {
		return false
	}
	return in.copy(n, folder, func(path string, text []byte) []byte {
		var root yaml.Node
		if yaml.Unmarshal(text, &root) == nil && len(root.Content) > 0 && in.part(root.Content[0], filepath.Dir(path)) {
			return encode(&root)
		}
		return text
	})
}

// plain copies a file that names no others.
func (in *inputs) plain(n *yaml.Node, folder string) bool {
	if n == nil || n.Kind != yaml.ScalarNode {
		return false
	}
	return in.copy(n, folder, func(_ string, text []byte) []byte { return text })
}

// program copies a GOAL schedule, as text, or a trace.
func (in *inputs) program(n *yaml.Node, folder string) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	return in.copy(n, folder, func(path string, text []byte) []byte {
		if all, err := traces.Whole(path); err == nil && all != nil {
			return all
		}
		if utf8.Valid(text) {
			return text
		}
		s, err := goal.Read(bytes.NewReader(text), path)
		if err != nil {
			return text // a trace; if it is neither, loading the scenario will report that
		}
		var out bytes.Buffer
		s.WriteText(&out) // a Buffer takes everything
		return out.Bytes()
	})
}

// largestCopy is the largest size in bytes of a file that a sweep keeps a copy of.
const largestCopy = 256 << 20

// copy copies the file that a node names, with its changes, and lets the node name the
// copy. A file that cannot be read is left for the loader of the scenario to report.
func (in *inputs) copy(n *yaml.Node, folder string, change func(path string, text []byte) []byte) bool {
	path := n.Value
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if info, err := os.Stat(whole); err == nil && info.IsDir() || strings.Contains(filepath.Base(whole), "*") {
		n.SetString(whole) // of many files no copies are kept
		return true
	}
	if name, ok := in.names[whole]; ok {
		n.SetString(name)
		return true
	}
	text, err := disk.Read(whole, largestCopy)
	if err != nil {
		return false
	}
	in.names[whole] = in.free(path)
	n.SetString(in.names[whole])
	in.files = append(in.files, File{in.names[whole], ""})
	at := len(in.files) - 1
	in.files[at].Text = string(change(path, text))
	return true
}

// add appends a copy of a scenario and returns its name.
func (in *inputs) add(path string, text []byte) string {
	if !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".yml") {
		path += ".yaml"
	}
	name := in.free(path)
	in.files = append(in.files, File{name, string(text)})
	return name
}

// free returns a name for the copy of a file that no other copy has.
func (in *inputs) free(path string) string {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	name := base
	for i := 2; slices.ContainsFunc(in.files, func(f File) bool { return f.Name == name }); i++ {
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, ext), i, ext)
	}
	return name
}

// setting copies the file that the value of a path names, and returns the value
// with the copy's name.
func (in *inputs) setting(path, value, folder string) string {
	now := in.named(path, value, folder)
	if now != value {
		in.before[path+"="+now] = value
	}
	return now
}

// named does the work of setting. As with --set, machines are relative to the working
// directory and other files to the scenario. A machine in braces that names a file
// becomes a file itself.
func (in *inputs) named(path, value, folder string) string {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: value}
	switch {
	case path == "mapping_file":
		in.plain(n, folder)
	case path == "workload.file":
		in.program(n, folder)
	case takesPart(path) && strings.HasPrefix(value, "{"):
		var root yaml.Node
		if yaml.Unmarshal([]byte(value), &root) == nil && in.part(root.Content[0], ".") {
			return in.add("inline.yaml", encode(&root))
		}
	case takesPart(path):
		in.part(n, ".")
	}
	return n.Value
}

// takesPart tells whether a path takes a machine, a runtime or a calibration,
// by name, file or keys.
func takesPart(path string) bool {
	return path == "machine" || path == "machine.runtime" || path == "fabric.calibration"
}

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func textOf(n *yaml.Node, key string) string {
	if value := valueOf(n, key); value != nil {
		return value.Value
	}
	return ""
}

// encode writes a tree that was read from YAML.
func encode(root *yaml.Node) []byte {
	text, err := yaml.Marshal(root)
	if err != nil {
		panic(fmt.Sprintf("sweep: a tree that was read cannot be written: %v", err))
	}
	return text
}
