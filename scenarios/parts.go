package scenarios

import (
	"path/filepath"
	"sync"
)

// partFiles are the files of one kind, machines, runtimes or calibrations: those of the
// library and the user's. Machines and runtimes may have others as their bases.
type partFiles struct {
	what, folder string
	alternatives func() map[string]string // of its keys, computed once as the tables are long; nil: parts of this kind have no base
}

var (
	machineFiles     = partFiles{"machine", machineFolder, sync.OnceValue(func() map[string]string { return new(machineFile).rows().alternatives() })}
	runtimeFiles     = partFiles{"runtime", runtimeFolder, sync.OnceValue(func() map[string]string { return new(runtimeFile).rows("").alternatives() })}
	calibrationFiles = partFiles{what: "calibration", folder: calibrationFolder}
)

// inline is the name of a part that is written where it is used.
const inline = "inline"

// maxBases is the largest number of bases in a chain.
const maxBases = 16

// overlay puts settings into a part of this kind.
func (f partFiles) overlay(problems *Problems) overlay {
	return overlay{alternatives: f.alternatives(), problems: problems}
}

// resolve returns the tree of the part that a node names or contains, with its bases
// merged in, and its name; nil after problems.
func (f partFiles) resolve(n *node, key string, problems *Problems) (tree *node, name string) {
	var layers []*node
	for depth := 0; ; depth++ {
		if depth == maxBases {
			problems.add(n.place, key, "stands on %d other %ss, or on itself", maxBases, f.what)
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
		if n, key = layer.drop("base"), "base"; n == nil {
			break
		}
	}
	lay := f.overlay(problems)
	tree = layers[len(layers)-1]
	if runtime := tree.drop("runtime"); runtime != nil {
		setPart(lay, tree, setting{"runtime", runtime})
	}
	for i := len(layers) - 2; i >= 0; i-- {
		for j, key := range layers[i].names {
			setPart(lay, tree, setting{key, layers[i].values[j]})
		}
		tree.place = layers[i].place
	}
	if len(layers) > 1 && layers[0].at("title") == nil {
		derivedTitle(tree, name)
	}
	return tree, name
}

// derivedTitle gives a part without a title one that distinguishes it from its base.
func derivedTitle(tree *node, name string) {
	title := tree.at("title")
	if title == nil || title.shape != scalar {
		return
	}
	text := name + ", from " + title.text
	if name == inline {
		text = title.text + ", changed"
	}
	tree.drop("title")
	tree.put("title", &node{shape: scalar, text: text, place: title.place})
}

// replacesRuntime tells whether a runtime is named, or has a base.
func replacesRuntime(n *node) bool { return n.shape == scalar || n.at("base") != nil }

// setPart applies a setting to a part. A runtime that is named, or has a base, replaces the
// present one.
func setPart(o overlay, tree *node, s setting) {
	if s.path == "runtime" && replacesRuntime(s.value) {
		tree.drop("runtime")
		opened := openRuntime(s.value, o.problems)
		if opened == nil {
			return
		}
		opened.place, s.value = s.value.place, opened
	}
	o.apply(tree, s)
}

// open returns the mapping that a node names (a library name, or a file beside the file
// that names it) or contains, and its name.
func (f partFiles) open(n *node, key string, problems *Problems) (tree *node, name string) {
	switch n.shape {
	case broken:
		return nil, ""
	case mapping:
		return n.clone(), inline
	case scalar:
	default:
		problems.add(n.place, key, "must be a %s's name, a file or a mapping, got %s", f.what, n.shape)
		return nil, ""
	}
	if text, ok := library(f.folder, n.text); ok {
		return parsedOnce(f.folder+"/"+n.text+".yaml", text, problems), n.text
	}
	if !IsFile(n.text) {
		problems.add(n.place, key, "no %s is called %s; %s", f.what, quote(n.text), instead(n.text, names(f.folder)))
		return nil, ""
	}
	path := n.text
	if !filepath.IsAbs(path) && n.place.File != "" {
		path = filepath.Join(filepath.Dir(n.place.File), path)
	}
	var found Problems
	tree = readFile(path, &found)
	if tree == nil && len(found) == 1 && found[0].Kind == Unread {
		problems.add(n.place, key, "%s %s", path, found[0].Message)
		return nil, ""
	}
	*problems = append(*problems, found...)
	if tree != nil && tree.shape != mapping {
		problems.add(tree.place, "", "must be a mapping of keys, got %s", tree.shape)
		return nil, ""
	}
	return tree, stem(path)
}
