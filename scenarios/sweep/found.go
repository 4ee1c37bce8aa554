package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// found says where the results of a sweep are.
type found struct {
	names  []string // of files
	places []place  // by point
	open   map[int32]*os.File
	line   []byte // that was read last
}

// place is a line of a file.
type place struct {
	file, length int32 // length 0: there is no result
	at           int64
}

// mostResult is the largest size of a result in bytes, and mostOpen how many files of
// results are open at a time.
const (
	mostResult = 64 << 20
	mostOpen   = 200
)

// find looks for intact results in the files of all processes, and in those of earlier
// versions, which wrote a file for each point. If a point has several results, any of them
// will do.
func (d *Dir) find() error {
	if d.found != nil {
		d.found.close()
	}
	f := &found{places: make([]place, len(d.Plan.Points)), open: map[int32]*os.File{}}
	err := fs.WalkDir(d.root.FS(), "results", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		return f.look(d, filepath.FromSlash(name))
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	d.found = f
	return err
}

// look finds the results in a file.
func (f *found) look(d *Dir, name string) error {
	file, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	number := int32(len(f.names))
	f.names = append(f.names, name)
	at := int64(0)
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 64<<10), mostResult)
	lines.Split(func(data []byte, end bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(data, end)
		at += int64(n)
		return n, line, err
	})
	for before := at; lines.Scan(); before = at {
		if point, ok := intact(lines.Bytes()); ok && point < len(f.places) {
			f.places[point] = place{number, int32(len(lines.Bytes())), before}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// read returns the line of a point's result, until it reads another.
func (f *found) read(d *Dir, point int) ([]byte, error) {
	p := f.places[point]
	if p.length == 0 {
		return nil, fmt.Errorf("point %d has no result", point)
	}
	file := f.open[p.file]
	if file == nil {
		if len(f.open) == mostOpen {
			f.close()
		}
		var err error
		if file, err = d.root.Open(f.names[p.file]); err != nil {
			return nil, err
		}
		f.open[p.file] = file
	}
	f.line = slices.Grow(f.line[:0], int(p.length))[:p.length]
	_, err := file.ReadAt(f.line, p.at)
	return f.line, err
}

// close closes the files that read has opened.
func (f *found) close() {
	for _, file := range f.open {
		file.Close()
	}
	clear(f.open)
}
