package cli

import (
	"strings"
	"testing"
	"time"

	"overlapsim/scenarios/sweep"
)

// The bar shows which part of the sweep is done, and never more.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		done, total int
		want        string
	}{
		{0, 3, "[--------------------] 0/3"},
		{1, 3, "[######--------------] 1/3"},
		{999, 1000, "[###################-] 999/1000"},
		{3, 3, "[####################] 3/3"},
	} {
		if got := statusText(sweep.Status{Done: c.done, Total: c.total}); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.done, c.total, got, c.want)
		}
	}
}

// A step that takes long says for how long; one of a single run is quiet until
// then.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		total int
		since time.Duration
		want  string
	}{
		{1, 0, ""}, {1, 12 * time.Second, "ft, 12 s"}, {6, 0, "[2/6] ft"}, {6, 3 * time.Second, "[2/6] ft, 3 s"},
	} {
		p := &progress{done: 2, total: c.total, name: "ft"}
		if name, took := p.text(c.since); name+took != c.want {
			t.Errorf("%d, %v: %q, want %q", c.total, c.since, name+took, c.want)
		}
	}
}

// A line fits the terminal: the name is cut, not what is left.
func TestProgressFits(t *testing.T) {
	for width, want := range map[int]string{60: "without latency, 2 s, 73 % done", 31: "without laten…, 2 s, 73 % done", 10: "…, 2 s, 73 % done"} {
		var out strings.Builder
		p := &progress{out: &out, width: width}
		if p.say("without latency", ", 2 s, 73 % done"); out.String() != "\r\x1b[K"+want {
			t.Errorf("%d columns: %q, want %q", width, out.String(), want)
		}
	}
}

// The remaining time is estimated from the steps that are done: two of four took 10 s.
func TestProgressLeft(t *testing.T) {
	start := time.Now()
	p := &progress{done: 3, total: 4, first: start, begun: start.Add(10 * time.Second)}
	for after, want := range map[time.Duration]string{
		10 * time.Second: ", about 10s left", 13 * time.Second: ", about 7s left", 30 * time.Second: unexpected,
	} {
		if got := p.left(start.Add(after)); got != want {
			t.Errorf("after %v: %q, want %q", after, got, want)
		}
	}
	if p.done = 2; p.left(start.Add(time.Minute)) != "" {
		t.Error("an estimate from one step")
	}
}

// Re-runs say the share that is done, and how much longer they take at most: a quarter took 10 s.
func TestProgressOfReruns(t *testing.T) {
	start := time.Now()
	p := &progress{done: 7, total: 1, share: 0.25, first: start, begun: start.Add(10 * time.Second)}
	if got, want := p.left(start.Add(14*time.Second)), ", 25 % done, at most about 26s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := p.left(start.Add(time.Hour)); got != ", 25 % done"+unexpected {
		t.Errorf("after an hour: %q", got)
	}
	p.share, p.most = 0, 40*time.Second
	if got := p.left(start.Add(14 * time.Second)); got != ", at most about 26s left" {
		t.Errorf("before the share is known: %q", got)
	}
	one := &progress{done: 1, total: 1, weights: []float64{10}, first: start, begun: start}
	for after, want := range map[time.Duration]string{time.Second: "", 4 * time.Second: ", about 40 % done, 6s left", 12 * time.Second: unexpected} {
		if got := one.left(start.Add(after)); got != want {
			t.Errorf("one run, after %v: %q, want %q", after, got, want)
		}
	}
	if p.most = 0; p.left(start.Add(14*time.Second)) != "" {
		t.Error("an estimate where nothing is known")
	}
}

// With weights the remaining time follows from the work that is left: at first as expected, then at the pace of what is done.
func TestProgressLeftByWeights(t *testing.T) {
	start := time.Now()
	p := &progress{done: 1, total: 3, weights: []float64{10, 20, 30}, first: start, begun: start}
	for after, want := range map[time.Duration]string{time.Second: "", 4 * time.Second: ", about 56s left", 70 * time.Second: unexpected} {
		if got := p.left(start.Add(after)); got != want {
			t.Errorf("first step, after %v: %q, want %q", after, got, want)
		}
	}
	p.done, p.begun = 3, start.Add(15*time.Second) // 30 of 60 were done in 15 s
	if got := p.left(start.Add(20 * time.Second)); got != ", about 10s left" {
		t.Errorf("last step: %q", got)
	}
}

// The remaining time after a while follows from the work since the first look: 4 of 10, 1 of
// which was done before.
func TestPaceLeft(t *testing.T) {
	start, p := time.Now(), &pace{}
	for _, c := range []struct {
		after time.Duration
		done  int
		want  string
	}{{0, 1, ""}, {6 * time.Second, 2, ""}, {time.Second / 2, 4, ""}, {6 * time.Second, 4, ", about 12s left"}, {9 * time.Second, 10,
		", about 0s left"}} {
		if got := p.left(start.Add(c.after), c.done, 10); got != c.want {
			t.Errorf("after %v with %d: %q, want %q", c.after, c.done, got, c.want)
		}
	}
}
