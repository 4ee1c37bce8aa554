package papers

import "math"

// Record is a verdict in the stable form for other programs. A condition is 1 if it holds
// and 0 if not, and its published value is 1, so that every published and simulated value
// is a number or null.
type Record struct {
	Paper       string         `json:"paper"`
	ID          string         `json:"id"`
	Place       string         `json:"place"`
	Claim       string         `json:"claim"`
	Published   *float64       `json:"published"` // null: withheld
	Simulated   *float64       `json:"simulated"` // null: could not be computed
	Unit        string         `json:"unit"`      // "truth": 1 or 0
	Bound       string         `json:"bound,omitempty"`
	Tolerance   *float64       `json:"tolerance"` // absolute; null: withheld
	Pass        *bool          `json:"pass"`      // null: withheld
	Status      string         `json:"status"`
	Model       string         `json:"model"` // analytic or simulated
	UsedInFit   string         `json:"used_in_fit,omitempty"`
	Reason      string         `json:"reason"`
	Why         string         `json:"why,omitempty"`         // what did not hold, in numbers
	Explanation string         `json:"explanation,omitempty"` // why it is known not to hold
	Cell        map[string]any `json:"cell,omitempty"`        // table and cell
}

// Record returns the verdict as plain data.
func (v *Verdict) Record() Record {
	r := Record{
		Paper: v.Paper.Name, ID: v.ID, Place: v.Place, Claim: v.Text, Unit: v.unit(),
		Simulated: known(v.Simulated), Status: v.Status().String(), Model: v.model(),
		UsedInFit: v.Fit, Reason: v.Reason, Why: v.Why, Explanation: v.Known, Cell: v.Cell,
	}
	if v.Kind == Withheld {
		return r
	}
	published := v.Published
	switch v.Kind {
	case Truth:
		published = 1
	case Least:
		r.Bound = "at_least"
	case Most:
		r.Bound = "at_most"
	}
	r.Published, r.Tolerance, r.Pass = known(published), &v.Tolerance, &v.Pass
	return r
}

// known returns nil for NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func (v *Verdict) unit() string {
	if v.Kind == Truth {
		return "truth"
	}
	return v.Unit
}

// model says how the simulated value was computed.
func (v *Verdict) model() string {
	if v.Analytic {
		return "analytic"
	}
	return "simulated"
}
