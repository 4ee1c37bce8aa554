package files

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

var update = flag.Bool("update", false, "write the tables of docs/reference anew")

// references are the pages of the reference of files.
var references = []string{"scenario-file", "machine-file", "runtime-file", "calibrate", "workloads"}

// readReference returns the text of a page and the name of its file.
func readReference(t *testing.T, page string) (text []byte, file string) {
	file = "../../docs/reference/" + page + ".md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text, file
}

// meant is what the absence of a cause means, or why it means nothing.
func meant(doc, not string) string {
	if not != "" {
		return "no: " + not
	}
	return doc
}

// referenceTables are the tables of the reference, by the name of their place in it.
func referenceTables() map[string]string {
	causes := "| cause | a run of processes without it | a run on GPUs without it |\n|---|---|---|\n"
	for _, c := range without.Causes {
		causes += fmt.Sprintf("| `%s` | %s | %s |\n", c.Name, meant(c.Doc, c.NotProcesses), meant(c.GPUs.Doc, c.GPUs.Not))
	}
	return map[string]string{
		"causes":            causes,
		"scenario keys":     markdown(newScenarioFile().rows()),
		"machine keys":      byGroup(alikeOnce(withoutRuntime(new(machineFile).rows()))),
		"piece keys":        markdown(keys.PieceRows(new(network.Piece))),
		"point keys":        markdown(keys.PointRows(new(machines.RatePoint), keys.Rate)),
		"calibration keys":  markdown(new(calibrationFile).rows()),
		"maximum keys":      markdown(maximumRows(new(calibrated.Row))),
		"calibration names": "`" + strings.Join(Calibrations(), "`, `") + "`\n",
		"workload keys":     workloadTables(),
		"units":             unitTable(),
		"origins":           "`" + strings.Join(keys.Origins, "`, `") + "`\n",
		"scenario names":    "`" + strings.Join(Scenarios(), "`, `") + "`\n",
		"runtime keys":      markdown(new(runtimeFile).rows("")),
		"runtime names":     "`" + strings.Join(Runtimes(), "`, `") + "`\n",
	}
}

// workloadTables writes the keys of all workloads. Those with the same keys share a table, and the keys of a collective,
// which several workloads have, stand once, below it.
func workloadTables() string {
	const collective = "collective"
	type family struct {
		names, titles []string
		rows          string
	}
	var families []*family
	kind, _ := workloads.Lookup(collective)
	shared := WorkloadRows(kind.New())
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		rows := WorkloadRows(kind.New())
		shares := false
		if name != collective {
			rows, shares = withoutShared(rows, shared)
		}
		table := markdown(rows)
		if shares {
			table = "The keys of [`collective`](#collective), and\n\n" + table
		}
		at := slices.IndexFunc(families, func(f *family) bool { return f.rows == table })
		if at < 0 {
			at = len(families)
			families = append(families, &family{rows: table})
		}
		families[at].names = append(families[at].names, name)
		families[at].titles = append(families[at].titles, kind.Title)
	}
	var out strings.Builder
	for _, f := range families {
		fmt.Fprintf(&out, "\n## %s\n\n", strings.Join(f.names, ", "))
		for i, title := range f.titles {
			if len(f.titles) > 1 {
				fmt.Fprintf(&out, "- `%s`: ", f.names[i])
			}
			out.WriteString(title + "\n")
		}
		out.WriteString("\n" + f.rows)
	}
	return out.String()
}

// withoutShared leaves out the keys that a workload shares with a collective, if it has one, and tells whether it does.
func withoutShared(rows, shared keys.Table) (kept keys.Table, shares bool) {
	same := func(a, b keys.Row) bool { return a.Path == b.Path && a.Doc == b.Doc && a.Default() == b.Default() }
	var found []string
	for _, row := range rows {
		if slices.ContainsFunc(shared, func(s keys.Row) bool { return same(s, row) }) {
			found = append(found, row.Path)
		}
	}
	if !slices.Contains(found, "algorithm") {
		return rows, false
	}
	for _, row := range rows {
		if !slices.Contains(found, row.Path) {
			kept = append(kept, row)
		}
	}
	return kept, true
}

// withoutRuntime leaves out the keys of the runtime, which have a table of
// their own.
func withoutRuntime(rows keys.Table) (kept keys.Table) {
	for _, row := range rows {
		if !strings.HasPrefix(row.Path, "runtime.") {
			kept = append(kept, row)
		}
	}
	return kept
}

// alikeOnce keeps one row of those that each kernel has, and one of the slow-downs of two profiles.
func alikeOnce(rows keys.Table) (kept keys.Table) {
	said := map[string]bool{}
	for _, row := range rows {
		words := strings.Split(row.Path, ".")
		switch {
		case len(words) == 3 && words[0] == "kernels":
			words[1] = "NAME"
			row.Doc += map[string]string{"rates": "; a bandwidth if the kernel is counted in bytes", "profile": "; of copy and transpose: copy, of touch: memory"}[words[2]]
		case len(words) >= 3 && words[0] == "smt" && words[1] == "slow_down":
			if len(words) == 3 {
				continue
			}
			words[2], words[3], row.Doc = "ONE", "OTHER", "of ONE with OTHER; 0: 1, no slower"
		}
		row.Path = strings.Join(words, ".")
		if !said[row.Path] {
			said[row.Path], kept = true, append(kept, row)
		}
	}
	return kept
}

// byGroup writes the rows of a key table, those of each group of keys below a heading.
func byGroup(rows keys.Table) string {
	var order []string
	groups := map[string][]keys.Row{}
	first := func(row keys.Row) string { group, _, _ := strings.Cut(row.Path, "."); return group }
	counts := map[string]int{}
	for _, row := range rows {
		counts[first(row)]++
	}
	for _, row := range rows {
		group := first(row)
		if counts[group] == 1 {
			group = "the machine"
		}
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], row)
	}
	var out strings.Builder
	for _, group := range order {
		fmt.Fprintf(&out, "\n### Keys of %s\n\n%s", group, markdown(groups[group]))
	}
	return out.String()
}

// brief shortens the kinds of values for a column.
var brief = strings.NewReplacer("a whole number", "integer", "true or false", "boolean", "a list", "list", "a time", "time", "a size", "size",
	"a number", "number", "a rate", "rate", "a bandwidth", "bandwidth", "a frequency", "frequency", "a gap", "gap")

// markdown writes the rows of a key table.
func markdown(rows []keys.Row) string {
	var out strings.Builder
	out.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	for _, row := range withInner(rows) {
		unset := row.Default()
		switch {
		case row.Or != "":
			_, other := keys.Split(row.Or)
			unset = "this or `" + other + "`"
		case row.Needs == keys.Required:
			unset = "required"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", row.Path, brief.Replace(row.Kind()), unset, row.Doc)
	}
	return out.String()
}

// withInner adds the keys of the entries of lists, as list[].key.
func withInner(rows []keys.Row) (all []keys.Row) {
	for _, row := range rows {
		all = append(all, row)
		for _, inner := range row.Inside() {
			inner.Path = row.Path + "[]." + inner.Path
			all = append(all, inner)
		}
	}
	return all
}

func unitTable() string {
	var out strings.Builder
	out.WriteString("| quantity | example | units |\n|---|---|---|\n")
	for _, d := range keys.Dimensions() {
		if units := d.Units(); units != nil {
			fmt.Fprintf(&out, "| %s | %s | `%s` |\n", d, d.Example(), strings.Join(units, "` `"))
		}
	}
	return out.String()
}

// The pages of the reference contain the tables that the decoder uses. With -update the test
// writes them.
func TestReference(t *testing.T) {
	tables := referenceTables()
	for _, page := range references {
		text, file := readReference(t, page)
		fresh := text
		for name, table := range tables {
			start, end := []byte("<!-- "+name+" -->\n"), []byte("<!-- end -->")
			before, rest, here := bytes.Cut(fresh, start)
			if !here {
				continue
			}
			_, after, closed := bytes.Cut(rest, end)
			if !closed {
				t.Fatalf("%s: %s has no end", file, name)
			}
			fresh = bytes.Join([][]byte{before, start, []byte(table), end, after}, nil)
			delete(tables, name)
		}
		if bytes.Equal(fresh, text) {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the key tables say; run: go test ./scenarios/files -run TestReference -update", file)
		} else if err := os.WriteFile(file, fresh, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name := range tables {
		t.Errorf("docs/reference has no place for %s", name)
	}
}

// The scenarios and machines in the reference are correct.
func TestReferenceExamples(t *testing.T) {
	var examples []string
	for _, page := range references {
		text, _ := readReference(t, page)
		examples = append(examples, strings.Split(string(text), "```yaml\n")[1:]...)
	}
	t.Chdir(t.TempDir())
	if len(examples) < 7 {
		t.Fatalf("found %d examples", len(examples))
	}
	for _, e := range examples {
		yaml, _, _ := strings.Cut(e, "```")
		first, _, _ := strings.Cut(yaml, "\n")
		name := strings.TrimPrefix(strings.TrimSuffix(strings.Fields(first)[1], ":"), "# ")
		write(t, name, yaml)
		var err error
		if strings.Contains(yaml, "ranks:") {
			_, err = Load(name, nil)
		} else {
			_, err = LoadMachine(name)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
