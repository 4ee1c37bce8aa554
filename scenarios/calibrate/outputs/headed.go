package outputs

import (
	"slices"
	"strings"
	"unicode"
)

// A plain table: a heading whose words name a column of sizes and one of times or rates with their unit, such as
// "size,latency_us" or "Bytes  Bandwidth (MB/s)", and rows of numbers below it.

type headed struct {
	table, columns, size, number int // table is the table of the file, size and number are columns
	cut                          string
	scale                        float64 // of sizes to bytes
	unit                         float64 // of times to seconds, or of rates to bytes per second
	rate                         bool
}

// Words of headings, in small letters.
var (
	sizeWords = strings.Fields("size sizes byte bytes msgsize message_size length")
	timeWords = strings.Fields("time times latency t duration oneway rtt half_rtt elapsed")
	rateWords = strings.Fields("bandwidth bw rate throughput")
	sizeUnits = map[string]float64{"kb": 1e3, "kib": 1 << 10, "mb": 1e6, "mib": 1 << 20}
	timeUnits = map[string]float64{"ns": 1e-9, "us": micro, "µs": micro, "μs": micro, "usec": micro, "microseconds": micro, "ms": 1e-3, "msec": 1e-3,
		"s": 1, "sec": 1, "seconds": 1}
	rateUnits = map[string]float64{"b/s": 1, "kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9, "mib/s": 1 << 20, "gib/s": 1 << 30, "mbyte/s": 1e6, "gbyte/s": 1e9,
		"mbit/s": 1e6 / 8, "gbit/s": 1e9 / 8, "mbps": 1e6 / 8, "gbps": 1e9 / 8}
)

// columnsOf cuts a heading into columns, and says at what rows are cut; "": at spaces. A word in brackets belongs to the column before.
func columnsOf(text string) (columns []string, cut string) {
	for _, cut = range []string{",", ";", "\t"} {
		if strings.Contains(text, cut) {
			return strings.Split(text, cut), cut
		}
	}
	for _, word := range strings.Fields(text) {
		if last := len(columns) - 1; last >= 0 && strings.ContainsAny(word[:1], "([") {
			columns[last] += " " + word
		} else {
			columns = append(columns, word)
		}
	}
	return columns, ""
}

// wordsOf are the words of a column's name, in small letters.
func wordsOf(column string) []string {
	return strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return !unicode.IsLetter(r) && r != '/' })
}

// unitOf returns the unit that a column names.
func unitOf(words []string, units map[string]float64) (unit float64, ok bool) {
	for _, word := range words {
		if unit, ok = units[word]; ok {
			return unit, true
		}
	}
	return 0, false
}

func anyOf(words, known []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(known, word) })
}

// headingOf reads a heading; ok is false if it is none. A number below 0 says that no column has a unit.
func headingOf(text string) (h headed, ok bool) {
	text = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "#"))
	if text == "" || text[0] >= '0' && text[0] <= '9' {
		return h, false
	}
	columns, cut := columnsOf(text)
	h = headed{columns: len(columns), size: -1, number: -1, cut: cut, scale: 1}
	named := false
	for i, column := range columns {
		words := wordsOf(column)
		if (field{text: strings.TrimSpace(column)}).plain() || anyOf(words, []string{"call"}) { // a sentence with a number, or a log of calls
			return h, false
		}
		time, isTime := unitOf(words, timeUnits)
		rate, isRate := unitOf(words, rateUnits)
		switch {
		case h.size < 0 && anyOf(words, sizeWords) && !isTime && !isRate:
			h.size = i
			if scale, ok := unitOf(words, sizeUnits); ok {
				h.scale = scale
			}
		case h.number < 0 && isRate:
			h.number, h.unit, h.rate = i, rate, true
		case h.number < 0 && isTime && (time < 1 || anyOf(words, timeWords)):
			if h.number, h.unit = i, time; slices.Contains(words, "rtt") && !slices.Contains(words, "half") {
				h.unit = time / 2
			}
		case anyOf(words, timeWords) || anyOf(words, rateWords):
			named = true
		}
	}
	return h, h.size >= 0 && (h.number >= 0 || named) && h.columns > 1
}

func headedHeading(f *file, l line) section {
	h, ok := headingOf(l.text)
	switch {
	case f.seen || !ok:
		return nil
	case h.number < 0:
		f.wrong.add(l.number, 1, "the heading names no unit: want one such as time_us, latency (us), time_s or bandwidth (MB/s)")
		return nothing{}
	}
	t := Table{Name: "a table of times", Test: PingPong, Processes: 2, Pairs: 1}
	if h.rate {
		t = Table{Name: "a table of rates", Test: Stream, Processes: 2, Pairs: 1}
	}
	f.begin(t)
	h.table = len(f.tables) - 1
	return &h
}

func (h *headed) read(f *file, l line) bool {
	if !l.numbers() {
		return false
	}
	t := &f.tables[h.table]
	words := l.cells(h.cut)
	if len(words) != h.columns {
		f.wrong.add(l.number, 1, "has %d columns, and the heading of %s has %d", len(words), t.Name, h.columns)
		return true
	}
	bytes := f.number(l, words[h.size], "a size") * h.scale
	if bytes != float64(int64(bytes)) || bytes > largestSize {
		f.wrong.add(l.number, words[h.size].column, "must be a number of bytes, got %s", words[h.size].text)
		return true
	}
	row := Row{Line: l.number, Bytes: int64(bytes)}
	if !h.rate {
		row.Seconds = f.seconds(l, words[h.number], h.unit)
	} else if rate := f.number(l, words[h.number], "a rate") * h.unit; rate > 0 {
		row.Seconds = bytes / rate
	} else {
		return true // of no bytes
	}
	t.Rows = append(t.Rows, row)
	return true
}

// cells are the columns of a row.
func (l line) cells(cut string) (all []field) {
	if cut == "" {
		return l.fields()
	}
	column := 1
	for part := range strings.SplitSeq(l.text, cut) {
		all = append(all, field{strings.TrimSpace(part), column})
		column += len(part) + len(cut)
	}
	return all
}
