package files

import (
	"bytes"
	"sync"

	"overlapsim/scenarios/keys"
)

// source is the text of a file, by the name that messages give it.
type source struct{ file, text string }

// Of texts of mostParsed bytes the trees are kept, each counted as if it were longer: a tree
// is some tens of times larger than its text, and the tree of a short one is still some KiB.
const (
	mostParsed = keys.LargestFile
	longer     = 1 << 10
)

// parsed holds the trees of the files read so far: a sweep reads the same files at every
// point.
var parsed = struct {
	sync.Mutex
	trees map[source]*keys.Node
	bytes int // of all texts
}{trees: map[source]*keys.Node{}}

// parsedOnce returns the tree of the text of a file; the caller owns its root. A text with
// problems is read again each time.
func parsedOnce(file string, text []byte, problems *keys.Problems) *keys.Node {
	from := source{file, string(text)}
	parsed.Lock()
	tree := parsed.trees[from]
	parsed.Unlock()
	if tree != nil {
		return tree.Copy()
	}
	before := len(*problems)
	if tree = keys.ReadText(file, text, problems); tree == nil || len(*problems) > before {
		return tree
	}
	switch name := stem(file); {
	case bytes.HasPrefix(text, []byte(made)):
		tree.WithoutLines(file)
	case file == inLibrary(name):
		if own, _ := ScenarioText(name); bytes.Equal(own, text) {
			tree.WithoutLines("scenario " + name)
		}
	}
	parsed.Lock()
	defer parsed.Unlock()
	if parsed.bytes += len(text) + longer; parsed.bytes > mostParsed {
		clear(parsed.trees)
		parsed.bytes = len(text) + longer
	}
	parsed.trees[from] = tree
	return tree.Copy()
}
