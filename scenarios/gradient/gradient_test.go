package gradient

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
	"overlapsim/sim/must"
)

// figure22 is case 3 of the model: 2 us of computation, then 8 us of g, then three
// times 16 us of G.
func figure22(t *testing.T) (*outcomes.Outcome, []sensitivity.Sensitivity) {
	t.Helper()
	study := must.Get(scenarios.Load("fig22-initiation", nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{Critical: true}))(t)
	all := must.Get(sensitivity.Of(o, nil, math.Inf(1), func(string) error { return nil }))(t)
	return o, all
}

func TestLead(t *testing.T) {
	o, all := figure22(t)
	want := "The makespan is 58 µs. Its critical path is 82.8 % transfer, 13.8 % gap and 3.4 % compute. " +
		"network.gap_per_byte matters most: 1 % better makes the makespan 0.83 % shorter, until -50.0 %, where network.gap takes over. " +
		"Twice as good, it would gain 41.4 %."
	if got := strings.ReplaceAll(Lead(o, nil, all), "\u00a0", " "); got != want {
		t.Errorf("the page says\n%s\nnot\n%s", got, want)
	}
	if got := Lead(o, nil, nil); !strings.HasSuffix(got, "No parameter with a derivative changes it.") {
		t.Errorf("without parameters the page says %q", got)
	}
}

// TestTornado checks the bars of case 3 by hand. The makespan is 58 us = 2 + 8 + 48: half
// of G gains 24 us, half of g 4, half of the computation 1. 1.5 times as bad costs the
// same. All are inside their ranges.
func TestTornado(t *testing.T) {
	_, all := figure22(t)
	b := tornado(all, nil).(*report.Bars)
	want := []struct {
		name string
		µs   float64
	}{{"network.gap_per_byte", 24}, {"network.gap", 4}, {"kernels.fft.rates", 1}}
	if len(b.Groups) != len(want) || len(b.Parts) != 2 {
		t.Fatalf("%d bars of %d parts: %v", len(b.Groups), len(b.Parts), b.Groups)
	}
	for i, w := range want {
		low, high := b.Parts[0].Values[i][0], b.Parts[1].Values[i][0]
		if b.Groups[i] != w.name || math.Abs(low+100*w.µs/58) > 1e-6 || math.Abs(high-100*w.µs/58) > 1e-6 {
			t.Errorf("bar %d is %s from %g to %g %%, want %s of %g", i, b.Groups[i], low, high, w.name, 100*w.µs/58)
		}
	}
}

// TestPieces divides bars where ranges end.
func TestPieces(t *testing.T) {
	s := swing{&sensitivity.Sensitivity{Slope: results.Slope{Parameter: "network.gap", Elasticity: 0.5}}, -0.05, 0.3}
	for _, c := range []struct {
		bound       sensitivity.Bound
		all         float64
		holds, more float64
		end         string
	}{
		{sensitivity.Bound{Factor: 0.01, Open: true, Runs: 1}, -0.25, -25, 0, "-25.0 %"},
		{sensitivity.Bound{Factor: 0.96, Runs: 1, Takes: "kernels.fft.rates"}, -0.05, -2, -3, "-5.0 %, then fft"},
		{sensitivity.Bound{Factor: 0.4, Runs: 1, Takes: "network.latency"}, -0.25, -25, 0, "-25.0 %"},
		{sensitivity.Bound{Factor: 1.2, Runs: 1, Takes: "network.gap"}, 0.3, 10, 20, "+30.0 %"},
		{sensitivity.Bound{Factor: 1.2, Runs: 1, Takes: "network.send_overhead.per_byte"}, 0.04, 4, 0, "+4.0 %, then send_overhead.per_byte"},
	} {
		got := s.pieces(&c.bound, c.all)
		if math.Abs(got[0]-c.holds) > 1e-9 || math.Abs(got[1]-c.more) > 1e-9 {
			t.Errorf("%+v: pieces %v, want %g and %g", c.bound, got, c.holds, c.more)
		}
		if end := strings.ReplaceAll(s.end(&c.bound, c.all), "\u00a0", " "); end != c.end {
			t.Errorf("%+v: the bar ends with %q, want %q", c.bound, end, c.end)
		}
	}
}

// TestSides has a parameter that gains more where it is worse, because messages overtake each
// other: the left side shows that gain, the right side nothing.
func TestSides(t *testing.T) {
	o := &sensitivity.Sensitivity{Slope: results.Slope{Elasticity: 0.01}, Down: sensitivity.Bound{Factor: 0.01, Open: true, Runs: 1},
		Up: sensitivity.Bound{Factor: 1.2, Runs: 1}}
	for _, c := range []struct {
		better, worse       float64
		left, right         []float64
		leftText, rightText string
	}{
		{-0.005, 0.2, []float64{-0.5, 0}, []float64{0.2, 19.8}, "-0.50 %", "+20.0 %"},
		{-0.005, -0.18, []float64{0, -18}, []float64{0, 0}, "-18.0 % where it is worse", ""},
		{0.05, 0.002, []float64{0, 0}, []float64{0, 5}, "", "+5.0 % where it is better"},
	} {
		s := swing{o, c.better, c.worse}
		left, leftText := s.side(-1)
		right, rightText := s.side(+1)
		text := strings.ReplaceAll(leftText+"|"+rightText, "\u00a0", " ")
		if fmt.Sprintf("%.4g %.4g", left, right) != fmt.Sprintf("%.4g %.4g", c.left, c.right) || text != c.leftText+"|"+c.rightText {
			t.Errorf("%+v: %v and %v, %q", c, left, right, text)
		}
	}
}

// TestResponses checks the curves of case 3: their corners, the runs on them, and
// that all have the same axes.
func TestResponses(t *testing.T) {
	_, all := figure22(t)
	figures := responses(all, nil)
	if len(figures) != 3 {
		t.Fatalf("%d curves", len(figures))
	}
	for _, f := range figures {
		c := f.(*report.Curves)
		if c.Y != figures[0].(*report.Curves).Y || c.X != (report.Axis{High: mostBad}) {
			t.Errorf("%s has the axes %v and %v", c.Title, c.X, c.Y)
		}
		for _, line := range c.Curves {
			if line.Name == "today" && (line.X[0] != 1 || math.Abs(line.Y[0]-58e-6) > 1e-12) {
				t.Errorf("%s: today is %v, %v", c.Title, line.X, line.Y)
			}
		}
	}
	// G: up to half, the initiation is no longer hidden; then 16 us of 58 follow it.
	c := figures[0].(*report.Curves)
	holds, beyond := c.Curves[1], c.Curves[0]
	if holds.X[0] != 0.5 || math.Abs(holds.Y[0]-34e-6) > 1e-12 || math.Abs(holds.Y[len(holds.Y)-1]-106e-6) > 1e-12 {
		t.Errorf("the derivative holds from %g x: %g s to %g s", holds.X[0], holds.Y[0], holds.Y[len(holds.Y)-1])
	}
	if last := len(beyond.X) - 1; beyond.X[last] != 0.5 || math.Abs(beyond.Y[0]-(34e-6-16e-6*(0.5-beyond.X[0]))) > 1e-12 {
		t.Errorf("beyond it goes from %g s at %g x to %g x", beyond.Y[0], beyond.X[0], beyond.X[last])
	}
}

// TestResponseOfDemand has a rate that is worse when larger: it grows to the right.
func TestResponseOfDemand(t *testing.T) {
	s := sensitivity.Sensitivity{
		Slope: results.Slope{Parameter: "kernels.spmv.demand", Unit: results.BytePerSecond, Elasticity: 0.5},
		Down:  sensitivity.Bound{Factor: 0.5, Runs: 1}, Up: sensitivity.Bound{Factor: 2, Runs: 1},
		Samples: []sensitivity.Sample{{Cost: 0.5, Makespan: 3}, {Cost: 1, Makespan: 2}, {Cost: 2, Makespan: 1}},
	}
	c := response(&s)
	for _, line := range c.Curves {
		if line.Name == "run" && (line.X[0] != 2 || line.Y[0] != 3 || line.X[1] != 0.5 || line.Y[1] != 1) {
			t.Errorf("the runs are at %v: %v", line.X, line.Y)
		}
	}
	if got := gain(&s, sensitivity.TwiceAsGood, nil); got != "-50.0\u00a0%" {
		t.Errorf("half the demand gains %s", got)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		slope             results.Slope
		value, derivative string
	}{
		{results.Slope{Value: 1.1e-6, Derivative: 7906}, "1.1 µs", "7906 x"},
		{results.Slope{Value: 1111e-12, Derivative: 507904, Unit: results.SecondPerByte}, "1111 ps/B", "496 KiB"},
		{results.Slope{Value: 1.25e9, Derivative: -0.1203e-9, Unit: results.FlopPerSecond}, "1.25 Gflop/s", "-120.3 ms per Gflop/s"},
		{results.Slope{Value: 4.6e9, Derivative: -2.698e-12, Unit: results.BytePerSecond}, "4.6 GB/s", "-2.698 ms per GB/s"},
		{results.Slope{Value: 1.25, Derivative: 2e-3, Unit: results.Factor}, "1.25", "2.000 ms"},
		{results.Slope{Value: math.NaN(), Derivative: math.NaN(), Unit: results.FlopPerSecond}, "by size", "–"},
		{results.Slope{Parameter: "links.bandwidth", Value: math.NaN(), Derivative: math.NaN(), Unit: results.BytePerSecond}, "several", "–"},
	} {
		if got := Value(c.slope); got != c.value {
			t.Errorf("value %q, want %q", got, c.value)
		}
		if got := Derivative(c.slope); got != c.derivative {
			t.Errorf("derivative %q, want %q", got, c.derivative)
		}
	}
	for part, want := range map[float64]string{0: "0", -0.5: "-50.0", 0.012: "+1.2", 0.0054: "+0.54", -0.00087: "-0.087",
		0.000079: "+0.0079", math.Copysign(0, -1): "0"} {
		if got := percent(part); got != want+"\u00a0%" {
			t.Errorf("%g is written %q", part, got)
		}
	}
}
