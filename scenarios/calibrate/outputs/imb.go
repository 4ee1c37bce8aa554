package outputs

import (
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// Intel MPI Benchmarks: "# Benchmarking NAME", "# #processes = N", a heading of words, a line a size.

var (
	imbTitle     = keys.Pattern(`^Benchmarking\s+(?:Multi-)?(\S+)`)
	imbProcesses = keys.Pattern(`#processes\s*=\s*(\d+)`)
)

// imbTests are the tests by their names.
var imbTests = map[string]Table{
	"PingPong": {Test: PingPong, Pairs: 1}, "PingPongSpecificSource": {Test: PingPong, Pairs: 1}, "PingPongAnySource": {Test: PingPong,
		Pairs: 1},
	"PingPing": {Test: PingPing, Pairs: 1}, "PingPingSpecificSource": {Test: PingPing, Pairs: 1}, "PingPingAnySource": {Test: PingPing,
		Pairs: 1},
	"Sendrecv": {Test: PingPing}, "Exchange": {Test: Exchange},
	"Uniband": {Test: Stream}, "Biband": {Test: BothStreams},
}

type imb struct {
	table   int
	columns []string
}

func imbHeading(f *file, l line) section {
	text, ok := l.comment()
	title := imbTitle().FindStringSubmatch(text)
	if !ok || title == nil {
		return nil
	}
	name := title[1]
	test, known := imbTests[name]
	if !known && len(name) > 1 && name[0] == 'I' && name[1] >= 'a' && name[1] <= 'z' && !strings.HasSuffix(name, "_pure") {
		test, known = Table{Test: Nonblocking}, true
	}
	if !known {
		f.pass(l.number, "IMB %s, of which the model has no parameter", name)
		return nothing{}
	}
	test.Name = "IMB " + name
	f.begin(test)
	return &imb{table: len(f.tables) - 1}
}

func (s *imb) read(f *file, l line) bool {
	t := &f.tables[s.table]
	trimmed := strings.TrimSpace(l.text)
	if m := imbProcesses().FindStringSubmatch(trimmed); m != nil {
		t.Processes, _ = strconv.Atoi(m[1])
		return true
	}
	if strings.Contains(trimmed, "#repetitions") {
		s.columns = strings.Fields(trimmed)
		return true
	}
	if !l.numbers() || strings.Contains(trimmed, ".;") { // time-out.; out-of-mem.; int-overflow.; and why
		return false
	}
	s.row(f, t, l)
	return true
}

// row reads a line of numbers.
func (s *imb) row(f *file, t *Table, l line) {
	words, ok := f.below(len(s.columns), t.Name, l)
	if !ok {
		return
	}
	at := func(names ...string) field {
		if word, ok := column(s.columns, words, names); ok {
			return word
		}
		f.wrong.add(l.number, 1, "is below a heading without %s", names[0])
		return field{"0", 1}
	}
	r := Row{Line: l.number, Bytes: f.size(l, at("#bytes"))}
	switch t.Test {
	case Nonblocking:
		r.Seconds, r.Pure = f.seconds(l, at("t_ovrl"), micro), f.seconds(l, at("t_pure"), micro)
		r.Compute, r.Printed = f.seconds(l, at("t_CPU"), micro), f.number(l, at("overlap"), "a percentage")/100
	case Stream, BothStreams:
		if r.Bytes == 0 {
			return
		}
		rate := f.number(l, at("Mbytes/sec"), "a rate in MB/s") * 1e6
		if rate > 0 {
			r.Seconds = float64(r.Bytes) / rate * map[Test]float64{Stream: 1, BothStreams: 2}[t.Test]
		}
	default:
		r.Seconds = f.seconds(l, at("t[usec]", "t_avg"), micro)
	}
	t.Rows = append(t.Rows, r)
}
