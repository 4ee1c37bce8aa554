package traces

import (
	"io"
	"os"
)

// File is a file that is read from Offset on. It is not open between two reads, so that a trace
// of many ranks does not exceed the files that a process may have open.
type File struct {
	Path   string
	Offset int64
}

// Read implements io.Reader.
func (f *File) Read(to []byte) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := file.ReadAt(to, f.Offset)
	f.Offset += int64(n)
	if n > 0 {
		return n, nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return 0, err
}
