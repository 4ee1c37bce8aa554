package goal

import (
	"bytes"
	"os"
	"testing"

	"overlapsim/sim/must"
)

// A schedule that an earlier version exported is read, and keeps its operations.
func TestEarlierSchedule(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/earlier.goal"))(t)
	s := must.Get(Read(bytes.NewReader(text), "earlier.goal"))(t)
	var out bytes.Buffer
	if err := s.WriteText(&out); err != nil || s.Ranks() != 4 || s.Messages() != 4 {
		t.Errorf("%d ranks, %d messages, %v", s.Ranks(), s.Messages(), err)
	}
	again, err := Read(&out, "again.goal")
	if err != nil || len(again.Ops()) != len(s.Ops()) {
		t.Errorf("read again: %v", err)
	}
}
