package inputs

import (
	"errors"
	"io"
)

// Zstd is not part of the simulator of pages, which reads no files.
func Zstd(io.Reader) (io.ReadCloser, error) { return nil, errors.New("zstd is not read in a browser") }
