package sweep

import (
	"errors"
	"os"
	"slices"
	"strings"

	"overlapsim/scenarios"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// checkScenario adds the mistakes of the scenario itself, as far as they are visible with
// the first level of each factor.
func (p *planner) checkScenario() {
	settings := slices.Clone(p.Set)
	for _, f := range p.varied {
		settings = append(settings, f.Path+"="+f.first())
	}
	var found keys.Problems
	if _, err := scenarios.Load(p.Scenario, settings); errors.As(err, &found) {
		p.problems = append(p.problems, p.asVaried(found)...)
	}
}

// first returns a level to try.
func (f *Factor) first() string {
	if f.Range != nil {
		return f.Range.at(0)
	}
	return f.Levels[0]
}

// mostWords is the largest number of words that are tried one by one.
const mostWords = 100

// checkWords finds words that are wrong at every point, with any values of the other paths:
// unknown names, and words in place of numbers.
func (p *planner) checkWords() {
	tried := 0
	for _, f := range p.varied {
		for _, level := range f.Levels {
			if before, ok := p.inputs.before[f.Path+"="+level]; ok {
				level = before
			}
			if _, isNumber := measure(level); isNumber || strings.ContainsAny(level[:1], "[{") || tried == mostWords {
				continue
			}
			tried++
			setting := f.Path + "=" + level
			var found keys.Problems
			if _, err := scenarios.Load(p.Scenario, append(slices.Clone(p.Set), setting)); !errors.As(err, &found) {
				continue
			}
			found = slices.DeleteFunc(slices.Clone(found), func(q keys.Problem) bool {
				return q.Place.Flag != "--set "+setting || !neverRight().MatchString(q.Message)
			})
			p.problems = append(p.problems, p.asVaried(found)...)
		}
	}
}

// neverRight are the kinds of problems that a word has by itself.
var neverRight = keys.Pattern(`^no \w+ is called |^must be one of |^must be an? .* such as .*, got |cannot be read: `)

// check makes sure that at least one point of the plan can be run. If there is none, the sweep is a
// mistake, with the error of its first point.
func (p *planner) check(plan *Plan) error {
	return disk.Scratch(func(root *os.Root) error { return p.checkIn(root, plan) })
}

// checkIn does so in an empty folder.
func (p *planner) checkIn(root *os.Root, plan *Plan) error {
	if err := plan.unpack(root, "."); err != nil {
		return err
	}
	var first error
	for _, point := range plan.Points {
		_, err := plan.load(root.Name(), point)
		if err == nil {
			return nil
		}
		if first == nil {
			first = p.inOriginal(point, err)
		}
	}
	return first
}

// inOriginal puts the error of a point in terms of the user's own files.
func (p *planner) inOriginal(point Point, err error) error {
	var found keys.Problems
	if _, original := scenarios.Load(p.Scenario, p.original(point)); errors.As(original, &found) || errors.As(err, &found) {
		return p.asVaried(found)
	}
	return err
}

// original returns the settings of a point before files were copied.
func (p *planner) original(point Point) []string {
	all := slices.Clone(p.Set)
	for i, level := range point.Levels {
		path := p.varied[i].Path
		if before, ok := p.inputs.before[path+"="+level]; ok {
			level = before
		}
		if level != "" {
			all = append(all, path+"="+level)
		}
	}
	return all
}

// asVaried puts the flag that the user wrote into problems about a level.
func (p *planner) asVaried(found keys.Problems) keys.Problems {
	moved := keys.Moved(found, func(q *keys.Problem, setting string) {
		path, _, _ := strings.Cut(setting, "=")
		for _, text := range p.Vary {
			if varied, _, _ := strings.Cut(text, "="); strings.TrimSpace(varied) == path {
				q.Place.Flag = "--vary " + text
			}
		}
	})
	return moved.(keys.Problems)
}
