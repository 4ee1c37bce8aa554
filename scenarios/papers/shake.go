package papers

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// Shaking says which parameters of machines a draw changes.
type Shaking uint8

// What a draw changes.
const (
	ShakeAll    Shaking = iota // every time, size and rate
	ShakeFitted                // those that a fit found
	ShakeOthers                // those that no fit found
)

func (s Shaking) String() string { return [...]string{"all", "fitted", "others"}[s] }

// changes tells whether a draw changes a number of a machine. Counts stay: they are the
// structure of the machine.
func (s Shaking) changes(f keys.Fact) bool {
	ends := strings.TrimSpace(f.Value)
	if !f.Quantity || ends == "" || !unicode.IsLetter(rune(ends[len(ends)-1])) && !strings.Contains(f.Path, "slow_down") {
		return false
	}
	return s == ShakeAll || (s == ShakeFitted) == f.Fitted()
}

// ShakeWidth is the largest factor by which a draw changes a parameter, up or down.
const ShakeWidth = 4

// shakeFactor draws the factor of a parameter, uniform on a logarithmic scale. All runs
// of a draw on a machine get the same.
func shakeFactor(draw int, machine, path string) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", machine, path)
	return math.Pow(ShakeWidth, 2*sim.NewStream(uint64(draw), h.Sum64()).Float64()-1)
}

// Runner returns the runner of one draw. A run that the drawn parameters do not allow has
// no metrics.
func (s Shaking) Runner(draw int, inner Runner) Runner {
	return func(r *Run) (map[string]float64, error) {
		if r.Scenario == "" {
			return inner(r)
		}
		loaded, err := r.load()
		if err != nil {
			return nil, err
		}
		var drawn []Setting
		for _, f := range loaded.Machine.Facts {
			if s.changes(f) {
				factor := shakeFactor(draw, loaded.Machine.Name, f.Path)
				drawn = append(drawn, Setting{Path: "machine." + indexed(f.Path), Value: fmt.Sprintf("x%.4g", factor)})
			}
		}
		metrics, err := inner(newRun(r.Scenario, drawn, r.Settings))
		if err != nil {
			return map[string]float64{}, nil
		}
		return metrics, nil
	}
}

// indexed writes the path of a fact as it is set: entries of a list as rates.0.
func indexed(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }

// Shaken holds how a claim was judged in the draws of one shaking.
type Shaken struct {
	Claim string  `yaml:"claim"`
	Draws int     `yaml:"draws"` // that could be computed
	Hold  int     `yaml:"hold"`
	From  float64 `yaml:"from"` // smallest and largest value
	To    float64 `yaml:"to"`
}

// ShakeResult is the result of shaking a paper, as in its file.
type ShakeResult struct {
	Paper  string   `yaml:"paper"`
	Width  float64  `yaml:"width"` // a parameter is changed by this factor at most
	All    []Shaken `yaml:"all"`
	Fitted []Shaken `yaml:"fitted,omitempty"`
	Others []Shaken `yaml:"others,omitempty"`
}

// Shake judges the claims of a paper in a number of draws.
func (p *Paper) Shake(s Shaking, draws int, runner Runner, progress func(draw int)) ([]Shaken, error) {
	all := make([]Shaken, len(p.Claims))
	for draw := range draws {
		progress(draw)
		results := Results{}
		if err := results.Get(p.Runs(), s.Runner(draw, runner), nil); err != nil {
			return nil, err
		}
		for i, v := range p.Judge(results) {
			all[i].add(v)
		}
	}
	return all, nil
}

// add counts the verdict of one draw.
func (s *Shaken) add(v *Verdict) {
	s.Claim = v.ID
	if math.IsNaN(v.Simulated) {
		return
	}
	x := Significant(v.Simulated)
	if s.Draws == 0 {
		s.From, s.To = x, x
	}
	s.From, s.To = min(s.From, x), max(s.To, x)
	s.Draws++
	s.Hold += int(bit(v.Pass))
}

// Marshal returns the text of the file.
func (r *ShakeResult) Marshal() ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Written by 'go run ./cmd/dev/shake-papers %s'; do not edit.\n", r.Paper)
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err := e.Encode(r)
	return out.Bytes(), err
}
