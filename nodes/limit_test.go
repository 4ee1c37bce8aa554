package nodes

import (
	"errors"
	"reflect"
	"testing"

	"overlapsim/nodes/programs"
)

// A run that may have just as many events as it needs is the same run; with one fewer it
// is refused.
func TestMostEvents(t *testing.T) {
	m := ruleMachine()
	p := &script{atOnce: 1, ops: [][]programs.Op{{compute(30), put(1, 40, 0), wait(0)}, {compute(12), put(0, 8, 0), wait(0)}}}
	whole, err := Run(m, p, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	enough, err := Run(m, p, 2, Options{MostEvents: whole.Events})
	if err != nil || !reflect.DeepEqual(enough, whole) {
		t.Errorf("with %d events: %v, %+v", whole.Events, err, enough)
	}
	if _, err := Run(m, p, 2, Options{MostEvents: whole.Events - 1}); !errors.Is(err, ErrMostEvents) {
		t.Errorf("with one fewer: %v", err)
	}
}
