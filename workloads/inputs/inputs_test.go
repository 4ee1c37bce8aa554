package inputs

import (
	"os"
	"path/filepath"
	"testing"

	"overlapsim/sim/must"
)

// A file that was opened is an input under all its names.
func TestIs(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	must.Do(t, os.WriteFile(file, nil, 0o666))
	must.Do(t, os.Link(file, link))
	if Is(link) {
		t.Error("not read yet")
	}
	f := must.Get(Open(file))(t)
	f.Close()
	if !Is(file) || !Is(link) {
		t.Error("not noticed")
	}
}
