package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

func mustParse(t *testing.T, text string) *table {
	t.Helper()
	var problems keys.Problems
	table := parse("rows.csv", []byte(text), nil, &problems)
	must.Do(t, problems.Err())
	return table
}

// TestOverlap counts the rows that are under way in the middle of each, one by one.
func TestOverlap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(r, "rows")
		text := "test,start,duration\n"
		var starts, lengths []float64
		var tests []string
		for range n {
			starts = append(starts, float64(rapid.IntRange(0, 40).Draw(r, "start")))
			lengths = append(lengths, float64(rapid.IntRange(1, 20).Draw(r, "length")))
			tests = append(tests, rapid.SampledFrom([]string{"a", "b"}).Draw(r, "test"))
			i := len(starts) - 1
			text += fmt.Sprintf("%s,%g,%g\n", tests[i], starts[i], lengths[i])
		}
		table := mustParse(t, text)
		var problems keys.Problems
		(&overlap{name: "active", start: "start", duration: "duration", within: []string{"test"}, multiple: source{fixed: "2"}}).apply(table, &problems)
		for i := range n {
			middle, want := starts[i]+lengths[i]/2, 0
			for j := range n {
				if tests[j] == tests[i] && starts[j] <= middle && middle < starts[j]+lengths[j] {
					want++
				}
			}
			if got := table.text(&table.rows[i], "active"); got != fmt.Sprint((want+1)/2*2) {
				r.Fatalf("row %d: %s are active, want %d", i, got, want)
			}
		}
	})
}

// A rank is under way from its first row to its last, even if rows between them are missing, and what is
// rounded up to depends on the test.
func TestOverlapOfRanks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		of := &overlap{name: "active", start: "start", duration: "duration", within: []string{"test"}, of: "rank",
			multiple: source{columns: []string{"test"}, values: map[string]string{"b": "4"}, others: "2"}}
		multiple := map[string]int{"a": 2, "b": 4}
		text := "test,rank,start,duration\n"
		var want []string
		for _, test := range []string{"a", "b"} {
			ranks := rapid.IntRange(1, 9).Draw(r, "ranks")
			for rank := range ranks { // rank k begins at 10 k, all end at 200
				for start := 10 * rank; start < 200; start += 10 {
					if first, last := start == 10*rank, start == 190; first || last || rapid.Bool().Draw(r, "kept") {
						text += fmt.Sprintf("%s,%d,%d,10\n", test, rank, start)
						n := min(ranks, start/10+1)
						want = append(want, fmt.Sprint((n+multiple[test]-1)/multiple[test]*multiple[test]))
					}
				}
			}
		}
		table := mustParse(t, text)
		var problems keys.Problems
		of.apply(table, &problems)
		for i := range want {
			if got := table.text(&table.rows[i], "active"); got != want[i] || len(problems) > 0 {
				r.Fatalf("row %d: %s are active, want %s; %v", i, got, want[i], problems)
			}
		}
	})
}

// TestMerge merges round trips of two lines each, and then repeated ones.
func TestMerge(t *testing.T) {
	table := mustParse(t, "call,bytes,start,us\nSend,8,1,2\nRecv,8,1,3\nSend,8,2,4\nRecv,8,2,5\nSend,8,3,0\nRecv,8,3,6\nSend,16,4,1\nRecv,16,4,1\n")
	var problems keys.Problems
	for _, m := range []merge{{[]string{"bytes", "start"}, "us", "sum"}, {[]string{"bytes"}, "us", "median"}} {
		table = m.apply(table, &problems)
	}
	var got []string
	for _, l := range table.rows {
		got = append(got, strings.Join(l.cells, " ")+fmt.Sprintf(" %.3f", l.spread))
	}
	// 5, 9 and 6 us: the median distance from 6 is 1
	if want := []string{"8 6 0.167", "16 2 NaN"}; !slices.Equal(got, want) || len(problems) > 0 {
		t.Errorf("%q, want %q; %v", got, want, problems)
	}
}

func TestUnits(t *testing.T) {
	for name, want := range map[string]unit{
		"us": {"us", keys.Time, 1e-6}, "MiB/s": {"MiB/s", keys.Bandwidth, 1 << 20}, "ns/B": {"ns/B", keys.PerByte, 1e-9},
		"%": {"%", keys.Number, 0.01}, "": {"", keys.Number, 1}, "KiB": {"KiB", keys.Bytes, 1024},
	} {
		got, err := unitOf(name)
		if err != nil || got.is != want.is || math.Abs(got.size/want.size-1) > 1e-12 {
			t.Errorf("%q: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// A prediction of 2 ms for 4 MB is 2000 MB/s.
func TestAmount(t *testing.T) {
	unitOf := func(name string) unit {
		return must.Get(unitOf(name))(t)
	}
	p := prediction{unit: unitOf("s"), times: 0.5, amount: &figure{"bytes", unitOf("MB")}}
	if got := p.of(4e-3, 4, unitOf("MB/s")); math.Abs(got-2000) > 1e-9 {
		t.Errorf("%g", got)
	}
}

// A lookup takes a cell from the row that is equal in some columns.
func TestLookup(t *testing.T) {
	table := mustParse(t, "model,gpus,s\na,1,5\na,2,6\nb,1,7\nb,2,9\n")
	var problems keys.Problems
	alone := lookup{name: "alone", of: "s", where: where{{column: "gpus", texts: []string{"1"}}}, by: []string{"model"}}
	alone.apply(table, &problems)
	var got []string
	for _, l := range table.rows {
		got = append(got, strings.Join(l.cells, " "))
	}
	if want := []string{"a 1 5 5", "a 2 6 5", "b 1 7 7", "b 2 9 7"}; !slices.Equal(got, want) || len(problems) > 0 {
		t.Errorf("%q, want %q; %v", got, want, problems)
	}
	alone.apply(mustParse(t, "model,gpus,s\na,2,5\n"), &problems)
	if want := "no row with gpus 1 is equal in model"; len(problems) != 1 || !strings.Contains(problems.Error(), want) {
		t.Errorf("%v, want %s", problems, want)
	}
}
