package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
)

// Request is what a user asks of a sweep.
type Request struct {
	Scenario string   // library name or file
	Run      string   // the one run to take of several; "": all
	Set      []string // path=value, for every point
	Vary     []string // path=values
	Design   string   // one of Designs()
	Samples  int      // of a Latin hypercube; 0: 10 for each path
	Seed     uint64   // of a Latin hypercube
	Answer   bool     // with what communication costs at each point
}

// New makes the plan of a sweep. Mistakes in the sweep itself are of type
// scenarios.Problems. A point that is wrong while others are right is not such a mistake,
// and is kept with its error.
func New(r Request) (*Plan, error) {
	p := &planner{Request: r, design: designNamed(designs, r.Design)}
	p.factors()
	p.options()
	p.copyFiles()
	if len(p.problems) > 0 {
		p.checkScenario()
		return nil, p.err()
	}
	p.roundWhole()
	if p.checkWords(); len(p.problems) > 0 {
		return nil, p.err()
	}
	plan, err := p.plan()
	if err != nil {
		return nil, err
	}
	return plan, p.check(plan)
}

// planner makes the plan of a request and collects its mistakes.
type planner struct {
	Request
	design   *Design // nil: it is not known
	varied   []Factor
	set      []string // with the names of copies
	runs     []string
	scenario []string // copies, by run
	inputs   inputs
	problems keys.Problems
}

// flag records a mistake in a flag.
func (p *planner) flag(flag, format string, args ...any) {
	p.problems = append(p.problems, keys.Problem{Place: keys.Place{Flag: flag}, Message: fmt.Sprintf(format, args...)})
}

// err returns the problems, each once.
func (p *planner) err() error {
	var once keys.Problems
	for _, problem := range p.problems {
		if !slices.Contains(once, problem) {
			once = append(once, problem)
		}
	}
	if len(once) == 0 {
		return nil
	}
	return once
}

// factors reads the paths that are varied.
func (p *planner) factors() {
	if len(p.Vary) == 0 {
		p.flag("--vary", "is missing; give at least one, such as --vary ranks=8,16,32")
	}
	taken := map[string]string{}
	for _, text := range p.Set {
		path, _, _ := strings.Cut(text, "=")
		taken[strings.TrimSpace(path)] = "--set " + text
	}
	for _, text := range p.Vary {
		f, wrong := parseFactor(text)
		if other, ok := taken[f.Path]; ok {
			wrong = append(wrong, fmt.Sprintf("gives %s a value, and so does %s", f.Path, other))
		}
		if f.Range != nil && p.design != nil && !p.design.sampled {
			wrong = append(wrong, fmt.Sprintf("%s..%s needs a number of values, as in %[1]s..%[2]s:5; only a Latin hypercube (--design lhs) "+
				"samples a whole range", f.Range.From, f.Range.To))
		}
		if len(wrong) > 0 {
			found := p.problemsOf(f.Path, "x")
			if at := slices.IndexFunc(found, func(q keys.Problem) bool { return q.Kind == keys.UnknownKey }); at >= 0 {
				wrong = []string{found[at].Message} // regardless of its values
			}
		}
		for _, message := range wrong {
			p.flag("--vary "+text, "%s", message)
		}
		if len(wrong) == 0 {
			taken[f.Path] = "--vary " + text
			p.varied = append(p.varied, f)
		}
	}
}

// options checks the rest of the request.
func (p *planner) options() {
	if p.design == nil {
		p.flag("--design "+p.Design, "must be one of %s", strings.Join(Designs(), ", "))
		return
	}
	if p.Samples != 0 && !p.design.sampled {
		p.flag(fmt.Sprintf("--samples %d", p.Samples), "is for --design lhs; the other designs have the points that --vary says")
	}
	if p.Samples < 0 || p.Samples > mostPoints {
		p.flag(fmt.Sprintf("--samples %d", p.Samples), "must be 1 to %d", mostPoints)
	}
	if p.Samples == 0 && p.design.sampled {
		p.Samples = 10 * len(p.Vary)
	}
}

// copyFiles copies the scenario and every file that it, --set or --vary names.
func (p *planner) copyFiles() {
	p.inputs = inputs{names: map[string]string{}, before: map[string]string{}, problems: &p.problems}
	p.runs, p.scenario = p.inputs.scenarioFiles(p.Scenario, p.Set)
	p.choose()
	folder := filepath.Dir(p.Scenario)
	p.set = []string{}
	for _, setting := range p.Set {
		path, value, ok := strings.Cut(setting, "=")
		if path, value = strings.TrimSpace(path), strings.TrimSpace(value); ok {
			setting = path + "=" + p.inputs.setting(path, value, folder)
		}
		p.set = append(p.set, setting)
	}
	for i, f := range p.varied {
		for j, level := range f.Levels {
			p.varied[i].Levels[j] = p.inputs.setting(f.Path, level, folder)
		}
	}
}

// choose keeps only the requested run.
func (p *planner) choose() {
	if p.Run == "" {
		return
	}
	i := slices.Index(p.runs, p.Run)
	if i < 0 {
		instead := keys.Instead(p.Run, p.runs)
		if len(p.runs) == 1 {
			instead = "it has one run; omit --run"
		}
		p.flag("--run "+p.Run, "is not a run of %s; %s", p.Scenario, instead)
		return
	}
	p.runs, p.scenario = p.runs[i:i+1], p.scenario[i:i+1]
}

// roundWhole rounds computed levels of a path that holds whole numbers. The scenario's
// error for a fraction shows which paths do.
func (p *planner) roundWhole() {
	for i := range p.varied {
		f := &p.varied[i]
		fraction, ok := f.fractional()
		if !ok {
			continue
		}
		if slices.ContainsFunc(p.problemsOf(f.Path, fraction), func(q keys.Problem) bool { return q.Kind == keys.Fraction }) {
			f.wholeLevels()
		}
	}
}

// problemsOf returns what the scenario says is wrong with a value of a path.
func (p *planner) problemsOf(path, value string) keys.Problems {
	setting := path + "=" + value
	var found keys.Problems
	_, err := scenarios.Load(p.Scenario, append(slices.Clone(p.Set), setting))
	errors.As(err, &found)
	return slices.DeleteFunc(slices.Clone(found), func(q keys.Problem) bool { return q.Place.Flag != "--set "+setting })
}

// plan lists the points.
func (p *planner) plan() (*Plan, error) {
	if _, err := p.design.size(p.varied, p.Samples); err != nil {
		p.flag("--vary", "%s", err)
		return nil, p.err()
	}
	plan := &Plan{
		Format: planFormat, Scenario: filepath.Base(p.Scenario), Design: p.design, Set: p.set, Factors: p.varied,
		Runs: len(p.runs), Files: p.inputs.files, Title: p.title(), Answer: p.Answer,
	}
	plan.Copies = slices.ContainsFunc(p.varied, func(f Factor) bool { return slices.Contains(answer.SentAtOnce, f.Path) })
	if p.design.sampled {
		plan.Samples, plan.Seed = p.Samples, p.Seed
	}
	points, extra := p.design.points(plan)
	for _, twin := range []bool{false, true} {
		for run := range p.runs {
			for _, l := range points {
				plan.Points = append(plan.Points, Point{len(plan.Points), p.scenario[run], p.runs[run], l, twin})
			}
		}
		points = extra
	}
	return plan, nil
}

// title is the scenario's, or its name. One that names defaults names none of a path that is varied.
func (p *planner) title() string {
	settings := slices.Clone(p.Set)
	for _, f := range p.varied {
		level := slices.Concat(f.Levels, []string{""})[0]
		if f.Range != nil {
			level = f.Range.From
		}
		settings = append(settings, f.Path+"="+level)
	}
	if _, library := files.ScenarioText(p.Scenario); !library {
		if text, _, made, err := files.OfInput(p.Scenario, settings); made && err == nil {
			return titleOf(string(text), p.Scenario)
		}
	}
	for _, f := range p.inputs.files {
		if f.Name == p.scenario[0] {
			return titleOf(f.Text, strings.TrimSuffix(f.Name, filepath.Ext(f.Name)))
		}
	}
	return p.Scenario
}

// titleOf returns the title in a scenario's text, or a name instead.
func titleOf(text, name string) string {
	var root yaml.Node
	if yaml.Unmarshal([]byte(text), &root) == nil && len(root.Content) > 0 {
		if title := textOf(root.Content[0], "title"); title != "" {
			return title
		}
	}
	return name
}
