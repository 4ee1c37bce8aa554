package cli

import (
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	var out strings.Builder
	if err := grid(&out, [][]string{{"", "makespan", "µ"}, {"Slabs", "1 s", "1000"}, {"Pencils", "10 s"}}, 1); err != nil {
		t.Fatal(err)
	}
	want := "         makespan     µ\nSlabs         1 s  1000\nPencils      10 s\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
