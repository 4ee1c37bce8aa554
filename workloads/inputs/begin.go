package inputs

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
)

// begun is how many bytes of a file are looked at to see what it is.
const begun = 64 << 10

// Begin returns the beginning of a regular file, unpacked if gzip or zstd packed it. Of anything
// else, such as the output of a command that can be read only once, it reads nothing.
func Begin(path string) []byte {
	plain := peek(path)
	if unpacked := unpack(plain); unpacked != nil {
		return unpacked
	}
	return plain
}

// Packed is what packed a regular file: gzip, zstd, or nothing.
func Packed(path string) string { return packed(peek(path)) }

// peek returns the beginning of a regular file as it is.
func peek(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, begun)
	plain, _ := in.Peek(begun)
	return plain
}

// packed is what packed a text with this beginning.
func packed(begin []byte) string {
	switch {
	case bytes.HasPrefix(begin, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(begin, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	}
	return ""
}

// unpack returns the beginning of what a packed text holds; nil if it is not packed, or damaged.
func unpack(text []byte) []byte {
	var in io.Reader
	var err error
	switch packed(text) {
	case "gzip":
		in, err = gzip.NewReader(bytes.NewReader(text))
	case "zstd":
		var d io.ReadCloser
		if d, err = Zstd(bytes.NewReader(text)); err == nil {
			defer d.Close()
			in = d
		}
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	io.Copy(&out, io.LimitReader(in, begun)) // the end of text cuts it off
	return out.Bytes()
}
