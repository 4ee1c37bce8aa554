package files

import (
	"errors"
	"fmt"
	"strings"

	"overlapsim/network/calibrated"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// calibrationFile holds the content of a calibration file.
type calibrationFile struct {
	title, source string
	average       keys.Group
	curve         calibrated.Curve
	maximum       *keys.Node
	degree        int
}

// rows is the key table of calibration files.
func (f *calibrationFile) rows() keys.Table {
	f.degree = DefaultDegree
	return keys.Table{
		{Path: "title", To: &f.title, Doc: "what was measured, in a line"},
		{Path: "source", To: &f.source, Doc: "how"},
		{Path: "c_avg", To: &f.average, Needs: keys.Required, Doc: "the factor without synchronisation"},
		{Path: "c_avg.distances", To: &f.curve.Distances, Is: keys.Count, Needs: keys.Required, Range: keys.Positive,
			Doc: "rank distances d, ascending"},
		{Path: "c_avg.factors", To: &f.curve.Factors, Is: keys.Number, Needs: keys.Required, Range: keys.Positive, Doc: "C_avg(d) of each"},
		{Path: "c_max", To: &f.maximum, Form: "a list",
			Doc: "the factor with synchronisation, measured with several numbers of processes; if omitted: as c_avg"},
		{Path: "degree", To: &f.degree, Is: keys.Count, Range: keys.Positive,
			Doc: "of the polynomials in log2 p that extrapolate C_max(p, d) beyond the largest p; if omitted: 2"},
	}
}

const DefaultDegree = 2

// maximumRows is the key table of an entry of c_max.
func maximumRows(r *calibrated.Row) keys.Table {
	return keys.Table{
		{Path: "processes", To: &r.Processes, Is: keys.Count, Needs: keys.Required, Range: keys.Positive, Doc: "processes p that communicated"},
		{Path: "distances", To: &r.Distances, Is: keys.Count, Needs: keys.Required, Range: keys.Positive, Doc: "rank distances d, ascending"},
		{Path: "factors", To: &r.Factors, Is: keys.Number, Needs: keys.Required, Range: keys.Positive, Doc: "C_max(p, d) of each"},
	}
}

// calibrate loads the calibration of the fabric.
func (f *scenarioFile) calibrate(tree *keys.Node, problems *keys.Problems) {
	if f.calibrated == nil {
		problems.Add(tree.PlaceOf("fabric"), "fabric.calibration",
			"is missing; a calibrated fabric needs the name of a calibration (%s), a file or keys", strings.Join(Calibrations(), ", "))
		return
	}
	f.Calibration = loadCalibration(f.calibrated, problems)
	if w, ok := f.Workload.(workloads.Calibrated); ok && f.Calibration != nil {
		w.Calibrate(f.Calibration)
	}
}

// Calibrations returns the names of the calibrations of the library, sorted.
func Calibrations() []string { return names(calibrationFolder) }

// loadCalibration returns the calibration that a node names or contains.
func loadCalibration(n *keys.Node, problems *keys.Problems) *calibrated.Calibration {
	const key = "fabric.calibration"
	tree, name := calibrationFiles.open(n, key, problems)
	if tree == nil {
		return nil
	}
	prefix := ""
	if name == inline {
		prefix = key
	}
	before := len(*problems)
	var f calibrationFile
	d := keys.Decoder{Table: f.rows(), Problems: problems}
	d.Decode(tree, prefix)
	maximum := f.measured(keys.Within(prefix, "c_max"), problems)
	if len(*problems) > before {
		return nil
	}
	c, err := calibrated.New(f.curve, maximum, f.degree)
	for _, wrong := range keys.Unjoin(err) {
		var at *calibrated.KeyError
		if errors.As(wrong, &at) {
			first, _, _ := strings.Cut(strings.ReplaceAll(at.Key, "[", "."), ".")
			problems.Add(tree.PlaceOf(first), keys.Within(prefix, at.Key), "%s", at.Message)
		}
	}
	return c
}

// measured decodes the list of c_max.
func (f *calibrationFile) measured(path string, problems *keys.Problems) []calibrated.Row {
	if f.maximum == nil {
		return nil
	}
	if f.maximum.Shape != keys.List || len(f.maximum.Items) == 0 {
		problems.Add(f.maximum.Place, path, "must be a list such as [{processes: 64, distances: [1, 2], factors: [1.1, 1.3]}], got %s",
			emptyOr(f.maximum))
		return nil
	}
	all := make([]calibrated.Row, len(f.maximum.Items))
	for i, item := range f.maximum.Items {
		d := keys.Decoder{Table: maximumRows(&all[i]), Problems: problems}
		d.Decode(item, fmt.Sprintf("%s[%d]", path, i))
	}
	return all
}
