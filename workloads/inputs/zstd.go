//go:build !js

package inputs

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest number of bytes back to which a zstd stream may refer: as far as its
// tool does at its usual levels. A larger window would let a file take the reader's memory.
const maxWindow = 128 << 20

// Zstd unpacks a stream. The caller closes it.
func Zstd(in io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
