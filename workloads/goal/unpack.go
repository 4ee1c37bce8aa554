package goal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"overlapsim/workloads/inputs"
)

// packing is a form in which a schedule may be packed.
type packing struct {
	name  string
	magic []byte // with which it begins
	open  func(in io.Reader) (io.ReadCloser, error)
}

// Named tells whether a file has the name of a schedule, packed or not.
func Named(file string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".zst"), ".goal")
}

// packings are all forms. A stream is unpacked on another core while it is read.
var packings = []packing{
	{"gzip", []byte{0x1f, 0x8b}, func(in io.Reader) (io.ReadCloser, error) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		return newAhead(unpacked), nil
	}},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, inputs.Zstd},
}

// packedBy returns how a stream is packed; nil if it is not packed.
func packedBy(in *bufio.Reader) *packing {
	for i := range packings {
		if head, _ := in.Peek(len(packings[i].magic)); bytes.Equal(head, packings[i].magic) {
			return &packings[i]
		}
	}
	return nil
}

// unpacking adds the name of the packing to errors.
type unpacking struct {
	io.Reader
	name string
}

// Read implements io.Reader.
func (u *unpacking) Read(b []byte) (n int, err error) {
	if n, err = u.Reader.Read(b); err != nil && err != io.EOF {
		err = fmt.Errorf("cannot be unpacked as %s: %w", u.name, err)
	}
	return n, err
}

// ahead reads a stream in its own goroutine, several pieces ahead.
type ahead struct {
	pieces chan []byte // what has been read; closed at its end
	free   chan []byte // pieces to read into
	stop   chan struct{}
	piece  []byte // the rest of what was received last
	whole  []byte // all of it
	err    error  // of the stream, once pieces is closed
}

const (
	pieceSize = 256 << 10
	numPieces = 3
)

func newAhead(in io.Reader) *ahead {
	a := &ahead{pieces: make(chan []byte, numPieces), free: make(chan []byte, numPieces), stop: make(chan struct{})}
	for range numPieces {
		a.free <- make([]byte, pieceSize)
	}
	go a.fill(in)
	return a
}

// fill reads until the end of the stream, or until the reader is closed.
func (a *ahead) fill(in io.Reader) {
	defer close(a.pieces)
	for a.err == nil {
		select {
		case <-a.stop:
			return
		case piece := <-a.free:
			full := 0
			for full < len(piece) && a.err == nil {
				var n int
				n, a.err = in.Read(piece[full:])
				full += n
			}
			a.pieces <- piece[:full]
		}
	}
}

// Read implements io.Reader.
func (a *ahead) Read(b []byte) (int, error) {
	for len(a.piece) == 0 {
		if a.whole != nil {
			a.free <- a.whole[:pieceSize]
		}
		next, ok := <-a.pieces
		if a.whole = next; !ok {
			return 0, a.err
		}
		a.piece = next
	}
	n := copy(b, a.piece)
	a.piece = a.piece[n:]
	return n, nil
}

// Close stops reading.
func (a *ahead) Close() error {
	close(a.stop)
	return nil
}
