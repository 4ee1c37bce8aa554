package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
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

// find looks for intact results in the files of all processes, and in the files of earlier
// versions, which wrote a file for each point. If a point has several results, any of them
// will do.
func (d *Dir) find() error {
	if d.found != nil {
		d.found.close()
		d.found = nil
	}
	f := &found{places: make([]place, len(d.Plan.Points)), open: map[int32]*os.File{}}
	var strange keys.Problems
	err := fs.WalkDir(d.root.FS(), "results", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		return f.look(d, filepath.FromSlash(name), &strange)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = cmp.Or(err, strange.Err()); err == nil {
		d.found = f
	}
	return err
}

// mostStrange is how many results that do not belong to the plan are reported.
const mostStrange = 10

// look finds the results in a file. It reports results of runs that the plan does not have.
func (f *found) look(d *Dir, name string, strange *keys.Problems) error {
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
	for before, n := at, 1; lines.Scan(); before, n = at, n+1 {
		point, ok := intact(lines.Bytes())
		if !ok || point >= len(f.places) {
			continue
		}
		f.places[point] = place{number, int32(len(lines.Bytes())), before}
		if wrong := d.unplanned(point, lines.Bytes()); wrong != "" && len(*strange) < mostStrange {
			strange.Add(keys.Place{File: d.file(name), Line: n, Column: 1}, "", "%s", wrong)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// unplanned says what is wrong with a result that is not of the run which the plan has for its point; "": nothing.
func (d *Dir) unplanned(point int, line []byte) string {
	want := d.blank(d.Plan.Points[point])
	text, err := json.Marshal(want)
	if err == nil && bytes.HasPrefix(line, bytes.TrimSuffix(text, []byte("}"))) {
		return ""
	}
	var got Result
	if json.Unmarshal(line, &got) == nil && got.Run == want.Run && slices.Equal(got.Settings, want.Settings) {
		return ""
	}
	says := func(r *Result) string {
		return strings.Join(append(slices.DeleteFunc([]string{r.Run}, func(s string) bool { return s == "" }), r.Settings...), ", ")
	}
	return fmt.Sprintf("point %d was run with %s, %s has it with %s: one of the two was edited; restore it, or give another --out",
		point, says(&got), planFile, says(want))
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
