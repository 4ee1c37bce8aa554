package goal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Read reads a schedule in text or binary form, which may be packed, and finds out which it
// is. The name of the file is for error messages only; the reader may be a stream.
func Read(in io.Reader, name string) (*Schedule, error) {
	b := bufio.NewReaderSize(in, 16)
	p := packedBy(b)
	if p == nil {
		return readPlain(b, name)
	}
	unpacked, err := p.open(b)
	if err != nil {
		return nil, fmt.Errorf("%s: is not packed by %s after all: %w", name, p.name, err)
	}
	defer unpacked.Close()
	return readPlain(bufio.NewReaderSize(&unpacking{unpacked, p.name}, 16), name)
}

// readPlain reads a schedule that is not packed.
func readPlain(b *bufio.Reader, name string) (*Schedule, error) {
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
	return ReadText(b, name)
}

var errEmpty = errors.New("the file is empty: want a GOAL schedule")
