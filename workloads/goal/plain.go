package goal

import "encoding/binary"

// Most lines of most schedules are written alike: labels, if there are any, are l1, l2, ..., blanks
// are single, and no CPU or NIC is named. Such plain lines are read here, in one go and without
// reports. A line that differs in anything, or has a mistake, is left as it is for statement.

const (
	mostDigits   = 18 // of a number in a plain line
	longestPlain = 96 // more than the bytes of any plain line
)

// plain reads the plain lines that come next in a rank.
func (t *textReader) plain() {
	l := t.lines
	for l.end-l.pos >= longestPlain {
		n := t.plainLine(l.buf[l.pos : l.pos+longestPlain])
		if n == 0 {
			return
		}
		l.pos += n
	}
}

// plainLine reads a line and returns its length; 0: it is not plain.
func (t *textReader) plainLine(b []byte) int {
	if b[0] != 'l' {
		return t.plainOperation(b, 0, 0)
	}
	label, i := decimal(b, 1)
	switch {
	case i == 1 || b[1] == '0':
		return 0
	case b[i] == ':' && b[i+1] == ' ':
		return t.plainOperation(b, i+2, label)
	case load(b, i) == wordRequire && load(b, i+3) == wordRequiresL:
		return t.plainDependency(b, i+11, label, 0)
	case load(b, i) == wordIrequire && load(b, i+4) == wordRequiresL:
		return t.plainDependency(b, i+12, label, onStart)
	}
	return 0
}

// The words of plain lines, with their blanks.
var (
	wordRequire, wordIrequire           = packed(" require"), packed(" irequir")
	wordRequiresL                       = packed("quires l")
	wordSendBlank, wordRecvBlank        = packed("send "), packed("recv ")
	wordCalcBlank                       = packed("calc ")
	wordBytesTo, wordBytesFrom, wordTag = packed("b to "), packed("b from "), packed(" tag ")
)

// packed are the bytes of a word as load returns them.
func packed(word string) uint64 {
	var b [8]byte
	copy(b[:], word)
	return load(b[:], 0)
}

// fiveBytes are the first five of eight.
const fiveBytes = 1<<40 - 1

// load returns the next eight bytes.
func load(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// decimal reads a number of at most mostDigits. It returns where it ends, which is where it
// begins if there is none.
func decimal(b []byte, from int) (n uint64, end int) {
	for end = from; end < len(b); end++ {
		d := b[end] - '0'
		if d > 9 {
			break
		}
		n = 10*n + uint64(d)
	}
	if end-from > mostDigits {
		return 0, from
	}
	return n, end
}

// plainDependency reads a line from the second label on.
func (t *textReader) plainDependency(b []byte, i int, label uint64, bit uint32) int {
	onLabel, end := decimal(b, i)
	op, on := t.labels.numbered(label), t.labels.numbered(onLabel)
	if end == i || b[i] == '0' || b[end] != '\n' || op == 0 || on == 0 || op == on {
		return 0
	}
	t.lines.number++
	t.a.edge(op-1, on-1, bit)
	return end + 1
}

// plainOperation reads a line from the operation on; label 0: it has none.
func (t *textReader) plainOperation(b []byte, i int, label uint64) int {
	kind, direction, length := Calc, uint64(0), 0
	switch load(b, i) & fiveBytes {
	case wordCalcBlank:
	case wordSendBlank:
		kind, direction, length = Send, wordBytesTo, len("b to ")
	case wordRecvBlank:
		kind, direction, length = Recv, wordBytesFrom, len("b from ")
	default:
		return 0
	}
	size, end := decimal(b, i+5)
	if end == i+5 {
		return 0
	}
	peer, tag := uint64(0), uint64(0)
	if kind != Calc {
		if peer, tag, end = t.plainPeer(b, end, direction, length); end == 0 {
			return 0
		}
	}
	if b[end] != '\n' || label > 0 && !t.labels.fresh(label) || len(t.a.s.ops) >= maxOps {
		return 0
	}
	t.lines.number++
	if label > 0 {
		t.labels.list[label] = uint32(len(t.a.s.ops)) - t.a.start() + 1
	}
	op := t.append()
	op.Size, op.Peer, op.Tag, op.Kind = size, uint32(peer), uint32(tag), kind
	return end + 1
}

// plainPeer reads direction, peer and tag, and returns where they end; 0: they are not plain.
func (t *textReader) plainPeer(b []byte, i int, direction uint64, length int) (peer, tag uint64, end int) {
	if load(b, i)&(1<<(8*length)-1) != direction {
		return 0, 0, 0
	}
	peer, end = decimal(b, i+length)
	if end == i+length || peer >= t.ranks {
		return 0, 0, 0
	}
	if load(b, end)&fiveBytes == wordTag {
		from := end + 5
		if tag, end = decimal(b, from); end == from || tag > uint64(AnyTag) {
			return 0, 0, 0
		}
	}
	return peer, tag, end
}
