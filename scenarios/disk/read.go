package disk

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"overlapsim/workloads/inputs"
)

// TooLarge says that a file is larger than it may be.
type TooLarge struct{ Most int64 } // in bytes

func (e *TooLarge) Error() string {
	return fmt.Sprintf("is larger than %d MiB, which is the most that is read", e.Most>>20)
}

// Read reads an input, which may have at most a number of bytes.
func Read(name string, most int64) ([]byte, error) { return read(name, most, readAll) }

// Unpacked reads an input, which may be gzipped, and has at most that many bytes, packed or
// not.
func Unpacked(name string, most int64) ([]byte, error) { return read(name, most, UnpackAll) }

// read reads an input. A file that says that it is too large is not read at all.
func read(name string, most int64, all func(io.Reader, int64) ([]byte, error)) ([]byte, error) {
	f, err := inputs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > most {
		return nil, &TooLarge{most}
	}
	return all(f, most)
}

// UnpackAll is readAll, which also unpacks what is gzipped.
func UnpackAll(in io.Reader, most int64) ([]byte, error) {
	text, err := readAll(in, most)
	if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return readAll(unpacked, most)
}

// readAll reads at most that many bytes, and never more than one further; if there are
// more, the error is of type *TooLarge.
func readAll(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, &TooLarge{most}
	}
	return text, err
}
