package cli

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads/inputs"
)

// output is the path of a file that is written completely or not at all; "": none. It is the value of a flag.
type output string

// outputFlag defines a flag that names a file to write.
func outputFlag(flags *pflag.FlagSet, name, usage string) *string {
	path := new(string)
	flags.Var((*output)(path), name, usage)
	return path
}

func (o *output) String() string { return string(*o) }

func (o *output) Type() string { return "string" }

func (o *output) Set(path string) error {
	if path == "" {
		return errors.New("must be the name of a file")
	}
	*o = output(path)
	return nil
}

// place is where a flag, or the command itself, writes.
type place struct {
	of   string
	path string      // without links; "": not known
	file os.FileInfo // nil: does not exist yet
}

func (p place) is(other place) bool {
	if p.file == nil || other.file == nil {
		return p.path == other.path && p.file == other.file
	}
	return os.SameFile(p.file, other.file)
}

// apart reports two outputs to one place, where one would be lost: the files that flags name, and
// those to which the command prints.
func apart(command string, flags *pflag.FlagSet) (err error) {
	var taken []place
	for of, f := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := f.Stat(); err == nil {
			taken = append(taken, place{of: []string{"the standard output", "the standard error"}[of], file: info})
		}
	}
	flags.Visit(func(f *pflag.Flag) {
		o, writes := f.Value.(*output)
		if !writes || err != nil || o.special() {
			return
		}
		here := place{of: "--" + f.Name, path: o.target()}
		if info, err := os.Stat(here.path); err == nil {
			here.file = info
		}
		if at := slices.IndexFunc(taken, here.is); at >= 0 {
			err = &usageError{command, fmt.Sprintf("%s %s: is also the file of %s; give each its own", here.of, *o, taken[at].of)}
		}
		taken = append(taken, here)
	})
	return err
}

// check reports a path that cannot be written, before any work is done.
func (o output) check(command, flag string) error {
	if o == "" {
		return nil
	}
	if err := o.try(); err != nil {
		return &usageError{command, fmt.Sprintf("%s %s: cannot be written: %s", flag, string(o), keys.ReasonOf(err))}
	}
	return nil
}

// try opens the file if it exists, and creates a temporary one next to it. A file that has
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

// mostLinks is the number of links from one to the next that are followed.
const mostLinks = 40

// target is the file behind links, also one that does not exist yet.
func (o output) target() string {
	path := string(o)
	for range mostLinks {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err == nil {
			folder, err = filepath.Abs(folder)
		}
		if err != nil {
			return path
		}
		path = filepath.Join(folder, filepath.Base(path))
		next, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if filepath.IsAbs(next) {
			folder = ""
		}
		path = filepath.Join(folder, next)
	}
	return path
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

// namesOfOutputs says what is in the file of a flag; the summary of record and of export names theirs.
var namesOfOutputs = map[string]string{"html": "Report", "trace": "Trace", "figure": "Figure", "csv": "CSV", "calibration": "Calibration",
	"out": "Machine"}

// files names the files that flags asked for and that are written: below the results, or on the error output if these are JSON.
func (c *call) files() error {
	if c.flags == nil {
		return nil
	}
	p, blank := &printer{out: c.out}, "\n"
	if f := c.flags.Lookup("json"); f != nil && f.Value.String() == "true" {
		p.out, blank = c.errors, ""
	}
	c.flags.VisitAll(func(f *pflag.Flag) {
		if o, writes := f.Value.(*output); writes && *o != "" && namesOfOutputs[f.Name] != "" {
			if f.Name != "html" && f.Name != "out" {
				blank = ""
			}
			p.print("%s%s: %s%s\n", blank, namesOfOutputs[f.Name], *o, o.large())
			blank = ""
		}
	})
	return p.err
}

// largeFile is the size in bytes from which the size of a written file is printed: it may be too large for a viewer or a paper.
const largeFile = 5_000_000

// large is the size of a large file that is written, in parentheses.
func (o output) large() string {
	info, err := os.Stat(string(o))
	if err != nil || info.Size() < largeFile {
		return ""
	}
	return fmt.Sprintf(" (%.3g MB)", float64(info.Size())/1e6)
}

// unfiled is a call that names no files: none is written, or another command names them.
func (c *call) unfiled() *call { return &call{out: c.out, errors: c.errors, before: c.before} }

// show prints what a command found, as JSON or as text, and names the files that are written.
func (c *call) show(asJSON bool, record any, text func(p *printer)) error {
	if asJSON {
		return cmp.Or(writeJSON(c.out, record), c.files())
	}
	p := &printer{out: c.out}
	text(p)
	return cmp.Or(p.err, c.files())
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
