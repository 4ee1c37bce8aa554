package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/workloads/inputs"
)

// Format is a kind of file that holds a trace, or names the files that do.
type Format struct {
	Name, Title string
	// Is tells whether a file with this beginning has the format. end says that the file has
	// nothing more.
	Is func(path string, begin []byte, end bool) bool
	// Open opens a trace. Its error names the mistakes that can be found early.
	Open func(path string, o Reading) (Trace, error)
	// Whole returns the trace as one file, of this format or of another known one. Its text is
	// empty if the trace already is one file; Whole is nil if it always is.
	Whole func(path string) ([]byte, error)
	// Part tells whether a file with this beginning holds one rank of a trace that another file
	// names; nil: none does.
	Part func(begin []byte) bool
	// Folder says that Open takes a folder with a file for each rank.
	Folder bool
	// Flops says that computation may be counted in flops, for which Reading has a rate.
	Flops bool
}

// Reading is what a format may need to know in addition to its files.
type Reading struct {
	FlopRate float64 // flops per second, of traces that count them; 0: not given
}

var formats []Format

// Register adds a format. The file of a format calls it from init.
func Register(f Format) { formats = append(formats, f) }

// peek is the number of bytes of a file that are read to recognise its format.
const peek = 4096

// ErrFormat says that a file is not a trace of a known format.
var ErrFormat = errors.New("is not a trace")

// Open opens a trace of any format.
func Open(path string, o Reading) (Trace, error) {
	one, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return nil, fmt.Errorf("%s: %w; known formats: %s", path, ErrFormat, Known())
	}
	return one.Open(path, o)
}

// Known names the formats.
func Known() string {
	var names []string
	for _, one := range formats {
		names = append(names, one.Name)
	}
	return strings.Join(names, ", ")
}

// Is tells whether a file is a trace of any format.
func Is(path string) bool {
	one, err := formatOf(path)
	return err == nil && one != nil
}

// OneFile makes a Whole that writes a trace in the format of overlapsim.
func OneFile(open func(path string, r Reading) (Trace, error)) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		t, err := open(path, Reading{})
		if err != nil {
			return nil, err
		}
		var all bytes.Buffer
		err = Write(&all, t)
		return all.Bytes(), err
	}
}

// Whole returns a trace that consists of several files as one file; nil if it is one file, or not
// a trace.
func Whole(path string) ([]byte, error) {
	one, err := formatOf(path)
	if err != nil || one == nil || one.Whole == nil {
		return nil, err
	}
	return one.Whole(path)
}

// Counts tells whether a trace may count its computation in flops.
func Counts(path string) bool {
	one, err := formatOf(path)
	return err == nil && one != nil && one.Flops
}

// InFolder returns what to open of a folder with traces: the only file that is a whole trace or
// names the others, or the folder itself, if its format takes that.
func InFolder(dir string) (path string, err error) {
	var wholes, parts []string
	format := (*Format)(nil)
	for _, name := range Files(dir) {
		one, err := formatOf(name)
		switch {
		case err != nil || one == nil:
			continue
		case one.Part != nil && one.Part(inputs.Begin(name)):
			parts = append(parts, name)
		default:
			wholes = append(wholes, name)
		}
		format = one
	}
	switch {
	case len(wholes) == 1:
		return wholes[0], nil
	case len(wholes) == 0 && len(parts) == 1 && format.Folder:
		return parts[0], nil
	case len(wholes) == 0 && len(parts) > 0 && format.Folder:
		return dir, nil
	case len(wholes) == 0 && len(parts) > 0:
		return "", fmt.Errorf("has files of single ranks, such as %s, and not the file of the format %s that names them",
			filepath.Base(parts[0]), format.Name)
	}
	return "", fmt.Errorf("has %d traces; name one of them, such as %s", len(wholes), filepath.Base(wholes[0]))
}

// Files returns the paths of the files in a folder. Numbers in their names are in order.
func Files(dir string) (all []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortStableFunc(all, inputs.ByNumbers)
	return all
}

// formatOf returns the format of a file, or nil if it is not known. What can be read only once,
// such as the output of a command, is not a trace, and nothing of it is read.
func formatOf(path string) (*Format, error) {
	f, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		return ofFolder(path), nil
	case err != nil || !info.Mode().IsRegular():
		return nil, err
	}
	var begin bytes.Buffer
	n, err := io.Copy(&begin, io.LimitReader(f, peek))
	if err != nil {
		return nil, err
	}
	for i := range formats {
		if formats[i].Is(path, begin.Bytes(), n < peek) {
			return &formats[i], nil
		}
	}
	return nil, nil
}

// ofFolder returns the format of the files in a folder, if it takes one; nil if not.
func ofFolder(dir string) *Format {
	for _, name := range Files(dir) {
		if one, err := formatOf(name); err == nil && one != nil && one.Folder {
			return one
		}
	}
	return nil
}
