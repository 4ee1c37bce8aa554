package validation

import (
	"math"

	"overlapsim/scenarios/keys"
)

// hides says how much of a figure can be hidden, for data sets of overlap: the figure is the time of computation and
// communication together, at most their sum, and at least the longer of the two where all of the shorter hides.
// Either columns have both, or the row of a group with the shortest computation shows the communication.
type hides struct {
	sum, longer string // columns; "": none
	computation string // column, in rows of groups
	by          []string
	unit        unit // of the columns
}

// leastShare is how much of the longer part the shorter one is at least, in rows whose overlap is scored: below it
// the overlap of a measurement is mostly its noise.
const leastShare = 0.1

func (r *reader) readHides(t keys.Tree) *hides {
	h := &hides{unit: r.measured.unit}
	var unit string
	in := optional("unit", &unit, "of the columns; default: the unit of the figure")
	if t.At("sum").Given() {
		t.Decode(in, required("sum", &h.sum, "the column with the sum of computation and communication"),
			required("longer", &h.longer, "the column with the longer of the two"))
	} else {
		t.Decode(in, required("computation", &h.computation, "the column with the computation"),
			required("by", &h.by, "rows that are equal in these columns have the same communication: what the figure of the one "+
				"with the shortest computation has beyond it"))
	}
	if unit != "" {
		h.unit = readUnit(t, unit)
	}
	reads := []string{h.sum, h.longer}
	if h.computation != "" {
		reads = []string{h.computation}
	}
	r.baselines = append(r.baselines,
		baseline{name: "communication + computation", reads: reads, by: h.by,
			knows: func(s *Set, r *row) float64 { return h.limits(s, r, measured).sum }},
		baseline{name: "the longer of the two", reads: reads, by: h.by,
			knows: func(s *Set, r *row) float64 { return h.limits(s, r, measured).longer }})
	return h
}

// link finds the row of the shortest computation of each group.
func (h *hides) link(rows []*row) {
	if h.computation == "" {
		return
	}
	shortest := map[string]*row{}
	for _, r := range rows {
		if other := shortest[r.group(h.by)]; other == nil || r.cells[h.computation] < other.cells[h.computation] {
			shortest[r.group(h.by)] = r
		}
	}
	for _, r := range rows {
		r.shortest = shortest[r.group(h.by)]
	}
}

// limits are the sum of computation and communication and the longer of the two, in the unit of the figure; NaN: the
// row itself shows the communication.
type limits struct{ sum, longer float64 }

func measured(r *row) float64  { return r.Measured }
func predicted(r *row) float64 { return r.Predicted }

// limits returns the limits of a row, where the communication has a measured figure or a predicted one.
func (h *hides) limits(s *Set, r *row, figure func(r *row) float64) limits {
	scale := h.unit.size / s.measured.unit.size
	if h.computation == "" {
		return limits{r.cells[h.sum] * scale, r.cells[h.longer] * scale}
	}
	shortest, computation := r.shortest.cells[h.computation]*scale, r.cells[h.computation]*scale
	if shortest == computation {
		return limits{math.NaN(), math.NaN()}
	}
	communication := max(0, figure(r.shortest)-shortest)
	return limits{computation + communication, max(computation, communication)}
}

// overlap is the part of the shorter of both that a time hides, 0 to 1; NaN: not known, or mostly noise.
func (l limits) overlap(time float64) float64 {
	shorter := l.sum - l.longer
	if !(shorter >= leastShare*l.longer) {
		return math.NaN()
	}
	return within01((l.sum - time) / shorter)
}

// OverlapScore is how far predicted overlaps are from measured ones, as parts of what could hide.
type OverlapScore struct {
	Rows            int     // whose overlap is known
	Measured        float64 // median
	Predicted       Score
	NothingHides    Score // of the prediction that nothing hides
	EverythingHides Score
}

// overlaps scores the overlap of rows; nil: the set has none, or no row whose overlap is known. Whether there is
// enough to hide, the measured times say.
func (s *Set) overlaps(rows []*row) *OverlapScore {
	if s.hides == nil {
		return nil
	}
	var was, said, nothing, everything []float64
	for _, r := range rows {
		overlap := s.hides.limits(s, r, measured).overlap(r.Measured)
		is := s.hides.limits(s, r, predicted)
		ours := within01((is.sum - r.Predicted) / (is.sum - is.longer))
		if !math.IsNaN(overlap) && !math.IsNaN(ours) {
			was, said, nothing, everything = append(was, overlap), append(said, ours), append(nothing, 0), append(everything, 1)
		}
	}
	if len(was) == 0 {
		return nil
	}
	return &OverlapScore{Rows: len(was), Measured: quantile(sortedCopy(was), 0.5), Predicted: summed(difference, was, said),
		NothingHides: summed(difference, was, nothing), EverythingHides: summed(difference, was, everything)}
}

func within01(x float64) float64 { return min(1, max(0, x)) }
