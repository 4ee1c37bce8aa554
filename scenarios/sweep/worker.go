package sweep

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A worker is a process of its own that runs the points whose numbers it is given, one after
// the other. A point that ends its process affects no other point.

// reply is a worker's message about a point; the first one, with Ready, is about the worker itself.
type reply struct {
	Ready   bool    `json:"ready,omitempty"`
	Point   int     `json:"point"`
	State   state   `json:"state,omitempty"`
	Failed  bool    `json:"failed,omitempty"`  // the point has an error
	Seconds float64 `json:"seconds,omitempty"` // that the point took
	Error   string  `json:"error,omitempty"`   // of the worker: the sweep cannot go on
	File    *file   `json:"file,omitempty"`    // that Error is about
}

// file is an error of the file system, such as a full disk.
type file struct {
	Op   string `json:"op"`
	Path string `json:"path"`
	Why  string `json:"why"`
}

// wrong puts an error into a reply; nil leaves it as it is.
func (r reply) wrong(err error) reply {
	if err == nil {
		return r
	}
	r.Error = err.Error()
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) {
		r.File = &file{path.Op, path.Path, path.Err.Error()}
	} else if errors.As(err, &link) {
		r.File = &file{link.Op, link.New, link.Err.Error()}
	}
	return r
}

// err returns the error of a reply; one of the file system is of type *fs.PathError again.
func (r reply) err() error {
	if r.Error == "" {
		return nil
	}
	if r.File != nil {
		return &fs.PathError{Op: r.File.Op, Path: r.File.Path, Err: errors.New(r.File.Why)}
	}
	return errors.New(r.Error)
}

// state is the outcome of a request to run a point.
type state string

const (
	ran   state = "ran"   // here and now
	had   state = "had"   // a result already
	busy  state = "busy"  // another process runs it
	later state = "later" // not now: the points before it took long
)

// Serve runs the points whose numbers it reads, a line of numbers at a time. When all
// points of a line have run, it answers each in a line of its own. Once they have taken
// long, it leaves the rest of the line to others. It returns at once when there is nothing
// more to read, even while it runs a point: then the process that asked for the point is
// gone.
func Serve(path, program string, in io.Reader, out io.Writer) error {
	buffer := bufio.NewWriter(out)
	answers := json.NewEncoder(buffer)
	w, err := openWorker(path, program)
	if err != nil {
		return errors.Join(err, answers.Encode(reply{}.wrong(err)), buffer.Flush())
	}
	if err := errors.Join(answers.Encode(reply{Ready: true}), buffer.Flush()); err != nil {
		return err
	}
	requests := make(chan []int)
	go func() {
		for points := range requests {
			began := time.Now()
			for i, point := range points {
				r := reply{Point: point, State: later}
				if i == 0 || time.Since(began) < request {
					r = w.answer(point)
				}
				if i == len(points)-1 {
					r = r.wrong(w.attempts.write())
				}
				answers.Encode(r)
			}
			buffer.Flush()
		}
	}()
	ballast := make([]byte, 64<<20) // never used: with it the garbage collector runs less often than every 4 MiB
	defer runtime.KeepAlive(ballast)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		points, err := w.dir.Plan.numbers(lines.Text())
		if err != nil {
			return err
		}
		requests <- points
	}
	return lines.Err()
}

// numbers reads the numbers of points.
func (p *Plan) numbers(text string) (points []int, err error) {
	for _, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n >= len(p.Points) {
			return nil, fmt.Errorf("there is no point %q", field)
		}
		points = append(points, n)
	}
	return points, nil
}

// worker runs points of a sweep.
type worker struct {
	dir      *Dir
	claims   *claims
	attempts *attempts
}

func openWorker(path, program string) (*worker, error) {
	d, err := Open(path)
	if err != nil {
		return nil, err
	}
	if err := d.Plan.unpack(d.root, "input"); err != nil {
		return nil, err
	}
	w := &worker{dir: d}
	if w.claims, err = d.openClaims(); err != nil {
		return nil, err
	}
	w.attempts, err = d.openAttempts(program)
	return w, err
}

// answer runs a point and replies with the outcome.
func (w *worker) answer(point int) reply {
	r, err := w.run(point)
	r.Point = point
	return r.wrong(err)
}

// run runs a point, unless it has a result or another process runs it.
func (w *worker) run(point int) (r reply, err error) {
	mine, err := w.claims.take(point)
	if err != nil || !mine {
		return reply{State: busy}, err
	}
	defer w.claims.release(point)
	if w.dir.done(point) {
		return reply{State: had}, nil
	}
	if err := w.attempts.begin(point); err != nil {
		return r, err
	}
	began := time.Now()
	result := w.dir.compute(w.dir.Plan.Points[point])
	if err := w.dir.store(result); err != nil {
		return r, err
	}
	took := time.Since(began)
	w.attempts.end(point, took)
	return reply{State: ran, Failed: result.Error != "", Seconds: took.Seconds()}, nil
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
