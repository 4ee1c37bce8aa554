package calibrate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overlapsim/network/calibrated"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads"
)

// calibrates is the workload that measures calibration factors.
const calibrates = "shift"

// CheckFactors returns an error that says why the runs of a study cannot become one
// calibration. They must all be shifts that are not synchronised, and alike except in
// ranks, distance and nodes.
func CheckFactors(s *scenarios.Study) error {
	first := s.Runs[0].Scenario
	for _, run := range s.Runs {
		if run.Kind != calibrates {
			return fmt.Errorf("the workload of %s is %s, only %s measures factors", run.Name, run.Kind, calibrates)
		}
		if together, _ := parameter(run.Scenario, "synchronised").(*bool); *together {
			return fmt.Errorf("%s is synchronised, so that its average is the maximum too", run.Name)
		}
		if alike := likeness(run.Scenario); alike != likeness(first) {
			return fmt.Errorf("%s and %s differ in more than ranks and distance: %s; %s", first.Name, run.Name, likeness(first), alike)
		}
	}
	return nil
}

// likeness describes what the runs of a calibration must have in common.
func likeness(s *files.Scenario) string {
	parts := []string{s.Machine.Name, "fabric " + s.Fabric, "mapping " + s.Mapping, fmt.Sprintf("%d per node", s.Processes)}
	for _, row := range files.WorkloadRows(s.Workload) {
		if row.Path != "distance" {
			parts = append(parts, row.Path+" "+row.Default())
		}
	}
	return strings.Join(append(parts, s.Machine.Changes...), ", ")
}

// parameter points to a parameter of the workload; nil if it has none of this name.
func parameter(s *files.Scenario, name string) any {
	for _, row := range files.WorkloadRows(s.Workload) {
		if row.Path == name {
			return row.To
		}
	}
	return nil
}

// distance is the rank distance of a shift.
func distance(s *files.Scenario) int { return int(*parameter(s, "distance").(*int64)) }

// measurement is the result of the shifts of a number of ranks over a distance: means
// over the allocations of nodes.
type measurement struct {
	ranks, distance  int
	average, maximum float64
	runs             float64
}

func measurements(measured []*outcomes.Outcome) (all []measurement, err error) {
	for _, o := range measured {
		average, err := metric(o, "c_avg")
		if err != nil {
			return nil, err
		}
		maximum, err := metric(o, "c_max")
		if err != nil {
			return nil, err
		}
		at, found := slices.BinarySearchFunc(all, o.Scenario, func(m measurement, s *files.Scenario) int {
			return cmp.Or(cmp.Compare(m.ranks, s.Ranks), cmp.Compare(m.distance, distance(s)))
		})
		if !found {
			all = slices.Insert(all, at, measurement{ranks: o.Ranks, distance: distance(o.Scenario)})
		}
		m := &all[at]
		m.runs++
		m.average += (average - m.average) / m.runs
		m.maximum += (maximum - m.maximum) / m.runs
	}
	return all, nil
}

// metric is a metric of the workload, or an error if it is not a number in this run.
func metric(o *outcomes.Outcome, name string) (float64, error) {
	for _, m := range o.LeftOut {
		if m.Name == name {
			return 0, fmt.Errorf("%s has no %s: %s", o.Name, name, m.Why)
		}
	}
	i := slices.IndexFunc(o.Metrics, func(m workloads.Metric) bool { return m.Name == name })
	return o.Metrics[i].Value, nil
}

// averages returns C_avg(d), the mean over the numbers of ranks. spread is the largest
// relative deviation from it of the factor of one number of ranks.
func averages(all []measurement) (c calibrated.Curve, spread []float64) {
	byDistance := map[int][]float64{}
	for _, m := range all {
		if byDistance[m.distance] == nil {
			c.Distances = append(c.Distances, m.distance)
		}
		byDistance[m.distance] = append(byDistance[m.distance], m.average)
	}
	slices.Sort(c.Distances)
	for _, d := range c.Distances {
		factors := byDistance[d]
		mean := stat.Mean(factors, nil)
		c.Factors = append(c.Factors, mean)
		spread = append(spread, max(slices.Max(factors)/mean-1, 1-slices.Min(factors)/mean))
	}
	return c, spread
}

// maxima returns C_max by number of ranks.
func maxima(all []measurement) (rows []calibrated.Row) {
	for _, m := range all {
		if len(rows) == 0 || rows[len(rows)-1].Processes != m.ranks {
			rows = append(rows, calibrated.Row{Processes: m.ranks})
		}
		r := &rows[len(rows)-1]
		r.Distances, r.Factors = append(r.Distances, m.distance), append(r.Factors, m.maximum)
	}
	return rows
}

// WriteFactors writes the measurements of the shifts of a study as a calibration
// file. The file also states what it leaves out: the residuals of C_avg(d) for each
// number of ranks, and of the polynomials that continue C_max(p, d).
func WriteFactors(w io.Writer, study string, measured []*outcomes.Outcome) error {
	all, err := measurements(measured)
	if err != nil {
		return err
	}
	average, spread := averages(all)
	rows := maxima(all)
	c, err := calibrated.New(average, rows, files.DefaultDegree)
	if err != nil {
		return err
	}
	first := measured[0].Scenario
	var out strings.Builder
	fmt.Fprintf(&out, "# Written by: overlapsim run %s --calibration FILE\n", study)
	fmt.Fprintf(&out, "title: %q\nsource: %q\n", "Shifts on "+first.Machine.Title, "simulated: "+likeness(first))
	fmt.Fprintf(&out, "\nc_avg: # means over the numbers of processes\n  distances: [%s]\n  factors: [%s]\n",
		counts(average.Distances), factors(average.Factors))
	fmt.Fprintf(&out, "  # farthest of one number of processes, relative: [%s]\n", factors(spread))
	out.WriteString("\nc_max:\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "  - {processes: %d, distances: [%s],\n     factors: [%s]}\n", r.Processes, counts(r.Distances), factors(r.Factors))
	}
	fmt.Fprintf(&out, "\ndegree: %d # in log2 p; the residuals of the fit:\n", files.DefaultDegree)
	for _, r := range c.Regressions() {
		out.WriteString(residual(r))
	}
	_, err = io.WriteString(w, out.String())
	return err
}

func residual(r calibrated.Regression) string {
	if r.Exact {
		return fmt.Sprintf("# d = %d: none, %d coefficients for as many points\n", r.Distance, len(r.Coefficients))
	}
	return fmt.Sprintf("# d = %d: root mean square %.3g, largest %.1f %%\n", r.Distance, r.RMS, 100*r.Largest)
}

func counts(all []int) string {
	var words []string
	for _, n := range all {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}

// factors writes four decimals; further digits describe the simulation, not the machine.
func factors(all []float64) string {
	var words []string
	for _, f := range all {
		words = append(words, strconv.FormatFloat(f, 'f', 4, 64))
	}
	return strings.Join(words, ", ")
}
