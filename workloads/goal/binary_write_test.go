package goal

import (
	"bufio"
	"encoding/binary"
	"io"
)

// WriteBinary writes the schedule in LogGOPSim's binary form.
func (s *Schedule) WriteBinary(out io.Writer) error {
	w := bufio.NewWriterSize(out, bufferSize)
	b := binary.LittleEndian.AppendUint64(nil, magic)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Ranks()))
	w.Write(append(b, uint8(s.cpus-1), uint8(s.nics-1)))
	open := s.openCounts()
	at := uint64(headSize + 16*s.Ranks())
	for r := range s.Ranks() {
		b = binary.LittleEndian.AppendUint64(b[:0], at)
		at += s.binarySize(r, open)
		w.Write(binary.LittleEndian.AppendUint64(b, at))
	}
	for r := range s.Ranks() {
		s.writeRank(w, r, open)
	}
	return w.Flush()
}

// binarySize returns the number of bytes of rank r.
func (s *Schedule) binarySize(r int, open []uint32) uint64 {
	ops, first := s.Rank(r)
	edges := s.ops[s.ranks[r+1]].first - s.ops[first].first
	return 8 + 4*uint64(countZeros(open[first:first+len(ops)])) + nodeSize*uint64(len(ops)) + 4*uint64(edges)
}

func countZeros(list []uint32) (n int) {
	for _, x := range list {
		if x == 0 {
			n++
		}
	}
	return n
}

// writeRank writes rank r. The bufio.Writer keeps the first error.
func (s *Schedule) writeRank(w *bufio.Writer, r int, open []uint32) {
	le := binary.LittleEndian
	ops, first := s.Rank(r)
	open = open[first : first+len(ops)]
	b := le.AppendUint32(nil, uint32(len(ops)))
	b = le.AppendUint32(b, uint32(countZeros(open)))
	for i, k := range open {
		if k == 0 {
			b = le.AppendUint32(b, uint32(i))
		}
	}
	w.Write(b)
	for i := range ops {
		w.Write(s.appendNode(b[:0], uint32(first+i), uint32(first), open[i]))
	}
	for i := range ops {
		after := s.after(uint32(first + i))
		starts := countStarts(after)
		b = b[:0]
		for _, d := range after[starts:] {
			b = le.AppendUint32(b, d-uint32(first))
		}
		for _, d := range after[:starts] {
			b = le.AppendUint32(b, d&^onStart-uint32(first))
		}
		w.Write(b)
	}
}

func countStarts(after []uint32) int {
	n := 0
	for n < len(after) && after[n]&onStart != 0 {
		n++
	}
	return n
}

func (s *Schedule) appendNode(b []byte, op, first, open uint32) []byte {
	le := binary.LittleEndian
	o := &s.ops[op]
	starts := uint32(countStarts(s.after(op)))
	done := uint32(len(s.after(op))) - starts
	row := o.first - s.ops[first].first
	b = le.AppendUint32(b, open)
	b = append(b, uint8(o.Kind))
	b = le.AppendUint32(b, o.Peer)
	b = le.AppendUint64(b, o.Size)
	b = le.AppendUint32(b, o.Tag)
	b = append(b, o.CPU, o.NIC)
	b = le.AppendUint32(b, done)
	b = le.AppendUint32(b, row)
	b = le.AppendUint32(b, starts)
	return le.AppendUint32(b, row+done)
}
