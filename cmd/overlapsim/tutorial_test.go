package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const tutorialFile = "../../docs/tutorial.md"

var (
	fenced   = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```\n")
	fileName = regexp.MustCompile(`^# ([a-z]+\.yaml):`)
)

// The tutorial is true: its files are written and its commands run in order,
// and they print what it shows. A line of three points stands for any lines.
// With -update, what a block without points shows is written again.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	text, err := os.ReadFile(tutorialFile)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	home, _ := os.Getwd()
	t.Chdir(t.TempDir())
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		switch kind, body := block[1], block[2]; kind {
		case "yaml":
			name := fileName.FindStringSubmatch(body)
			if name == nil {
				t.Fatalf("a file without a name: %s", body)
			}
			if err := os.WriteFile(name[1], []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		case "console", "sh":
			page = strings.Replace(page, block[0], "```"+kind+"\n"+playedBack(t, body)+"```\n", 1)
		}
	}
	if *update {
		t.Chdir(home)
		if err := os.WriteFile(tutorialFile, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// playedBack runs the command of a block and compares what it prints; it
// returns the block as it should be.
func playedBack(t *testing.T, block string) string {
	line, want, _ := strings.Cut(block, "\n")
	command, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), "#")
	words := strings.Fields(command)
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
			t.Errorf("%s: the tutorial shows\n%s\nand this comes out:\n%s", command, want, out)
		}
		return block
	}
	if out != want && !*update {
		t.Errorf("%s: the tutorial shows\n%s\nand this comes out:\n%s\nIf that is right: go test ./cmd/overlapsim -run TestTutorial -update",
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
