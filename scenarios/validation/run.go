package validation

import (
	"math"
	"os"
	"slices"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// Request is a validation as a user asks for it.
type Request struct {
	Set     *Set
	Rows    string                       // file; "": the rows of the set
	FitRows string                       // file of the rows that a fit uses; "": no fit
	Machine string                       // in place of the scenario's machine; "": the scenario's
	Runner  Runner                       // of the rows; the rows of a fit run here
	Done    func(n, of int)              // called as rows are run
	Tried   func(n int)                  // called as a fit tries parameters
	Begins  func(what string, p *Points) // called before points are run; may be nil
}

// Report is the result.
type Report struct {
	Set       *Set
	Machine   string
	Rows      []*row
	Scored    int // rows that the scores are of: not used in the fit, and predicted
	Failed    int
	Score     Score
	Baselines []Rival       // of the data set
	Strongest int           // the baseline that comes closest, or is better
	Overlap   *OverlapScore // nil: the set is none of overlap
	Spread    float64
	Fit       *Fit // nil: none
}

// Rival is a baseline with its score, on the rows of which it says something.
type Rival struct {
	Name  string
	All   []float64 // its predictions, by row; NaN: none
	Rows  int       // that are scored
	Score Score
	Ours  Score // of the simulator on these rows
}

// Best is the baseline that comes closest to the simulator, or is better.
func (r *Report) Best() *Rival { return &r.Baselines[r.Strongest] }

// Run runs a request. Mistakes are of type keys.Problems.
func Run(q Request) (r *Report, err error) {
	if !q.Set.builtIn() || !q.Set.readsFiles() {
		return run(q)
	}
	inFolder := *q.Set
	q.Set = &inFolder
	err = disk.Scratch(func(root *os.Root) error {
		if err := unpack(root); err != nil {
			return err
		}
		inFolder.folder = root.Name()
		r, err = run(q)
		return err
	})
	return r, err
}

func run(q Request) (*Report, error) {
	rows, err := q.Set.Rows(q.Rows, q.Machine)
	var teach []*row
	var also error
	if q.FitRows != "" {
		teach, also = q.Set.fitRows(q.FitRows, q.Machine)
	}
	if err := keys.Together(err, also); err != nil {
		return nil, err
	}
	r := &Report{Set: q.Set, Machine: q.Machine, Rows: rows}
	if teach != nil {
		q.begins("each choice of the fit", teach)
		if r.Fit, err = q.Set.solve(teach, q.Tried); err != nil {
			return nil, err
		}
		r.Fit.change(rows)
		q.Set.markFitted(rows, teach)
	}
	q.begins(q.Set.Name, rows)
	if err := q.Set.predict(rows, q.Runner, q.Done); err != nil {
		return nil, err
	}
	r.score(teach)
	return r, nil
}

// begins says that the points of rows are run next.
func (q Request) begins(what string, rows []*row) {
	if q.Begins != nil {
		q.Begins(what, q.Set.pointsOf(rows))
	}
}

// markFitted marks the rows that a fit has used: those whose cells are all the same, except the count of rows
// under way, which depends on the others of its file.
func (s *Set) markFitted(rows, teach []*row) {
	cells := func(r *row) string {
		return r.group(slices.DeleteFunc(slices.Clone(r.table.columns), func(c string) bool { return s.overlap != nil && c == s.overlap.name }))
	}
	used := map[string]bool{}
	for _, r := range teach {
		if r.Fitted {
			used[cells(r)] = true
		}
	}
	for _, r := range rows {
		r.Fitted = used[cells(r)]
	}
}

// score scores the rows that no fit has used; if it has used all, it scores all.
func (r *Report) score(teach []*row) {
	var scored []*row
	for _, one := range r.Rows {
		if !one.Fitted {
			scored = append(scored, one)
		}
	}
	if scored == nil {
		scored = r.Rows
	}
	if teach = slices.DeleteFunc(teach, func(r *row) bool { return !r.Fitted }); teach == nil {
		teach = scored
	}
	if r.Set.hides != nil {
		r.Set.hides.link(r.Rows)
	}
	var predicted []float64
	for _, one := range r.Rows {
		if math.IsNaN(one.Predicted) {
			r.Failed++
		}
	}
	for _, one := range scored {
		predicted = append(predicted, one.Predicted)
	}
	r.Scored = len(scored)
	r.Score, r.Spread, r.Overlap = r.Set.score(scored, predicted), r.Set.spreadOf(scored), r.Set.overlaps(scored)
	for i := range r.Set.baselines {
		r.Baselines = append(r.Baselines, r.rival(&r.Set.baselines[i], teach, scored))
	}
	lead := func(v *Rival) float64 { return r.Set.judged.of(&v.Score) - r.Set.judged.of(&v.Ours) }
	for i := range r.Baselines {
		if lead(&r.Baselines[i]) < lead(r.Best()) || math.IsNaN(lead(r.Best())) {
			r.Strongest = i
		}
	}
}

// rival scores a baseline.
func (r *Report) rival(b *baseline, teach, scored []*row) Rival {
	v := Rival{Name: b.name, All: b.predict(r.Set, teach, r.Rows)}
	said := map[*row]float64{}
	for i, one := range r.Rows {
		said[one] = v.All[i]
	}
	var of []*row
	var ours, base []float64
	for _, one := range scored {
		if !math.IsNaN(said[one]) {
			of, ours, base = append(of, one), append(ours, one.Predicted), append(base, said[one])
		}
	}
	v.Rows, v.Score, v.Ours = len(of), r.Set.score(of, base), r.Set.score(of, ours)
	return v
}
