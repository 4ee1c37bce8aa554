package goal

import (
	"bufio"
	"io"
	"strconv"
)

// WriteText writes the schedule in GOAL's text form. Operation i of a rank, counted from
// 1, gets the label li. The dependencies follow the operations of their rank, grouped by
// the operation waited for, so that reading the text gives the same schedule, with the
// same order in every row.
func (s *Schedule) WriteText(out io.Writer) error {
	w := bufio.NewWriterSize(out, bufferSize)
	b := append([]byte("num_ranks "), strconv.Itoa(s.Ranks())...)
	w.Write(append(b, '\n'))
	for r := range s.Ranks() {
		b = append(strconv.AppendInt(append(b[:0], "\nrank "...), int64(r), 10), " {\n"...)
		ops, first := s.Rank(r)
		for i := range ops {
			b = appendOp(b, &ops[i], i)
			b = flushFull(w, b)
		}
		for i := range ops {
			b = s.appendDependants(w, b, uint32(first+i), uint32(first))
		}
		w.Write(append(b, "}\n"...))
	}
	return w.Flush()
}

// flushFull writes b to w before it grows large. The bufio.Writer keeps the first error.
func flushFull(w *bufio.Writer, b []byte) []byte {
	if len(b) < 4096 {
		return b
	}
	w.Write(b)
	return b[:0]
}

func appendLabel(b []byte, op uint32) []byte {
	return strconv.AppendUint(append(b, 'l'), uint64(op)+1, 10)
}

func appendOp(b []byte, op *Op, i int) []byte {
	b = append(appendLabel(b, uint32(i)), ": "...)
	b = append(append(b, op.Kind.String()...), ' ')
	b = strconv.AppendUint(b, op.Size, 10)
	switch op.Kind {
	case Send:
		b = append(b, "b to "...)
	case Recv:
		b = append(b, "b from "...)
	}
	if op.Kind != Calc {
		b = appendOrAny(b, op.Peer)
		if op.Tag != 0 {
			b = appendOrAny(append(b, " tag "...), op.Tag)
		}
	}
	if op.CPU != 0 {
		b = strconv.AppendUint(append(b, " cpu "...), uint64(op.CPU), 10)
	}
	if op.NIC != 0 && op.Kind != Calc {
		b = strconv.AppendUint(append(b, " nic "...), uint64(op.NIC), 10)
	}
	return append(b, '\n')
}

func appendOrAny(b []byte, n uint32) []byte {
	if n == AnyTag {
		return append(b, "-1"...)
	}
	return strconv.AppendUint(b, uint64(n), 10)
}

func (s *Schedule) appendDependants(w *bufio.Writer, b []byte, op, first uint32) []byte {
	for _, d := range s.after(op) {
		verb := " requires "
		if d&onStart != 0 {
			verb = " irequires "
		}
		b = append(appendLabel(b, d&^onStart-first), verb...)
		b = append(appendLabel(b, op-first), '\n')
		b = flushFull(w, b)
	}
	return b
}
