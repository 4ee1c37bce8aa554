package validation

import (
	"path/filepath"
	"slices"

	"overlapsim/scenarios/fit"
	"overlapsim/scenarios/keys"
)

// Set is a data set: what was measured, and how the simulator predicts it.
type Set struct {
	Name, File, Title string
	About             string // in sentences: what was measured, and what is known of the rest
	Source, License   string
	Long              bool    // its rows take seconds
	Minutes           bool    // its rows take minutes
	Seen              string  // fitted, partly, unseen: whether numbers of the machine were fitted to these rows; "": not said
	Accepted          float64 // the largest error that is no step back, of the kind that is judged; 0: none is stated

	judged judge

	folder   string    // of the files of its runs; "": the folder of the set
	scenario keys.Tree // a name or keys
	settings []string  // of every row
	rows     string    // file next to the set; "": it has none
	raw      []string  // columns of files without a heading
	also     []string  // columns that are not used
	anyAlso  bool
	optional bool // rows without a figure are omitted

	where    where
	unless   []where // rows that do not count
	lookups  []lookup
	overlap  *overlap
	merges   []merge
	bindings []binding

	measured  figure
	predicted prediction
	kind      errorKind
	spread    []string // a column with the distance, or two with the ends, in the unit of the figure; nil: none
	compete   *competition
	baselines []baseline
	hides     *hides
	fit       *fitRules
}

// readsFiles tells whether runs of the set read files that its rows name.
func (s *Set) readsFiles() bool {
	return slices.ContainsFunc(s.bindings, func(b binding) bool { return b.path == "workload.file" })
}

// beside returns the name of a file in the folder of the set.
func (s *Set) beside(name string) string {
	if s.folder != "" {
		return filepath.Join(s.folder, name)
	}
	return filepath.Join(filepath.Dir(s.File), name)
}

// HasRows tells whether the set names a file of rows. Others are for rows that a user gives.
func (s *Set) HasRows() bool { return s.rows != "" }

// figure is a column with a number.
type figure struct {
	column string
	unit   unit
}

// prediction is the number of a run that a figure is compared with.
type prediction struct {
	path   source
	unit   unit
	times  float64
	amount *figure // the figure is this by the number: bytes by a time are a bandwidth
}

// of returns the prediction in the unit of the figure.
func (p *prediction) of(number float64, amount float64, in unit) float64 {
	x := number * p.unit.size * p.times
	if p.amount != nil {
		x = amount * p.amount.unit.size / x
	}
	return x / in.size
}

// is returns the dimension of the prediction; false: there is none.
func (p *prediction) is() (keys.Dimension, bool) {
	if p.amount == nil {
		return p.unit.is, true
	}
	return keys.Bandwidth, p.amount.unit.is == keys.Bytes && p.unit.is == keys.Time
}

// competition says which rows compete, and for what.
type competition struct {
	within []string // rows that are equal in these columns
	most   bool     // the largest figure is the best one
	good   float64  // a choice is good if its figure is within this part of the best one; 0: not asked
	rivals
}

// fitRules say what a fit may do.
type fitRules struct {
	where      where
	most       int     // rows, 0: any number
	pull       float64 // of each parameter towards its start, as an error for each unit of ln (u / (1 - u)), u the part of its bounds, in logarithms
	parameters []parameter
}

// parameter is a number of the machine that a fit may change.
type parameter struct {
	fit.Parameter
	Name  string
	paths []string // of the scenario, all in the machine
	start float64
}

// used returns the columns of a file that the set reads, in no order.
func (s *Set) used() (names []string) {
	names = append(names, s.measured.column)
	for _, b := range s.bindings {
		names = append(names, b.columns...)
	}
	names = append(names, s.predicted.path.columns...)
	if s.predicted.amount != nil {
		names = append(names, s.predicted.amount.column)
	}
	names = append(names, s.where.columns()...)
	for _, w := range s.unless {
		names = append(names, w.columns()...)
	}
	if s.overlap != nil {
		names = append(names, s.overlap.start, s.overlap.duration)
		names = append(append(names, s.overlap.within...), s.overlap.multiple.columns...)
		if s.overlap.of != "" {
			names = append(names, s.overlap.of)
		}
	}
	for _, m := range s.merges {
		names = append(append(names, m.of), m.by...)
	}
	if s.compete != nil {
		names = append(append(names, s.compete.within...), s.compete.rivals.columns()...)
	}
	if s.fit != nil {
		names = append(names, s.fit.where.columns()...)
	}
	names = append(names, s.spread...)
	for _, b := range s.baselines {
		names = append(names, b.columns()...)
	}
	for _, o := range s.lookups {
		names = append(append(append(names, o.of), o.where.columns()...), o.by...)
	}
	return slices.DeleteFunc(names, func(n string) bool {
		return s.overlap != nil && n == s.overlap.name || slices.ContainsFunc(s.lookups, func(o lookup) bool { return o.name == n })
	})
}
