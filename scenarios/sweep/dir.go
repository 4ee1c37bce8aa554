package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// Dir is the directory of a sweep.
type Dir struct {
	Path    string // absolute
	Plan    *Plan
	Damaged []string // points whose results Missing found to be damaged, edited or gone
	root    *os.Root // of everything that is written: nothing leads out of it
	claims  opened
	log     resultLog // of this process
	found   *found    // results that were found so far
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
		return nil, wrongDir(path, "holds another sweep%s; give another --out, or continue that one: overlapsim sweep %s", plan.unlike(there),
			keys.ForShell(path))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, wrongDir(path, "%s", keys.ReasonOf(err))
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

// Writes tells whether a path is the path of a file, or in a folder, which the sweep itself writes in its directory.
func (d *Dir) Writes(path string) bool {
	own, err := os.Stat(d.Path)
	if err != nil {
		return false
	}
	for at := path; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if above, err := os.Stat(filepath.Dir(at)); err == nil && os.SameFile(own, above) {
			return slices.Contains(written, filepath.Base(at))
		}
	}
	return false
}

// written is all that a sweep writes in its directory.
var written = []string{planFile, "input", "results", "claims", "programs", "slurm", CSVFile, ParquetFile, PageFile}

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
		return wrongDir(path, "cannot be made: %s", keys.ReasonOf(err))
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
		return wrongDir(path, "cannot be written: %s", keys.ReasonOf(err))
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
		return nil, wrongDir(path, "holds no sweep: %s", keys.ReasonOf(err))
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

// Close closes the files of the directory. Locks that this process holds on points are then released.
func (d *Dir) Close() error {
	err := d.root.Close()
	if d.claims.claims != nil {
		err = errors.Join(err, d.claims.claims.close())
	}
	if d.log.file != nil {
		err = errors.Join(err, d.log.file.Close())
	}
	if d.found != nil {
		d.found.close()
	}
	return err
}

// openRoot opens the directory, which exists, unless it is open.
func (d *Dir) openRoot(path string) (err error) {
	if d.root != nil {
		return nil
	}
	if d.root, err = os.OpenRoot(d.Path); err != nil {
		return wrongDir(path, "holds no sweep: %s", keys.ReasonOf(err))
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

func (d *Dir) file(steps ...string) string {
	return filepath.Join(append([]string{d.Path}, steps...)...)
}
