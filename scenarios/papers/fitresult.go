package papers

import (
	"bytes"
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"
)

// FitResult is the result of a fit, as in its result file.
type FitResult struct {
	Fit        string          `yaml:"fit"`
	Seed       uint64          `yaml:"seed"`
	Starts     int             `yaml:"starts"`
	Runs       int             `yaml:"runs"` // simulations
	Sum        float64         `yaml:"sum_of_squares"`
	Since      string          `yaml:"since,omitempty"`     // what changed since the values were found; the claims are simulated again
	Converged  bool            `yaml:"converged,omitempty"` // before its evaluations were used up
	Parameters []FittedValue   `yaml:"parameters"`
	Claims     []FittedClaim   `yaml:"claims"`
	Priors     []PriorResidual `yaml:"priors,omitempty"`
	Directions []Direction     `yaml:"directions,omitempty"` // of least squares, most certain first
}

// FittedValue is a parameter that was found.
type FittedValue struct {
	Machine string   `yaml:"machine"`
	Path    string   `yaml:"path"`
	Also    []string `yaml:"also,omitempty,flow"`
	Value   string   `yaml:"value"`          // three significant digits
	From    string   `yaml:"from"`           // smallest and largest value
	To      string   `yaml:"to"`             // tried that adds at most 1 to the sum of squares
	Note    string   `yaml:"note,omitempty"` // when it lies on a bound
}

// FittedClaim is a claim that was used, with the values found.
type FittedClaim struct {
	ID        string   `yaml:"id"`
	Metric    string   `yaml:"metric"`
	Published *float64 `yaml:"published,omitempty"` // if omitted: a margin, which must be >= 0
	Simulated float64  `yaml:"simulated"`
	Scale     float64  `yaml:"scale"`
	Residual  float64  `yaml:"residual"` // in units of the scale
}

// PriorResidual is how far a parameter is from its prior.
type PriorResidual struct {
	Machine  string  `yaml:"machine"`
	Path     string  `yaml:"path"`
	Prior    string  `yaml:"prior"`
	Factor   float64 `yaml:"factor"`
	Residual float64 `yaml:"residual"` // in units of ln factor
	Source   string  `yaml:"source"`
}

// Direction is a combination of parameters, in units of their priors, and how well the
// claims determine it: Singular is the number of standard deviations of the claims per
// standard deviation of the priors.
type Direction struct {
	Singular float64            `yaml:"singular_value"`
	Along    map[string]float64 `yaml:"along,flow"` // the larger components of its unit vector
}

// Tried is a choice of parameters and its sum of squares.
type Tried struct {
	Values []float64
	Sum    float64
}

// Result describes the values at the end of a fit. The tried choices say how well they
// are known.
func (f *Fit) Result(values []float64, r *Residuals, tried []Tried, runs int) *FitResult {
	result := &FitResult{Fit: f.Name, Seed: f.Seed, Starts: f.Starts, Runs: runs, Sum: Significant(r.Sum())}
	for i := range f.Parameters {
		result.Parameters = append(result.Parameters, f.fitted(i, values[i], r.Sum(), tried))
		if p := &f.Parameters[i]; p.Prior != nil {
			result.Priors = append(result.Priors, PriorResidual{
				Machine: p.Machine, Path: p.Path, Prior: p.Format(p.Prior.Value), Factor: p.Prior.Factor,
				Residual: round(r.Priors[i]), Source: p.Prior.Source,
			})
		}
	}
	result.Claims = f.claims(r)
	return result
}

// claims describes the claims as they are simulated.
func (f *Fit) claims(r *Residuals) (all []FittedClaim) {
	for i := range f.Terms {
		t := &f.Terms[i]
		c := FittedClaim{ID: t.Claim.ID, Metric: t.Metric.Text, Simulated: Significant(r.Simulated[i]), Scale: t.Scale,
			Residual: round(r.Terms[i])}
		if !t.Margin {
			c.Published = &t.Claim.Published
		}
		all = append(all, c)
	}
	return all
}

// fitted describes one parameter.
func (f *Fit) fitted(i int, value, sum float64, tried []Tried) FittedValue {
	p := &f.Parameters[i]
	from, to := value, value
	for _, t := range tried {
		if t.Sum <= sum+1 {
			from, to = min(from, t.Values[i]), max(to, t.Values[i])
		}
	}
	v := FittedValue{Machine: p.Machine, Path: p.Path, Also: p.Also, Value: p.Format(value), From: p.Format(Significant(from)),
		To: p.Format(Significant(to))}
	if value <= 1.01*p.Low || value >= 0.99*p.High {
		v.Note = fmt.Sprintf("on a bound: %s to %s", p.Format(p.Low), p.Format(p.High))
	}
	return v
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

// Marshal returns the text of the result file.
func (r *FitResult) Marshal() ([]byte, error) { return marshalResult("fit-papers", r.Fit, r) }

// marshalResult writes the result of a fit.
func marshalResult(program, name string, result any) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Written by 'go run ./cmd/dev/%s %s'; do not edit.\n", program, name)
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err := e.Encode(result)
	return out.Bytes(), err
}
