package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// output is the path of a file that appears complete or not at all.
type output string

// check finds a path that cannot be written before any work is done.
func (o output) check(command, flag string) error {
	err := o.try()
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &usageError{command, fmt.Sprintf("%s %s: cannot be written: %s", flag, string(o), err)}
}

// try opens the file if there is one, and makes one beside it.
func (o output) try() error {
	if info, err := os.Stat(string(o)); err == nil && info.IsDir() {
		return errors.New("is a directory")
	}
	if o.special() {
		return nil
	}
	if f, err := os.OpenFile(string(o), os.O_WRONLY, 0); err == nil {
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := o.create()
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// special tells whether the path is a pipe or a device, which is written in
// place.
func (o output) special() bool {
	info, err := os.Stat(string(o))
	return err == nil && !info.Mode().IsRegular()
}

// target is the file behind a link.
func (o output) target() string {
	if path, err := filepath.EvalSymlinks(string(o)); err == nil {
		return path
	}
	return string(o)
}

// create makes the file that will be moved to the path.
func (o output) create() (*os.File, error) {
	dir, name := filepath.Split(o.target())
	hidden := filepath.Join(dir, "."+name+"."+strconv.Itoa(os.Getpid()))
	return os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// write writes the file beside its place and then moves it there.
func (o output) write(content func(io.Writer) error) error {
	if o.special() {
		f, err := os.OpenFile(string(o), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return fill(f, content)
	}
	f, err := o.create()
	if err != nil {
		return err
	}
	if err = fill(f, content); err == nil {
		err = os.Rename(f.Name(), o.target())
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// fill writes the content and closes the file.
func fill(f *os.File, content func(io.Writer) error) error {
	buffer := bufio.NewWriter(f)
	err := content(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	return errors.Join(err, f.Close())
}

// writeJSON prints a value as JSON that people can read, too.
func writeJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
