package chakra

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"overlapsim/workloads/experiments"
)

// Limits on what is read.
const (
	mostMessage = 64 << 20
	mostNodes   = 5_000_000
	mostEdges   = 50_000_000
)

// Types of nodes.
const (
	metadata   = 1
	load       = 2
	store      = 3
	compute    = 4
	send       = 5
	receive    = 6
	collective = 7
)

// node is a node of a file, with the attributes that are used.
type node struct {
	id       uint64
	name     string
	kind     uint64
	data     []uint64
	duration uint64 // us
	offset   int64  // of its message in the file

	host               bool
	operation          int64 // of a collective; -1: not given
	bytes              int64 // of communication
	from, to, tag      int64
	flops, moved       int64
	group              string
	partly             bool // some dimensions of the network take no part
	hasFrom, hasTo     bool
	hasBytes, hasFlops bool
}

// readFile reads the nodes of a file, gzipped or not.
func readFile(name string) ([]node, error) {
	return experiments.ReadTrace(name, read)
}

// reader counts bytes.
type reader struct {
	*bufio.Reader
	at int64
}

func (r *reader) ReadByte() (byte, error) {
	b, err := r.Reader.ReadByte()
	if err == nil {
		r.at++
	}
	return b, err
}

// read reads the nodes of a trace.
func read(from io.Reader) (nodes []node, err error) {
	r := &reader{Reader: bufio.NewReaderSize(from, 1<<16)}
	edges, seen := 0, map[uint64]int64{}
	for first := true; ; first = false {
		at := r.at
		text, err := r.message()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("at byte %d: %w", at, err)
		}
		if first {
			continue // metadata
		}
		n := node{offset: at, operation: -1}
		if err := n.decode(text); err != nil {
			return nil, fmt.Errorf("at byte %d: %w", at, err)
		}
		if before, twice := seen[n.id]; twice {
			return nil, fmt.Errorf("at byte %d: node %d (%.60s): has the number of the node at byte %d", at, n.id, n.name, before)
		}
		seen[n.id] = at
		if edges += len(n.data); len(nodes) == mostNodes || edges > mostEdges {
			return nil, fmt.Errorf("at byte %d: there are more than %d nodes, or %d dependencies", at, mostNodes, mostEdges)
		}
		nodes = append(nodes, n)
	}
	if len(nodes) == 0 {
		return nil, errors.New("has no nodes: a trace has metadata, then nodes, each with its length before it")
	}
	return nodes, nil
}

// message reads a message. The error is io.EOF at the end of the file.
func (r *reader) message() ([]byte, error) {
	length, err := binary.ReadUvarint(r)
	switch {
	case err == io.EOF:
		return nil, io.EOF
	case err != nil:
		return nil, errors.New("the length of a message is not a number, or is cut off")
	case length > mostMessage:
		return nil, fmt.Errorf("a message of %d bytes is too long, the most is %d; is it a trace of Chakra?", length, mostMessage)
	}
	var text bytes.Buffer
	n, err := io.CopyN(&text, r.Reader, int64(length))
	r.at += n
	if err != nil {
		return nil, fmt.Errorf("a message of %d bytes is cut off after %d", length, n)
	}
	return text.Bytes(), nil
}

// each calls a function for each field of a message: numbers as they are, other values as bytes.
func each(text []byte, field func(number protowire.Number, value uint64, inside []byte) error) error {
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 {
			return protowire.ParseError(n)
		}
		text = text[n:]
		var value uint64
		var inside []byte
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(text)
		case protowire.BytesType:
			inside, n = protowire.ConsumeBytes(text)
		case protowire.Fixed32Type:
			var small uint32
			small, n = protowire.ConsumeFixed32(text)
			value = uint64(small)
		case protowire.Fixed64Type:
			value, n = protowire.ConsumeFixed64(text)
		default:
			n = protowire.ConsumeFieldValue(number, kind, text)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		text = text[n:]
		if err := field(number, value, inside); err != nil {
			return err
		}
	}
	return nil
}

// decode reads a node.
func (n *node) decode(text []byte) error {
	return each(text, func(number protowire.Number, value uint64, inside []byte) (err error) {
		switch number {
		case 1:
			n.id = value
		case 2:
			n.name = string(inside)
		case 3:
			n.kind = value
		case 5:
			n.data, err = numbers(n.data, value, inside)
		case 7:
			n.duration = value
		case 10:
			err = n.attribute(inside)
		}
		return err
	})
}

// numbers appends numbers, packed or one by one.
func numbers(to []uint64, value uint64, packed []byte) ([]uint64, error) {
	if packed == nil {
		return append(to, value), nil
	}
	for len(packed) > 0 {
		one, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		to, packed = append(to, one), packed[n:]
	}
	return to, nil
}

// Fields of an attribute that hold numbers in special encodings. Other integers are stored as
// they are.
const (
	signed32   = 15 // zigzag
	signed64   = 17
	flags      = 28
	fixed32    = 23
	attribute1 = 1
)

// attribute reads an attribute.
func (n *node) attribute(message []byte) error {
	var name string
	var kind protowire.Number
	var value uint64
	var inside []byte
	err := each(message, func(number protowire.Number, v uint64, in []byte) error {
		switch {
		case number == attribute1:
			name = string(in)
		case number > 2:
			kind, value, inside = number, v, in
		}
		return nil
	})
	if err != nil {
		return err
	}
	return n.take(name, kind, value, inside)
}

// take records the value of an attribute.
func (n *node) take(name string, kind protowire.Number, value uint64, inside []byte) error {
	number := int64(value)
	switch kind {
	case signed32, signed64:
		number = protowire.DecodeZigZag(value)
	case fixed32:
		number = int64(int32(value))
	}
	switch name {
	case "is_cpu_op":
		n.host = value != 0
	case "comm_type":
		n.operation = number
	case "comm_size":
		n.bytes, n.hasBytes = number, true
	case "comm_src":
		n.from, n.hasFrom = number, true
	case "comm_dst":
		n.to, n.hasTo = number, true
	case "comm_tag":
		n.tag = number
	case "num_ops":
		n.flops, n.hasFlops = number, true
	case "tensor_size":
		n.moved = number
	case "pg_name":
		if n.group = string(inside); inside == nil {
			n.group = fmt.Sprint(number)
		}
	case "involved_dim":
		if kind == flags {
			return n.dimensions(inside)
		}
	}
	return nil
}

// dimensions notes whether some dimension of the network takes no part.
func (n *node) dimensions(list []byte) error {
	return each(list, func(_ protowire.Number, value uint64, inside []byte) error {
		all, err := numbers(nil, value, inside)
		for _, one := range all {
			n.partly = n.partly || one == 0
		}
		return err
	})
}
