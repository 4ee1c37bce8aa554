package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// Dir is the directory of a sweep.
type Dir struct {
	Path    string // absolute
	Plan    *Plan
	Damaged []string // results that Missing found to be damaged or edited, and removed
	root    *os.Root // of everything that is written: nothing leads out of it
}

const planFile = "plan.jsonl"

// Create makes the directory of a plan, or opens it if it holds that plan
// already. A directory that holds anything else is an error of type
// scenarios.Problems.
func Create(path string, plan *Plan) (*Dir, error) {
	d, err := at(path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if _, err := plan.WriteTo(&text); err != nil {
		return nil, err
	}
	there, err := os.ReadFile(d.file(planFile))
	switch {
	case err == nil && !plan.equals(there):
		return nil, wrongDir(path, "holds another sweep%s; give another --out, or go on with that one: overlapsim sweep %s", plan.unlike(there),
			path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, wrongDir(path, "%s", reason(err))
	case err != nil:
		if err := d.begin(path, text.Bytes()); errors.Is(err, fs.ErrExist) {
			return Create(path, plan) // another process was faster
		} else if err != nil {
			return nil, err
		}
	}
	d.Plan = plan
	return d, d.openRoot(path)
}

// Free returns the first of NAME, NAME-2, NAME-3 and so on that holds the plan,
// or no other sweep.
func Free(name string, plan *Plan) (string, error) {
	for path, n := name, 2; ; n++ {
		there, err := os.ReadFile(filepath.Join(path, planFile))
		if err != nil || plan.equals(there) {
			return path, nil
		}
		path = fmt.Sprintf("%s-%d", name, n)
	}
}

// begin writes the plan into a new or empty directory; fs.ErrExist: another process has
// written one meanwhile.
func (d *Dir) begin(path string, plan []byte) error {
	if err := os.MkdirAll(d.Path, 0o777); err != nil {
		return wrongDir(path, "cannot be made: %s", reason(err))
	}
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == planFile {
			return fs.ErrExist
		}
		if !strings.HasPrefix(e.Name(), ".") {
			return wrongDir(path, "is not empty and holds no sweep; give another --out")
		}
	}
	if err := d.openRoot(path); err != nil {
		return err
	}
	err = disk.CreateIn(d.root, planFile, plan)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return wrongDir(path, "cannot be written: %s", reason(err))
	}
	return err
}

// Open opens the directory of a sweep that was begun.
func Open(path string) (*Dir, error) {
	d, err := at(path)
	if err != nil {
		return nil, err
	}
	if err := d.openRoot(path); err != nil {
		return nil, err
	}
	f, err := d.root.Open(planFile)
	if err != nil {
		return nil, wrongDir(path, "holds no sweep: %s", reason(err))
	}
	defer f.Close()
	if d.Plan, err = readPlan(f); err != nil {
		return nil, wrongDir(path, "%s is not a plan: %s", planFile, err)
	}
	return d, nil
}

func at(path string) (*Dir, error) {
	whole, err := filepath.Abs(path)
	return &Dir{Path: whole}, err
}

// openRoot opens the directory, which exists.
func (d *Dir) openRoot(path string) (err error) {
	if d.root, err = os.OpenRoot(d.Path); err != nil {
		return wrongDir(path, "holds no sweep: %s", reason(err))
	}
	return nil
}

// Is tells whether a path is the directory of a sweep.
func Is(path string) bool {
	_, err := os.Stat(filepath.Join(path, planFile))
	return err == nil
}

// wrongDir is a mistake about the directory.
func wrongDir(path, format string, args ...any) error {
	return keys.Problems{{Place: keys.Place{Flag: "sweep directory " + path}, Message: fmt.Sprintf(format, args...)}}
}

// reason strips the path of an error about a file.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func (d *Dir) file(steps ...string) string {
	return filepath.Join(append([]string{d.Path}, steps...)...)
}

// Result is the result of a point.
type Result struct {
	Point    int             `json:"point"`
	Run      string          `json:"run,omitempty"`
	Settings []string        `json:"settings"`
	Error    string          `json:"error,omitempty"`
	Record   json.RawMessage `json:"record,omitempty"`
}

// perFolder is how many results share a folder: large ones are slow on shared
// file systems.
const perFolder = 1000

// mostResult is the largest size of a result in bytes.
const mostResult = 64 << 20

// resultFile is the file of a point's result, in the directory.
func resultFile(point int) string {
	return filepath.Join("results", fmt.Sprintf("%03d", point/perFolder), fmt.Sprintf("%06d.json", point))
}

// compute runs a point and returns its result, an error included.
func (d *Dir) compute(point Point) *Result {
	r := d.blank(point)
	record, err := d.Plan.compute(d.file("input"), point)
	if err == nil {
		r.Record, err = json.Marshal(record)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// blank is the result of a point without its record or error.
func (d *Dir) blank(point Point) *Result {
	return &Result{Point: point.Number, Run: point.Run, Settings: d.Plan.settings(point)}
}

// store writes a result. A point is done when its result is written.
func (d *Dir) store(r *Result) error {
	name := resultFile(r.Point)
	if err := d.root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return disk.StoreIn(d.root, name, seal(text))
}

// done tells whether a point has a result.
func (d *Dir) done(point int) bool {
	_, err := d.root.Stat(resultFile(point))
	return err == nil
}

// Result returns the result of a point. A file that is damaged, as after a power
// failure, or was edited is an error of type *damagedError.
func (d *Dir) Result(point int) (*Result, error) {
	f, err := d.root.Open(resultFile(point))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := disk.ReadAll(f, mostResult)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if err := json.Unmarshal(text, r); err != nil || !intact(text) || r.Point != point || r.Error == "" && r.Record == nil {
		return nil, &damagedError{resultFile(point)}
	}
	return r, nil
}

type damagedError struct{ file string }

func (e *damagedError) Error() string { return e.file + " is damaged, or was edited" }

// Missing returns the points without a result, in a random order that is always the same.
// Damaged results are removed, and then are missing; Damaged names them.
func (d *Dir) Missing() ([]int, error) {
	var missing []int
	for i := range d.Plan.Points {
		_, err := d.Result(i)
		var damaged *damagedError
		switch {
		case errors.As(err, &damaged):
			if err := d.root.Remove(damaged.file); err != nil {
				return nil, err
			}
			d.Damaged = append(d.Damaged, damaged.file)
			missing = append(missing, i)
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, i)
		case err != nil:
			return nil, err
		}
	}
	return order(missing), nil
}

// count returns the number of points that have a result, from the names of the files.
func (d *Dir) count() (int, error) {
	n := 0
	for first := 0; first < len(d.Plan.Points); first += perFolder {
		entries, err := d.entries(filepath.Dir(resultFile(first)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				n++
			}
		}
	}
	return n, nil
}

// entries lists a folder of the directory.
func (d *Dir) entries(folder string) ([]fs.DirEntry, error) {
	f, err := d.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
