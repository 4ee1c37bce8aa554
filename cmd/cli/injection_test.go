package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"overlapsim/sim/must"
)

// hostile begins like a formula, ends a script and an attribute, and would run a command if a
// shell read it.
const hostile = `=1+cmd|"'</script></title><script>alert(1)</script><img src=x onerror=alert(2)>$(touch pwned)` + "`touch pwned`"

// hostileMachine is the name of a file.
const hostileMachine = `=2+cmd|'<img src=x onerror=alert(1)>$(touch pwned).yaml`

// hostileFiles are a scenario, its machine and its library, with hostile names wherever there are any.
func hostileFiles(t *testing.T) {
	t.Helper()
	name := strconv.Quote(hostile)
	for file, text := range map[string]string{
		"lib.yaml":     "base: mvapich2-2.2\nname: " + name + "\ntitle: " + name + "\n",
		hostileMachine: "base: william\ntitle: " + name + "\nruntime: lib.yaml\n",
		"one.yaml":     "title: " + name + "\nmachine: " + strconv.Quote(hostileMachine) + "\nworkload: {name: token-ring, bytes: 8B}\nranks: 2\n",
		"two.yaml": "title: " + name + "\nmachine: " + strconv.Quote(hostileMachine) + "\nworkload: {name: token-ring, bytes: 8B}\nranks: 2\n" +
			"runs:\n- {name: " + name + ", ranks: 2}\n- {name: other, ranks: 3}\n",
		"set.yaml":   strings.Replace(fitted, "title: Exchanges", "title: "+name, 1),
		"fitted.csv": fittedRows,
	} {
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	}
}

// Regardless of what names contain, pages run nothing of them, pictures and traces are well formed, and no
// cell is a formula.
func TestInjection(t *testing.T) {
	must.Long(t)
	inFolder(t)
	hostileFiles(t)
	for _, args := range injected {
		if _, errs, status := callMain(args...); status != done {
			t.Fatalf("%v: %s", args, errs)
		}
	}
	for file, check := range map[string]func(string) error{
		"one.html": harmless, "two.html": harmless, "compare.html": harmless, "gradient.html": harmless, "optimum.html": harmless,
		"overlap.html": harmless, "sweep.html": harmless, "potential.html": harmless, "machine.html": harmless, "curves.html": harmless,
		"set.html": harmless, "one.svg": wellFormed, "two.svg": wellFormed, "optimum.svg": wellFormed, "sweep.svg": wellFormed,
		"overlap.svg": wellFormed, "gradient.svg": wellFormed, "compare.svg": wellFormed, "one.json": isJSON, "overlap.csv": noFormula,
		"swept/results.csv": noFormula, "again.yaml": namesMachine,
	} {
		text, err := os.ReadFile(file)
		if err == nil {
			err = check(string(text))
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a name was run")
	}
}

// injected are commands that write pages, pictures, traces and tables of the hostile files.
var injected = [][]string{
	{"run", "one.yaml", "--html", "one.html", "--figure", "one.svg", "--trace", "one.json", "--gradient"},
	{"run", "two.yaml", "--html", "two.html", "--figure", "two.svg"},
	{"compare", "one.yaml", "two.yaml", "--html", "compare.html", "--figure", "compare.svg"},
	{"gradient", "one.yaml", "--html", "gradient.html", "--figure", "gradient.svg"},
	{"optimize", "two.yaml", "--over", "machine.network.latency=1us,2us", "--html", "optimum.html", "--figure", "optimum.svg"},
	{"overlap", "--machine", hostileMachine, "--html", "overlap.html", "--csv", "overlap.csv", "--figure", "overlap.svg"},
	{"sweep", "two.yaml", "--vary", "machine.network.latency=1us,2us", "--out", "swept", "--html", "sweep.html", "--figure", "sweep.svg"},
	{"potential", "one.yaml", "--html", "potential.html", "--figure", "potential.svg"},
	{"explore", "one.yaml", "--html", "explore.html", "--figure", "explore.svg"},
	{"show", hostileMachine, "--html", "machine.html"},
	{"calibrate", "--machine", hostileMachine, "--html", "curves.html", "--out", "again.yaml"},
	{"validate", "set.yaml", "--html", "set.html"},
}

// Every command that writes a page, a picture or cells is in the table, but reproduce and record: papers are the library's own, and a
// recorded trace is data of calls. A trace of compare is refused.
func TestInjectionIsOfAll(t *testing.T) {
	for _, c := range commands() {
		flags := newFlags(c.name)
		c.setup(flags)
		flags.VisitAll(func(f *pflag.Flag) {
			written := slices.Contains([]string{"html", "figure", "trace", "csv"}, f.Name)
			if !written || c.name == "reproduce" || c.name == "compare" && f.Name == "trace" {
				return
			}
			named := func(args []string) bool {
				return args[0] == c.name && slices.Contains(args, "--"+f.Name)
			}
			if !slices.ContainsFunc(injected, named) {
				t.Errorf("%s --%s is given no hostile names", c.name, f.Name)
			}
		})
	}
}

// namesMachine checks that a machine's file is YAML whose values are those of a machine.
func namesMachine(text string) error {
	var keys map[string]any
	if err := yaml.Unmarshal([]byte(text), &keys); err != nil {
		return err
	}
	if keys["network"] == nil {
		return fmt.Errorf("has no network:\n%s", text)
	}
	return nil
}

// No name controls a terminal: the words of a file, and of a message about it, are shown
// literally.
func TestTerminalIsNotToldAnything(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = `"a\e]0;b\a\e[31mc\r\x7fd"`
	text := "title: " + name + "\nmachine: jacquard\nworkload: {name: token-ring, bytes: 8B}\nranks: 2\nruns: [{name: " + name + "}, {name: b}]\n"
	must.Do(t, os.WriteFile("s.yaml", []byte(text), 0o666))
	for _, args := range [][]string{{"run", "s.yaml"}, {"compare", "s.yaml"}, {"run", "s.yaml", "--run", "\x1b[31m"}, {"run", "\x1b[31m"}} {
		out, errs, _ := callMain(args...)
		if said := out + errs; strings.ContainsAny(said, "\x1b\a\r\x7f") || !strings.Contains(said, `\x1b[31m`) {
			t.Errorf("%q says %q", args, said)
		}
	}
}

// Names with every character that controls a terminal or the direction of its text are shown with none,
// and read from JSON as they are, by every command that prints them.
func TestEveryControlInNames(t *testing.T) {
	t.Chdir(t.TempDir())
	var name strings.Builder
	for c := rune(1); c < 0x3000; c++ {
		if obeyed(c) || strings.ContainsRune("\n\t\"\\<&\u00a0ö\ufeff", c) {
			name.WriteRune(c)
		}
	}
	quoted := strconv.QuoteToASCII(name.String())
	writeText(t, "s.yaml", "title: "+quoted+"\nmachine: {base: jacquard, title: "+quoted+
		"}\nworkload: {name: token-ring, bytes: 8B}\nranks: 2\nruns: [{name: "+quoted+"}, {name: b}]\n")
	for _, args := range [][]string{{"run"}, {"compare"}, {"gradient", "--run", "b"}, {"run", "--run", name.String() + "?"}} {
		args = slices.Insert(args, 1, "s.yaml")
		out, errs, _ := callMain(args...)
		for _, c := range out + errs {
			if obeyed(c) || c == '\u2028' || c >= 0x80 && c < 0xa0 || c == '\u202e' || c == '\u2066' {
				t.Errorf("%.20q says %q: %.300q", args, c, out+errs)
				break
			}
		}
		out, errs, status := callMain(append(args, "--json")...)
		known := !strings.HasSuffix(args[len(args)-1], "?")
		if known != (status == done) || known && (!json.Valid([]byte(out)) || args[0] == "run" && !inJSON(out, name.String())) {
			t.Errorf("%.20q --json: %.300s", args, out+errs)
		}
	}
}

// inJSON tells whether a string is a value in JSON.
func inJSON(text, want string) (found bool) {
	d := json.NewDecoder(strings.NewReader(text))
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		found = found || token == want
	}
	return found
}

// A character that is written in pieces stays whole, and bytes that are no character are shown as such.
func TestPrintableInPieces(t *testing.T) {
	const text = "größer 1 µs\u202e€😀\x1b[31m \x9b31m \xff\u009b\u2028\ufffd."
	const want = `größer 1 µs\u202e€😀\x1b[31m \x9b31m \xff\u009b\u2028` + "\ufffd."
	for n := 1; n <= len(text); n++ {
		var b bytes.Buffer
		p := &printable{out: &b}
		for piece := range slices.Chunk([]byte(text), n) {
			if wrote, err := p.Write(piece); wrote != len(piece) || err != nil {
				t.Fatal(wrote, err)
			}
		}
		if b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", n, b.String(), want)
		}
	}
}

// harmless checks that a page has the hostile text in no form that a browser would run.
func harmless(page string) error {
	if !strings.Contains(page, "alert(1)") {
		return errors.New("the name is not on the page, so nothing is tested")
	}
	for _, bad := range []string{"<script>alert", "<img src=x", "</script></title>"} {
		if at := strings.Index(page, bad); at >= 0 {
			return fmt.Errorf("has ...%s", page[max(0, at-80):at+len(bad)])
		}
	}
	return nil
}

// wellFormed checks that a picture is XML without an element that could run anything.
func wellFormed(picture string) error {
	in := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := in.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "script" || start.Name.Local == "img") {
			return fmt.Errorf("has an element %s", start.Name.Local)
		}
	}
}

func isJSON(text string) error {
	if !json.Valid([]byte(text)) {
		return errors.New("is not JSON")
	}
	return nil
}

// noFormula checks that no cell except numbers begins like a formula.
func noFormula(text string) error {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	found := false
	for _, row := range rows {
		for _, cell := range row {
			found = found || strings.Contains(cell, "cmd|")
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
				return fmt.Errorf("has a cell %q", cell)
			}
		}
	}
	if !found {
		return errors.New("the name is in no cell, so nothing is tested")
	}
	return nil
}
