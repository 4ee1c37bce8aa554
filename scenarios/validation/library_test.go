package validation

import (
	"bytes"
	"cmp"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

var (
	everySet = flag.Bool("every-set", os.Getenv("EVERY_TEST") != "", "run every data set, also those that take long")
	minutes  = flag.Bool("minutes", false, "run what takes minutes, too: data sets on large tori, fits of collectives")
	only     = flag.String("sets", "", "run only the data sets whose names begin so")
	update   = flag.Bool("update", false, "write what was run to the pages in docs/validation; the rest stays as it is")
)

const (
	folder  = "../../docs/validation/"
	summary = "summary.md" // the page with the scores of all sets
)

// home is the page with the section of a data set.
func home(set string) string {
	of := func(first string) bool { return strings.HasPrefix(set, first) }
	switch {
	case slices.ContainsFunc([]string{"pico-", "osu-"}, of):
		return "collectives.md"
	case slices.ContainsFunc([]string{"bgp-", "contention-", "cray-", "mpi-", "programs-", "real-mpi-", "rules-"}, of):
		return "messages.md"
	}
	return "gpus.md"
}

// pages are the pages of data sets, by name.
func pages(t *testing.T) map[string]string {
	all := map[string]string{summary: "", "messages.md": "", "collectives.md": "", "gpus.md": ""}
	for name := range all {
		text := must.Get(os.ReadFile(folder + name))(t)
		all[name] = string(text)
	}
	return all
}

// TestLibrary runs the data sets of the library: they are no worse than is recorded, and
// the pages in docs/validation say what they give.
func TestLibrary(t *testing.T) {
	must.Long(t)
	was := pages(t)
	scores, sections, lines := scoreHead, map[string]string{}, map[string]string{}
	long := 0
	for _, name := range Names() {
		set := must.Get(Load(name))(t)
		if set.rows == "" {
			continue
		}
		page, turn := home(name), true
		if set.Long {
			turn = limited.HeavyTurn(long, "data set "+name)
			long++
		}
		if set.Long && !(*everySet && turn) || set.Minutes && !*minutes || !strings.HasPrefix(name, *only) {
			line, section := recorded(was, name)
			at := startOfErrors.FindStringIndex(section)
			if line == "" || at == nil {
				t.Fatalf("%s has no results in %s; -every-set -minutes -update writes them", name, page)
			}
			rest := section[at[0]+1:]
			if sentence, tables, is := strings.Cut(rest[1:], "\n"); is && strings.HasPrefix(sentence, errorsAre) {
				rest = inOneLine(line) + tables
			}
			if !*update && section != set.head()+rest {
				t.Errorf("%s does not describe %s as its file does; 'go test ./scenarios/validation -run TestLibrary -update' writes\n%s", page, name, set.head())
			}
			section = set.head() + rest
			scores += line
			lines[page], lines[summary] = lines[page]+line, lines[summary]+line
			sections[page] += section
			continue
		}
		r := validate(t, Request{Set: set})
		if r.Failed > 0 {
			t.Errorf("%s: %d rows failed, such as %s", name, r.Failed, r.Rows[0].Failed)
		}
		if judged, wrong := set.Judged(&r.Score); !(wrong <= set.Accepted) {
			t.Errorf("%s: the %s error is %s, accepted is %s", name, judged, set.Amount(wrong), set.Amount(set.Accepted))
		}
		scores += r.Line()
		lines[page], lines[summary] = lines[page]+r.Line(), lines[summary]+r.Line()
		sections[page] += r.Markdown() + "\n"
		if !*update && (!strings.Contains(was[summary], r.Line()) || !strings.Contains(was[page], r.Markdown())) {
			t.Errorf("%s is stale; 'go test ./scenarios/validation -run TestLibrary -update' writes\n%s%s", page, r.Line(), r.Markdown())
		}
	}
	if !*update {
		for page, of := range lines {
			if !strings.Contains(was[page], inShort(of)) {
				t.Errorf("%s is stale; 'go test ./scenarios/validation -run TestLibrary -update' writes\n%s", page, inShort(of))
			}
		}
		return
	}
	now := map[string]string{summary: between(between(was[summary], "in short", inShort(lines[summary])), "scores", scores)}
	for page, text := range sections {
		now[page] = between(between(was[page], "in short", inShort(lines[page])), "data sets", "\n"+text)
	}
	for page, text := range now {
		must.Do(t, os.WriteFile(folder+page, []byte(text), 0o666))
	}
}

// The page that says how far to trust predictions quotes scores of docs/validation/summary.md: rows, seen, median, 9 in 10, worst and the best baseline.
func TestTrustPage(t *testing.T) {
	text := pages(t)
	const file = "../../docs/explanation/trust.md"
	trust := must.Get(os.ReadFile(file))(t)
	quoted := regexp.MustCompile("(?m)^\\| [^|]+ \\| \\[`([^`]+)`\\]\\(\\.\\./validation/.*\n").FindAllStringSubmatch(string(trust), -1)
	for _, q := range quoted {
		line, _ := recorded(text, q[1])
		c := strings.Split(line, " | ")
		if len(c) < 9 {
			t.Errorf("%s has no scores", q[1])
			continue
		}
		head, _, _ := strings.Cut(q[0], "](")
		want := head + "](../validation/" + home(q[1]) + "#" + q[1] + ") | " + strings.Join(c[1:6], " | ") + " | " + c[7] + ": " + c[8] + " |\n"
		if want != q[0] && !*update {
			t.Errorf("docs/explanation/trust.md has\n%swhere the scores are\n%s", q[0], want)
		}
		trust = bytes.Replace(trust, []byte(q[0]), []byte(want), 1)
	}
	var names []string
	for _, q := range quoted {
		names = append(names, q[1])
	}
	if table := worstOf(text, names); *update {
		trust = []byte(between(string(trust), "worst", table))
		must.Do(t, os.WriteFile(file, trust, 0o666))
	} else if !strings.Contains(string(trust), table) {
		t.Errorf("docs/explanation/trust.md does not have\n%s", table)
	}
	if len(quoted) < 20 {
		t.Errorf("only %d scores are quoted", len(quoted))
	}
}

// mostWorst is how many worst rows the table of worstOf has.
const mostWorst = 8

// worstOf is a table of the rows with the largest errors, one of each data set, from the recorded sections.
func worstOf(pages map[string]string, names []string) string {
	type worst struct {
		line  string
		wrong float64
	}
	var all []worst
	for _, name := range names {
		line, section := recorded(pages, name)
		row := regexp.MustCompile(regexp.QuoteMeta(worstIs) + "(`.*`): predicted (.*), measured (.*)\\.\n").FindStringSubmatch(section)
		if row == nil {
			continue
		}
		if wrong := percent(cellsOf(line)[5]); !math.IsNaN(wrong) {
			all = append(all, worst{"| [`" + name + "`](../validation/" + home(name) + "#" + name + ") | " + strings.Join(row[1:], " | ") + " |\n", wrong})
		}
	}
	slices.SortStableFunc(all, func(a, b worst) int { return cmp.Compare(b.wrong, a.wrong) })
	table := "| data set | row | predicted | measured |\n|---|---|---|---|\n"
	for _, one := range all[:min(mostWorst, len(all))] {
		table += one.line
	}
	return table
}

// What summary.md and trust.md say in words of the order of collectives is in the tables of the data sets.
func TestOrderOfCollectives(t *testing.T) {
	text := pages(t)
	cells := func(set, row string, fromEnd int) string {
		_, section := recorded(text, set)
		line := regexp.MustCompile("(?m)^\\| " + row + ".*\n").FindString(section)
		c := strings.Split(strings.TrimSuffix(line, " |\n"), " | ")
		if len(c) <= fromEnd {
			t.Fatalf("%s has no row %s", set, row)
		}
		return strings.TrimSuffix(strings.TrimSpace(c[len(c)-fromEnd]), " %")
	}
	var apart, good, fixed, tail []string
	for _, set := range []string{"pico-lumi", "pico-leonardo", "pico-fugaku"} {
		apart = append(apart, cells(set, "predicted", 1))
		good = append(good, cells(set, "predicted", 2))
		fixed = append(fixed, cells(set, "one choice", 2))
		tail = append(tail, cells(set, "predicted", 7))
	}
	trust := must.Get(os.ReadFile("../../docs/explanation/trust.md"))(t)
	usual := []string{cells("pico-lumi", "the usual choice", 2), cells("pico-leonardo", "the usual choice", 2)}
	for page, want := range map[string][]string{
		text[summary]: {
			apart[0] + " % (LUMI), " + apart[1] + " % (Leonardo) and " + apart[2] + " % (Fugaku) are in order",
			"in " + good[0] + " % of the groups on LUMI, " + good[1] + " % on Leonardo and " + good[2] + " % on Fugaku; the library's choice in " +
				usual[0] + " and " + usual[1] + " %",
			"in hindsight, is in " + fixed[0] + ", " + fixed[1] + " and " + fixed[2] + " %",
			"more than " + tail[0] + " % (LUMI), " + tail[1] + " % (Leonardo) or " + tail[2] + " % (Fugaku) off",
		},
		string(trust): {slices.Min(apart) + " to " + slices.Max(apart) + " % are in order"},
	} {
		for _, one := range want {
			if !strings.Contains(oneLine(page), one) {
				t.Errorf("no page says %q", one)
			}
		}
	}
}

// startOfErrors is where the description of a data set ends and its errors begin.
var startOfErrors = regexp.MustCompile(`\n\n(?:\||` + regexp.QuoteMeta(errorsAre) + ")")

// recorded returns what the pages have of a data set: its line of the table, and its section.
func recorded(pages map[string]string, name string) (line, section string) {
	line = regexp.MustCompile("(?m)^\\| \\[`" + regexp.QuoteMeta(name) + "`\\].*\n").FindString(pages[summary])
	_, section, found := strings.Cut(pages[home(name)], "\n### "+name+"\n")
	if !found {
		return line, ""
	}
	end := regexp.MustCompile(`(?m)^(### |<!-- end -->)`).FindStringIndex(section)
	return line, "### " + name + "\n" + section[:end[0]]
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
	return must.Get(Run(q))(t)
}

// refits are the machines that a fit of a data set wrote.
var refits = []struct {
	set, base, rows, machine string
	asked                    *bool // runs only then: it takes seconds, or minutes
}{
	{"contention", "", "contention-plafrim.csv.gz", "plafrim-saturation", nil},
	{"contention", "", "contention-miriel.csv.gz", "miriel-saturation", everySet},
	{"contention", "", "contention-taurus.csv.gz", "taurus-saturation", everySet},
	{"pico-lumi", "lumi-pico", "pico-lumi-fit.csv", "lumi-pico-fitted", minutes},
	{"pico-leonardo", "leonardo-pico", "pico-leonardo-fit.csv", "leonardo-pico-fitted", minutes},
}

// TestMachinesAreFitted fits them again.
func TestMachinesAreFitted(t *testing.T) {
	for _, one := range refits {
		if one.asked != nil && !*one.asked {
			continue
		}
		set := must.Get(Load(one.set))(t)
		file := filepath.Join("../files/machines", one.machine+".yaml")
		want := must.Get(os.ReadFile(file))(t)
		got, err := validate(t, Request{Set: set, Machine: one.base, Rows: one.rows, FitRows: one.rows}).MachineFile(file, one.rows)
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
		set := must.Get(Load(name))(t)
		if set.Source == "" || set.About == "" || set.rows != "" && (set.Accepted == 0 || set.Seen == "") {
			t.Errorf("%s: source, about, accepted or seen is missing", name)
		}
	}
}

// The example of the documentation is read.
func TestDocumentedSet(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/reference/calibrate.md"))(t)
	_, rest, _ := strings.Cut(string(text), "```yaml\n# pairs.yaml: ")
	example, _, _ := strings.Cut(rest, "```")
	set := must.Get(read("pairs", "pairs.yaml", []byte("# "+example)))(t)
	var problems keys.Problems
	rows := set.prepare("pairs.csv", []byte("nodes,mode,bytes,time_us\n2,oneway,4000000,3500\n"), &problems)
	if err := problems.Err(); err != nil || len(set.resolve(rows, "", &problems)) != 1 || len(problems) > 0 {
		t.Error(err, problems)
	}
}
