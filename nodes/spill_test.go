package nodes

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

// spilling makes files, and counts them.
func spilling(t *testing.T, made *int) func() (results.File, error) {
	return func() (results.File, error) {
		*made++
		f, err := os.Create(filepath.Join(t.TempDir(), "spilled"))
		t.Cleanup(func() { f.Close() })
		return f, err
	}
}

// A timeline that memory does not hold is the same as one in memory, also where spans of a NIC overlap.
func TestSpilledTimeline(t *testing.T) {
	p, m, made := &exchanging{16, 9000}, exchangeMachine(), 0
	m.Network.Channels = 2
	line := func(o Options) *results.Timeline {
		o.Fabric = newAlone(&m.Network)
		r := must.Get(Run(m, p, 4, o))(t)
		return r.Timeline
	}
	whole, spilled := line(Options{Timeline: true}), line(Options{Timeline: true, Spill: spilling(t, &made)})
	if len(whole.Lanes) <= 16+2*4 {
		t.Fatal("no spans overlap")
	}
	in, all := 0, 0
	for i := range whole.Lanes {
		a, b := &whole.Lanes[i], &spilled.Lanes[i]
		in, all = in+len(b.Spans), all+b.Len()
		if a.Name != b.Name || !a.Equal(b, func(x, y *results.Span) bool { return *x == *y }) {
			t.Errorf("%s differs", a.Name)
		}
	}
	for id, m := range spilled.AllMessages() {
		if *m != whole.Messages[id] {
			t.Fatalf("message %d: %v, want %v", id, *m, whole.Messages[id])
		}
	}
	if most := SpansInMemory(16); made != 1 || all <= most || in > most || len(spilled.Messages) >= spilled.Count() {
		t.Errorf("%d files, %d of %d spans and %d of %d messages in memory", made, in, all, len(spilled.Messages), spilled.Count())
	}
	if err := spilled.Err(); err != nil {
		t.Error(err)
	}
}

// A run whose timeline has no room ends with the reason.
func TestNoSpill(t *testing.T) {
	none := errors.New("no room")
	d := drawing{room: newRoom(1, func() (results.File, error) { return nil, none })}
	d.room.held = d.room.most
	d.tidy()
	rec := &recorder{on: true, drawing: d}
	if _, err := rec.timeline(); !errors.Is(err, none) {
		t.Error(err)
	}
}
