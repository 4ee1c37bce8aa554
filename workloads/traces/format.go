package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Format is a kind of file that holds a trace, or names the files that do.
type Format struct {
	Name, Title string
	// Is tells whether a file that begins so is one; end says that the file has no more.
	Is func(path string, begin []byte, end bool) bool
	// Open opens a trace, and says what is wrong with it as far as that can be seen early.
	Open func(path string, o Reading) (Trace, error)
}

// Reading are what a format may need to know besides its files.
type Reading struct {
	FlopRate float64 // flops per second, of traces that count them; 0: not given
}

var formats []Format

// Register adds a format. The file of a format calls it from init.
func Register(f Format) { formats = append(formats, f) }

// peek is how much of a file tells its format.
const peek = 4096

// ErrFormat is no trace of a known format.
var ErrFormat = errors.New("is not a trace")

// Open opens a trace of any format.
func Open(path string, o Reading) (Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var begin bytes.Buffer
	n, err := io.Copy(&begin, io.LimitReader(f, peek))
	f.Close()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, one := range formats {
		if one.Is(path, begin.Bytes(), n < peek) {
			return one.Open(path, o)
		}
		names = append(names, one.Name)
	}
	return nil, fmt.Errorf("%s: %w; known formats: %s", path, ErrFormat, strings.Join(names, ", "))
}
