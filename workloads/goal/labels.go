package goal

import "fmt"

// labels maps the labels of one rank to its operations. Those like l1, l2, ... are in a list by
// their number, as long as it is not much larger than the number of operations.
type labels struct {
	list   []uint32          // operation plus 1, by the number of its label; 0: it has none, or it is among the others
	others map[string]uint32 // operations of labels that are not in the list
}

// reset forgets all labels. There is room for as many as there were, because ranks are often alike.
func (l *labels) reset() {
	if len(l.others) > 0 {
		l.others = make(map[string]uint32, len(l.others))
	}
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
	return n < uint64(len(l.list)) && l.list[n] == 0 && len(l.others) == 0
}

// extend makes room in the list for a label of an operation.
func (l *labels) extend(n uint64, op uint32) bool {
	have := uint64(len(l.list))
	if n >= have && n <= 2*uint64(op)+fewNumbers {
		l.list = append(l.list, make([]uint32, max(have, fewNumbers, n+1-have))...)
	}
	return n < uint64(len(l.list))
}

// get returns the operation of a label.
func (l *labels) get(label []byte) (op uint32, ok bool) {
	if n, ok := numberOf(label); ok && l.numbered(n) != 0 {
		return l.numbered(n) - 1, true
	}
	op, ok = l.others[string(label)]
	return op, ok
}

// define gives an operation a label. It returns false if the label is in use; the label
// then keeps its operation.
func (l *labels) define(label []byte, op uint32) bool {
	if _, taken := l.get(label); taken {
		return false
	}
	if n, ok := numberOf(label); ok && l.extend(n, op) {
		l.list[n] = op + 1
		return true
	}
	if l.others == nil {
		l.others = make(map[string]uint32)
	}
	l.others[string(label)] = op
	return true
}

// name returns the label of an operation, "" if it has none. It searches all labels.
func (l *labels) name(op uint32) string {
	for n, at := range l.list {
		if at == op+1 {
			return fmt.Sprintf("l%d", n)
		}
	}
	for label, at := range l.others {
		if at == op {
			return label
		}
	}
	return ""
}
