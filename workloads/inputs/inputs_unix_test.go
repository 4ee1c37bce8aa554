//go:build unix

package inputs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"overlapsim/sim/must"
)

// A FIFO is refused without waiting for it, under every name. A pipe that is open is read.
func TestFIFO(t *testing.T) {
	folder := t.TempDir()
	fifo, link := filepath.Join(folder, "fifo"), filepath.Join(folder, "link")
	must.Do(t, errors.Join(syscall.Mkfifo(fifo, 0o666), os.Symlink("fifo", link)))
	for _, name := range []string{fifo, link} {
		if _, err := Open(name); !errors.Is(err, ErrFIFO) {
			t.Errorf("%s: %v", name, err)
		}
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(in, "text")
	in.Close()
	f := must.Get(Open(fmt.Sprintf("/dev/fd/%d", out.Fd())))(t)
	defer f.Close()
	if text, err := io.ReadAll(f); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}
