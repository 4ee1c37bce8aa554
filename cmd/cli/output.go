package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads/inputs"
)

// output is the path of a file that is written completely or not at all; "": none.
type output string

// check reports a path that cannot be written, before any work is done.
func (o output) check(command, flag string) error {
	if o == "" {
		return nil
	}
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

// try opens the file if it exists, and creates a temporary one beside it. A file that has
// been read is not overwritten.
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
	if inputs.Is(o.target()) {
		return errors.New("is an input of this command")
	}
	return disk.Try(o.target())
}

// special tells whether the path is a pipe or a device; these are written in place.
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

// write writes the file, if there is one.
func (o output) write(content func(io.Writer) error) error {
	switch {
	case o == "":
		return nil
	case inputs.Is(string(o)):
		return &inputError{fmt.Sprintf("%s: is an input of this command; write to another file", o)}
	case !o.special():
		return o.unwritten(disk.Write(o.target(), content))
	}
	f, err := os.OpenFile(string(o), os.O_WRONLY, 0)
	if err == nil {
		err = disk.Fill(f, content)
	}
	return o.unwritten(err)
}

// unwritten puts the name of the file into an error of the file system, which has the name
// of the temporary file.
func (o output) unwritten(err error) error {
	var number syscall.Errno
	if ofFiles(err) && errors.As(err, &number) {
		return &inputError{fmt.Sprintf("%s: cannot be written: %s", o, number)}
	}
	return err
}

// writeJSON prints an object as JSON, with the version of its fields.
func writeJSON(w io.Writer, value any) error {
	text, err := outcomes.JSON(value)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// packed writes a file, compressed if its name ends in .gz.
func packed(w io.Writer, name string, content func(io.Writer) error) error {
	if !strings.HasSuffix(name, ".gz") {
		return content(w)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err == nil {
		err = content(z)
	}
	if err == nil {
		err = z.Close()
	}
	return err
}
