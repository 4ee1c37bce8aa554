package validation

import (
	"math"
	"strconv"

	"overlapsim/scenarios/outcomes"
)

// ReportRecord is a report in a stable form. Figures are in the unit of the file; errors and
// spreads are parts of the figure, or in its unit if the set asks for differences.
type ReportRecord struct {
	Dataset   string             `json:"dataset"`
	Machine   string             `json:"machine,omitempty"` // if one was given
	Unit      string             `json:"unit"`
	ErrorKind string             `json:"error_kind"`
	Rows      []outcomes.Ordered `json:"rows"`
	Scored    int                `json:"scored"`
	Failed    int                `json:"failed"`
	PartRecord
	Tau         *float64         `json:"tau"`
	Ordered     *float64         `json:"pairs_ordered"`
	Apart       *float64         `json:"pairs_apart_ordered"` // of the pairs that are farther apart than what is as good
	Tied        *float64         `json:"pairs_tied"`          // predicted to be equal
	BestRight   *float64         `json:"best_right"`
	BestGood    *float64         `json:"best_good"`
	Groups      int              `json:"groups"`
	RandomRight *float64         `json:"random_right"`
	RandomGood  *float64         `json:"random_good"`
	UsualGood   *float64         `json:"usual_good,omitempty"` // of the choice that the data set calls usual
	FixedGood   *float64         `json:"fixed_good,omitempty"` // of one choice for all groups of a kind, in hindsight
	Spread      *float64         `json:"spread"`
	Baseline    BaselineRecord   `json:"baseline"` // the best one
	Baselines   []BaselineRecord `json:"baselines"`
	Overlap     *OverlapRecord   `json:"overlap,omitempty"` // of data sets of overlap
	Fit         *Fit             `json:"fit,omitempty"`
}

// OverlapRecord is how far predicted overlaps are from measured ones, as parts of what could hide.
type OverlapRecord struct {
	Rows            int        `json:"rows"`
	Measured        *float64   `json:"measured_median"`
	Predicted       PartRecord `json:"predicted"`
	NothingHides    PartRecord `json:"nothing_hides"`
	EverythingHides PartRecord `json:"everything_hides"`
}

// PartRecord sums up errors.
type PartRecord struct {
	Median *float64 `json:"median"`
	Mean   *float64 `json:"mean"`
	P90    *float64 `json:"p90"`
	P99    *float64 `json:"p99"`
	Worst  *float64 `json:"worst"`
}

func partRecord(c *Score) PartRecord {
	return PartRecord{outcomes.Finite(c.Median), outcomes.Finite(c.Mean), outcomes.Finite(c.P90), outcomes.Finite(c.P99), outcomes.Finite(c.Worst)}
}

// BaselineRecord is the score of a baseline, on the rows of which it says something.
type BaselineRecord struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	Predicted *float64 `json:"predicted_median"` // of the simulator, on these rows
	PartRecord
	Tau       *float64 `json:"tau"`
	BestRight *float64 `json:"best_right"`
	BestGood  *float64 `json:"best_good"`
}

// Record returns the report as plain data.
func (r *Report) Record() *ReportRecord {
	c := &r.Score
	out := &ReportRecord{
		Dataset: r.Set.Name, Machine: r.Machine, Unit: r.Set.measured.unit.name, ErrorKind: r.Set.kind.name, Scored: r.Scored, Failed: r.Failed,
		PartRecord: partRecord(c), Tau: outcomes.Finite(c.Tau),
		BestRight: outcomes.Finite(c.Right), BestGood: outcomes.Finite(c.Good), Ordered: outcomes.Finite(c.Ordered), Apart: outcomes.Finite(c.Apart), Tied: outcomes.Finite(c.Tied),
		UsualGood: outcomes.Finite(c.Usual), FixedGood: outcomes.Finite(c.Fixed),
		Groups: c.Groups, RandomRight: outcomes.Finite(c.RightChance), RandomGood: outcomes.Finite(c.GoodChance), Spread: outcomes.Finite(r.Spread),
		Baseline: r.Best().record(), Baselines: []BaselineRecord{}, Rows: []outcomes.Ordered{}, Fit: r.Fit,
	}
	for i := range r.Baselines {
		out.Baselines = append(out.Baselines, r.Baselines[i].record())
	}
	if o := r.Overlap; o != nil {
		out.Overlap = &OverlapRecord{o.Rows, outcomes.Finite(o.Measured), partRecord(&o.Predicted), partRecord(&o.NothingHides), partRecord(&o.EverythingHides)}
	}
	for i, one := range r.Rows {
		out.Rows = append(out.Rows, r.rowRecord(one, r.Best().All[i]))
	}
	return out
}

func (v *Rival) record() BaselineRecord {
	c := &v.Score
	return BaselineRecord{v.Name, v.Rows, outcomes.Finite(v.Ours.Median), partRecord(c), outcomes.Finite(c.Tau), outcomes.Finite(c.Right), outcomes.Finite(c.Good)}
}

func (r *Report) rowRecord(one *row, base float64) (all outcomes.Ordered) {
	for i, name := range one.table.columns {
		all = append(all, outcomes.Member{Name: name, Value: plain(one.line.cells[i])})
	}
	wrong := math.NaN()
	if !math.IsNaN(one.Predicted) {
		wrong = r.Set.kind.of(one.Predicted, one.Measured)
	}
	all = append(all, outcomes.Member{Name: "predicted", Value: outcomes.Finite(one.Predicted)}, outcomes.Member{Name: "measured", Value: one.Measured},
		outcomes.Member{Name: "error", Value: outcomes.Finite(wrong)}, outcomes.Member{Name: "baseline", Value: outcomes.Finite(base)})
	if one.Failed != "" {
		all = append(all, outcomes.Member{Name: "failed", Value: one.Failed})
	}
	if one.Fitted {
		all = append(all, outcomes.Member{Name: "fitted", Value: true})
	}
	return all
}

// plain returns a cell as a number, if it is written as one.
func plain(cell string) any {
	if x, err := strconv.ParseFloat(cell, 64); err == nil && outcomes.Finite(x) != nil {
		return x
	}
	return cell
}
