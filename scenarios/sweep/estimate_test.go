package sweep

import (
	"math"
	"testing"
	"time"

	"overlapsim/sim"
)

// The time that is left lies inside the estimate in about 19 of 20 cases, whatever the
// distribution of the points' times, when points run in random order. Log-normal times
// with a standard deviation equal to their mean are the hardest here: a few samples say
// little about the long ones.
func TestEstimateIsHonest(t *testing.T) {
	for _, c := range []struct {
		name  string
		took  func(*sim.Stream) float64
		least float64 // part of the cases in which it must hold
	}{
		{"equal", func(*sim.Stream) float64 { return 1 }, 1},
		{"uniform", func(r *sim.Stream) float64 { return r.Float64() }, 0.92},
		{"two kinds", func(r *sim.Stream) float64 { return 1 + 9*float64(r.Intn(2)) }, 0.92},
		{"log-normal", func(r *sim.Stream) float64 { return math.Exp(0.83 * r.Norm()) }, 0.85},
	} {
		random := sim.NewStream(1)
		hit, all := 0, 0
		for range 2000 {
			e := estimate{jobs: 1}
			total, done := 40+random.Intn(200), 10+random.Intn(30)
			for range done {
				e.add(c.took(random))
			}
			rest := 0.0
			for range total - done {
				rest += c.took(random)
			}
			left, ok := e.left(total - done)
			if !ok {
				t.Fatal("no estimate")
			}
			all++
			if slack := 1e-6; rest >= left.Least.Seconds()-slack && rest <= left.Most.Seconds()+slack {
				hit++
			}
		}
		if part := float64(hit) / float64(all); part < c.least {
			t.Errorf("%s: holds in %.3f of the cases, want %g", c.name, part, c.least)
		}
	}
}

// There is no estimate before a few points are done, or when none is left. The last
// points, which run at the same time, take as long as one.
func TestEstimateLimits(t *testing.T) {
	e := estimate{jobs: 4}
	for range fewest - 1 {
		e.add(2)
	}
	if left, ok := e.left(8); ok {
		t.Errorf("%d points give %v", fewest-1, left)
	}
	e.add(2)
	for rest, want := range map[int]float64{8: 4, 4: 2, 1: 2} {
		if left, ok := e.left(rest); !ok || left.Least != seconds(want) || left.Most != seconds(want) {
			t.Errorf("%d points of 2 s, 4 at a time: %v, want %g s", rest, left, want)
		}
	}
	if _, ok := e.left(0); ok {
		t.Error("nothing left takes time")
	}
}

func TestLeftText(t *testing.T) {
	for _, c := range []struct {
		least, most time.Duration
		want        string
	}{
		{0, 0, ""},
		{0, time.Second, "about 1 s"},
		{20 * time.Second, 24 * time.Second, "about 22 s"},
		{20 * time.Second, 80 * time.Second, "20 to 80 s"},
		{3 * time.Minute, 4 * time.Minute, "about 4 min"},
		{100 * time.Second, 10 * time.Minute, "1 to 10 min"},
		{10 * time.Hour, 11 * time.Hour, "about 11 h"},
		{10 * time.Hour, 100 * time.Hour, "0 to 5 days"},
	} {
		if got := (Left{c.least, c.most}).String(); got != c.want {
			t.Errorf("%v to %v is %q, want %q", c.least, c.most, got, c.want)
		}
	}
}

// The rate of points that other processes run gives the same mean.
func TestRate(t *testing.T) {
	left := rate(100, 50, 10*time.Second)
	if middle := (left.Least + left.Most) / 2; middle != 5*time.Second || left.Least != 4*time.Second {
		t.Errorf("got %v", left)
	}
	if left := rate(fewest-1, 50, time.Second); left != (Left{}) {
		t.Errorf("got %v", left)
	}
}
