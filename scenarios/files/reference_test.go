package files

import (
	"bytes"
	"flag"
	"fmt"
	"os"
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
var references = []string{"scenario-file", "machine-file", "runtime-file", "calibration-file", "workloads"}

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
	params := ""
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		params += fmt.Sprintf("\n## %s\n\n%s\n\n%s", name, kind.Title, markdown(WorkloadRows(kind.New())))
	}
	causes := "| cause | a run of processes without it | a run on GPUs without it |\n|---|---|---|\n"
	for _, c := range without.Causes {
		causes += fmt.Sprintf("| `%s` | %s | %s |\n", c.Name, meant(c.Doc, c.NotProcesses), meant(c.GPUs.Doc, c.GPUs.Not))
	}
	return map[string]string{
		"causes":            causes,
		"scenario keys":     markdown(newScenarioFile().rows()),
		"machine keys":      byGroup(withoutRuntime(new(machineFile).rows())),
		"piece keys":        markdown(keys.PieceRows(new(network.Piece))),
		"point keys":        markdown(keys.PointRows(new(machines.RatePoint), keys.Rate)),
		"calibration keys":  markdown(new(calibrationFile).rows()),
		"maximum keys":      markdown(maximumRows(new(calibrated.Row))),
		"calibration names": "`" + strings.Join(Calibrations(), "`, `") + "`\n",
		"workload keys":     params,
		"units":             unitTable(),
		"origins":           "`" + strings.Join(keys.Origins, "`, `") + "`\n",
		"scenario names":    "`" + strings.Join(Scenarios(), "`, `") + "`\n",
		"machine names":     "`" + strings.Join(Machines(), "`, `") + "`\n",
		"runtime keys":      markdown(new(runtimeFile).rows("")),
		"runtime names":     "`" + strings.Join(Runtimes(), "`, `") + "`\n",
	}
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
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", row.Path, row.Kind(), unset, row.Doc)
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
