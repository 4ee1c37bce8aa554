package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/sim"
)

// load returns the scenario of a point, with the plan's files in the folder.
func (p *Plan) load(folder string, point Point) (s *scenarios.Scenario, err error) {
	defer rescue(&err)
	settings := p.settings(point)
	for i, setting := range settings {
		path, file, _ := strings.Cut(setting, "=")
		if takesPart(path) && p.has(file) {
			settings[i] = path + "=" + filepath.Join(folder, file)
		}
	}
	study, err := scenarios.Read(filepath.Join(folder, point.File), p.text(point.File), settings)
	if err != nil {
		return nil, inside(folder, err)
	}
	return study.Runs[0], nil
}

// Load returns the scenario of a point.
func (d *Dir) Load(point int) (*scenarios.Scenario, error) {
	if err := d.Plan.unpack(d.root, "input"); err != nil {
		return nil, err
	}
	return d.Plan.load(d.file("input"), d.Plan.Points[point])
}

// uncharged says what a machine does not charge for what only some points send at once, and what would: of the point with the least
// makespan, or else of the last one that has it. A point is a run with its settings and no others.
func (t *Table) uncharged(d *Dir) error {
	for i, f := range t.Plan.Factors {
		if !slices.Contains(answer.SentAtOnce, f.Path) {
			continue
		}
		if err := d.Plan.unpack(d.root, "input"); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, row := range t.bestThenLast() {
			p := t.Plan.Points[row]
			if value := p.Levels[i]; value != "" && t.Errors[row] == "" && !seen[p.Run+value] {
				seen[p.Run+value] = true
				if set := t.Plan.copies(d.file("input"), p, i); set != nil {
					t.Assumed = append(slices.DeleteFunc(t.Assumed, files.NotCopied), fmt.Sprintf("not charged (optimize charges it): a copy by "+
						"each side of what only some points send at once; with %s=%s: %s", f.Path, value, keys.Flags(set)))
					break
				}
			}
		}
	}
	return nil
}

// bestThenLast lists the rows: the one with the least makespan, then all from the last.
func (t *Table) bestThenLast() (rows []int) {
	c := t.result("makespan_s")
	for row := t.Rows - 1; row >= 0 && c != nil; row-- {
		if rows = append(rows, row); c.Numbers[row] == t.fastest() {
			rows = slices.Insert(rows, 0, row)
		}
	}
	return rows
}

// copies are settings that charge the copies of what a point sends at once, and the same without its level of a factor does not.
func (p *Plan) copies(folder string, point Point, factor int) []string {
	without := point
	without.Levels = slices.Clone(point.Levels)
	without.Levels[factor] = ""
	before, err := p.load(folder, without)
	if err != nil {
		return nil
	}
	now, err := p.load(folder, point)
	if err != nil {
		return nil
	}
	return answer.CopiesSince(before.Scenario, now.Scenario)
}

// has tells whether a name belongs to a copy.
func (p *Plan) has(name string) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.Name == name })
}

// text returns the text of a copy.
func (p *Plan) text(name string) []byte {
	i := slices.IndexFunc(p.Files, func(f File) bool { return f.Name == name })
	return []byte(p.Files[i].Text)
}

// inside strips the folder of the copies from the places of problems, so that
// an error is the same wherever the sweep is.
func inside(folder string, err error) error {
	var problems keys.Problems
	if !errors.As(err, &problems) {
		return err
	}
	prefix := folder + string(filepath.Separator)
	problems = slices.Clone(problems)
	for i, p := range problems {
		problems[i].Place.File = strings.TrimPrefix(p.Place.File, prefix)
		problems[i].Place.Flag = strings.ReplaceAll(p.Place.Flag, prefix, "")
		problems[i].Message = strings.ReplaceAll(p.Message, prefix, "")
	}
	return problems
}

// compute runs a point.
func (p *Plan) compute(folder string, point Point) (record *outcomes.RunRecord, err error) {
	defer rescue(&err)
	pool := points.Pool{Load: func([]string) (*scenarios.Scenario, error) { return p.load(folder, point) }}
	record, err = points.One(&pool, points.Point{}, func(o *outcomes.Outcome) (*outcomes.RunRecord, error) {
		r := o.Record()
		if p.Answer {
			r = answer.Record(o)
		}
		r.NoEffect = o.NoEffect()
		return r, nil
	})
	return record, inside(folder, err)
}

// rescue turns a bug of the simulator into the error of the point that shows
// it.
func rescue(err *error) {
	var caught *sim.Panic
	if bug := recover(); bug != nil {
		*err = fmt.Errorf("a bug in the simulator: %v", bug)
	} else if errors.As(*err, &caught) {
		*err = fmt.Errorf("a bug in the simulator: %v", caught.Value)
	}
}

// unpack writes the copies into a folder of the root. Other processes that do so at the
// same time write the same files.
func (p *Plan) unpack(root *os.Root, folder string) error {
	if err := root.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, f := range p.Files {
		name := filepath.Join(folder, f.Name)
		if text, err := root.ReadFile(name); err == nil && string(text) == f.Text {
			continue
		}
		if err := disk.StoreIn(root, name, []byte(f.Text)); err != nil {
			return err
		}
	}
	return nil
}
