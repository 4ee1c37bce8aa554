package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"overlapsim/scenarios/disk"
)

// A trace is compressed if its name says so, and is the same trace.
func TestPackedTrace(t *testing.T) {
	folder := t.TempDir()
	plain, small := filepath.Join(folder, "t.json"), filepath.Join(folder, "t.json.gz")
	for _, file := range []string{plain, small} {
		if _, errs, status := callMain("run", "fig22-initiation", "--no-advice", "--trace", file); status != done {
			t.Fatal(errs)
		}
	}
	want, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	got, err := disk.UnpackAll(bytes.NewReader(packed), 1<<20)
	if err != nil || !bytes.Equal(got, want) || len(packed) >= len(want)/4 {
		t.Errorf("%d bytes packed, %d unpacked, want %d: %v", len(packed), len(got), len(want), err)
	}
}
