//go:build unix

package sweep

import (
	"errors"
	"io"
	"syscall"
)

// Network file systems support locks of bytes too, so a claim is never stale. A file system
// without locks grants every claim; then only one program at a time may run points of a sweep.

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
