package disk

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"overlapsim/sim/must"
)

// A file whose bytes may not be on the disk, or whose content fails, does not get its name. The
// old file stays, and nothing else is left.
func TestFailedWrites(t *testing.T) {
	folder := t.TempDir()
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	must.Do(t, WriteIn(root, "out", bytesOf([]byte("before"))))
	rename := func(t *temporary) error { return root.Rename(t.name, "out") }
	refuses := func(*os.File) error { return syscall.EIO }
	broken := errors.New("broken")
	for name, err := range map[string]error{
		"sync":    place(root, "out", bytesOf([]byte("after")), refuses, rename),
		"content": place(root, "out", func(w io.Writer) error { io.WriteString(w, "af"); return broken }, synced, rename),
		"rename":  place(root, "out", bytesOf([]byte("after")), synced, func(*temporary) error { return syscall.EIO }),
	} {
		if !errors.Is(err, syscall.EIO) && !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	left, _ := os.ReadDir(folder)
	if text, err := root.ReadFile("out"); err != nil || string(text) != "before" || len(left) != 1 {
		t.Errorf("%q, %v, left %v", text, err, left)
	}
}
