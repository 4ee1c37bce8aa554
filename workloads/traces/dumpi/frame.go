package dumpi

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"overlapsim/workloads/inputs"
	"overlapsim/workloads/traces"
)

// magic begins a file, and the index at its end.
const magic = 0xffaadd44554d5049

// begin is where the calls begin: behind the magic number and two biases.
const begin = 16

// frame is what a file says about its calls.
type frame struct {
	path    string
	version [3]byte
	end     int64   // of the calls
	sizes   []int64 // of datatypes, by their numbers; nil: not said
}

// The entries of the index, from its end.
const (
	keyEntry = iota
	footerEntry
	bodyEntry
	headerEntry
	counterEntry
	nameEntry
	sizeEntry
	entries
)

// openFrame reads the index, the header and the sizes of a file.
func openFrame(path string) (f frame, err error) {
	file, err := inputs.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	length, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return f, err
	}
	f.path = path
	index, err := f.index(file, length)
	if err != nil {
		return f, err
	}
	if f.end = index[headerEntry]; f.end < begin {
		return f, f.problem(length-8*(headerEntry+1), "the index has no header, which tells where the calls end")
	}
	if err := f.header(file, length); err != nil {
		return f, err
	}
	if at := index[sizeEntry]; at > 0 {
		err = f.datatypes(file, at, length)
	}
	return f, err
}

func (f *frame) problem(offset int64, format string, args ...any) error {
	return &traces.Problem{Name: f.path, Offset: offset, Text: fmt.Sprintf(format, args...)}
}

// index reads the offsets at the end of a file. Entries that an older file does not have are
// 0.
func (f *frame) index(file io.ReaderAt, length int64) (index [entries]int64, err error) {
	var words [8 * (entries + 1)]byte
	have := min(length-8, int64(len(words)))
	if have < 8*(headerEntry+2) {
		return index, f.problem(length, "the file is cut off: want an index of offsets at its end")
	}
	if _, err := file.ReadAt(words[:have], length-have); err != nil {
		return index, err
	}
	for i := range int(have / 8) {
		word := binary.BigEndian.Uint64(words[have-8*int64(i+1):])
		switch {
		case word == magic && i > headerEntry:
			return index, nil
		case i == entries:
		case word >= uint64(length):
			return index, f.problem(length-8*int64(i+1), "the index names the offset %d in a file of %d bytes", word, length)
		default:
			index[i] = int64(word)
		}
	}
	return index, f.problem(length, "the file is cut off: want an index after the magic number at its end")
}

// header reads the version.
func (f *frame) header(file io.ReaderAt, length int64) error {
	if f.end+int64(len(f.version)) > length {
		return f.problem(f.end, "the header is cut off")
	}
	_, err := file.ReadAt(f.version[:], f.end)
	return err
}

// since tells whether a file has at least a version.
func (f *frame) since(major, minor, patch byte) bool {
	want := [3]byte{major, minor, patch}
	for i := range want {
		if f.version[i] != want[i] {
			return f.version[i] > want[i]
		}
	}
	return true
}

// datatypes reads the sizes of datatypes.
func (f *frame) datatypes(file io.ReaderAt, at, length int64) error {
	in := bufio.NewReader(io.NewSectionReader(file, at, length-at))
	var count uint32
	err := binary.Read(in, binary.BigEndian, &count)
	if err != nil || int64(count) > (length-at)/4 {
		return f.problem(at, "the sizes of datatypes are cut off")
	}
	sizes := make([]int32, count)
	if err := binary.Read(in, binary.BigEndian, sizes); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return f.problem(at, "the sizes of datatypes are cut off")
		}
		return err
	}
	for _, size := range sizes {
		f.sizes = append(f.sizes, int64(size))
	}
	return nil
}
