package collectives

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/collectives.md")

// The tables of the document are those of the program.
func TestDocumentHasTheTables(t *testing.T) {
	const file = "../../docs/reference/collectives.md"
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := tableIn(t, string(was), "algorithms", algorithmTable())
	text = tableIn(t, text, "libraries", libraryTable())
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if text != string(was) {
		t.Error("docs/reference/collectives.md is not current: go test ./workloads/collectives -run TestDocument -update")
	}
}

// tableIn puts a table between the marks of its name.
func tableIn(t *testing.T, text, name, table string) string {
	before, rest, found := strings.Cut(text, "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !found || !ended {
		t.Fatalf("there is no place for %s", name)
	}
	return before + "<!-- " + name + " -->\n" + table + "<!-- end -->" + after
}

func algorithmTable() string {
	var out strings.Builder
	out.WriteString("| operation | algorithm | how | reads | closed form | source |\n|---|---|---|---|---|---|\n")
	for _, o := range Operations {
		for _, a := range o.Algorithms() {
			closed := ""
			if a.Hops != nil {
				closed = "yes"
			}
			fmt.Fprintf(&out, "| `%s` | `%s` | %s | %s | %s | %s |\n", o.Name, a.Name, a.How, a.Uses, closed, a.Source)
		}
	}
	return out.String()
}

func libraryTable() string {
	var out strings.Builder
	out.WriteString("| library | is | source |\n|---|---|---|\n")
	for _, name := range Libraries() {
		l := LibraryNamed(name)
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", name, l.Title, l.Source)
	}
	return out.String()
}
