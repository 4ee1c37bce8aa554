package nodes

import (
	"testing"

	"pgregory.net/rapid"
)

func TestReferenceCopying(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	compare(t, 25, drawCopied)
}

func FuzzReferenceCopying(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { drawInstance(t, true).check(t, new(tally)) }))
}
