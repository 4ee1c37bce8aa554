package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// Every page is in the list of pages, and every link leads somewhere.
func TestDocs(t *testing.T) {
	pages, _ := filepath.Glob("../../docs/*.md")
	studies, _ := filepath.Glob("../../docs/studies/*.md")
	var listed []string
	for _, page := range slices.Concat(pages, studies, []string{"../../README.md"}) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(page), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: no %s", page, m[1])
			}
			if strings.HasSuffix(page, "docs/README.md") {
				listed = append(listed, target)
			}
		}
	}
	for _, page := range pages {
		if !strings.HasSuffix(page, "README.md") && !slices.Contains(listed, filepath.Clean(page)) {
			t.Errorf("docs/README.md does not list %s", page)
		}
	}
}
