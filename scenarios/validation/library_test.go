package validation

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/scenarios/keys"
)

var (
	everySet = flag.Bool("every-set", false, "run every data set, also those that take long")
	update   = flag.Bool("update", false, "write docs/validation.md again, from every data set")
)

const page = "../../docs/validation.md"

// TestLibrary runs the data sets of the library: they are no worse than is recorded, and
// docs/validation.md says what they give.
func TestLibrary(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	scores, sections := ScoreHead, ""
	for _, name := range Names() {
		set, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if set.rows == "" || set.Long && !*everySet && !*update {
			continue
		}
		r := validate(t, Request{Set: set})
		if r.Failed > 0 {
			t.Errorf("%s: %d rows failed, such as %s", name, r.Failed, r.Rows[0].Failed)
		}
		if !(r.Score.Median <= set.Accepted) {
			t.Errorf("%s: the median error is %s, accepted is %s", name, set.Amount(r.Score.Median), set.Amount(set.Accepted))
		}
		scores += r.Line()
		sections += r.Markdown() + "\n"
		if !*update && (!strings.Contains(string(text), r.Line()) || !strings.Contains(string(text), r.Markdown())) {
			t.Errorf("%s is stale; 'go test ./scenarios/validation -run TestLibrary -update' writes\n%s%s", page, r.Line(), r.Markdown())
		}
	}
	if *update {
		out := between(string(text), "scores", scores)
		out = between(out, "data sets", "\n"+sections)
		if err := os.WriteFile(page, []byte(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// between replaces what is between a mark and the next end.
func between(text, mark, by string) string {
	before, rest, _ := strings.Cut(text, "<!-- "+mark+" -->\n")
	_, after, _ := strings.Cut(rest, "<!-- end -->")
	return before + "<!-- " + mark + " -->\n" + by + "<!-- end -->" + after
}

func validate(t *testing.T, q Request) *Report {
	t.Helper()
	q.Runner, q.Done, q.Tried = Here, func(int, int) {}, func(int) {}
	r, err := Run(q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMachinesAreFitted fits the machines of the saturation curves again.
func TestMachinesAreFitted(t *testing.T) {
	names := []string{"plafrim", "miriel", "taurus"}
	if !*everySet {
		names = names[:1] // the others take seconds
	}
	for _, name := range names {
		rows := "contention-" + name + ".csv.gz"
		set, err := Load("contention")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("../files/machines", name+"-saturation.yaml")
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := validate(t, Request{Set: set, Rows: rows, FitRows: rows}).MachineFile(file, rows)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: the fit gives\n%s", file, got)
		}
	}
}

// Every data set says where its rows are from.
func TestSources(t *testing.T) {
	for _, name := range Names() {
		set, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if set.Source == "" || set.About == "" || set.rows != "" && set.Accepted == 0 {
			t.Errorf("%s: source, about or accepted is missing", name)
		}
	}
}

// The example of the documentation is read.
func TestDocumentedSet(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	set, err := Read("pairs", "pairs.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	var problems keys.Problems
	rows := set.prepare("pairs.csv", []byte("nodes,mode,bytes,time_us\n2,oneway,4000000,3500\n"), &problems)
	if err := problems.Err(); err != nil || len(set.resolve(rows, "", &problems)) != 1 || len(problems) > 0 {
		t.Error(err, problems)
	}
}
