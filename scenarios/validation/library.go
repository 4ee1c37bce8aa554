package validation

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	_ "overlapsim/workloads/inputs/parquet" // of data sets
)

//go:embed *.yaml *.csv *.csv.gz *.trace *.parquet *.json.gz
var library embed.FS

// Names returns the names of the data sets of the library, sorted.
func Names() (names []string) {
	entries, err := library.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// fileOf is the file of a data set of the library.
func fileOf(name string) string { return "validation/" + name + ".yaml" }

// Text returns the text of a data set of the library.
func Text(name string) ([]byte, bool) {
	text, err := library.ReadFile(name + ".yaml")
	return text, err == nil
}

// textOf returns the text of a data set, and its name and file.
func textOf(name string) (short, file string, text []byte, err error) {
	if text, ok := Text(name); ok {
		return name, fileOf(name), text, nil
	}
	at := keys.Place{Flag: "data set " + keys.Quote(name)}
	if !files.IsFile(name) {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return "", "", nil, keys.Problems{{Place: at, Message: "no data set is called so, " + keys.Instead(name, Names())}}
		}
	}
	if text, err = keys.ReadLimited(name); err != nil {
		return "", "", nil, keys.Problems{{Place: at, Message: "cannot be read: " + keys.ReasonOf(err)}}
	}
	return stem(name), name, text, nil
}

// unpack puts the traces of the library into a folder: a run reads them from files.
func unpack(root *os.Root) error {
	for _, pattern := range []string{"*.trace", "*.parquet", "*.json.gz"} {
		names, err := fs.Glob(library, pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := library.ReadFile(name)
			if err == nil {
				err = disk.StoreIn(root, name, text)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Load returns a data set by its name or its file. The error is of type keys.Problems.
func Load(name string) (*Set, error) {
	name, file, text, err := textOf(name)
	if err != nil {
		return nil, err
	}
	return read(name, file, text)
}

// like puts the keys of another data set, of the library, next to those that a set gives, except those that it
// gives as null; that set may be like a third one.
func like(own *keys.Node, problems *keys.Problems) {
	other := own.Drop("like")
	if other == nil {
		return
	}
	text, ok := Text(other.Text)
	if !ok {
		problems.Add(other.Place, "like", "no data set of the library is called %s, %s", keys.Quote(other.Text),
			keys.Instead(other.Text, Names()))
		return
	}
	base := keys.ReadText(fileOf(other.Text), text, problems)
	for i, name := range base.Names {
		if own.At(name) == nil {
			own.Put(name, base.Values[i])
		}
	}
	like(own, problems)
	for _, name := range slices.Clone(own.Names) {
		if own.At(name).Shape == keys.Nothing {
			own.Drop(name)
		}
	}
}
