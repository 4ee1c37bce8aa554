package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/sim"
)

// load returns the scenario of a point with more settings, with the plan's files in the folder.
func (p *Plan) load(folder string, point Point, more ...string) (s *scenarios.Scenario, err error) {
	defer rescue(&err)
	settings := append(p.settings(point), more...)
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

// copies are settings that charge the copies of what a point sends at once, and the scenario without its levels of the paths that decide that
// does not; of several libraries, the one that sends least at once.
func (p *Plan) copies(folder string, point Point) []string {
	if !p.Copies {
		return nil
	}
	without := point
	without.Levels = slices.Clone(point.Levels)
	libraries, at := []string{""}, 0
	for i, f := range p.Factors {
		if slices.Contains(answer.SentAtOnce, f.Path) {
			without.Levels[i] = ""
		}
		if f.Path == answer.Library {
			libraries, at = f.Levels, i
		}
	}
	now, err := p.load(folder, point)
	if err != nil {
		return nil
	}
	before := answer.LeastAtOnce(len(libraries), func(i int) (*scenarios.Scenario, error) {
		without.Levels[at] = libraries[i]
		return p.load(folder, without)
	})
	if before == nil {
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

// compute runs a point, with the settings that charge copies.
func (p *Plan) compute(folder string, point Point) (record *outcomes.RunRecord, charged []string, err error) {
	defer rescue(&err)
	charged = p.copies(folder, point)
	pool := points.Pool{Load: func([]string) (*scenarios.Scenario, error) { return p.load(folder, point, charged...) }}
	record, err = points.One(&pool, points.Point{}, func(o *outcomes.Outcome) (*outcomes.RunRecord, error) {
		r := o.Record()
		if p.Answer {
			r = answer.Record(o)
		}
		r.NoEffect = o.NoEffect()
		return r, nil
	})
	return record, charged, inside(folder, err)
}

// holding says what holds a point that ran with settings that charge copies.
func (d *Dir) holding(point int, charged []string, at string) (lines []string) {
	var err error
	defer rescue(&err)
	lines = []string{}
	s, err := d.Load(point)
	if err == nil {
		s, err = s.With(charged)
	}
	if err != nil {
		return lines
	}
	if o, err := s.Run(nodes.Options{}); err == nil {
		if text := answer.Holding(o, at); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
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
