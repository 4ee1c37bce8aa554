package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// Whole returns a trace that consists of several files as one file; nil if it is one file, or not
// a trace.
func Whole(path string) ([]byte, error) {
	one, err := formatOf(path)
	if err != nil || one == nil || one.Whole == nil {
		return nil, err
	}
	return one.Whole(path)
}

// formatOf returns the format of a file, or nil if it is not known. What can be read only once,
// such as the output of a command, is not a trace, and nothing of it is read.
func formatOf(path string) (*Format, error) {
	f, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
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
