package scenarios

import (
	"testing"

	"overlapsim/sim/must"
)

func TestOnly(t *testing.T) {
	study := must.Get(Load("helper-thread", nil))(t)
	one := must.Get(study.Only("helper thread"))(t)
	if len(one.Runs) != 1 || one.Runs[0].Name != "helper thread" || one.Title != study.Title+": helper thread" ||
		one.Runs[0].Title != one.Title {
		t.Errorf("%q has %d runs, the first is %q", one.Title, len(one.Runs), one.Runs[0].Title)
	}
	if study.Runs[1].Title != study.Title {
		t.Errorf("the run of the whole study is %q now", study.Runs[1].Title)
	}
	if again, err := one.Only("helper thread"); err != nil || again.Title != one.Title {
		t.Errorf("the one run is %q, %v", again.Title, err)
	}
	const want = "helper-thread has no run helper threat: did you mean helper thread?"
	if _, err := study.Only("helper threat"); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// Add gives runs of equal names different names.
func TestAdd(t *testing.T) {
	var all Study
	for range 3 {
		study := must.Get(Load("ft-slabs-jacquard", nil))(t)
		all.Add(study)
	}
	want := []string{"ft-slabs-jacquard", "ft-slabs-jacquard (2)", "ft-slabs-jacquard (3)"}
	for i, s := range all.Runs {
		if s.Name != want[i] {
			t.Errorf("run %d is called %s, want %s", i, s.Name, want[i])
		}
	}
}
