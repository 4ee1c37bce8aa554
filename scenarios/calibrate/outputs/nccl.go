package outputs

import (
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// nccl-tests: the GPUs, a heading of names, a line a size; time in us and GB/s (1e9), first out of place.

var (
	ncclRank = keys.Pattern(`^Rank\s+(\d+)\s+Group`)
	ncclName = keys.Pattern(`\b([a-z_]+)_perf(?:_mpi)?\b`)
)

// unnamed is a collective whose name was not printed.
const unnamed = "nccl-tests"

type nccl struct {
	table   int
	columns []string
}

func ncclHeading(f *file, l line) section {
	text, ok := l.comment()
	if m := ncclName().FindStringSubmatch(l.text); m != nil {
		f.perf = m[1]
	}
	if m := ncclRank().FindStringSubmatch(text); ok && m != nil {
		if rank, err := strconv.Atoi(m[1]); err == nil {
			f.ranks = max(f.ranks, rank+1)
		}
	}
	if !ok || !strings.Contains(text, "algbw") || !strings.HasPrefix(text, "size") {
		return nil
	}
	f.begin(Table{Name: f.perf, Test: Collective, Processes: f.ranks})
	f.ranks, f.perf = 0, unnamed
	return &nccl{len(f.tables) - 1, strings.Fields(text)}
}

func (s *nccl) read(f *file, l line) bool {
	t := &f.tables[s.table]
	if !l.numbers() {
		return false
	}
	words := l.fields()
	if len(words) != len(s.columns) {
		f.wrong.add(l.number, words[0].column, "has %d columns, and the heading has %d", len(words), len(s.columns))
		return true
	}
	at := func(name string) field { word, _ := column(s.columns, words, []string{name}); return word }
	if at("time").text == "" || at("busbw").text == "" {
		f.wrong.add(l.number, 1, "is below a heading without time, algbw and busbw")
		return true
	}
	r := Row{Line: l.number, Bytes: f.size(l, words[0]), Seconds: f.seconds(l, at("time"), micro)}
	algorithm, bus := f.number(l, at("algbw"), "a rate in GB/s"), f.number(l, at("busbw"), "a rate in GB/s")
	if algorithm > 0 {
		r.Share = bus / algorithm
	}
	if r.Seconds > 0 && algorithm > 1 && !near(algorithm*1e9, float64(r.Bytes)/r.Seconds) {
		f.wrong.add(l.number, at("algbw").column, "must be the size over the time, %.2f, got %s", float64(r.Bytes)/r.Seconds/1e9,
			at("algbw").text)
	}
	t.Rows = append(t.Rows, r)
	return true
}
