package calibrate

import (
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// measureShifts runs a study and returns the calibration that it writes.
func measureShifts(t *testing.T, study *scenarios.Study) string {
	t.Helper()
	must.Do(t, CheckFactors(study))
	var out strings.Builder
	must.Do(t, WriteFactors(&out, study.Name, runAll(t, study)))
	return out.String()
}

func runAll(t *testing.T, study *scenarios.Study) (all []*outcomes.Outcome) {
	t.Helper()
	for _, run := range study.Runs {
		o := must.Get(run.Run(nodes.Options{}))(t)
		all = append(all, o)
	}
	return all
}

func shifts(t *testing.T, study *scenarios.Study) []measurement {
	t.Helper()
	return must.Get(measurements(runAll(t, study)))(t)
}

var everyRun = flag.Bool("every-run", false, "measure Hopper's factors with all numbers of processes, and calibrate every machine and library")

// mostRanks is the largest number of processes to measure.
func mostRanks(usually int) int {
	if *everyRun {
		return 4096
	}
	return usually
}

// The calibration of the library equals what its scenario measures.
func TestHopperCalibration(t *testing.T) {
	must.Long(t)
	study := must.Get(scenarios.Load("hopper-calibration", nil))(t)
	must.Do(t, CheckFactors(study))
	study.Runs = slices.DeleteFunc(study.Runs, func(s *scenarios.Scenario) bool { return s.Ranks > mostRanks(256) })
	using := must.Get(studyText(goodText+"fabric: {kind: calibrated, calibration: hopper}\n", nil))(t)
	for _, m := range shifts(t, study) {
		if got := using.Runs[0].Calibration.Maximum(m.ranks, m.distance); math.Abs(got-m.maximum) > 2e-4 {
			t.Errorf("C_max(%d, %d) is %v, measured %v; run: overlapsim run hopper-calibration --calibration "+
				"scenarios/files/calibrations/hopper.yaml", m.ranks, m.distance, got, m.maximum)
		}
	}
}

// On a calibrated fabric the microbenchmark measures the fabric's calibration, except for
// overheads, which the factors do not change. A file that was written can be used as a
// calibration, and then gives the same factors again.
func TestCalibrationFeedsBack(t *testing.T) {
	t.Chdir(t.TempDir())
	const runs = `
machine: {base: hopper, network: {send_overhead: 0s, receive_overhead: 0s, gap: 0s, rendezvous_threshold: 0B}, barrier: {per_round: 0s}}
workload: {name: shift, bytes: 64MiB, repeat: 1}
ranks: 64
runs:
  - {name: a, ranks: 64, workload.distance: 1}
  - {name: b, ranks: 64, workload.distance: 8}
  - {name: c, ranks: 256, workload.distance: 1}
  - {name: d, ranks: 256, workload.distance: 8}
`
	const given = `fabric:
  kind: calibrated
  calibration:
    c_avg: {distances: [1, 8], factors: [1.125, 7]}
    c_max: [{processes: 64, distances: [1, 8], factors: [1.25, 8]}, {processes: 256, distances: [1, 8], factors: [1.5, 9]}]
`
	load := func(text string, settings ...string) *scenarios.Study {
		return must.Get(studyText(runs+text, settings))(t)
	}
	first := measureShifts(t, load(given))
	if !strings.Contains(first, "c_avg: # means over the numbers of processes\n  distances: [1, 8]\n  factors: [1.1250, 7.0000]\n") {
		t.Errorf("measured on what was given:\n%s", first)
	}
	must.Do(t, os.WriteFile("first.yaml", []byte(first), 0o666))
	if second := measureShifts(t, load("fabric: {kind: calibrated, calibration: first.yaml}\n")); second != first {
		t.Errorf("fed back:\n%s\nat first:\n%s", second, first)
	}
	var together []float64
	for _, m := range shifts(t, load(given, "workload.synchronised=true")) {
		together = append(together, math.Round(m.maximum*1e6)/1e6)
	}
	if want := []float64{1.25, 8, 1.5, 9}; !slices.Equal(together, want) {
		t.Errorf("synchronised: %v, want %v", together, want)
	}
}

// C_avg is the mean over the numbers of processes, and its spread is the largest
// deviation of one of them.
func TestAverages(t *testing.T) {
	curve, spread := averages([]measurement{{64, 1, 1, 0, 1}, {64, 4, 2, 0, 1}, {128, 4, 3, 0, 1}, {256, 4, 4, 0, 1}, {256, 1, 1, 0, 1}})
	if len(curve.Factors) != 2 || curve.Factors[0] != 1 || math.Abs(curve.Factors[1]-3) > 1e-12 || spread[0] != 0 ||
		math.Abs(spread[1]-1.0/3) > 1e-12 {
		t.Errorf("%v, spread %v", curve, spread)
	}
}

// Studies that do not give a calibration are refused.
func TestCalibrates(t *testing.T) {
	const two = "machine: hopper\nworkload: {name: shift}\nranks: 64\nruns:\n  - {name: a, ranks: 64}\n"
	for text, want := range map[string]string{
		goodText: "the workload of text is ft-pencils, only shift measures factors",
		two + "  - {name: b, workload.repeat: 3}\n":          "a and b differ in more than ranks and distance: hopper, fabric ideal",
		two + "  - {name: b, workload.synchronised: true}\n": "b is synchronised, so that its average is the maximum too",
	} {
		study, err := studyText(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = CheckFactors(study)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Without contention the measured factors are 1 with every library.
func TestFactorsOfNothing(t *testing.T) {
	for _, library := range append(files.Runtimes(), "none") {
		for _, bytes := range []string{"100B", "100KB"} {
			study, err := studyText("machine: {base: loggp, processes_per_node: 1}\nranks: 2\nworkload: {name: shift, repeat: 3, bytes: "+bytes+"}\n",
				[]string{"machine.runtime=" + library, "machine.network.gap=9us"})
			if err != nil {
				t.Fatal(library, err)
			}
			o, err := study.Runs[0].Run(nodes.Options{})
			if err != nil {
				t.Fatal(library, err)
			}
			for _, name := range []string{"c_avg", "c_max"} {
				if c, err := metric(o, name); err != nil || math.Abs(c-1) > 1e-9 {
					t.Errorf("%s, %s: %s is %v, %v", library, bytes, name, c, err)
				}
			}
		}
	}
}

// A scenario that is correct.
const goodText = "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 32\n"

// studyText checks the text of a scenario that is not in a file.
func studyText(text string, settings []string) (*scenarios.Study, error) {
	return scenarios.Read("text.yaml", []byte(text), settings)
}
