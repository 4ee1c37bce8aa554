package calibrate

import (
	"fmt"
	"testing"

	"overlapsim/sim/must"
)

// measureShift returns the factors of shifts on Hopper, as means over the places
// of hopper-calibration.
func measureShift(t *testing.T, ranks, distance int, bytes string) measurement {
	t.Helper()
	study, err := studyText(fmt.Sprintf(`
machine: hopper
workload: {name: shift, bytes: %s, distance: %d, repeat: 10}
ranks: %d
mapping: consecutive
fabric: {kind: flow}
runs: [{name: a}, {name: b, mapping_first: 2180}, {name: c, mapping_first: 4360}]
`, bytes, distance, ranks), nil)
	if err != nil {
		t.Fatal(err)
	}
	return shifts(t, study)[0]
}

// The conclusions of section IV of Gonzalez-Dominguez et al., as far as the flow fabric
// shows them; docs/explanation/network-models.md says the same. The third conclusion does
// not hold beyond 256 processes.
func TestSectionFour(t *testing.T) {
	must.Long(t)
	within := func(what string, got, low, high float64) {
		t.Helper()
		if got < low || got > high {
			t.Errorf("%s: %.4g, want %.4g to %.4g; docs/explanation/network-models.md#calibrated has what follows", what, got, low, high)
		}
	}
	for _, at := range [][2]int{{64, 16}, {256, 16}, {1024, 4}, {1024, 32}} {
		if at[0] > mostRanks(256) {
			continue
		}
		largest := measureShift(t, at[0], at[1], "64MiB")
		size := measureShift(t, at[0], at[1], "256KiB")
		within(fmt.Sprint("1: C_avg of 256 KiB at ", at), size.average/largest.average, 0.94, 0.99)
		within(fmt.Sprint("1: C_max of 256 KiB at ", at), size.maximum/largest.maximum, 0.94, 0.99)
	}
	small, large := measureShift(t, 256, 16, "16KiB"), measureShift(t, 256, 16, "64MiB")
	within("1: C_avg of 16 KiB", small.average/large.average, 0.6, 0.7)

	for _, d := range []int{4, 16, 32} {
		m := byProcesses(t, d)
		within(fmt.Sprint("3: C_max of 256 over 64 at ", d), m[1].maximum/m[0].maximum, 1.3, 1.7)
		if len(m) > 2 {
			within(fmt.Sprint("2: C_avg of 1,024 over 4,096 at ", d), m[2].average/m[3].average, 1, 1.11)
			within(fmt.Sprint("3: C_max of 4,096 over 1,024 at ", d), m[3].maximum/m[2].maximum, 0.999, 1.001)
		}
	}
	near, far := byProcesses(t, 4), byProcesses(t, 32)
	for i := range near {
		within("4: C_avg at 32 over 4", far[i].average/near[i].average, 5, 7.5)
		within("4: C_max at 32 over 4", far[i].maximum/near[i].maximum, 4.9, 5.4)
	}
}

// byProcesses returns the factors at a distance by number of processes.
func byProcesses(t *testing.T, distance int) (all []measurement) {
	for p := 64; p <= mostRanks(256); p *= 4 {
		all = append(all, measureShift(t, p, distance, "64MB"))
	}
	return all
}
