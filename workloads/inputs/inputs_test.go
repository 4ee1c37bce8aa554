package inputs

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that was opened is an input under all its names.
func TestIs(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, link); err != nil {
		t.Fatal(err)
	}
	if Is(link) {
		t.Error("not read yet")
	}
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if !Is(file) || !Is(link) {
		t.Error("not noticed")
	}
}
