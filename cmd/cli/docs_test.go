package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

var (
	link     = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	pageHead = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notSlug  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	codeText = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]*`")
)

// docPages returns the pages below docs and the README, by their names.
func docPages(t *testing.T) map[string]string {
	pages := map[string]string{}
	read := func(path string) error {
		text, err := os.ReadFile(path)
		pages[filepath.Clean(path)] = string(text)
		return err
	}
	err := filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			err = read(path)
		}
		return err
	})
	if err == nil {
		err = read("../../README.md")
	}
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// anchors returns the names of the headings of a page, as links to them are written.
func anchors(page string) (names []string) {
	for _, m := range pageHead.FindAllStringSubmatch(regexp.MustCompile("(?s)```.*?\n```").ReplaceAllString(page, ""), -1) {
		names = append(names, anchor(m[1]))
	}
	return names
}

func anchor(heading string) string {
	return strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// Every link leads to a file of this repository and, if it names one, to a heading there; every
// page is in the list of pages.
func TestDocs(t *testing.T) {
	pages := docPages(t)
	root := filepath.Clean("../..") + string(filepath.Separator)
	var listed []string
	for page, text := range pages {
		for _, m := range link.FindAllStringSubmatch(codeText.ReplaceAllString(text, ""), -1) {
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(target); err != nil || !strings.HasPrefix(target, root) || strings.HasPrefix(target, root+"..") {
				t.Errorf("%s: no %s", page, m[1])
			}
			if m[2] != "" && !slices.Contains(anchors(pages[target]), m[2]) {
				t.Errorf("%s: %s has no heading #%s", page, target, m[2])
			}
			if page == filepath.Clean("../../docs/README.md") {
				listed = append(listed, target)
			}
		}
	}
	for page := range pages {
		studies := strings.Contains(filepath.ToSlash(page), "docs/studies/") // they have a separate list
		if !strings.HasSuffix(page, "README.md") && !studies && !slices.Contains(listed, page) {
			t.Errorf("docs/README.md does not list %s", page)
		}
	}
}

var (
	questionRow = regexp.MustCompile(`(?m)^\| (.+\?) \| \[[^]]+\]\(\.\./([^)]+)\) \| (.+) \| ([\d.]+) \|$`)
	markup      = regexp.MustCompile("\\]\\([^)]*\\)|[]|#*`[]|-{3,}")
)

// Each question to the manual is answered within two minutes, at 250 words a minute: those of the list of pages before the first link to
// the place of the answer, and those from this place to the end of the answer.
func TestQuestions(t *testing.T) {
	pages := docPages(t)
	page := func(name string) string { return pages[filepath.Join("../../docs", name)] }
	rows := questionRow.FindAllStringSubmatch(page("contributing/questions.md"), -1)
	if len(rows) != 20 {
		t.Errorf("%d questions were found", len(rows))
	}
	for _, row := range rows {
		before, _, linked := strings.Cut(page("README.md"), "("+row[2]+")")
		name, heading, _ := strings.Cut(row[2], "#")
		text := page(name)
		for _, m := range pageHead.FindAllStringSubmatchIndex(text, -1) {
			if heading != "" && anchor(text[m[2]:m[3]]) == heading {
				text = text[m[0]:]
				break
			}
		}
		answer, _, ends := strings.Cut(text, row[3])
		minutes := float64(len(strings.Fields(markup.ReplaceAllString(before+answer+row[3], " ")))) / 250
		if said, _ := strconv.ParseFloat(row[4], 64); !linked || !ends || minutes > 2 || math.Abs(minutes-said) > 0.2 {
			t.Errorf("%s: linked %v, has the answer %v, after %.1f minutes, not %s, at most 2", row[1], linked, ends, minutes, row[4])
		}
	}
}

// commandsOf returns the command lines of a page that call a program: of its blocks, and those inside its sentences.
func commandsOf(page, program string) (lines []string) {
	page = strings.ReplaceAll(page, "\\\n", " ")
	for _, block := range regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for _, line := range strings.Split(block[1], "\n") {
			if line = strings.TrimPrefix(line, "$ "); strings.HasPrefix(line, program+" ") {
				lines = append(lines, line)
			}
		}
	}
	prose := regexp.MustCompile("(?s)```.*?\n```").ReplaceAllString(page, "")
	for _, inline := range regexp.MustCompile("`("+program+"\\s[^`]+)`").FindAllStringSubmatch(prose, -1) {
		lines = append(lines, strings.Join(strings.Fields(inline[1]), " "))
	}
	return lines
}

var (
	shellEnd    = regexp.MustCompile(`\s(?:#|\||>|>>|&&)(?:\s.*|[^ ]*$)`)
	placeholder = regexp.MustCompile(`^[A-Z_]+$|\.\.\.|…`)
	builtin     = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// parses checks that a command line of a page has a command, flags and names that exist.
func parses(line string) error {
	words := shellWords(strings.TrimSpace(shellEnd.ReplaceAllString(line, "")))[1:]
	words = slices.DeleteFunc(words, placeholder.MatchString)
	if len(words) == 0 || words[0] == "trace" { // the first bytes of a file, overlapsim trace 1
		return nil
	}
	cmd, ok := lookup(words[0])
	if !ok {
		return fmt.Errorf("no command %s", words[0])
	}
	if cmd.name == "record" {
		words, _, _ = cutAt(words, "--")
	}
	flags := cmd.flags()
	if err := flags.Parse(words[1:]); err != nil && !strings.Contains(err.Error(), "flag needs an argument") {
		return err
	}
	if known := subjectsOnce(cmd.name); len(known) > 0 {
		for _, name := range flags.Args() {
			if _, err := os.Stat(name); err != nil && builtin.MatchString(name) && !slices.Contains(known, name) && !isSample(name) {
				return fmt.Errorf("no %s", name)
			}
		}
	}
	return nil
}

// subjectsOnce remembers what a command accepts: to find it, all files of the library are read.
var subjectsOnce = func() func(string) []string {
	known := map[string][]string{}
	return func(command string) []string {
		if _, ok := known[command]; !ok {
			known[command] = subjects(command)
		}
		return known[command]
	}
}()

// cutAt splits words at the first that is this one.
func cutAt(words []string, at string) (before, after []string, found bool) {
	if i := slices.Index(words, at); i >= 0 {
		return words[:i], words[i+1:], true
	}
	return words, nil, false
}

// isSample tells whether a page uses this name for a folder or a result of the reader.
func isSample(name string) bool {
	return slices.Contains([]string{"results", "ranks", "contention"}, name)
}

// Every command line in the pages names a command, flags and scenarios that exist.
func TestCommandsOfDocs(t *testing.T) {
	n := 0
	for page, text := range docPages(t) {
		for _, line := range commandsOf(text, "overlapsim") {
			n++
			if err := parses(line); err != nil {
				t.Errorf("%s: %s: %v", page, line, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d command lines were found", n)
	}
}

// tests are what the test files of the project declare.
type tests struct {
	in    map[string]string // folder: names of its tests and benchmarks, a line each
	flags map[string]bool   // that they define
}

func findTests(t *testing.T) tests {
	all := tests{map[string]string{}, map[string]bool{}}
	functions := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w*)\(`)
	flags := regexp.MustCompile(`\bflag\.[A-Z]\w+\((?:&?\w+, )?"([a-z-]+)"`)
	must.Do(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text := readText(t, path)
		for _, m := range functions.FindAllStringSubmatch(text, -1) {
			all.in[filepath.Dir(path)] += m[1] + "\n"
		}
		for _, m := range flags.FindAllStringSubmatch(text, -1) {
			all.flags[m[1]] = true
		}
		return nil
	}))
	for _, own := range []string{"args", "bench", "benchtime", "count", "cpuprofile", "o", "pgo", "race", "rapid.checks", "run", "short",
		"timeout", "trimpath", "v", "vet"} {
		all.flags[own] = true
	}
	return all
}

// below returns the names of the tests of packages as the go command names them.
func (all tests) below(pattern string) (names string) {
	folder, every := strings.CutSuffix(pattern, "/...")
	folder = filepath.Join("../..", folder)
	for of, declared := range all.in {
		if of == folder || every && (folder == filepath.Clean("../..") || strings.HasPrefix(of, folder+string(filepath.Separator))) {
			names += declared
		}
	}
	return names
}

// check says what is wrong with a command line that calls go: a package, a test or a flag that is not there.
func (all tests) check(line string) error {
	words := shellWords(strings.TrimSpace(shellEnd.ReplaceAllString(strings.ReplaceAll(line, "\\|", "|"), "")))
	if len(words) < 2 || !slices.Contains([]string{"test", "run", "build"}, words[1]) {
		return nil
	}
	names, runs := "", map[string]string{}
	for i, word := range words {
		flag, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case strings.HasPrefix(word, "./"):
			if _, err := os.Stat(filepath.Join("../..", strings.TrimSuffix(word, "/..."))); err != nil {
				return err
			}
			names += all.below(word)
		case words[1] == "run" || !strings.HasPrefix(word, "-"):
		case !all.flags[flag]:
			return fmt.Errorf("no flag %s", word)
		case flag == "run" || flag == "bench":
			runs[flag] = words[i+1]
		}
	}
	if runs["run"] == "xxx" { // no test, for benchmarks alone
		delete(runs, "run")
	}
	for flag, pattern := range runs {
		kind := map[string]string{"run": "(?:Test|Fuzz)", "bench": "Benchmark"}[flag]
		for _, one := range strings.Split(pattern, "|") {
			if found := regexp.MustCompile("(?m)^" + kind + `\w*$`); !slices.ContainsFunc(found.FindAllString(names, -1), regexp.MustCompile(one).MatchString) {
				return fmt.Errorf("-%s %s finds nothing", flag, one)
			}
		}
	}
	return nil
}

// The packages, tests and flags that the pages name for the go command exist, and so does each test that a page names.
func TestGoOfDocs(t *testing.T) {
	all, n := findTests(t), 0
	everywhere := all.below("./...")
	for page, text := range docPages(t) {
		for _, line := range commandsOf(text, "go") {
			n++
			if err := all.check(line); err != nil {
				t.Errorf("%s: %s: %v", page, line, err)
			}
		}
		for _, m := range regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(everywhere, m[1]+"\n") {
				t.Errorf("%s: no test %s", page, m[1])
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d command lines were found", n)
	}
}

// comparedBy are the pages with blocks of text, and what compares these.
var comparedBy = map[string]string{
	"docs/contributing/design.md":        "TestTextsOfDocs",
	"docs/contributing/libraries.md":     "TestTextsOfDocs",
	"docs/explanation/time-breakdown.md": "TestLedgerDocument in nodes",
	"docs/reference/commands.md":         "TestPagesOfCommands",
	"docs/reference/sweeps.md":           "TestTextsOfDocs",
}

var (
	block      = regexp.MustCompile("(?sm)^ *```([a-z]*)\n(.*?)^ *```$")
	callLine   = regexp.MustCompile(`(?m)^(?:\$ |overlapsim |go |mpirun |npm |git )`)
	indents    = regexp.MustCompile(`(?m)^[\t ]+`)
	quotedFile = regexp.MustCompile(`(?m)^From \[[^\]]+\]\(([^)]+\.yaml)\):\n\n` + "```yaml\n")
)

// Every block says what it is, so that a test looks at it: commands are in blocks that TestTutorial runs, outputs next to their commands
// or compared by another test, files have a name or are part of a file of the project, and Go is in a file of the project.
func TestBlocksOfDocs(t *testing.T) {
	var code strings.Builder
	must.Do(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".go") {
			code.WriteString(indents.ReplaceAllString(readText(t, path), ""))
		}
		return err
	}))
	for page, text := range docPages(t) {
		name := strings.TrimPrefix(filepath.ToSlash(page), "../../")
		if n := strings.Count("\n"+text, "\n```"); n%2 != 0 {
			t.Errorf("%s: a block does not end", name)
		}
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			short, _, _ := strings.Cut(m[2], "\n")
			switch kind, body := m[1], m[2]; kind {
			case "sh", "console", "python":
			case "yaml":
				if !fileName.MatchString(body) && !quotesFile(t, page, text, body) {
					t.Errorf("%s: %q: a file has its name in the first line, '# name.yaml: what it is', or is quoted 'From [file](file):'", name, short)
				}
			case "go":
				if !strings.Contains(code.String(), indents.ReplaceAllString(body, "")) {
					t.Errorf("%s: %q is in no file of the project", name, short)
				}
			case "text":
				if callLine.MatchString(body) {
					t.Errorf("%s: %q: commands are in blocks of sh or console", name, short)
				}
				if comparedBy[name] == "" {
					t.Errorf("%s: %q: show it as the output of a command, or say in comparedBy what compares it", name, short)
				}
			default:
				t.Errorf("%s: %q: a block of %q", name, short, kind)
			}
		}
	}
}

// What blocks of text list is there: the folders of the project, the checksum of the chart script, the files of a sweep.
func TestTextsOfDocs(t *testing.T) {
	listed := func(page string) string {
		_, list, _ := strings.Cut(readText(t, "../../docs/"+page), "```text\n")
		list, _, _ = strings.Cut(list, "```")
		return list
	}
	var at []string // the folders above a line, each two blanks further to the right
	folders := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(listed("contributing/design.md")), "\n") {
		name, _, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		at = append(at[:(len(line)-len(strings.TrimLeft(line, " ")))/2], name)
		found, _ := filepath.Glob(filepath.Join("../..", filepath.Join(at...)))
		if len(found) == 0 {
			t.Errorf("design.md: no folder %s", filepath.Join(at...))
		}
		for _, folder := range found {
			folders[folder] = true
		}
	}
	for folder := range findTests(t).in {
		if name := filepath.Base(folder); !folders[folder] && name != "testdata" {
			t.Errorf("design.md does not list %s", folder)
		}
	}
	script := sha256.Sum256([]byte(unpacked(t, "../../scenarios/report/echarts/echarts.min.js.gz")))
	if sum, _, _ := strings.Cut(listed("contributing/libraries.md"), " "); sum != hex.EncodeToString(script[:]) {
		t.Errorf("the chart script has the checksum %x, its page says %s", script, sum)
	}
	list := listed("reference/sweeps.md")
	t.Chdir(t.TempDir())
	if _, errs, status := callMain("sweep", "fig22-initiation", "--vary", "seed=1,2", "--out", "points"); status != done {
		t.Fatal(errs)
	}
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		name, _, _ := strings.Cut(line, " ")
		if found, _ := filepath.Glob(filepath.Join("points", strings.Replace(name, "HOST-PID-ID", "*", 1))); len(found) == 0 && name != "slurm/" {
			t.Errorf("a sweep has no %s", name)
		}
	}
}

// quotesFile tells whether a block is quoted from the file that the line before it names.
func quotesFile(t *testing.T, page, text, body string) bool {
	for _, m := range quotedFile.FindAllStringSubmatchIndex(text, -1) {
		if strings.HasPrefix(text[m[1]:], body) {
			return strings.Contains(readText(t, filepath.Join(filepath.Dir(page), text[m[2]:m[3]])), body)
		}
	}
	return false
}

// notWords are words that readers stumbled over, with what to write instead.
var notWords = []struct{ word, instead string }{
	{`(?i)\b(?:whatever|whoever|whichever)\b`, "any, regardless of, the one that"},
	{`\bleft out:`, "if omitted:, default:"},
	{`(?i)(?:^|[^\w-])beside(?:[^\w-]|$)`, "during, next to, compared with, alongside"},
	{`(?:^|[.:] )(?:Named|Shown|Printed|Covered|Told) (?:is|are)\b`, "The table shows"},
	{`(?i)\bone's own\b`, "your own, its own"},
	{`(?i)\bnonblocking (?:send|receive|operation|collective)`, "non-blocking"},
	{`(?i)\bstart-up\b`, "startup"},
	{`\b(?:comes|come|came) out (?:as|here|there|again)\b`, "is reproduced, gives"},
	{`\bof one's own\b`, "your own, separate"},
	{`\b(?:takes?|needs?|is|are) besides\b`, "in addition"},
	{`(?i)\blies? together\b`, "is contiguous"},
	{`(?i)\bis said (?:beside|below|above)\b`, "the output gives"},
	{`\bof (?:its|their) own\b`, "its own, a separate one"},
	{`(?:^|[a-z)][.:] )(?:So [a-z]|What (?:[a-hj-z]|i[^f]))`, "the thing by its name; therefore"},
	{`\bcomes? out to\b`, "is reproduced, gives"},
	{`\b(?:is|are) left out\b`, "is omitted"},
	{`(?i)\bnobody\b`, "no rank, nothing"},
	{`\bfrom the begin of\b`, "from the start of"},
	{`\bthose of the library\b`, "the built-in ones"},
	{`(?i)\b(?:machine|scenario|runtime)s? of the library\b|\ba library name\b`, "built-in"},
}

// generated is where a page quotes data sets, papers or output, which have their own words.
var generated = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]*`|<!-- (data sets|claims) -->.*?<!-- (?:end|/claims) -->|\\]\\([^)]*\\)")

// The pages, the help and the titles of what is built in do not use the refused words.
func TestWordsOfDocs(t *testing.T) {
	texts := map[string]string{"help": overviewText(t)}
	for _, c := range commands() {
		texts["help "+c.name] = helpOf(t, c)
	}
	for _, kind := range listNames() {
		texts["list "+kind], _, _ = callMain("list", kind)
	}
	for page, text := range docPages(t) {
		texts[page] = generated.ReplaceAllString(text, "")
	}
	for name, text := range texts {
		for _, r := range notWords {
			for _, found := range regexp.MustCompile("(?m)"+r.word).FindAllString(text, -1) {
				t.Errorf("%s has %q: write %s", name, strings.TrimSpace(found), r.instead)
			}
		}
	}
}

// messageWords are patterns of notWords that messages, remarks and key tables must not have either.
var messageWords = regexp.MustCompile(`(?i)\b(?:of (?:its|their|one's) own|one's own|beside|besides|left out:?|passed over|` +
	`from the begin of|nobody (?:moves|makes|waits)|whatever|whoever|whichever)\b`)

// No text of the product in Go has a refused word; cmd/dev is for developers.
func TestWordsOfMessages(t *testing.T) {
	texts, set := 0, token.NewFileSet()
	for _, top := range []string{"cmd/cli", "scenarios", "workloads", "nodes", "network", "sim"} {
		err := filepath.WalkDir(filepath.Join("../..", top), func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && e.Name() == "testdata":
				return filepath.SkipDir
			case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING && strings.Contains(text.Value, " ") {
					texts++
					if found := messageWords.FindString(text.Value); found != "" {
						t.Errorf("%s has %q: see notWords", set.Position(text.Pos()), found)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if texts < 4000 {
		t.Errorf("only %d texts were read", texts)
	}
}

var (
	ownPath = regexp.MustCompile("`((?:docs|scenarios|nodes|network|workloads|cmd|sim|\\.ci)/[^`\\s:]+)")
	upwards = regexp.MustCompile("(?:^|[`( ])(\\.\\./(?:\\.\\./)*[a-z]+/[^`)\\s]*)")
)

// Every path of the project in the pages exists, and none is written as one that may lead out of it. Capitals and braces stand for names.
func TestPathsOfDocs(t *testing.T) {
	for page, text := range docPages(t) {
		for _, m := range ownPath.FindAllStringSubmatch(text, -1) {
			path := strings.TrimRight(m[1], ".,;)")
			if regexp.MustCompile(`[A-Z]{4}|[{}<]|\.\.\.`).MatchString(path) {
				continue
			}
			if found, err := filepath.Glob(filepath.Join("../..", path)); err != nil || len(found) == 0 {
				t.Errorf("%s: no %s (%v)", page, path, err)
			}
		}
		prose := regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(text, "")
		for _, m := range upwards.FindAllStringSubmatch(prose, -1) {
			t.Errorf("%s: %s may lead out of the project: name it from the root", page, m[1])
		}
	}
}
