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
		return ahead(unpacked), nil
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

// ahead reads a stream in its own goroutine, a piece ahead.
func ahead(in io.Reader) io.ReadCloser {
	out, pieces := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(pieces, struct{ io.Reader }{in}, make([]byte, pieceSize))
		pieces.CloseWithError(err)
	}()
	return out
}

// pieceSize is how much is unpacked at a time.
const pieceSize = 256 << 10
