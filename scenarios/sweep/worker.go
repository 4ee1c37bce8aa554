package sweep

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A worker is a separate process that runs points of a sweep, one after the other: the points of its part that have no
// result and that no other process runs. It finds them in the directory. A point that ends its process affects no
// other point.

// note is what a worker has noted last, for the process that started it: the point that it runs, or why it cannot go
// on.
type note struct {
	Point int    `json:"point"`
	Error string `json:"error,omitempty"` // of the worker: the sweep cannot go on
	File  *file  `json:"file,omitempty"`  // that Error is about
}

// file is an error of the file system, such as a full disk.
type file struct {
	Op   string `json:"op"`
	Path string `json:"path"`
	Why  string `json:"why"`
}

// noteOf notes an error.
func noteOf(err error) note {
	n := note{Error: err.Error()}
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) {
		n.File = &file{path.Op, path.Path, path.Err.Error()}
	} else if errors.As(err, &link) {
		n.File = &file{link.Op, link.New, link.Err.Error()}
	}
	return n
}

// err returns the error of a note; one of the file system is of type *fs.PathError again.
func (n note) err() error {
	switch {
	case n.Error == "":
		return nil
	case n.File != nil:
		return &fs.PathError{Op: n.File.Op, Path: n.File.Path, Err: errors.New(n.File.Why)}
	}
	return errors.New(n.Error)
}

// write writes the note over the previous one; a rest of it may stay after the new line.
func (n note) write(to io.WriterAt) error {
	text, err := json.Marshal(n)
	if err == nil {
		_, err = to.WriteAt(append(text, '\n'), 0)
	}
	return err
}

// Serve runs the points of a part until all have results. It returns at once when there is nothing more to read, even
// while it runs a point: then the process that started it is gone.
func Serve(path, program string, part Part, in io.Reader, notes io.WriterAt) error {
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(io.Discard, in)
		ended <- err
	}()
	ballast := make([]byte, 64<<20) // never used: with it the garbage collector runs less often than every 4 MiB
	defer runtime.KeepAlive(ballast)
	go func() {
		err := serve(path, program, part, notes)
		if err != nil {
			err = errors.Join(err, noteOf(err).write(notes))
		}
		ended <- err
	}()
	return <-ended
}

// serve runs the points of a part.
func serve(path, program string, part Part, notes io.WriterAt) error {
	d, err := Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	w, err := d.worker(program, notes)
	if err != nil {
		return err
	}
	points, err := d.left(part)
	for err == nil && len(points) > 0 {
		if points, err = w.pass(points); len(points) > 0 {
			time.Sleep(glance) // other processes run these
		}
	}
	return err
}

// worker runs points of a sweep.
type worker struct {
	dir    *Dir
	claims *claims
	notes  io.WriterAt // nil: no process started it
}

// worker prepares the directory for this process to run points.
func (d *Dir) worker(program string, notes io.WriterAt) (*worker, error) {
	if err := d.Plan.unpack(d.root, "input"); err != nil {
		return nil, err
	}
	if err := d.addProgram(program); err != nil {
		return nil, err
	}
	claims, err := d.openClaims()
	return &worker{d, claims, notes}, err
}

// pass runs points, and returns those that other processes run.
func (w *worker) pass(points []int) (others []int, err error) {
	for _, point := range points {
		mine, err := w.run(point)
		if err != nil {
			return nil, err
		}
		if !mine {
			others = append(others, point)
		}
	}
	return others, nil
}

// run runs a point, unless it has a result; false: another process runs it.
func (w *worker) run(point int) (mine bool, err error) {
	if w.dir.done(point) {
		return true, nil
	}
	if mine, err := w.claims.take(point); err != nil || !mine {
		return false, err
	}
	defer w.claims.release(point)
	if w.dir.done(point) {
		return true, nil
	}
	if w.notes != nil {
		if err := (note{Point: point}).write(w.notes); err != nil {
			return true, err
		}
	}
	return true, w.dir.store(w.dir.compute(w.dir.Plan.Points[point]))
}

// settle stores an error as the result of a point that no process survived.
func (d *Dir) settle(point int, message string) error {
	c, err := d.openClaims()
	if err != nil {
		return err
	}
	mine, err := c.take(point)
	if err != nil || !mine {
		return err
	}
	defer c.release(point)
	if d.done(point) {
		return nil
	}
	r := d.blank(d.Plan.Points[point])
	r.Error = message
	return d.store(r)
}

// programsFile has a line for each version of the program that ran points.
const programsFile = "programs"

// addProgram adds a version of the program to those that ran points.
func (d *Dir) addProgram(program string) error {
	all, err := d.Programs()
	if err != nil || slices.Contains(all, program) {
		return err
	}
	f, err := d.root.OpenFile(programsFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(program + "\n")
	return errors.Join(err, f.Close())
}

// Programs returns the versions of the program that ran points of the sweep.
func (d *Dir) Programs() (all []string, err error) {
	text, err := d.root.ReadFile(programsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !slices.Contains(all, line) { // two may have added it at the same time
			all = append(all, line)
		}
	}
	return all, err
}
