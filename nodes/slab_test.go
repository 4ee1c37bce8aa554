package nodes

import (
	"slices"
	"testing"
)

// Entries keep their places while others come and go, and each has its own number.
func TestSlab(t *testing.T) {
	var s slab[int]
	places := map[int32]*int{}
	for i := range 3 * blockLen {
		id := s.add()
		if places[id] != nil {
			t.Fatalf("two things have the number %d", id)
		}
		places[id] = s.at(id)
		*places[id] = i
		if i%3 == 0 {
			s.remove(id)
			delete(places, id)
		}
	}
	n := 0
	for id := range s.all() {
		if places[id] != s.at(id) {
			t.Errorf("thing %d is not where it was", id)
		}
		n++
	}
	if n != len(places) {
		t.Errorf("%d things, want %d", n, len(places))
	}
	if !slices.IsSorted(slices.Collect(s.all())) {
		t.Error("numbers do not ascend")
	}
}
