package kinds

import (
	"fmt"
	"slices"
	"testing"
)

// A registered kind is found by its name, in the order of registration; a caller's changes to the
// lists have no effect.
func TestTable(t *testing.T) {
	table := Table[int]{Family: "shape"}
	for i, name := range []string{"ring", "fat-tree", "d2"} {
		table.Register(name, i)
	}
	clear(table.Names())
	clear(table.All())
	if got := fmt.Sprint(table.Names(), table.All()); got != "[ring fat-tree d2] [0 1 2]" {
		t.Error(got)
	}
	if k, ok := table.Lookup("fat-tree"); k != 1 || !ok {
		t.Error(k, ok)
	}
	if k, ok := table.Lookup("tree"); k != 0 || ok {
		t.Error(k, ok)
	}
	if k, err := table.Find("ring"); k != 0 || err != nil {
		t.Error(k, err)
	}
	if _, err := table.Find("tree"); err == nil || err.Error() != "kind: must be one of ring, fat-tree, d2, got tree" {
		t.Error(err)
	}
	if got := table.Doc(func(k int) string { return fmt.Sprint(10 * k) }); got != "ring: 0; fat-tree: 10; d2: 20" {
		t.Error(got)
	}
}

// Names that files could not use, and names that are taken, panic.
func TestNames(t *testing.T) {
	table := Table[int]{Family: "shape"}
	table.Register("ring", 0)
	for name, want := range map[string]string{
		"ring":   "shape ring is registered twice",
		"":       `shape "": a name is lower-case letters and digits, with hyphens between words, such as fat-tree`,
		"Ring":   `shape "Ring": a name is lower-case letters and digits, with hyphens between words, such as fat-tree`,
		"a b":    `shape "a b": a name is lower-case letters and digits, with hyphens between words, such as fat-tree`,
		"a--b":   `shape "a--b": a name is lower-case letters and digits, with hyphens between words, such as fat-tree`,
		"ring\n": `shape "ring\n": a name is lower-case letters and digits, with hyphens between words, such as fat-tree`,
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%q: %v, want %s", name, got, want)
				}
			}()
			table.Register(name, 1)
		}()
	}
	if got := table.Names(); !slices.Equal(got, []string{"ring"}) {
		t.Error(got)
	}
}
