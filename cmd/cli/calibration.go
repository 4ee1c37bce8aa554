package cli

import (
	"io"

	"overlapsim/scenarios"
	"overlapsim/scenarios/calibrate"
	"overlapsim/scenarios/outcomes"
)

// checkCalibration finds, before the runs, errors that would prevent writing
// --calibration.
func (r *runner) checkCalibration(study *scenarios.Study) error {
	if r.factors == nil || *r.factors == "" {
		return nil
	}
	if err := calibrate.CheckFactors(study); err != nil {
		return &usageError{r.command, "--calibration " + *r.factors + ": " + err.Error()}
	}
	return output(*r.factors).check(r.command, "--calibration")
}

// writeCalibration writes the factors that the runs have measured.
func (r *runner) writeCalibration(study *scenarios.Study, made []outcome) error {
	if r.factors == nil || *r.factors == "" {
		return nil
	}
	var measured []*outcomes.Outcome
	for _, o := range made {
		measured = append(measured, o.Outcome)
	}
	return output(*r.factors).write(func(w io.Writer) error { return calibrate.WriteFactors(w, study.Name, measured) })
}
