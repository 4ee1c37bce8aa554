package goal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Read reads a schedule in text or binary form, which may be packed, and finds out which it
// is. The name of the file is for error messages only; the reader may be a stream.
func Read(in io.Reader, name string) (*Schedule, error) {
	b := bufio.NewReaderSize(in, 16)
	p := packedBy(b)
	if p == nil {
		return readPlain(b, name, sizeOf(in))
	}
	unpacked, err := p.open(b)
	if err != nil {
		return nil, fmt.Errorf("%s: is not packed by %s after all: %w", name, p.name, err)
	}
	defer unpacked.Close()
	return readPlain(bufio.NewReaderSize(&unpacking{unpacked, p.name}, 16), name, 0)
}

// sizeOf returns the bytes of a file; 0: they are not known.
func sizeOf(in io.Reader) int64 {
	if f, ok := in.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// readPlain reads a schedule of the given bytes, 0 if that is unknown, that is not packed.
func readPlain(b *bufio.Reader, name string, size int64) (*Schedule, error) {
	head, err := b.Peek(8)
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(head) == 0:
		return nil, fmt.Errorf("%s: %w", name, errEmpty)
	case len(head) == 8:
		if m := binary.LittleEndian.Uint64(head); m == magic || m == magicSpoilt {
			return ReadBinary(b, name)
		}
	}
	return readText(b, name, partBytes, size)
}

var errEmpty = errors.New("the file is empty: want a GOAL schedule")
