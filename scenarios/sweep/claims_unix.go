//go:build unix

package sweep

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// claims are locks on points: byte i of a file is locked while a process runs point i.
// The kernel releases the locks of a process that ends, however it ends, and network file
// systems support them, so a claim is never stale. A file system without locks grants
// every claim; then only one program at a time may run points of a sweep.
type claims struct {
	file *os.File
	fd   uintptr // kept, because Fd makes system calls
}

func (d *Dir) openClaims() (*claims, error) {
	f, err := d.root.OpenFile("claims", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &claims{f, f.Fd()}, nil
}

// take claims a point; false: another process has it.
func (c *claims) take(point int) (bool, error) {
	err := c.lock(point, syscall.F_WRLCK)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	if errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EOPNOTSUPP) {
		return true, nil
	}
	return err == nil, err
}

// release gives a point back.
func (c *claims) release(point int) { c.lock(point, syscall.F_UNLCK) }

func (c *claims) lock(point int, kind int16) error {
	return syscall.FcntlFlock(c.fd, syscall.F_SETLK, &syscall.Flock_t{
		Type: kind, Whence: io.SeekStart, Start: int64(point), Len: 1,
	})
}

func (c *claims) close() error { return c.file.Close() }
