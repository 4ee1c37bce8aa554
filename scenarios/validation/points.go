package validation

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/points"
)

// Points are the runs that rows need, each once.
type Points struct {
	Settings [][]string
	set      *Set
	of       []int // by row
}

// Answer is the numbers of a run.
type Answer = points.Taken[points.Numbers]

// Runner runs points and says how many are done.
type Runner func(p *Points, done func(n int)) ([]Answer, error)

// pointsOf returns the runs that rows need.
func (s *Set) pointsOf(rows []*row) *Points {
	p := &Points{set: s}
	index := map[string]int{}
	for _, r := range rows {
		i, ok := index[r.run()]
		if !ok {
			i = len(p.Settings)
			index[r.run()] = i
			p.Settings = append(p.Settings, r.settings)
		}
		p.of = append(p.of, i)
	}
	return p
}

// Scenario returns the name of the scenario of all points, or a text.
func (p *Points) Scenario() (name string, text []byte) {
	if t := p.set.scenario; t.IsMapping() {
		return "", []byte(t.String() + "\n")
	}
	name = p.set.scenario.String()
	if _, ok := files.ScenarioText(name); !ok {
		name = filepath.Join(filepath.Dir(p.set.File), name)
	}
	return name, nil
}

// Load returns the scenario of a point.
func (p *Points) Load(i int) (*scenarios.Scenario, error) { return p.load(p.Settings[i]) }

func (p *Points) load(settings []string) (*scenarios.Scenario, error) {
	name, text := p.Scenario()
	if text == nil {
		return scenarios.LoadRun(name, 0, settings)
	}
	study, err := scenarios.Read(p.set.beside("scenario"), text, settings)
	if err != nil {
		return nil, err
	}
	return study.Runs[0], nil
}

// Here runs the points in this process, several at a time.
func Here(p *Points, done func(n int)) ([]Answer, error) {
	all := make([]points.Point, len(p.Settings))
	for i, set := range p.Settings {
		all[i].Set = set
	}
	var n atomic.Int64
	pool := &points.Pool{Load: p.load, Ended: func(*points.Point) { done(int(n.Add(1))) }}
	return points.Run(pool, all, points.TakeNumbers), nil
}

// predict runs the rows. Settings that cannot be run are mistakes, of type keys.Problems;
// a run that fails is the result of its rows.
func (s *Set) predict(rows []*row, runner Runner, done func(n, of int)) error {
	p := s.pointsOf(rows)
	answers, err := runner(p, func(n int) { done(n, len(p.Settings)) })
	if err != nil {
		return err
	}
	var problems keys.Problems
	told := make([]bool, len(answers))
	for k, r := range rows {
		i := p.of[k]
		var wrong keys.Problems
		if errors.As(answers[i].Err, &wrong) {
			if !told[i] && len(problems) < mostMistakes {
				r.complain(wrong, &problems)
			}
			told[i] = true
		} else {
			s.take(r, answers[i], &problems)
		}
	}
	return problems.Err()
}

// take takes the prediction of a row from the result of its run.
func (s *Set) take(r *row, a Answer, problems *keys.Problems) {
	if a.Err != nil {
		r.Failed = a.Err.Error()
		return
	}
	x, err := a.Value.At(r.path)
	if err != nil {
		problems.Add(s.predictedAt(), "predicted.path", "%s", err)
		return
	}
	for _, b := range s.baselines {
		for _, f := range b.x {
			if !f.ofRun {
				continue
			}
			if r.numbers[f.name], err = a.Value.At(f.name); err != nil {
				problems.Add(s.predictedAt(), "baseline", "%s", err)
			}
		}
	}
	r.Predicted = s.predicted.of(x, r.amount, s.measured.unit)
	if math.IsNaN(r.Predicted) || math.IsInf(r.Predicted, 0) || s.kind.positive && r.Predicted <= 0 {
		r.Failed, r.Predicted = fmt.Sprintf("%s is %g, which is no figure", r.path, x), math.NaN()
	}
}

// predictedAt is the place of the set's prediction.
func (s *Set) predictedAt() keys.Place { return keys.Place{File: s.File, Line: 1, Column: 1} }

// complain reports that the settings of a row are wrong.
func (r *row) complain(wrong keys.Problems, problems *keys.Problems) {
	for _, w := range wrong {
		problems.Add(r.line.at(), "", "%s", w.Error())
	}
}

// Inline writes a scenario of keys to a file in a folder, and returns its name.
func Inline(folder string, text []byte) (string, error) {
	name := filepath.Join(folder, "scenario.yaml")
	return name, os.WriteFile(name, text, 0o666)
}
