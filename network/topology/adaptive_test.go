package topology

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Without load every message takes the minimal route. If the part of it that the source sees is
// loaded, the message takes Valiant's route; load behind the first global link is not seen.
func TestAdaptiveChooses(t *testing.T) {
	for _, keys := range []Keys{
		&dragonflyKeys{groupKeys{Groups: 9, PerRouter: 2, Global: 2, Routing: "adaptive"}, 4},
		&plusKeys{groupKeys{Groups: 5, PerRouter: 2, Global: 4, Routing: "adaptive"}, 2, 4},
	} {
		shape := must.Get(keys.Build(0))(t)
		a := shape.(*Adaptive)
		if !strings.HasSuffix(a.String(), ", adaptive") {
			t.Errorf("it is called %v", a)
		}
		for from := range a.Nodes() {
			for to := range a.Nodes() {
				checkChoice(t, a, from, to)
			}
		}
	}
}

func checkChoice(t *testing.T, a *Adaptive, from, to int) {
	t.Helper()
	minimal, valiant := a.Route(from, to, nil), a.valiant.Route(from, to, nil)
	chosen := func(loaded []int32) []int32 {
		on := make([]int32, a.Links())
		for _, l := range loaded {
			on[l] = 100
		}
		return a.Choose(from, to, on, nil)
	}
	if got := chosen(nil); !slices.Equal(got, minimal) {
		t.Fatalf("%v: %d to %d by %v, minimal is %v", a, from, to, got, minimal)
	}
	seen, unseen := minimal, []int32(nil)
	for i, l := range minimal {
		if a.Link(int(l)).Class == 1 {
			seen, unseen = minimal[:i+1], minimal[i+1:]
		}
	}
	if a.group(a.Router(from)) == a.group(a.Router(to)) {
		return
	}
	if got := chosen(unseen); !slices.Equal(got, minimal) && !slices.ContainsFunc(unseen, func(l int32) bool { return slices.Contains(seen, l) }) {
		t.Fatalf("%v: %d to %d by %v, the load is behind the group", a, from, to, got)
	}
	shared := slices.ContainsFunc(seen, func(l int32) bool { return slices.Contains(valiant, l) })
	if got := chosen(seen); !shared && !slices.Equal(got, valiant) {
		t.Fatalf("%v: %d to %d by %v, Valiant's is %v", a, from, to, got, valiant)
	}
}
