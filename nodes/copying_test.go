package nodes

import (
	"testing"

	"overlapsim/sim/must"
)

func TestReferenceCopying(t *testing.T) {
	must.Long(t)
	compare(t, 25, drawCopied)
}
