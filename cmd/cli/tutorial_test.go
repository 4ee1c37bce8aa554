package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// played are the pages whose commands are run.
var played = []string{"../../docs/tutorial.md", "../../README.md"}

var (
	fenced   = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```\n")
	fileName = regexp.MustCompile(`^# ([a-z]+\.yaml):`)
)

// The tutorial and the first page are true: their files are written and their commands run in
// order, and they print what the page shows. A line of three points stands for any lines.
// With -update, what a block without points shows is written again.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	home, _ := os.Getwd()
	for _, file := range played {
		t.Chdir(home)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		page := playedPage(t, string(text))
		if t.Chdir(home); *update {
			if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// playedPage runs the commands of a page, and returns the page as it should be.
func playedPage(t *testing.T, page string) string {
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		switch kind, body := block[1], block[2]; kind {
		case "yaml":
			name := fileName.FindStringSubmatch(body)
			if name == nil { // a part of a file
				continue
			}
			if err := os.WriteFile(name[1], []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		case "console", "sh":
			page = strings.Replace(page, block[0], "```"+kind+"\n"+playedBack(t, body)+"```\n", 1)
		}
	}
	return page
}

// The picture of the first page is drawn by the command that the page names.
func TestPictureOfFirstPage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	options := regexp.MustCompile("`overlapsim run ([a-z-]+) --figure (docs/[a-z.]+) --figure-with ([^`]+)`").FindStringSubmatch(string(page))
	if options == nil || !strings.Contains(string(page), "("+options[2]+")") {
		t.Fatalf("the page does not say how its picture is drawn: %q", options)
	}
	kept := "../../" + options[2]
	drawn := filepath.Join(t.TempDir(), "drawn.svg")
	if _, errs, status := callMain("run", options[1], "--figure", drawn, "--figure-with", options[3]); status != done || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	now, err := os.ReadFile(drawn)
	if err == nil && *update {
		err = os.WriteFile(kept, now, 0o666)
	}
	if was, also := os.ReadFile(kept); err != nil || also != nil || string(was) != string(now) {
		t.Errorf("%s is not what comes out (%v, %v): go test ./cmd/cli -run TestPictureOfFirstPage -update", kept, err, also)
	}
}

// playedBack runs the command of a block and compares what it prints; it
// returns the block as it should be.
func playedBack(t *testing.T, block string) string {
	line, want, _ := strings.Cut(block, "\n")
	command, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), "#")
	words := shellWords(strings.TrimSpace(command))
	if words[0] != "overlapsim" {
		return block
	}
	out, errs, status := callMain(words[1:]...)
	if status != done || errs != "" {
		t.Errorf("%s: status %d, %s", command, status, errs)
	}
	if !strings.HasPrefix(line, "$ ") {
		return block // shows nothing
	}
	if strings.Contains("\n"+want, "\n...\n") {
		if !like(out, want) {
			t.Errorf("%s: the page shows\n%s\nand this comes out:\n%s", command, want, out)
		}
		return block
	}
	if out != want && !*update {
		t.Errorf("%s: the page shows\n%s\nand this comes out:\n%s\nIf that is right: go test ./cmd/cli -run TestTutorial -update",
			command, want, out)
	}
	return line + "\n" + out
}

// like tells whether a text has the pieces of a pattern in their order; points
// between them stand for any lines.
func like(text, pattern string) bool {
	var escaped []string
	for _, piece := range strings.Split("\n"+pattern, "\n...\n") {
		escaped = append(escaped, regexp.QuoteMeta(piece))
	}
	return regexp.MustCompile("(?s)^" + strings.Join(escaped, "\n(?:.*\n)?") + "$").MatchString("\n" + text)
}
