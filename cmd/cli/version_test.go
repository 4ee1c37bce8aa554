package cli

import (
	"os"
	"testing"

	"overlapsim/sim/must"
)

// The go command writes an identity at the start of each program, also of this one. Without
// it, the whole file is read.
func TestIdentified(t *testing.T) {
	path := must.Get(os.Executable())(t)
	program := must.Get(os.ReadFile(path))(t)
	if !identified(program[:8<<10]) {
		t.Error("this program has no identity at its start")
	}
	if identified(make([]byte, 8<<10)) {
		t.Error("zeros are an identity")
	}
}
