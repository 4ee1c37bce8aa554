package fit

import (
	"math"
	"testing"
)

func TestText(t *testing.T) {
	for _, test := range []struct {
		p    Parameter
		x    float64
		want string
	}{
		{Parameter{Unit: "us"}, 1.23456789, "1.23457us"},
		{Parameter{Unit: "us"}, 0.000012, "0.000012us"},
		{Parameter{Unit: "B", Whole: true}, 65536.4, "65536B"},
		{Parameter{Unit: "", Whole: true}, 63.7, "64"},
	} {
		if got := test.p.Text(test.x, 6); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.p, got, test.want)
		}
	}
}

// A value and its position belong to each other, no position leaves the bounds, and the slope is that of the curve.
func TestPositions(t *testing.T) {
	p := Parameter{Low: 0.5, High: 200}
	for _, value := range []float64{0.51, 1, 10, 199} {
		x := p.PositionOf(value)
		if got := p.At(x); math.Abs(got/value-1) > 1e-12 {
			t.Errorf("%g comes back as %g", value, got)
		}
		const step = 1e-6
		if got, want := p.Slope(x), math.Log(p.At(x+step)/p.At(x-step))/(2*step); math.Abs(got-want) > 1e-6 {
			t.Errorf("the slope at %g is %g, want %g", value, got, want)
		}
	}
	if low, middle, high := p.At(-1e3), p.At(Position(0.5)), p.At(1e3); low != 0.5 || high != 200 || math.Abs(middle-10) > 1e-12 {
		t.Errorf("from %g by %g to %g", low, middle, high)
	}
}
