package sweep

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/outcomes"
)

// Result is the result of a point.
type Result struct {
	Point    int             `json:"point"`
	Run      string          `json:"run,omitempty"`
	Settings []string        `json:"settings"`
	Charged  []string        `json:"charged,omitempty"` // settings that charge the copies of what only some points send at once, too
	Error    string          `json:"error,omitempty"`
	Record   json.RawMessage `json:"record,omitempty"`

	text []byte // as it is written, if that is known
}

// Printed is what sweep --json prints.
type Printed struct {
	Title  string    `json:"title"`
	Files  []string  `json:"files"`           // that the sweep writes, with their paths
	Notes  []string  `json:"notes,omitempty"` // how steps of training at different points compare
	Points []*Result `json:"points"`          // in the order of the plan
}

// Printed returns all results; a point without one is an error.
func (d *Dir) Printed() (*Printed, error) {
	t, err := d.Table()
	if err != nil {
		return nil, err
	}
	p := &Printed{Title: d.Plan.Title, Notes: t.Comparable()}
	for _, name := range []string{CSVFile, ParquetFile, PageFile} {
		p.Files = append(p.Files, filepath.Join(d.Path, name))
	}
	for i, point := range d.Plan.Points {
		if point.Twin {
			continue
		}
		r, err := d.Result(i)
		if err != nil {
			return nil, err
		}
		p.Points = append(p.Points, r)
	}
	return p, nil
}

// Schema returns the JSON Schema of a line of results, and of what is printed.
func Schema() ([]byte, error) {
	return outcomes.SchemaOfPoints[Result, Printed]("result of a point of a sweep, or all of them", "record", "points")
}

// compute runs a point and returns its result, an error included.
func (d *Dir) compute(point Point) *Result {
	r := d.blank(point)
	record, charged, err := d.Plan.compute(d.file("input"), point)
	if r.Charged = charged; err == nil {
		r.text, err = r.with(record)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// with returns the result as it is written, with a record.
func (r *Result) with(record *outcomes.RunRecord) ([]byte, error) {
	return json.Marshal(struct {
		*Result
		Record *outcomes.RunRecord `json:"record"` // in place of the one that would be read and checked again
	}{r, record})
}

// written returns the result as it is written.
func (r *Result) written() ([]byte, error) {
	if r.text != nil {
		return r.text, nil
	}
	return json.Marshal(r)
}

// blank is the result of a point without its record or error.
func (d *Dir) blank(point Point) *Result {
	return &Result{Point: point.Number, Run: point.Run, Settings: d.Plan.settings(point)}
}

// resultLog is the file to which a process writes results, a line each. A file for each
// result would cost more than most points.
type resultLog struct {
	sync.Mutex
	file *os.File // nil: nothing was written
	cut  bool     // its last line is not complete
}

// store writes a result, and then marks its point as done.
func (d *Dir) store(r *Result) error {
	text, err := r.written()
	if err != nil {
		return err
	}
	c, err := d.openClaims()
	if err != nil {
		return err
	}
	if err := d.append(seal(text)); err != nil {
		return err
	}
	if r.Error != "" {
		return c.mark(r.Point, failed)
	}
	return c.mark(r.Point, done)
}

// append appends a line to the log in one write.
func (d *Dir) append(line []byte) (err error) {
	l := &d.log
	l.Lock()
	defer l.Unlock()
	if l.file == nil {
		if l.file, err = d.openLog(); err != nil {
			return err
		}
	}
	if l.cut {
		line = append([]byte("\n"), line...)
	}
	n, err := l.file.Write(line)
	l.cut = err != nil && (n > 0 || l.cut)
	return err
}

func (d *Dir) openLog() (*os.File, error) {
	if err := d.root.MkdirAll("results", 0o777); err != nil {
		return nil, err
	}
	return d.root.OpenFile(filepath.Join("results", disk.Process+".jsonl"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
}

// done tells whether a point has a result.
func (d *Dir) done(point int) bool {
	c, err := d.openClaims()
	if err != nil {
		return false
	}
	marks, err := c.marks(point, 1)
	return err == nil && isDone(marks[0])
}

// Missing returns the points without a result, in the order in which they run. Points that
// are marked as done and have no intact result are no longer marked, and then
// are missing; Damaged names them. A point whose process ended between its result and its
// mark is marked.
func (d *Dir) Missing() (missing []int, err error) {
	c, err := d.openClaims()
	if err != nil {
		return nil, err
	}
	marks, err := c.marks(0, len(d.Plan.Points)) // read before the results: the results of marked points have been written
	if err == nil {
		err = d.find()
	}
	if err != nil {
		return nil, err
	}
	for point, mark := range marks {
		there := d.found.places[point].length > 0
		switch {
		case there && !isDone(mark):
			err = c.mark(point, done)
		case !there && isDone(mark):
			d.Damaged = append(d.Damaged, fmt.Sprint("point ", point))
			err = c.mark(point, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	return d.left(Part{})
}

// Result returns the result of a point.
func (d *Dir) Result(point int) (r *Result, err error) {
	text, err := d.line(point)
	if err != nil {
		return nil, err
	}
	r = new(Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, changed(point)
	}
	return r, nil
}

// line returns the line of a point's result. It is valid until the next call.
func (d *Dir) line(point int) ([]byte, error) {
	if d.found == nil || d.found.places[point].length == 0 {
		if err := d.find(); err != nil {
			return nil, err
		}
	}
	text, err := d.found.read(d, point)
	if err != nil {
		return nil, err
	}
	if number, ok := intact(text); !ok || number != point {
		return nil, changed(point)
	}
	return text, nil
}

// changed says that a result is not what it was when it was found.
func changed(point int) error {
	return fmt.Errorf("the result of point %d was changed while it was read", point)
}
