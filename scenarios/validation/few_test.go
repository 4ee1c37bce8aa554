package validation

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/scenarios/disk"
	"overlapsim/sim/must"
)

// few writes the lines of a file of the library that a choice takes, as the rows of a fit. Its heading stays.
func few(t *testing.T, file string, take func(i int, line string) bool) string {
	t.Helper()
	text, err := library.ReadFile(file)
	if err == nil {
		text, err = disk.UnpackAll(bytes.NewReader(text), mostBytes)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	i := 0
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "test,") || take(i, l) {
			out.WriteString(l)
		}
		i++
	}
	name := filepath.Join(t.TempDir(), "few.csv")
	must.Do(t, os.WriteFile(name, []byte(out.String()), 0o666))
	return name
}

// Few rows of a cluster are enough to predict its other rows: which ranks were under way does not need all rows,
// and the kinds of messages over TCP are those of any cluster.
func TestFewRows(t *testing.T) {
	must.Long(t)
	for _, c := range []struct {
		set, rows string
		take      func(i int, line string) bool
		most      int     // rows that the fit uses
		median    float64 // of the others
	}{
		{"contention", "contention-taurus.csv.gz", func(i int, _ string) bool { return i%300 == 7 }, 20, 0.03},
		{"contention", "contention-plafrim.csv.gz", func(i int, _ string) bool { return i%6 == 1 }, 30, 0.05},
		{"mpi-ping-pong", "mpi-graphene-gige.csv.gz", everyThirdSize(), 34 * 20, 0.07},
		{"mpi-ping-pong", "mpi-taurus-tcp.csv.gz", everyThirdSize(), 34 * 20, 0.14},
	} {
		set := must.Get(Load(c.set))(t)
		everyone := few(t, c.rows, func(int, string) bool { return true })
		r := validate(t, Request{Set: set, Rows: everyone, FitRows: few(t, c.rows, c.take)})
		t.Logf("%s, %s: %d rows give %.2f %%, %s %.2f %%, spread %.2f %%", c.set, c.rows, r.Fit.Rows, 100*r.Score.Median, r.Best().Name,
			100*r.Best().Score.Median, 100*r.Spread)
		if r.Fit.Rows > c.most || c.set == "contention" && r.Scored+r.Fit.Rows != len(r.Rows) ||
			!(r.Score.Median <= c.median) {
			t.Errorf("%s, %s: %d rows give %.1f %% for the others", c.set, c.rows, r.Fit.Rows, 100*r.Score.Median)
		}
	}
}

// everyThirdSize takes the calls of every third size of a log of calls.
func everyThirdSize() func(int, string) bool {
	order := map[string]int{}
	return func(_ int, line string) bool {
		bytes := strings.Split(line, ",")[1]
		if _, ok := order[bytes]; !ok {
			order[bytes] = len(order)
		}
		return order[bytes]%3 == 1
	}
}

// Rows of other machines than the one that is fitted are predicted as without a fit.
func TestFitOfOneMachine(t *testing.T) {
	set := must.Get(Load("nccl-vtrain"))(t)
	some := few(t, "nccl-vtrain.csv", func(_ int, line string) bool {
		return strings.HasPrefix(line, "gpu,") || strings.Contains(line, ",2,") && strings.Contains(line, "6,")
	})
	with, without := validate(t, Request{Set: set, Rows: some, FitRows: some}), validate(t, Request{Set: set, Rows: some})
	changed, kept := 0, 0
	for i, r := range with.Rows {
		switch other, same := r.machine() != with.Fit.setting, r.Predicted == without.Rows[i].Predicted; {
		case other && !same:
			t.Errorf("%v: %v, without a fit %v", r.settings, r.Predicted, without.Rows[i].Predicted)
		case other:
			kept++
		case !same:
			changed++
		}
	}
	if changed == 0 || kept == 0 || with.Fit.others != kept {
		t.Errorf("%d rows changed, %d kept, %d of other machines", changed, kept, with.Fit.others)
	}
}
