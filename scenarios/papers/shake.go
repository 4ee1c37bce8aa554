package papers

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

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

// shakeWidth is the largest factor by which a draw changes a parameter, up or down.
const shakeWidth = 4

// shakeFactor draws the factor of a parameter, uniform on a logarithmic scale. All runs
// of a draw on a machine get the same.
func shakeFactor(draw int, machine, path string) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", machine, path)
	return math.Pow(shakeWidth, 2*sim.NewStream(uint64(draw), h.Sum64()).Float64()-1)
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
				path := "machine." + settable(f.Path)
				value := shakenValue(f, shakeFactor(draw, loaded.Machine.Name, settable(f.Path)))
				if !slices.ContainsFunc(drawn, func(s Setting) bool { return s.Path == path }) {
					drawn = append(drawn, Setting{Path: path, Value: value})
				}
			}
		}
		metrics, err := inner(newRun(r.Scenario, drawn, r.Settings))
		if err != nil {
			return map[string]float64{}, nil
		}
		return metrics, nil
	}
}

// shakenValue is a number times a factor. A slow-down is at least 1: what it is above 1 is changed.
func shakenValue(f keys.Fact, factor float64) string {
	if slow, err := strconv.ParseFloat(strings.TrimSpace(f.Value), 64); err == nil && strings.Contains(f.Path, "slow_down") {
		return strconv.FormatFloat(1+(slow-1)*factor, 'g', 4, 64)
	}
	return fmt.Sprintf("x%.4g", factor)
}

// settable writes the path of a fact as it is set: keys in entries of a list as rates.0.rate, and a list of numbers,
// such as a bandwidth for each dimension, as a whole.
func settable(path string) string {
	if strings.HasSuffix(path, "]") {
		path = path[:strings.LastIndexByte(path, '[')]
	}
	return strings.NewReplacer("[", ".", "]", "").Replace(path)
}

// Shaken holds how a claim was judged in the draws of one shaking.
type Shaken struct {
	Claim string  `yaml:"claim"`
	Draws int     `yaml:"draws"` // that could be computed
	Hold  int     `yaml:"hold"`
	Each  string  `yaml:"each"` // the verdict of each draw: 1 it holds, 0 it does not, - not computed
	From  float64 `yaml:"from"` // smallest and largest value
	To    float64 `yaml:"to"`
}

// ShakeResult is the result of shaking a paper, as in its file.
type ShakeResult struct {
	Paper  string   `yaml:"paper"`
	Stamp  string   `yaml:"stamp"` // of the claims and the machines' numbers
	Width  float64  `yaml:"width"` // a parameter is changed by this factor at most
	All    []Shaken `yaml:"all"`
	Fitted []Shaken `yaml:"fitted,omitempty"`
	Others []Shaken `yaml:"others,omitempty"`
}

// Shake judges claims of a paper in a number of draws, from the first one on. Claims that are judged by closed forms
// alone know no machine: it passes them over.
func (p *Paper) Shake(s Shaking, claims []*Claim, first, draws int, runner Runner, progress func(draw int)) ([]Shaken, error) {
	claims = slices.DeleteFunc(slices.Clone(claims), p.analytic)
	all := make([]Shaken, len(claims))
	runs := p.Needed(claims)
	for draw := first; draw < first+draws; draw++ {
		progress(draw)
		results := Results{}
		if err := results.Get(runs, s.Runner(draw, runner), nil); err != nil {
			return nil, err
		}
		for i, c := range claims {
			all[i].add(p.judge(c, results))
		}
	}
	return all, nil
}

// ShakeAgain draws the machines of a built-in paper anew. If only predictions are asked for, it draws in the round of
// all parameters alone, and keeps what the file has of the other rounds if it is of the same claims and machines.
func (p *Paper) ShakeAgain(draws int, predicted bool, runner Runner, progress func(s Shaking, draw int)) (*ShakeResult, error) {
	old, err := readShaken(p.Name)
	if err != nil {
		return nil, err
	}
	result := &ShakeResult{Paper: p.Name, Width: shakeWidth}
	if result.Stamp, err = p.Stamp(); err != nil {
		return nil, err
	}
	round := func(s Shaking, claims []*Claim, draws int) (all []Shaken) {
		if err == nil {
			all, err = p.Shake(s, claims, 0, draws, runner, func(draw int) { progress(s, draw) })
		}
		return all
	}
	if !predicted {
		result.All = round(ShakeAll, p.Claims, draws)
		result.Fitted = round(ShakeFitted, p.Claims, (draws+2)/3)
		result.Others = round(ShakeOthers, p.Claims, (draws+2)/3)
		return result, err
	}
	if old != nil && old.Stamp == result.Stamp {
		result.Fitted, result.Others = old.Fitted, old.Others
	}
	result.All = round(ShakeAll, p.drawn(old), draws)
	return result, err
}

// drawn are the predictions, and the claims that a result has: by their draws they were found to be no predictions.
func (p *Paper) drawn(old *ShakeResult) []*Claim {
	return slices.DeleteFunc(slices.Clone(p.Claims), func(c *Claim) bool {
		before := old != nil && slices.ContainsFunc(old.All, func(s Shaken) bool { return s.Claim == c.ID })
		return c.Judged == Withheld || c.Kind != Predicted && !before
	})
}

// add counts the verdict of one draw.
func (s *Shaken) add(v *Verdict) {
	s.Claim = v.ID
	if math.IsNaN(v.Simulated) {
		s.Each += "-"
		return
	}
	s.Each += strconv.Itoa(int(bit(v.Pass)))
	x := Significant(v.Simulated)
	if s.Draws == 0 {
		s.From, s.To = x, x
	}
	s.From, s.To = min(s.From, x), max(s.To, x)
	s.Draws++
	s.Hold += int(bit(v.Pass))
}

// Marshal returns the text of the file.
func (r *ShakeResult) Marshal() ([]byte, error) { return marshalResult("shake-papers", r.Paper, r) }

// Stamp is a text that changes with the claims of a paper and with the numbers of its machines: results of draws
// with another stamp are older than these.
func (p *Paper) Stamp() (string, error) {
	h := fnv.New64a()
	for _, c := range p.Claims {
		fmt.Fprintln(h, c.ID, c.Judged, c.Published, c.Upper, c.Tolerance, c.Metric.Text)
	}
	names := map[string]*Run{}
	for _, r := range p.Runs() {
		fmt.Fprintln(h, r.key())
		if r.Scenario != "" {
			names[r.Scenario] = newRun(r.Scenario, nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := names[name].writeFacts(h); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%016x", h.Sum64()), nil
}

// writeFacts writes the numbers of the machine of a run: all that its file says but titles.
func (r *Run) writeFacts(w io.Writer) error {
	loaded, err := r.load()
	if err != nil {
		return err
	}
	for _, f := range loaded.Machine.Facts {
		if !strings.HasSuffix(f.Path, "title") {
			fmt.Fprintln(w, f.Path, f.Value, f.Origin)
		}
	}
	return nil
}
