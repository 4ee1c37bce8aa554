package sweep

import (
	"errors"
	"io"
	"os"
	"sync"

	"overlapsim/scenarios/keys"
)

// claims is a file with a byte for each point. It says whether the point has a result, and is
// locked while a process runs the point. The lock of a point is released when its process
// ends, in any way, or closes the file. Therefore a process opens the file only once.
type claims struct {
	file *os.File
	fd   uintptr // kept, because Fd makes system calls
}

// The bytes of points that have a result, and of those whose result is an error.
const (
	done   = '1'
	failed = 'e'
)

// isDone tells whether the byte of a point says that it has a result.
func isDone(mark byte) bool { return mark == done || mark == failed }

// opened is the claims of a directory, once they are needed.
type opened struct {
	sync.Mutex
	claims *claims
}

func (d *Dir) openClaims() (*claims, error) {
	d.claims.Lock()
	defer d.claims.Unlock()
	if d.claims.claims == nil {
		f, err := d.root.OpenFile("claims", os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, wrongDir(d.Path, "cannot be written: %s", keys.ReasonOf(err))
		}
		d.claims.claims = &claims{f, f.Fd()}
	}
	return d.claims.claims, nil
}

// mark sets the byte of a point.
func (c *claims) mark(point int, mark byte) error {
	_, err := c.file.WriteAt([]byte{mark}, int64(point))
	return err
}

// marks returns the bytes of some points.
func (c *claims) marks(first, n int) ([]byte, error) {
	marks := make([]byte, n)
	_, err := c.file.ReadAt(marks, int64(first))
	if errors.Is(err, io.EOF) { // the file ends with the last point that is done
		err = nil
	}
	return marks, err
}

func (c *claims) close() error { return c.file.Close() }
