package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"overlapsim/scenarios/wholefile"
)

// writeFile writes a file that is either complete or missing.
func writeFile(path string, text []byte) error {
	return wholefile.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	})
}

// writeOnce writes a file that is either complete or missing, even after a power failure;
// fs.ErrExist: it exists already, perhaps because another process wrote it at the same
// time. On a file system without links, the last one to write wins.
func writeOnce(path string, text []byte) error {
	beside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".new-%d.%s", news.Add(1), wholefile.Process))
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(beside)
		return err
	}
	err = os.Link(beside, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(beside, path)
	}
	os.Remove(beside)
	return err
}

// news counts the files that this process wrote once.
var news atomic.Int64
