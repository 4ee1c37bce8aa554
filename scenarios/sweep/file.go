package sweep

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// writeFile writes a file that appears whole or not at all.
func writeFile(path string, text []byte) error {
	return createFile(path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	})
}

// writeOnce writes a file that appears whole; fs.ErrExist: it is there already,
// perhaps since others wrote it at the same time. Where a file system knows no
// links, the last one to write wins.
func writeOnce(path string, text []byte) error {
	beside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".new-%d.%s", news.Add(1), self))
	if err := os.WriteFile(beside, text, 0o666); err != nil {
		os.Remove(beside)
		return err
	}
	err := os.Link(beside, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(beside, path)
	}
	os.Remove(beside)
	return err
}

// news counts the files that this process wrote once.
var news atomic.Int64

// createFile does so with what a function writes.
func createFile(path string, content func(io.Writer) error) error {
	folder, name := filepath.Split(path)
	hidden := filepath.Join(folder, fmt.Sprintf(".%s.%s", name, self))
	f, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(f)
	if err = content(buffer); err == nil {
		err = buffer.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		os.Remove(hidden)
	}
	return err
}

// self names this process among all that may share a directory.
var self = func() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	host = strings.Map(func(r rune) rune {
		if r == '/' || r == os.PathSeparator {
			return '_'
		}
		return r
	}, host)
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}()
