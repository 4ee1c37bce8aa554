package goal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The binary form of LogGOPSim's txt2bin: all numbers are little endian without padding,
// and offsets count from the end of the magic number.
const (
	magic       = 4223
	magicSpoilt = 2342 // left by a run with --save-mem
	nodeSize    = 39
	atDone      = 23 // in a node: number and first of the operations that wait for its end
	atStart     = 31 // the same, for its start
	headSize    = 6  // ranks, highest CPU, highest NIC
	mostBinary  = 4 << 30
)

// ReadBinary reads a schedule in LogGOPSim's binary form. It checks every
// offset, index and count.
func ReadBinary(in io.Reader, name string) (*Schedule, error) {
	data, err := io.ReadAll(io.LimitReader(in, mostBinary+1))
	if err == nil && int64(len(data)) > mostBinary {
		err = fmt.Errorf("has more than %d bytes, which is the most that a binary schedule may have", int64(mostBinary))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s, err := parseBinary(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func parseBinary(data []byte) (*Schedule, error) {
	if len(data) < 8+headSize {
		return nil, fmt.Errorf("%d bytes are too few for a binary schedule", len(data))
	}
	switch m := binary.LittleEndian.Uint64(data); m {
	case magic:
	case magicSpoilt:
		return nil, errors.New("a run of LogGOPSim with --save-mem has spoilt this file: convert the text again")
	default:
		return nil, fmt.Errorf("the file begins with %d, not with %d of a binary schedule", m, magic)
	}
	data = data[8:]
	ranks := int64(binary.LittleEndian.Uint32(data))
	if ranks == 0 || headSize+16*ranks > int64(len(data)) {
		return nil, fmt.Errorf("%d ranks do not fit a file of %d bytes", ranks, len(data)+8)
	}
	p := &binaryReader{data: data, a: NewAssembler(int(ranks)), maxCPU: data[4], maxNIC: data[5]}
	for r := range ranks {
		switch err := p.rank(data[headSize+16*r:]); {
		case p.a.err != nil:
			return nil, p.a.err
		case err != nil:
			return nil, fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return p.a.Schedule()
}

type binaryReader struct {
	data           []byte
	a              *Assembler
	maxCPU, maxNIC uint8
	used           uint64   // bytes of the ranks so far
	waits          []uint32 // of each operation of the rank, as given by the file
}

// rank reads one rank; entry is its row of the table.
func (p *binaryReader) rank(entry []byte) error {
	from, to := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
	if from > to || to > uint64(len(p.data)) {
		return fmt.Errorf("bytes %d to %d of %d do not exist", from, to, len(p.data))
	}
	// Ranks that share bytes could make a small file large in memory.
	if p.used += to - from; p.used > uint64(len(p.data)) {
		return errors.New("its bytes are another rank's")
	}
	b := p.data[from:to]
	if len(b) < 8 {
		return fmt.Errorf("%d bytes are too few", len(b))
	}
	n, roots := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
	if 8+4*roots+nodeSize*n > uint64(len(b)) {
		return fmt.Errorf("%d operations and %d roots do not fit %d bytes", n, roots, len(b))
	}
	if n+uint64(len(p.a.s.ops)) > maxOps {
		return fmt.Errorf("more than %d operations", maxOps)
	}
	b = b[8+4*roots:]
	return p.operations(b[:nodeSize*n], b[nodeSize*n:], uint32(n))
}

// operations reads the nodes of a rank and their dependants.
func (p *binaryReader) operations(nodes, dependants []byte, n uint32) error {
	p.waits = p.waits[:0]
	for i := range n {
		node := nodes[nodeSize*i:]
		if err := p.node(node); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		p.waits = append(p.waits, binary.LittleEndian.Uint32(node))
	}
	for i := range n {
		node := nodes[nodeSize*i:]
		if err := p.row(node[atStart:], dependants, i, onStart); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		if err := p.row(node[atDone:], dependants, i, 0); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
	}
	for i, w := range p.waits {
		if w != 0 {
			return fmt.Errorf("operation %d: the file says that it waits for %+d more than it does", i, int32(w))
		}
	}
	p.a.EndRank()
	return nil
}

// row reads the dependants of operation on: their number and the index of the first.
func (p *binaryReader) row(b, dependants []byte, on, bit uint32) error {
	n, first := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
	if n == 0 {
		return nil
	}
	if 4*(first+n) > uint64(len(dependants)) {
		return fmt.Errorf("dependants %d to %d of %d do not exist", first, first+n-1, len(dependants)/4)
	}
	for k := first; k < first+n; k++ {
		d := binary.LittleEndian.Uint32(dependants[4*k:])
		if int64(d) >= int64(len(p.waits)) {
			return fmt.Errorf("its dependant %d is not one of %d operations", d, len(p.waits))
		}
		p.waits[d]--
		p.a.edge(d, on, bit)
	}
	return nil
}

func (p *binaryReader) node(b []byte) error {
	op := Op{
		Kind: OperationKind(b[4]),
		Peer: binary.LittleEndian.Uint32(b[5:]),
		Size: binary.LittleEndian.Uint64(b[9:]),
		Tag:  binary.LittleEndian.Uint32(b[17:]),
		CPU:  b[21],
		NIC:  b[22],
	}
	if op.CPU > p.maxCPU || op.NIC > p.maxNIC {
		return fmt.Errorf("CPU %d, NIC %d: the head of the file says at most %d and %d", op.CPU, op.NIC, p.maxCPU, p.maxNIC)
	}
	p.a.Add(op)
	return nil
}
