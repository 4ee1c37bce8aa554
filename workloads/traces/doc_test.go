package traces

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/recorded-programs.md")

// The tables of docs/reference/recorded-programs.md are those of the code.
func TestDocument(t *testing.T) {
	const file = "../../docs/reference/recorded-programs.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range map[string]string{"fields": fieldsTable(), "kinds": kindsTable()} {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatal("no place for", name)
		}
		want = before + begin + table + end + after
	}
	if *update {
		err = os.WriteFile(file, []byte(want), 0o666)
	} else if want != string(text) {
		t.Error("docs/reference/recorded-programs.md is not current: go test ./workloads/traces -run TestDocument -update")
	}
	if err != nil {
		t.Error(err)
	}
}

func fieldsTable() string {
	b := &strings.Builder{}
	for i, f := range fieldTable {
		fmt.Fprintf(b, "%d. %s: %s\n", i, f.name, f.as)
	}
	return b.String()
}

func kindsTable() string {
	b := &strings.Builder{}
	for k := range kinds {
		var names []string
		for _, f := range k.fields() {
			names = append(names, fieldTable[f].name)
		}
		fmt.Fprintf(b, "%d. %s: %s", int(k), k, kindTable[k].of)
		if len(names) > 0 {
			fmt.Fprintf(b, " (%s)", strings.Join(names, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}
