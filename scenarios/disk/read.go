package disk

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// inputs are the paths that this process has read as input.
var inputs sync.Map

// Input notes that a path is an input, which no output may replace.
func Input(path string) {
	if whole, err := filepath.Abs(path); err == nil {
		inputs.Store(whole, true)
	}
}

// IsInput tells whether a path is a file that was read as input, under whatever name.
func IsInput(path string) (is bool) {
	file, err := os.Stat(path)
	if err != nil || !file.Mode().IsRegular() {
		return false
	}
	inputs.Range(func(name, _ any) bool {
		other, err := os.Stat(name.(string))
		is = err == nil && os.SameFile(file, other)
		return !is
	})
	return is
}

// Open opens an input.
func Open(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err == nil {
		Input(name)
	}
	return f, err
}

// TooLarge says that a file is larger than it may be.
type TooLarge struct{ Most int64 } // in bytes

func (e *TooLarge) Error() string {
	return fmt.Sprintf("is larger than %d MiB, which is the most that is read", e.Most>>20)
}

// Read reads an input, which may have at most that many bytes.
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// Unpacked reads an input, which may be gzipped, and has at most that many bytes, packed or
// not.
func Unpacked(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return UnpackAll(f, most)
}

// UnpackAll is ReadAll, which also unpacks what is gzipped.
func UnpackAll(in io.Reader, most int64) ([]byte, error) {
	text, err := ReadAll(in, most)
	if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return ReadAll(unpacked, most)
}

// ReadAll reads at most that many bytes, and never more than one further; if there are
// more, the error is of type *TooLarge.
func ReadAll(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, &TooLarge{most}
	}
	return text, err
}
