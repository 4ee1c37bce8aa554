package cli

import (
	"os"
	"testing"
)

// The go command writes an identity at the start of each program, also of this one. Without
// it, the whole file is read.
func TestIdentified(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !identified(program[:8<<10]) {
		t.Error("this program has no identity at its start")
	}
	if identified(make([]byte, 8<<10)) {
		t.Error("zeros are an identity")
	}
}
