package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"overlapsim/scenarios/keys"
)

// partFiles are the files of one kind, machines, runtimes or calibrations: the files of the
// library and the user's. Machines and runtimes may have others as their bases.
type partFiles struct {
	what, folder string
	ways         func() waysToSay // computed once as the tables are long; nil: parts of this kind have no base
}

// waysToSay are the keys of a kind of part that say the same in other ways.
type waysToSay struct {
	alternatives map[string]string
	instead      map[string]func(value string) []string
}

func waysOf(t keys.Table) waysToSay { return waysToSay{t.Alternatives(), t.Instead()} }

var (
	machineFiles     = partFiles{"machine", machineFolder, sync.OnceValue(func() waysToSay { return waysOf(new(machineFile).rows()) })}
	runtimeFiles     = partFiles{"runtime", runtimeFolder, sync.OnceValue(func() waysToSay { return waysOf(new(runtimeFile).rows("")) })}
	calibrationFiles = partFiles{what: "calibration", folder: calibrationFolder}
)

// inline is the name of a part that is written where it is used.
const inline = "inline"

// maxBases is the largest number of bases in a chain.
const maxBases = 16

// overlay puts settings into a part of this kind.
func (f partFiles) overlay(problems *keys.Problems) keys.Overlay {
	ways := f.ways()
	return keys.Overlay{Alternatives: ways.alternatives, Instead: ways.instead, Problems: problems}
}

// resolve returns the tree of the part that a node names or contains, with its bases
// merged in, and its name; nil after problems. The caller owns the root.
func (f partFiles) resolve(n *keys.Node, key string, problems *keys.Problems) (tree *keys.Node, name string) {
	if n.Shape != keys.Scalar || IsFile(n.Text) {
		return f.merge(n, key, problems)
	}
	file := f.folder + "/" + n.Text
	if known, ok := merged.Load(file); ok {
		return known.(*keys.Node).Copy(), n.Text
	}
	before := len(*problems)
	tree, name = f.merge(n, key, problems)
	if tree != nil && len(*problems) == before {
		merged.Store(file, tree.Copy())
	}
	return tree, name
}

// merged holds the parts of the library that were asked for, by file.
var merged sync.Map

// merge does the work of resolve.
func (f partFiles) merge(n *keys.Node, key string, problems *keys.Problems) (tree *keys.Node, name string) {
	var layers []*keys.Node
	for depth := 0; ; depth++ {
		if depth == maxBases {
			problems.Add(n.Place, key, "is based on %d other %ss, or on itself", maxBases, f.what)
			return nil, ""
		}
		layer, called := f.open(n, key, problems)
		if layer == nil {
			return nil, ""
		}
		if name == "" {
			name = called
		}
		layers = append(layers, layer)
		if n, key = layer.Drop("base"), "base"; n == nil {
			break
		}
	}
	lay := f.overlay(problems)
	tree = layers[len(layers)-1]
	if runtime := tree.Drop("runtime"); runtime != nil {
		setPart(lay, tree, keys.Setting{Path: "runtime", Value: runtime})
	}
	for group := range short {
		if given := tree.At(group); given != nil {
			tree.Put(group, spelledOut(group, given))
		}
	}
	for i := len(layers) - 2; i >= 0; i-- {
		inProportion(lay, tree, func() {
			for j, key := range layers[i].Names {
				setPart(lay, tree, keys.Setting{Path: key, Value: layers[i].Values[j]})
			}
		})
		tree.Place = layers[i].Place
	}
	if len(layers) > 1 && layers[0].At("title") == nil {
		derivedTitle(tree, name, layers[0].Names)
	}
	return tree, name
}

// derivedTitle gives a part without a title, which has some keys, one that distinguishes it from its base.
func derivedTitle(tree *keys.Node, name string, has []string) {
	title := tree.At("title")
	if title == nil || title.Shape != keys.Scalar {
		return
	}
	text := name + ", from " + title.Text
	if name == inline {
		text = Changed(title.Text, has)
	}
	tree.Drop("title")
	tree.Put("title", &keys.Node{Shape: keys.Scalar, Text: text, Place: title.Place})
}

// replacesRuntime tells whether a runtime is named, or has a base.
func replacesRuntime(n *keys.Node) bool { return n.Shape == keys.Scalar || n.At("base") != nil }

// setPart applies a setting to a part. A runtime that is named, or has a base, replaces the
// present one; noRuntime stays in its place, as a machine that says that it has none.
func setPart(o keys.Overlay, tree *keys.Node, s keys.Setting) {
	if strings.HasPrefix(s.Path, "runtime") {
		dropNone(tree)
	}
	s.Value = spelledOut(s.Path, s.Value)
	if s.Path == "runtime" && replacesRuntime(s.Value) {
		tree.Drop("runtime")
		opened := openRuntime(s.Value, o.Problems)
		if opened == nil {
			if s.Value.Text == noRuntime {
				tree.Put("runtime", s.Value)
			}
			return
		}
		opened.Place, s.Value = s.Value.Place, opened
	}
	o.Apply(tree, s)
}

// dropNone takes noRuntime out of a machine, and tells whether it was there.
func dropNone(tree *keys.Node) bool {
	n := tree.At("runtime")
	none := n != nil && n.Shape == keys.Scalar && n.Text == noRuntime
	if none {
		tree.Drop("runtime")
	}
	return none
}

// open returns the mapping that a node names (a library name, or a file next to the file
// that names it) or contains, and its name.
func (f partFiles) open(n *keys.Node, key string, problems *keys.Problems) (tree *keys.Node, name string) {
	switch n.Shape {
	case keys.Broken:
		return nil, ""
	case keys.Mapping:
		return n.Copy(), inline
	case keys.Scalar:
	default:
		problems.Add(n.Place, key, "must be a %s's name, a file or a mapping, got %s", f.what, n.Shape)
		return nil, ""
	}
	if text, ok := library(f.folder, n.Text); ok {
		return parsedOnce(f.folder+"/"+n.Text+".yaml", text, problems), n.Text
	}
	path := n.Text
	if !filepath.IsAbs(path) && n.Place.File != "" {
		path = filepath.Join(filepath.Dir(n.Place.File), path)
	}
	if !IsFile(n.Text) {
		problems.Add(n.Place, key, "no %s is called %s; %s", f.what, keys.Quote(n.Text), f.instead(n.Text, path))
		return nil, ""
	}
	text, err := keys.ReadLimited(path)
	if err != nil {
		problems.Add(n.Place, key, "%s cannot be read: %s%s", path, keys.ReasonOf(err), f.begin())
		return nil, ""
	}
	tree = parsedOnce(path, text, problems)
	if tree != nil && tree.Shape != keys.Mapping {
		problems.Add(tree.Place, "", "must be a mapping of keys, got %s", tree.Shape)
		return nil, ""
	}
	if tree != nil && f.wrapped(tree, problems) {
		return nil, ""
	}
	return tree, stem(path)
}

// wrapped reports that the keys of a file are under a key with the name of its kind, or that this key names its base. A file with a workload
// is a scenario.
func (f partFiles) wrapped(tree *keys.Node, problems *keys.Problems) bool {
	in := tree.At(f.what)
	switch {
	case in == nil || tree.At("workload") != nil:
		return false
	case in.Shape == keys.Mapping:
		problems.Add(in.Place, f.what, "unknown key: a %s file has its keys at the top, not under %[1]s", f.what)
	case in.Shape == keys.Scalar && f.ways != nil:
		problems.Add(in.Place, f.what, "unknown key, did you mean base?")
	default:
		return false
	}
	return true
}

// begin says how to begin your own machine file.
func (f partFiles) begin() string {
	if f.folder != machineFolder {
		return ""
	}
	return "; 'overlapsim show hdr-infiniband --yaml' prints one to save and change"
}

// instead says what may be meant by a name that no part has: the file of that name, or a part of the library.
func (f partFiles) instead(name, path string) string {
	if _, err := os.Stat(path + ".yaml"); err == nil {
		return fmt.Sprintf("did you mean the file %s.yaml?", name)
	}
	if f.folder == runtimeFolder && slices.Contains(agents, name) {
		return fmt.Sprintf("%s is who makes progress: machine.runtime.progress={by: %s}", name, name)
	}
	if several := keys.Several(name); several != "" {
		return several
	}
	text := instead(name, f.folder)
	if f.folder != calibrationFolder && !strings.HasPrefix(text, keys.DidYouMean) {
		return fmt.Sprintf("'overlapsim list %s' names all%s", f.folder, f.begin())
	}
	return text
}
