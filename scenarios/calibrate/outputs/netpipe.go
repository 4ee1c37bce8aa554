package outputs

import (
	"math"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// NetPIPE. On the screen of version 3: "N: BYTES bytes TIMES times --> MBPS Mbps in TIME usec", or sec, with
// Mbit of 2^20 bits. On the screen of version 5: "N: SIZE KB TIMES times --> RATE Gbps in TIME usecs", each with the
// prefix that suits it. In the file of version 3: bytes, Mbit/s (of 2^20 bits), seconds of one way. In the file of
// version 5: bytes, Gbit/s on average, least and most, us.

// netpipeScreen is a line; what mpirun --timestamp-output puts where the program waits stands behind the arrow.
var netpipeScreen = keys.Pattern(`^\s*\d+:\s+([\d.]+)\s+(bytes|[KMGT]?B)\s+\d+\s+times\s+-->(?:.*>:)?\s+(\S+)\s+([KMGT]?)bps` +
	`\s+in\s+(\S+)\s+([num]?)secs?\b`)

// prefixes are the prefixes of version 5, all decimal.
var prefixes = map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "m": 1e-3, "u": micro, "n": 1e-9}

type netpipe struct {
	table   int
	columns int // of the file; 0: the screen
}

func (*netpipe) beginsWithRow() {}

func netpipeHeading(f *file, l line) section {
	if f.seen {
		return nil // rows of numbers belong to the section that has begun
	}
	columns := 0
	if !netpipeScreen().MatchString(l.text) {
		words := l.fields()
		if columns = len(words); columns != 3 && columns != 5 {
			return nil
		}
		for _, word := range words {
			if !word.plain() {
				return nil
			}
		}
	}
	f.begin(Table{Name: "NetPIPE", Test: PingPong, Processes: 2, Pairs: 1})
	return &netpipe{len(f.tables) - 1, columns}
}

func (s *netpipe) read(f *file, l line) bool {
	if s.columns > 0 {
		return l.numbers() && s.numbers(f, l)
	}
	m := netpipeScreen().FindStringSubmatchIndex(l.text)
	if m == nil {
		if strings.Contains(l.text, "times -->") {
			f.wrong.add(l.number, 1, "must be N: BYTES bytes TIMES times --> MBPS Mbps in TIME usec")
		}
		return false
	}
	word := func(i int) field { return field{l.text[m[2*i]:m[2*i+1]], m[2*i] + 1} }
	size, bits := word(1), prefixes[word(4).text]
	if unit := word(2).text; unit == "bytes" {
		bits = 1 << 20
	} else {
		bytes := f.number(l, size, "a size") * prefixes[strings.TrimSuffix(unit, "B")]
		size.text = strconv.FormatFloat(math.Round(bytes), 'f', 0, 64)
	}
	s.add(f, l, size, word(3), bits, word(5), prefixes[word(6).text])
	return true
}

func (s *netpipe) numbers(f *file, l line) bool {
	words := l.fields()
	if len(words) != s.columns {
		f.wrong.add(l.number, words[0].column, "has %d columns, and the lines before it have %d", len(words), s.columns)
		return true
	}
	if s.columns == 3 {
		s.add(f, l, words[0], words[1], 1<<20, words[2], 1)
	} else {
		s.add(f, l, words[0], words[1], 1e9, words[4], micro)
	}
	return true
}

// add adds a row whose rate must agree with its time.
func (s *netpipe) add(f *file, l line, size, rate field, bits float64, time field, unit float64) {
	r := Row{Line: l.number, Bytes: f.size(l, size), Seconds: f.seconds(l, time, unit)}
	said := f.number(l, rate, "a rate")
	if r.Seconds > 0 && !near(said, 8*float64(r.Bytes)/r.Seconds/bits) {
		f.wrong.add(l.number, rate.column, "must be the bits over the time, %.3f, got %s", 8*float64(r.Bytes)/r.Seconds/bits, rate.text)
	}
	t := &f.tables[s.table]
	t.Rows = append(t.Rows, r)
}
