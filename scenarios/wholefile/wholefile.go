// Package wholefile writes files that appear whole or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Write writes a file that appears whole or not at all: it writes a temporary file
// beside the place and then renames it.
func Write(path string, content func(io.Writer) error) error {
	folder, name := filepath.Split(path)
	beside := filepath.Join(folder, "."+name+"."+Process)
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if err = Fill(f, content); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		os.Remove(beside)
	}
	return err
}

// Fill writes the content to a file and closes it.
func Fill(f *os.File, content func(io.Writer) error) error {
	buffer := bufio.NewWriter(f)
	err := content(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	return errors.Join(err, f.Close())
}

// Process is a name of this process, unique among the processes that may share a folder.
var Process = func() string {
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
