// Package inputs opens files of a user for reading. It remembers them, so that no output is
// written over one of them.
package inputs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// read are the paths that this process has read.
var read sync.Map

// Note notes that a path is an input, which no output may replace.
func Note(path string) {
	if whole, err := filepath.Abs(path); err == nil {
		read.Store(whole, true)
	}
}

// All returns the paths that were noted, whole and sorted.
func All() (paths []string) {
	read.Range(func(path, _ any) bool {
		paths = append(paths, path.(string))
		return true
	})
	slices.Sort(paths)
	return paths
}

// Is tells whether a path is a file that was read as input, under any name.
func Is(path string) (is bool) {
	file, err := os.Stat(path)
	if err != nil || !file.Mode().IsRegular() {
		return false
	}
	read.Range(func(name, _ any) bool {
		other, err := os.Stat(name.(string))
		is = err == nil && os.SameFile(file, other)
		return !is
	})
	return is
}

// ErrFIFO says why a FIFO is refused. Opening one waits until another process writes to it,
// perhaps forever.
var ErrFIFO = errors.New("is a FIFO, which may have no writer; give a file, or <(COMMAND)")

// Open opens an input. What a shell passes as <(COMMAND) or /dev/stdin is accepted. A FIFO in a
// folder is not.
func Open(name string) (*os.File, error) {
	if isFIFO(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrFIFO}
	}
	f, err := os.Open(name)
	if err == nil {
		Note(name)
	}
	return f, err
}

// isFIFO tells whether a path leads to a FIFO in a folder. A path to a pipe of a shell leads into
// /dev, or to no name at all.
func isFIFO(name string) bool {
	path, err := filepath.EvalSymlinks(name)
	if err != nil || strings.HasPrefix(path, "/dev/") {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}
