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
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

var update = flag.Bool("update", false, "write the tables of docs/reference anew")

// references are the pages of the reference of files.
var references = []string{"scenario-file", "machine-file", "calibrate", "workloads"}

// readReference returns the text of a page and the name of its file.
func readReference(t *testing.T, page string) (text []byte, file string) {
	file = "../../docs/reference/" + page + ".md"
	text = must.Get(os.ReadFile(file))(t)
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
	var names []string
	for i, c := range without.Causes { // those of the kinds of parallelism share a row
		alike := func(n int) string {
			c := without.Causes[n]
			return strings.ReplaceAll(meant(c.Doc, c.NotProcesses)+" | "+meant(c.GPUs.Doc, c.GPUs.Not), c.Name+" operations", "its operations")
		}
		names = append(names, "`"+c.Name+"`")
		if i+1 < len(without.Causes) && alike(i) == alike(i+1) {
			continue
		}
		causes += fmt.Sprintf("| %s | %s |\n", strings.Join(names, ", "), alike(i))
		names = nil
	}
	return map[string]string{
		"causes":           causes,
		"scenario keys":    list(newScenarioFile().rows()),
		"machine keys":     byGroup(alikeOnce(withoutRuntime(new(machineFile).rows()))),
		"piece keys":       list(keys.PieceRows(new(network.Piece))),
		"point keys":       list(keys.PointRows(new(machines.RatePoint), keys.Rate)),
		"calibration keys": list(new(calibrationFile).rows()),
		"maximum keys":     list(maximumRows(new(calibrated.Row))),
		"workload keys":    workloadTables(),
		"units":            unitTable(),
		"origins":          "`" + strings.Join(keys.Origins, "`, `") + "`\n",
		"runtime keys":     list(new(runtimeFile).rows("")),
	}
}

// family are workloads whose keys have the same names, values and meanings; defaults may differ.
type family struct {
	names, titles []string
	rows          keys.Table
	defaults      map[string][]string // of a key, in the order of names
}

// workloadTables writes the keys of all workloads. Those with the same keys share a list, and one with the keys of an
// earlier family refers to it.
func workloadTables() string {
	var families []*family
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		rows := withInner(WorkloadRows(kind.New()))
		at := slices.IndexFunc(families, func(f *family) bool { return slices.EqualFunc(f.rows, rows, sameMeaning) })
		if at < 0 {
			at = len(families)
			families = append(families, &family{rows: rows, defaults: map[string][]string{}})
		}
		f := families[at]
		f.names, f.titles = append(f.names, name), append(f.titles, kind.Title)
		for _, row := range rows {
			f.defaults[row.Path] = append(f.defaults[row.Path], unset(row))
		}
	}
	var out strings.Builder
	var whole []*family // those that refer to no other
	for _, f := range families {
		fmt.Fprintf(&out, "\n## %s\n\n", strings.Join(f.names, ", "))
		for i, title := range f.titles {
			if len(f.titles) > 1 {
				fmt.Fprintf(&out, "- `%s`: ", f.names[i])
			}
			out.WriteString(title + "\n")
		}
		rows, refers := f.rows, ""
		for _, other := range whole {
			own, gone := f.beyond(other)
			if shared := len(f.rows) - len(own); shared >= 3 && len(gone) <= 2 && len(own)+len(gone) < len(rows) {
				rows, refers = own, fmt.Sprintf("The keys of [`%s`](#%s)", other.names[0], strings.Join(other.names, "-"))
				if len(gone) > 0 {
					refers += " except " + strings.Join(gone, ", ")
				}
			}
		}
		switch {
		case refers == "":
			whole = append(whole, f)
			if refers = "\n"; len(f.titles) > 1 {
				refers = "\nTheir keys:\n\n"
			}
		case len(rows) == 0:
			refers = "\n" + refers + ".\n"
		default:
			refers = "\n" + refers + ", and\n\n"
		}
		out.WriteString(refers)
		for _, row := range rows {
			value := slices.Compact(slices.Clone(f.defaults[row.Path]))
			if len(value) > 1 {
				value = f.defaults[row.Path]
			}
			out.WriteString(sentence(row, strings.Join(value, " or ")))
		}
	}
	return out.String()
}

// sameMeaning tells whether two keys have the same name, values and meaning.
func sameMeaning(a, b keys.Row) bool {
	return a.Path == b.Path && a.Doc == b.Doc && a.Kind() == b.Kind() && a.Needs == b.Needs
}

// beyond returns the rows that a family has beyond those of another, and the keys of the other that it lacks.
func (f *family) beyond(other *family) (rows keys.Table, lacks []string) {
	for _, row := range f.rows {
		same := func(o keys.Row) bool { return sameMeaning(row, o) }
		if !slices.ContainsFunc(other.rows, same) || !slices.Equal(f.defaults[row.Path][:1], other.defaults[row.Path][:1]) {
			rows = append(rows, row)
		}
	}
	for _, row := range other.rows {
		if !slices.ContainsFunc(f.rows, func(own keys.Row) bool { return own.Path == row.Path }) {
			lacks = append(lacks, "`"+row.Path+"`")
		}
	}
	return rows, lacks
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
		fmt.Fprintf(&out, "\n### Keys of %s\n\n", group)
		out.WriteString(list(groups[group]))
	}
	return out.String()
}

// brief shortens the kinds of values for a column.
var brief = strings.NewReplacer("a whole number", "integer", "true or false", "boolean", "a list", "list", "a time", "time", "a size", "size",
	"a number", "number", "a rate", "rate", "a bandwidth", "bandwidth", "a frequency", "frequency", "a gap", "gap")

// unset is what a table says where a file does not have the key.
func unset(row keys.Row) string {
	switch {
	case row.Or != "":
		_, other := keys.Split(row.Or)
		return "this or `" + other + "`"
	case row.Needs == keys.Required:
		return "required"
	}
	return row.Default()
}

// sentence writes a row of a key table as an item of a list: key (value, default): meaning.
func sentence(row keys.Row, unset string) string {
	value := brief.Replace(row.Kind())
	named := func(choice string) bool { return strings.Contains(row.Doc, choice) }
	if choices := strings.Split(value, ", "); len(choices) > 2 && !slices.ContainsFunc(choices, func(c string) bool { return !named(c) }) {
		value = "one of these"
	}
	if unset != "" {
		value += "; " + unset
	}
	return fmt.Sprintf("- `%s` (%s): %s\n", row.Path, value, row.Doc)
}

// list writes the rows of a key table as a list. Three keys or more that follow each other and mean the same, such as
// keys of a scenario that stand for those of the machine, share an item.
func list(rows []keys.Row) string {
	var out strings.Builder
	rows = withInner(rows)
	for i := 0; i < len(rows); {
		var names []string
		for _, row := range rows[i:] {
			if row.Doc != rows[i].Doc || unset(row) != "" {
				break
			}
			names = append(names, "`"+row.Path+"`")
		}
		if len(names) < 3 {
			out.WriteString(sentence(rows[i], unset(rows[i])))
			i++
			continue
		}
		fmt.Fprintf(&out, "- %s: %s\n", strings.Join(names, ", "), rows[i].Doc)
		i += len(names)
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
