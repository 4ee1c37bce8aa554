package optimize

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// said is a message with its time by a clock.
type said struct {
	Progress
	at time.Duration
}

// clocked searches the numbers 1 to n for the minimum of a function. Each run takes time by a
// clock that only runs advance. It returns all messages, and the result.
func clocked(n int, value func(x float64) float64, cost func(x float64) time.Duration) (all []said, end said) {
	s := &Study{numbers: numbered(n + 1)[1:], Values: n}
	clock := time.Unix(0, 0)
	s.course = newCourse(func() time.Time { return clock })
	s.course.width = 1
	f := &finder{study: s, name: "run"}
	f.request.Started = func(p Progress) { all = append(all, said{p, clock.Sub(s.course.began)}) }
	s.course.next(effort{})
	f.search = s.search(func(indices []int) []float64 {
		values := make([]float64, len(indices))
		for _, k := range fromEnds(len(indices)) {
			f.say("")
			x := s.numbers[indices[k]]
			s.course.begins(indices[k])
			clock = clock.Add(cost(x))
			s.course.ends(indices[k])
			values[k] = value(x)
		}
		return values
	})
	f.search.find()
	return all, said{Progress{Done: s.course.done}, clock.Sub(s.course.began)}
}

// The time said to remain is right up to a twentieth of the whole and a factor: five before the
// grid has shown where the best may be, three from then on. The number of runs is right up to a
// half. This holds for functions that fall and then rise, whose runs take times that grow or
// shrink with the value.
func TestLeftIsWhatComes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 1025).Draw(t, "n")
		at := rapid.Float64Range(1, float64(n)).Draw(t, "at")
		power := rapid.Float64Range(-1, 1).Draw(t, "power")
		fixed := rapid.Float64Range(0, 1).Draw(t, "fixed")
		all, end := clocked(n, func(x float64) float64 { return x/at + at/x }, func(x float64) time.Duration {
			return time.Duration(float64(time.Minute) * (fixed + math.Pow(x, power)))
		})
		for k, s := range all {
			left, came, some := s.Left.Seconds(), (end.at - s.at).Seconds(), end.at.Seconds()/20
			by := 3.0
			if k <= gridRuns {
				by = 5
			}
			if k > 1 && (left > by*came+some || left < came/by-some) {
				t.Errorf("before run %d of %d: %v left, and %v came", k+1, end.Done, s.Left, end.at-s.at)
			}
			if ratio := float64(s.About) / float64(end.Done); ratio > 1.5 || ratio < 1/1.5 {
				t.Errorf("before run %d of %d: %d in all", k+1, end.Done, s.About)
			}
		}
	})
}

// Where the whole request is run, with its reasons and several runs of a scenario, the number of runs
// is right up to a factor of two from the beginning, and up to a half when one run of the scenario is done.
func TestRunsThatAreForeseen(t *testing.T) {
	var all []Progress
	s, err := Find(Request{Scenario: "ft-granularity", Over: "workload.messages", Minimize: "makespan_s", Why: true,
		Set: []string{"workload.rows=128", "workload.row_length=128"}, Started: func(p Progress) { all = append(all, p) }})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, o := range s.Optima {
		runs += o.Runs.Sum()
	}
	if runs < 30 {
		t.Errorf("%d runs are too few for a test", runs)
	}
	for k, p := range all {
		by := 2.0
		if p.Done > s.Optima[0].Runs.Sum() {
			by = 1.5
		}
		if ratio := float64(p.About) / float64(runs); ratio > by || ratio < 1/by {
			t.Errorf("at %d of %d: %d in all of %d", k, len(all), p.About, runs)
		}
	}
}
