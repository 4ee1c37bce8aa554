package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

var studies = flag.Bool("studies", os.Getenv("EVERY_TEST") != "", "run the commands of docs/studies")

// The command of every study runs and draws the picture that the study shows, in turns (limited.HasTurn);
// with -update the picture is kept.
func TestStudies(t *testing.T) {
	if !*studies {
		t.Skip("runs hundreds of simulations; -studies runs them")
	}
	folder := must.Get(filepath.Abs("../../docs/studies"))(t)
	pages, _ := filepath.Glob(filepath.Join(folder, "*.md"))
	if len(pages) < 4 {
		t.Fatalf("found %v", pages)
	}
	t.Chdir(t.TempDir())
	must.Do(t, os.MkdirAll("docs/studies", 0o777))
	for i, page := range pages {
		if !limited.HasTurn(i) {
			continue
		}
		text := must.Get(os.ReadFile(page))(t)
		_, block, found := strings.Cut(string(text), "```sh\n")
		if !found {
			continue // the list of them
		}
		line, _, _ := strings.Cut(block, "\n")
		words := strings.Fields(line)
		if _, errs, status := callMain(words[1:]...); status != done || errs != "" {
			t.Errorf("%s: status %d, %s", line, status, errs)
			continue
		}
		for _, picture := range regexp.MustCompile(`\(([a-z-]+\.svg)\)`).FindAllStringSubmatch(string(text), -1) {
			checkPicture(t, filepath.Join("docs/studies", picture[1]), filepath.Join(folder, picture[1]))
		}
	}
}

// checkPicture compares the headings of a drawn picture with those of the kept one; the numbers
// belong to the machines.
func checkPicture(t *testing.T, drawn, kept string) {
	text, err := os.ReadFile(drawn)
	if err != nil {
		t.Error(err)
		return
	}
	if *update {
		if err := os.WriteFile(kept, text, 0o666); err != nil {
			t.Error(err)
		}
		return
	}
	old, err := os.ReadFile(kept)
	if err != nil {
		t.Error(err)
		return
	}
	if a, b := headings(text), headings(old); a != b || a == "" {
		t.Errorf("%s shows %q, and the one that is kept %q; run: go test ./cmd/cli -run TestStudies -studies -update", drawn, a, b)
	}
}

var heading = regexp.MustCompile(`<text[^>]*>([A-Za-z][^<0-9]*)<`)

// headings are the words of a picture, without its numbers.
func headings(svg []byte) string {
	var all []string
	for _, h := range heading.FindAllSubmatch(svg, -1) {
		all = append(all, string(h[1]))
	}
	return strings.Join(all, "; ")
}
