package papers

import "overlapsim/scenarios/outcomes"

// VerdictRecord is a verdict in the stable form for other programs. A condition is 1 if it holds
// and 0 if not, and its published value is 1, so that every published and simulated value
// is a number or null.
type VerdictRecord struct {
	Paper       string         `json:"paper"`
	ID          string         `json:"id"`
	Place       string         `json:"place"`
	Claim       string         `json:"claim"`
	Kind        string         `json:"kind"`                   // predicted, fitted, derived or construction
	Basis       string         `json:"basis,omitempty"`        // why it is derived or of construction
	Published   *float64       `json:"published"`              // null: withheld
	PublishedTo *float64       `json:"published_to,omitempty"` // upper end of a band; published is the lower one
	Simulated   *float64       `json:"simulated"`              // null: could not be computed
	Unit        string         `json:"unit"`                   // "truth": 1 or 0
	Bound       string         `json:"bound,omitempty"`
	Tolerance   *float64       `json:"tolerance"`         // absolute; null: withheld
	Pass        *bool          `json:"pass"`              // null: withheld
	AtEdge      bool           `json:"at_edge,omitempty"` // a tenth more or less of the tolerance gives another verdict
	Random      *float64       `json:"random,omitempty"`  // the part of the machines with random numbers on which it holds
	Status      string         `json:"status"`
	Model       string         `json:"model"` // analytic or simulated
	UsedInFit   string         `json:"used_in_fit,omitempty"`
	Reason      string         `json:"reason"`
	Why         string         `json:"why,omitempty"`         // what did not hold, in numbers
	Explanation string         `json:"explanation,omitempty"` // why it is known not to hold
	Cell        map[string]any `json:"cell,omitempty"`        // table and cell
}

// Printed is what reproduce --json prints.
type Printed struct {
	Papers []TallyRecord   `json:"papers"`
	Claims []VerdictRecord `json:"claims"`
}

// TallyRecord counts the claims of a paper, by kind those that were judged and those that hold.
type TallyRecord struct {
	Paper       string         `json:"paper"`
	Title       string         `json:"title"`
	Judged      map[string]int `json:"judged"`
	Hold        map[string]int `json:"hold"`
	Fail        int            `json:"fail"`
	Known       int            `json:"fail_known"` // of those, with an explanation
	AtEdge      int            `json:"at_edge"`    // whose verdict changes with a tenth more or less of the tolerance
	NotCompared int            `json:"withheld"`
	Unknown     int            `json:"not_predicted"`            // of cells whose model is not known
	Chance      *ChanceRecord  `json:"against_chance,omitempty"` // machines whose numbers are drawn at random
}

// NewPrinted returns papers and the verdicts on each as plain data.
func NewPrinted(all []*Paper, verdicts [][]*Verdict) *Printed {
	p := &Printed{[]TallyRecord{}, []VerdictRecord{}}
	for i, paper := range all {
		p.Papers = append(p.Papers, Count(verdicts[i]).record(paper))
		for _, v := range verdicts[i] {
			p.Claims = append(p.Claims, v.Record())
		}
	}
	return p
}

func (t Tally) record(p *Paper) TallyRecord {
	r := TallyRecord{Paper: p.Name, Title: p.Title, Judged: map[string]int{}, Hold: map[string]int{},
		Fail: t.Unexplained + t.Known, Known: t.Known, AtEdge: t.AtEdge, NotCompared: t.Computed, Unknown: t.NotPredicted, Chance: t.Chance.record()}
	for _, k := range kinds() {
		r.Judged[k.String()], r.Hold[k.String()] = t.Claims[k], t.Hold[k]
	}
	return r
}

// Record returns the verdict as plain data.
func (v *Verdict) Record() VerdictRecord {
	r := VerdictRecord{
		Paper: v.Paper.Name, ID: v.ID, Place: v.Place, Claim: v.Text, Kind: v.Kind.String(), Basis: v.Basis, Unit: v.unit(),
		Simulated: outcomes.Finite(v.Simulated), Status: v.Status().String(), Model: v.model(),
		UsedInFit: v.Fit, Reason: v.Reason, Why: v.Why, Explanation: v.Explanation(), Cell: v.Cell,
	}
	if v.Judged == Withheld {
		return r
	}
	if c := v.Chance(); c.Draws > 0 {
		share := c.Share()
		r.Random = &share
	}
	published := v.Published
	switch v.Judged {
	case Truth:
		published = 1
	case Least:
		r.Bound = "at_least"
	case Most:
		r.Bound = "at_most"
	case Band:
		r.Bound, r.PublishedTo = "band", &v.Upper
	}
	r.Published, r.Tolerance, r.Pass = outcomes.Finite(published), &v.Tolerance, &v.Pass
	r.AtEdge = v.AtEdge(v.Simulated)
	return r
}

func (v *Verdict) unit() string {
	if v.Judged == Truth {
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
