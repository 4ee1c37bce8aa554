package outputs

import (
	"strings"

	"overlapsim/scenarios/keys"
)

// netgauge's pattern loggp. In its file: size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s
// o_r g G lsqu(g,G), in us. PRTT(n,d,s) is the time of n messages of s bytes, d apart, and one answer.
// Therefore half of PRTT(1,0,s) is the one-way time; (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1) the time from
// message to message; o_r was measured with the message there. On the screen: L= s= o_s= o_r= g= G=,
// where L is half of PRTT(1,0) at the first size.

var netgaugeScreen = keys.Pattern(`^\s*L=(\S+)\s+s=(\d+)\s+o_s=(\S+)\s+o_r=(\S+)\s+g=(\S+)\s+G=(\S+)`)

const netgaugeColumns = 11

// netgauge is a section; its tables follow each other.
type netgauge struct {
	oneWay, sends, receives, successive int
	screen                              bool
}

func netgaugeHeading(f *file, l line) section {
	text, comment := l.comment()
	switch {
	case comment && strings.Contains(text, "PRTT(1,0,s)") && strings.HasPrefix(text, "size"):
		return newNetgauge(f, false)
	case netgaugeScreen().MatchString(l.text) && !f.seen:
		return &netgaugeLines{newNetgauge(f, true)}
	}
	return nil
}

func newNetgauge(f *file, screen bool) *netgauge {
	first := len(f.tables)
	for _, test := range []Test{PingPong, Sends, LateRecvs, Successive} {
		f.begin(Table{Name: "netgauge loggp", Test: test, Processes: 2, Pairs: 1})
	}
	return &netgauge{first, first + 1, first + 2, first + 3, screen}
}

// netgaugeLines is the screen's output, which has no heading.
type netgaugeLines struct{ *netgauge }

func (*netgaugeLines) beginsWithRow() {}

func (s *netgauge) read(f *file, l line) bool {
	if s.screen {
		return s.printed(f, l)
	}
	if !l.numbers() {
		return false
	}
	words, ok := f.below(netgaugeColumns, "netgauge", l)
	if !ok {
		return true
	}
	bytes, n := f.size(l, words[0]), f.number(l, words[1], "a number of messages")
	one, all := f.seconds(l, words[2], micro), f.seconds(l, words[3], micro)
	s.add(f, s.oneWay, l, bytes, one/2)
	s.fitted(f, s.sends, l, bytes, words[6])
	s.fitted(f, s.receives, l, bytes, words[7])
	if n > 1 && all > one {
		s.add(f, s.successive, l, bytes, (all-one)/(n-1))
	}
	return true
}

// printed reads a line of the screen.
func (s *netgauge) printed(f *file, l line) bool {
	m := netgaugeScreen().FindStringSubmatchIndex(l.text)
	if m == nil {
		return false
	}
	word := func(i int) field { return field{l.text[m[2*i]:m[2*i+1]], m[2*i] + 1} }
	bytes := f.size(l, word(2))
	if t := &f.tables[s.oneWay]; len(t.Rows) == 0 {
		s.add(f, s.oneWay, l, bytes, f.seconds(l, word(1), micro))
	}
	s.fitted(f, s.sends, l, bytes, word(3))
	s.fitted(f, s.receives, l, bytes, word(4))
	return true
}

// fitted adds a figure that netgauge has computed: a difference, which may be negative or none.
func (s *netgauge) fitted(f *file, table int, l line, bytes int64, from field) {
	if strings.Contains(from.text, "nan") || strings.HasPrefix(from.text, "-") {
		return
	}
	s.add(f, table, l, bytes, f.seconds(l, from, micro))
}

func (s *netgauge) add(f *file, table int, l line, bytes int64, seconds float64) {
	if seconds > 0 {
		t := &f.tables[table]
		t.Rows = append(t.Rows, Row{Line: l.number, Bytes: bytes, Seconds: seconds})
	}
}
