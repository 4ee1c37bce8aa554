package goal

import (
	"encoding/binary"
	"math/bits"
)

// labels maps the labels of one rank to its operations: open addressing on a
// 64-bit key, which for up to 8 bytes is the label itself.
type labels struct {
	slots []labelSlot // a power of two
	spare []labelSlot // where slots grow to
	used  int
	text  []byte // of the longer labels
}

type labelSlot struct {
	key      uint64
	op       uint32 // plus 1; 0: the slot is free
	from, to uint32 // of a longer label, in text
}

// reset forgets all labels. It makes room for as many as there were, so that
// clearing never costs more than filling did.
func (l *labels) reset() {
	l.slots = l.room(max(64, 1<<bits.Len(uint(2*l.used))))
	l.used, l.text = 0, l.text[:0]
}

// room returns n free slots, in what slots do not use if that is enough.
func (l *labels) room(n int) []labelSlot {
	free := l.spare
	l.spare = l.slots[:cap(l.slots)]
	if cap(free) < n {
		return make([]labelSlot, n)
	}
	clear(free[:n])
	return free[:n]
}

// labelKey returns the key of the label line[from:to]. Longer labels have the
// highest bit set, which a byte of a label never has.
func labelKey(line []byte, from, to int) uint64 {
	if n := to - from; n <= 8 {
		return binary.LittleEndian.Uint64(line[from:from+8]) & (^uint64(0) >> (64 - 8*uint(n)))
	}
	h := uint64(to - from)
	for ; to-from > 8; from += 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(line[from:]))
	}
	return mix(h^labelKey(line, from, to)) | 1<<63
}

// mix is the multiply-and-fold step of wyhash.
func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

// find returns the slot of the label, or the free one where it belongs.
func (l *labels) find(key uint64, label []byte) *labelSlot {
	mask := uint64(len(l.slots) - 1)
	for i := mix(key) & mask; ; i = (i + 1) & mask {
		s := &l.slots[i]
		if s.op == 0 || s.key == key && (key>>63 == 0 || string(l.text[s.from:s.to]) == string(label)) {
			return s
		}
	}
}

// get returns the operation of a label.
func (l *labels) get(key uint64, label []byte) (op uint32, ok bool) {
	s := l.find(key, label)
	return s.op - 1, s.op != 0
}

// define names an operation. A label that is in use keeps its operation.
func (l *labels) define(key uint64, label []byte, op uint32) {
	s := l.find(key, label)
	if s.op != 0 {
		return
	}
	*s = labelSlot{key: key, op: op + 1}
	if key>>63 != 0 {
		s.from = uint32(len(l.text))
		l.text = append(l.text, label...)
		s.to = uint32(len(l.text))
	}
	if l.used++; 2*l.used > len(l.slots) {
		l.grow()
	}
}

func (l *labels) grow() {
	old := l.slots
	l.slots = l.room(2 * len(old))
	for _, s := range old {
		if s.op != 0 {
			*l.find(s.key, l.text[s.from:s.to]) = s
		}
	}
}

// name returns the label of an operation, "" if it has none. It takes a look at
// every label.
func (l *labels) name(op uint32) string {
	for _, s := range l.slots {
		if s.op != op+1 {
			continue
		}
		if s.key>>63 != 0 {
			return string(l.text[s.from:s.to])
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], s.key)
		n := 8 - bits.LeadingZeros64(s.key)/8
		return string(b[:n])
	}
	return ""
}
