//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hold locks a file until the result is closed or the process ends, however it ends. It
// returns nil on a file system without locks.
func hold(root *os.Root, name string) *os.File {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX) != nil {
		f.Close()
		return nil
	}
	return f
}

// removeLeft removes a temporary file or folder of this user if no process holds it.
func removeLeft(root *os.Root, name string) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if own(f) && syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		root.RemoveAll(name)
	}
}

// own tells whether a file belongs to the user of this process.
func own(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	s, known := info.Sys().(*syscall.Stat_t)
	return known && int(s.Uid) == os.Geteuid()
}

// resemble gives a file the permissions of another one, and its owner and group, as far as the file system
// has them and this user may.
func resemble(f *os.File, other fs.FileInfo) {
	if s, known := other.Sys().(*syscall.Stat_t); known {
		if f.Chown(int(s.Uid), int(s.Gid)) != nil {
			f.Chown(-1, int(s.Gid))
		}
	}
	f.Chmod(other.Mode().Perm())
}

// syncFolder makes sure that a name that was just given in a folder stays after a power
// failure.
func syncFolder(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return nil // a folder that may be written and not read
	}
	defer f.Close()
	return synced(f)
}

// synced writes what the system holds of a file to the disk. Some file systems cannot.
func synced(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}
