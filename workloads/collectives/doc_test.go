package collectives

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/collectives.md")

// The tables of the document are those of the program.
func TestDocumentHasTheTables(t *testing.T) {
	const file = "../../docs/reference/collectives.md"
	was := must.Get(os.ReadFile(file))(t)
	text := tableIn(t, string(was), "algorithms", algorithmTable())
	text = tableIn(t, text, "libraries", libraryTable())
	if *update {
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
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

// algorithmTable lists the algorithms of each operation: how, the keys that it reads, whether it has a closed form, its source.
func algorithmTable() string {
	var out strings.Builder
	for _, o := range Operations {
		fmt.Fprintf(&out, "\n**`%s`**\n\n", o.Name)
		for _, a := range o.Algorithms() {
			fmt.Fprintf(&out, "- `%s`: %s", a.Name, a.How)
			if uses := a.Uses.String(); uses != "" {
				fmt.Fprintf(&out, "; reads %s", uses)
			}
			if a.Hops != nil {
				out.WriteString("; closed form")
			}
			fmt.Fprintf(&out, " (%s)\n", a.Source)
		}
	}
	return out.String() + "\n"
}

func libraryTable() string {
	var out strings.Builder
	for _, name := range Libraries() {
		l := LibraryNamed(name)
		fmt.Fprintf(&out, "- `%s`: %s\n", name, l.Title)
	}
	return out.String()
}
