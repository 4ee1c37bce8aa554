package traces

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
)

// The form of a file (docs/reference/recorded-programs.md): magic, blocks, index, tail.
const (
	magic    = "overlapsim trace 1\n"
	tailWord = "end of trace"
	tailSize = 8 + 8 + 4 + len(tailWord)
	fullAt   = 128 << 10 // bytes of columns at which a block is full
	maxBlock = 64 << 20  // bytes of columns of a block
	maxIndex = 256 << 20 // bytes of an index
)

// index stands behind the blocks.
type index struct {
	Header
	Streams [][]int64 // offsets of the blocks of each rank
}

// Write writes a trace.
func Write(w io.Writer, t Trace) error {
	h := t.Header()
	if err := h.check(); err != nil {
		return err
	}
	x := &writer{w: w, index: index{Header: *h}}
	x.deflate, _ = flate.NewWriter(nil, flate.DefaultCompression) // this level is valid
	x.out([]byte(magic))
	for rank := range h.Ranks {
		x.Streams = append(x.Streams, []int64{})
		if err := x.stream(rank, t.Calls(rank)); err != nil {
			return err
		}
	}
	return x.end()
}

// writer writes blocks and remembers where they are.
type writer struct {
	w       io.Writer
	at      int64
	failed  error
	deflate *flate.Writer
	columns [columns][]byte
	calls   int64 // in the columns
	index
}

func (x *writer) out(b []byte) {
	if x.failed == nil {
		_, x.failed = x.w.Write(b)
	}
	x.at += int64(len(b))
}

// stream writes the calls of a rank.
func (x *writer) stream(rank int, calls Stream) error {
	n := int64(0)
	for c, err := range All(calls) {
		if err != nil {
			return err
		}
		if err := x.Check(c); err != nil {
			return fmt.Errorf("rank %d, call %d: %w", rank, n, err)
		}
		if size := x.add(c); size >= maxBlock {
			return fmt.Errorf("rank %d, call %d: takes more than %d bytes", rank, n, maxBlock)
		} else if size >= fullAt {
			x.block(rank)
		}
		n++
	}
	x.block(rank)
	return x.failed
}

// add puts a call into the columns, and returns their size.
func (x *writer) add(c *Call) (size int) {
	for _, list := range [][]field{always, c.Kind.fields()} {
		for _, f := range list {
			x.columns[f] = fieldTable[f].put(x.columns[f], c)
		}
	}
	x.calls++
	for _, column := range x.columns {
		size += len(column)
	}
	return size
}

// block writes the columns as a block.
func (x *writer) block(rank int) {
	if x.calls == 0 {
		return
	}
	var raw []byte
	for _, column := range x.columns {
		raw = putCount(raw, int64(len(column)))
	}
	for i, column := range x.columns {
		raw = append(raw, column...)
		x.columns[i] = column[:0]
	}
	packed := x.pack(raw)
	x.Streams[rank] = append(x.Streams[rank], x.at)
	head := putCount(putCount(putCount(putCount(nil, int64(rank)), x.calls), int64(len(raw))), int64(len(packed)))
	x.out(binary.LittleEndian.AppendUint32(head, checksum(head, packed)))
	x.out(packed)
	x.calls = 0
}

// checksum is the CRC-32 of a block's head and contents.
func checksum(head, packed []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, packed)
}

// pack compresses bytes.
func (x *writer) pack(raw []byte) []byte {
	var out bytes.Buffer
	x.deflate.Reset(&out)
	x.deflate.Write(raw) // a Buffer accepts everything
	x.deflate.Close()
	return out.Bytes()
}

// end writes the index and the tail.
func (x *writer) end() error {
	text, err := json.Marshal(&x.index)
	if err != nil {
		return err
	}
	packed := x.pack(text)
	tail := binary.LittleEndian.AppendUint64(nil, uint64(x.at))
	tail = binary.LittleEndian.AppendUint64(tail, uint64(len(packed)))
	tail = binary.LittleEndian.AppendUint32(tail, crc32.ChecksumIEEE(packed))
	x.out(packed)
	x.out(append(tail, tailWord...))
	return x.failed
}
