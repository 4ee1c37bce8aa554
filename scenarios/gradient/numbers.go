package gradient

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// Nothing tells whether this is the time in addition to a cost per byte, which few machines have, and it is 0.
func Nothing(s results.Slope) bool {
	return s.Value == 0 && strings.HasSuffix(s.Parameter, "per_byte.time")
}

// Value writes the value of a parameter with its unit.
func Value(s results.Slope) string {
	switch {
	case math.IsNaN(s.Value) && s.Parameter == network.LinkBandwidth:
		return "several"
	case math.IsNaN(s.Value):
		return "by size"
	case s.Unit == results.FlopPerSecond:
		return report.Significant(s.Value/1e9) + " Gflop/s"
	case s.Unit == results.BytePerSecond:
		return report.Significant(s.Value/1e9) + " GB/s"
	case s.Unit == results.SecondPerByte:
		return report.Significant(s.Value/1e-12) + " ps/B"
	case s.Unit == results.Factor:
		return report.Significant(s.Value)
	}
	return report.Quantity(s.Value, "s")
}

// Derivative writes how much the makespan grows with a parameter: how often it counts,
// for how many bytes, or the time for each unit of a rate or factor.
func Derivative(s results.Slope) string {
	switch {
	case math.IsNaN(s.Derivative):
		return report.Dash
	case s.Unit == results.FlopPerSecond:
		return report.Seconds(s.Derivative*1e9) + " per Gflop/s"
	case s.Unit == results.BytePerSecond:
		return report.Seconds(s.Derivative*1e9) + " per GB/s"
	case s.Unit == results.SecondPerByte:
		if s.Derivative < 0 {
			return "-" + report.Bytes(math.Round(-s.Derivative))
		}
		return report.Bytes(math.Round(s.Derivative))
	case s.Unit == results.Factor:
		return report.Seconds(s.Derivative)
	}
	return report.Significant(s.Derivative) + " x"
}

// Elasticity writes an elasticity; NaN: it is not known.
func Elasticity(e float64) string {
	if math.IsNaN(e) {
		return report.Dash
	}
	if math.Abs(e) < 0.00005 {
		e = 0 // not -0
	}
	return strconv.FormatFloat(e, 'f', 4, 64)
}

// percent writes a change.
func percent(part float64) string {
	if math.IsNaN(part) {
		return report.Dash
	}
	text := strconv.FormatFloat(100*part, 'f', decimals(part), 64)
	if part > 0 {
		text = "+" + text
	}
	if part == 0 {
		text = "0" // not -0
	}
	return text + "\u00a0%"
}

// decimals gives small changes two significant digits.
func decimals(part float64) int {
	switch size := math.Abs(part); {
	case size >= 0.01 || size < 5e-7:
		return 1
	case size >= 0.001:
		return 2
	case size >= 0.0001:
		return 3
	}
	return 4
}

// moved is the relative change of the makespan at a bad value of a parameter; NaN: it was
// not run.
func moved(s *sensitivity.Sensitivity, bad float64) float64 {
	today, _ := s.Makespan(1)
	least, _ := s.Makespan(bad)
	return least/today - 1
}

func gain(s *sensitivity.Sensitivity, bad float64, noise *float64) string {
	return told(moved(s, bad), noise)
}

// told writes a change of the makespan, unless it is below the noise of the run.
func told(part float64, noise *float64) string {
	if report.BelowNoise(part, noise) {
		return report.InCell
	}
	return percent(part)
}

// Split divides parameters into those that move the makespan by more than the noise of the run in the range in which their
// derivatives hold, and the names of the others, and of those without re-runs.
func Split(all []sensitivity.Sensitivity, noise *float64) (told []sensitivity.Sensitivity, below, leftOut []string) {
	for _, s := range all {
		switch {
		case s.LeftOut && !Nothing(s.Slope):
			leftOut = append(leftOut, s.Parameter)
		case !s.LeftOut && !s.Below(noise):
			told = append(told, s)
		case !s.LeftOut && !Nothing(s.Slope):
			below = append(below, s.Parameter)
		}
	}
	return told, below, leftOut
}

// LeftOut names parameters without re-runs, and says why they have none.
func LeftOut(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "No re-runs, as they would take too long, of " + strings.Join(names, ", ") + ". --all waits for them."
}

// Open names parameters whose derivatives hold as far as they were tried; those whose ranges end are the others.
func Open(all []sensitivity.Sensitivity) (says string, ends []sensitivity.Sensitivity) {
	var open []string
	for _, s := range all {
		switch {
		case Nothing(s.Slope) || s.Down.Runs+s.Up.Runs == 0:
		case s.Down.Open && s.Up.Open:
			open = append(open, s.Parameter)
			says = fmt.Sprintf("The derivative holds as far as it was tried, from %g to %g times the value: ", s.Down.Factor, s.Up.Factor)
		default:
			ends = append(ends, s)
		}
	}
	if open == nil {
		return "", ends
	}
	return says + strings.Join(open, ", "), ends
}

// SidesNote says what the table of one-sided changes shows.
const SidesNote = "Where better gains less than worse costs, something else takes as long and hides the gain."

// Sides returns the head and the rows of a table of changes of the makespan on both sides, of parameters whose derivatives do not hold on
// both; none: all hold.
func Sides(all []sensitivity.Sensitivity, noise *float64) (head []string, rows [][]string) {
	for i := range all {
		for _, side := range all[i].Sides {
			name := side.Parameter
			if len(all[i].Sides) > 1 && name != all[i].Parameter {
				name += " alone"
			}
			rows = append(rows, []string{name, told(side.Better, noise), told(side.Worse, noise)})
		}
	}
	return []string{"parameter", "1\u00a0% better", "1\u00a0% worse"}, rows
}
