package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
		names = append(names, strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return names
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
		studies := strings.Contains(filepath.ToSlash(page), "docs/studies/") // they have a list of their own
		if !strings.HasSuffix(page, "README.md") && !studies && !slices.Contains(listed, page) {
			t.Errorf("docs/README.md does not list %s", page)
		}
	}
}
