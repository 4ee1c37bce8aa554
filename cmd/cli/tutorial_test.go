package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// samples are the files that the commands of the pages are given: what a reader would have
// recorded or measured.
var samples = map[string]string{
	"app.trace":               "scenarios/validation/programs-fft2d-isend-p16.trace",
	"rank-0.json.gz":          "workloads/gputrace/testdata/sampled_rank-0.json.gz",
	"ring_overlap_4ranks.txt": "workloads/traces/ti/testdata/ring_overlap_4ranks.txt",
	"all_reduce.0.et":         "workloads/chakra/testdata/all_reduce.0.et",
	"all_reduce.1.et":         "workloads/chakra/testdata/all_reduce.1.et",
	"all_reduce.2.et":         "workloads/chakra/testdata/all_reduce.2.et",
	"all_reduce.3.et":         "workloads/chakra/testdata/all_reduce.3.et",
	"PingPong.csv.gz":         "scenarios/calibrate/testdata/graphene-gige/PingPong.csv.gz",
	"Isend.csv.gz":            "scenarios/calibrate/testdata/graphene-gige/Isend.csv.gz",
	"Recv.csv.gz":             "scenarios/calibrate/testdata/graphene-gige/Recv.csv.gz",
}

// sampleFolder is a folder with the samples.
func sampleFolder(t *testing.T) string {
	folder := t.TempDir()
	for name, from := range samples {
		from, err := filepath.Abs(filepath.Join("../..", from))
		if err == nil {
			err = os.Symlink(from, filepath.Join(folder, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

var (
	fenced   = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```\n")
	fileName = regexp.MustCompile(`^# ([a-z]+\.yaml):`)
)

// What the pages show is true: the files of a page are written and its commands with outputs run
// in order, and they print what the page shows. A line of three points stands for any lines.
// With -update, what a block without points shows is written again.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	home, _ := os.Getwd()
	pages := docPages(t)
	for _, file := range slices.Sorted(maps.Keys(pages)) {
		if howTo := strings.Contains(filepath.ToSlash(file), "docs/howto/"); !howTo && !strings.Contains(pages[file], "```console\n") {
			continue
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "../../"), func(t *testing.T) {
			t.Chdir(sampleFolder(t))
			page := playedPage(t, pages[file])
			if t.Chdir(home); *update {
				if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
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
		case "sh":
			playedLines(t, body)
		case "console":
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

// playedLines runs the command lines of a block whose outputs the page does not show. It leaves out a block with
// other programs, such as mpirun, and lines with a placeholder.
func playedLines(t *testing.T, block string) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(block, "\\\n", " ")), "\n")
	if slices.ContainsFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "overlapsim ") }) {
		return
	}
	for _, line := range lines {
		words := shellWords(strings.TrimSpace(shellEnd.ReplaceAllString(line, "")))[1:]
		if words[0] == "record" || slices.ContainsFunc(words, placeholder.MatchString) {
			continue
		}
		if _, errs, status := callMain(words...); status != done || errs != "" {
			t.Errorf("%s: status %d, %s", line, status, errs)
		}
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
