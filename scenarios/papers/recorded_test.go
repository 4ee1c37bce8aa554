package papers

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Recorded are the results of a paper as they were when its page was written, so that the
// page can be checked without a simulation.
type Recorded struct {
	Paper  string                 `yaml:"paper"`
	Claims map[string]string      `yaml:"claims"`         // simulated value, six digits; "": could not be computed
	Fits   map[string][]Direction `yaml:"fits,omitempty"` // directions of the fits that do not keep theirs

	Trials map[string][]map[string]string `yaml:"trials,omitempty"` // by mechanism, of each trial the claims as above
}

//go:embed recorded/*.yaml
var recordedFiles embed.FS

// loadRecorded returns the recorded results of a paper.
func loadRecorded(paper string) (*Recorded, error) {
	text, err := recordedFiles.ReadFile("recorded/" + paper + ".yaml")
	if err != nil {
		return nil, err
	}
	r := &Recorded{}
	return r, yaml.Unmarshal(text, r)
}

// sixDigits is how values are recorded.
func sixDigits(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// Record records verdicts.
func (p *Paper) Record(verdicts []*Verdict) *Recorded {
	r := &Recorded{Paper: p.Name, Claims: map[string]string{}}
	for _, v := range verdicts {
		r.Claims[v.ID] = sixDigits(v.Simulated)
	}
	return r
}

// Verdicts judges the claims of a paper by what was recorded. It is an error if the
// recorded claims differ from the claims of the paper.
func (p *Paper) Verdicts(r *Recorded) ([]*Verdict, error) {
	left := maps.Clone(r.Claims)
	var verdicts []*Verdict
	for _, c := range p.Claims {
		text, ok := left[c.ID]
		if !ok {
			return nil, fmt.Errorf("%s: %s is not recorded", p.Name, c.ID)
		}
		delete(left, c.ID)
		verdicts = append(verdicts, p.judged(c, text))
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s: recorded, but no claim: %v", p.Name, slices.Sorted(maps.Keys(left)))
	}
	return verdicts, nil
}

// Marshal returns the text of the file.
func (r *Recorded) Marshal() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("# Written by 'go test ./scenarios/papers -run TestReproduce -every-claim -update'; do not edit.\n")
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err := e.Encode(r)
	return out.Bytes(), err
}
