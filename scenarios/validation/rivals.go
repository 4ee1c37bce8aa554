package validation

import (
	"math"

	"overlapsim/scenarios/keys"
)

// rivals are choices without a model, which a prediction should beat: what is usual, such as the
// library's own choice, and one fixed choice for all groups of a kind, the best one in hindsight.
type rivals struct {
	usual where    // rows of the usual choice
	fixed string   // the column whose text is chosen once
	by    []string // for all groups that are equal in these columns
}

func readRivals(usual, fixed keys.Tree) (v rivals) {
	v.usual = readWhere(usual)
	if fixed.Given() {
		fixed.Decode(
			required("column", &v.fixed, "the column whose text is chosen"),
			required("by", &v.by, "groups that are equal in these columns have the same choice"),
		)
	}
	return v
}

// tally counts how often the rivals are good.
type tally struct {
	*rivals
	usualGood, usualGroups, groups float64
	good                           map[string]map[string]float64 // by kind of group and text: groups in which it is good
}

func (v *rivals) tally() *tally { return &tally{rivals: v, good: map[string]map[string]float64{}} }

// add adds a group: its rows, and which of them are good.
func (t *tally) add(rows []*row, good []bool) {
	t.groups++
	isUsual, usualIsGood := false, false
	kind := t.good[rows[0].group(t.by)]
	if kind == nil {
		kind = map[string]float64{}
		t.good[rows[0].group(t.by)] = kind
	}
	seen := map[string]bool{}
	for i, r := range rows {
		if len(t.usual) > 0 && t.usual.has(r.table, r.line) {
			isUsual, usualIsGood = true, usualIsGood || good[i]
		}
		if t.fixed == "" {
			continue
		}
		if text := r.table.text(r.line, t.fixed); good[i] && !seen[text] {
			seen[text] = true
			kind[text]++
		}
	}
	if isUsual {
		t.usualGroups++
	}
	if usualIsGood {
		t.usualGood++
	}
}

// shares are the shares of the groups in which the usual choice is good, of those that have it, and in
// which the fixed one is; NaN: not asked for.
func (t *tally) shares() (usual, fixed float64) {
	usual, fixed = math.NaN(), math.NaN()
	if t.usualGroups > 0 {
		usual = t.usualGood / t.usualGroups
	}
	if t.fixed != "" && t.groups > 0 {
		fixed = 0
		for _, texts := range t.good {
			most := 0.0
			for _, n := range texts {
				most = max(most, n)
			}
			fixed += most // whole numbers: their sum is the same in any order
		}
		fixed /= t.groups
	}
	return usual, fixed
}

// columns are those that the rivals read.
func (v *rivals) columns() []string {
	if v.fixed == "" {
		return v.usual.columns()
	}
	return append(append(v.usual.columns(), v.fixed), v.by...)
}
