package outputs

import (
	"fmt"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// OSU micro-benchmarks: a title, a heading of columns two or more spaces apart, a line a size.

var (
	osuTitle   = keys.Pattern(`^OSU\s+(\S+)\s+(.*?)\s*(?:Test|Benchmark)\b`)
	osuPairs   = keys.Pattern(`\[\s*pairs:\s*(\d+)\s*\]`)
	osuColumns = keys.Pattern(`\s{2,}|\t`)
	osuClosed  = keys.Pattern(`^Size|[^()]*\([^()]*\)|\S+`) // where blanks are squeezed: columns end with their unit
)

// osuTests are the tests by the words between "OSU MPI" and "Test".
var osuTests = map[string]Table{
	"Latency":                           {Name: "osu_latency", Test: PingPong, Pairs: 1, Processes: 2},
	"Multi Latency":                     {Name: "osu_multi_lat", Test: PingPong},
	"Bandwidth":                         {Name: "osu_bw", Test: Stream, Pairs: 1, Processes: 2},
	"Bi-Directional Bandwidth":          {Name: "osu_bibw", Test: BothStreams, Pairs: 1, Processes: 2},
	"Multiple Bandwidth / Message Rate": {Name: "osu_mbw_mr", Test: Stream},
}

// osu is a section of one test.
type osu struct {
	table   int // in the file
	columns []string
}

func osuHeading(f *file, l line) section {
	text, ok := l.comment()
	title := osuTitle().FindStringSubmatch(text)
	if !ok || title == nil {
		return nil
	}
	test, known := osuTests[title[2]]
	known = known && (title[1] == "MPI" || strings.HasPrefix(title[1], "MPI-")) // MPI_Put Latency is of one-sided calls
	if name, ok := strings.CutPrefix(title[2], "Non-blocking "); ok && !known {
		test, known = Table{Name: "non-blocking " + strings.TrimSuffix(name, " Latency"), Test: Nonblocking}, true
	}
	if !known {
		f.pass(l.number, "OSU %s %s, of which the model has no parameter", title[1], title[2])
		return nothing{}
	}
	f.begin(test)
	return &osu{table: len(f.tables) - 1}
}

func (s *osu) read(f *file, l line) bool {
	t := &f.tables[s.table]
	if text, ok := l.comment(); ok {
		if m := osuPairs().FindStringSubmatch(text); m != nil {
			t.Pairs, _ = strconv.Atoi(m[1])
		}
		if strings.HasPrefix(text, "Size") {
			if s.columns = osuColumns().Split(text, -1); len(s.columns) == 1 {
				s.columns = osuClosed().FindAllString(text, -1)
			}
		}
		return true
	}
	if !l.numbers() {
		return false
	}
	s.row(f, t, l)
	return true
}

// row reads a line of numbers.
func (s *osu) row(f *file, t *Table, l line) {
	words, ok := f.below(len(s.columns), t.Name, l)
	if !ok {
		return
	}
	r := Row{Line: l.number, Bytes: f.size(l, words[0])}
	at := func(begins ...string) (field, bool) { return column(s.columns, words, begins) }
	switch t.Test {
	case PingPong:
		s.time(f, l, at, &r.Seconds, "Latency", "Avg Latency")
	case Nonblocking:
		s.time(f, l, at, &r.Seconds, "Overall")
		s.time(f, l, at, &r.Compute, "Compute")
		s.time(f, l, at, &r.Pure, "Pure Comm")
		if word, ok := at("Overlap"); ok {
			r.Printed = f.number(l, word, "a percentage") / 100
		}
	default:
		s.rate(f, l, at, t, &r)
	}
	t.Rows = append(t.Rows, r)
}

type finder func(begins ...string) (field, bool)

// column returns the word below the first heading that begins so.
func column(columns []string, words []field, begins []string) (field, bool) {
	for _, begin := range begins {
		for i, name := range columns {
			if strings.HasPrefix(strings.TrimSpace(name), begin) {
				return words[i], true
			}
		}
	}
	return field{}, false
}

// time reads a column in us.
func (s *osu) time(f *file, l line, at finder, to *float64, begins ...string) {
	word, ok := at(begins...)
	if !ok {
		f.wrong.add(l.number, 1, "is below a heading without %s(us)", begins[0])
		return
	}
	*to = f.seconds(l, word, micro)
}

// rate turns MB/s (of 1e6 bytes, of all pairs and directions) into seconds per message of a pair.
func (s *osu) rate(f *file, l line, at finder, t *Table, r *Row) {
	word, ok := at("Bandwidth", "MB/s")
	if !ok {
		f.wrong.add(l.number, 1, "is below a heading without MB/s")
		return
	}
	rate := f.number(l, word, "a rate in MB/s") * 1e6
	switch {
	case r.Bytes == 0: // no bytes take no time at any rate
		return
	case rate == 0:
		f.wrong.add(l.number, word.column, "must be a rate above 0, got %s", word.text)
		return
	}
	messages := float64(max(t.Pairs, 1))
	if t.Test == BothStreams {
		messages *= 2
	}
	r.Seconds = messages * float64(r.Bytes) / rate
	if rates, ok := at("Messages/s"); ok && t.Pairs > 0 {
		if count := f.number(l, rates, "messages per second"); count > 0 && r.Bytes > 0 && !near(count, rate/float64(r.Bytes)) {
			f.wrong.add(l.number, rates.column, "must be MB/s over the size, %s, got %s", fmt.Sprintf("%.2f", rate/float64(r.Bytes)), rates.text)
		}
	}
}

// near tells whether two columns that say the same agree, as far as they are rounded.
func near(a, b float64) bool { return a <= 1.1*b && b <= 1.1*a || a < 0.1 && b < 0.1 }
