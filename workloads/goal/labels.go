package goal

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// labels maps the labels of one rank to its operations. Those like l1, l2, ... are in a list by
// their number, as long as it is not much larger than the number of operations. For the others
// there is open addressing on a 64-bit key, which for up to 8 bytes is the label itself.
type labels struct {
	list  []uint32    // operation plus 1, by the number of its label; 0: it has none, or it is in a slot
	slots []labelSlot // a power of two
	spare []labelSlot // memory that slots can grow into
	used  int
	text  []byte   // of the longer labels, one after another
	ends  []uint32 // of each of them
}

type labelSlot struct {
	key  uint64
	op   uint32 // plus 1; 0: the slot is free
	long uint32 // index of a longer label
}

// reset forgets all labels. It keeps room for as many labels as there were, so that
// clearing never costs more than filling did.
func (l *labels) reset() {
	l.slots = l.room(max(64, 1<<bits.Len(uint(2*l.used))))
	l.used, l.text, l.ends = 0, l.text[:0], l.ends[:0]
	clear(l.list)
	l.list = l.list[:min(len(l.list), fewNumbers)]
}

// fewNumbers is how long the list of a rank is at first.
const fewNumbers = 256

// numberOf returns the number of a label like l17.
func numberOf(label []byte) (n uint64, ok bool) {
	if len(label) < 2 || len(label) > 1+mostDigits || label[0] != 'l' || label[1] == '0' {
		return 0, false
	}
	for _, c := range label[1:] {
		if classes[c] != digit {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return n, true
}

// numbered returns the operation plus 1 of a label in the list; 0: it is not there.
func (l *labels) numbered(n uint64) uint32 {
	if n < uint64(len(l.list)) {
		return l.list[n]
	}
	return 0
}

// fresh tells whether the list has room for a label, and no operation has it.
func (l *labels) fresh(n uint64) bool {
	return n < uint64(len(l.list)) && l.list[n] == 0 && l.used == 0
}

// extend makes room in the list for a label of an operation.
func (l *labels) extend(n uint64, op uint32) bool {
	have := uint64(len(l.list))
	if n >= have && n <= 2*uint64(op)+fewNumbers {
		l.list = append(l.list, make([]uint32, max(have, fewNumbers, n+1-have))...)
	}
	return n < uint64(len(l.list))
}

// room returns n free slots, from the spare memory if that is large enough.
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

// home returns the slot at which the search for a key begins, to be taken modulo the
// number of slots. Labels that differ only in the last digit, as neighbours often do,
// begin in neighbouring slots, on one cache line.
func home(key uint64) uint64 {
	last := 56 - bits.LeadingZeros64(key)&^7
	low := key >> last & 7
	return mix(key^low<<last)<<3 | low
}

// find returns the slot of the label, or the free one where it belongs.
func (l *labels) find(key uint64, label []byte) *labelSlot {
	mask := uint64(len(l.slots) - 1)
	for i := home(key) & mask; ; i = (i + 1) & mask {
		s := &l.slots[i]
		if s.op == 0 || s.key == key && (key>>63 == 0 || string(l.longer(s.long)) == string(label)) {
			return s
		}
	}
}

// longer returns one of the longer labels.
func (l *labels) longer(i uint32) []byte {
	from := uint32(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.text[from:l.ends[i]]
}

// get returns the operation of a label.
func (l *labels) get(key uint64, label []byte) (op uint32, ok bool) {
	if n, ok := numberOf(label); ok && l.numbered(n) != 0 {
		return l.numbered(n) - 1, true
	}
	s := l.find(key, label)
	return s.op - 1, s.op != 0
}

// define gives an operation a label. It returns false if the label is in use; the label
// then keeps its operation.
func (l *labels) define(key uint64, label []byte, op uint32) bool {
	if _, taken := l.get(key, label); taken {
		return false
	}
	if n, ok := numberOf(label); ok && l.extend(n, op) {
		l.list[n] = op + 1
		return true
	}
	s := l.find(key, label)
	*s = labelSlot{key: key, op: op + 1}
	if key>>63 != 0 {
		s.long = uint32(len(l.ends))
		l.text = append(l.text, label...)
		l.ends = append(l.ends, uint32(len(l.text)))
	}
	if l.used++; 2*l.used > len(l.slots) {
		l.grow()
	}
	return true
}

func (l *labels) grow() {
	old := l.slots
	l.slots = l.room(2 * len(old))
	for _, s := range old {
		switch {
		case s.op == 0:
		case s.key>>63 != 0:
			*l.find(s.key, l.longer(s.long)) = s
		default:
			*l.find(s.key, nil) = s
		}
	}
}

// label returns the label of a slot in use.
func (l *labels) label(s labelSlot) []byte {
	if s.key>>63 != 0 {
		return l.longer(s.long)
	}
	n := 8 - bits.LeadingZeros64(s.key)/8
	return binary.LittleEndian.AppendUint64(nil, s.key)[:n]
}

// name returns the label of an operation, "" if it has none. It searches all labels.
func (l *labels) name(op uint32) string {
	if n := slices.Index(l.list, op+1); n >= 0 {
		return fmt.Sprintf("l%d", n)
	}
	for _, s := range l.slots {
		if s.op == op+1 {
			return string(l.label(s))
		}
	}
	return ""
}
