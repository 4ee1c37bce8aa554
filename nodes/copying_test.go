package nodes

import "testing"

func TestReferenceCopying(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	compare(t, 25, drawCopied)
}
