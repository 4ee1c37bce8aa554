package cli

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

var studies = flag.Bool("studies", os.Getenv("EVERY_TEST") != "", "run the commands of docs/studies")

// The commands of every study run, print the times of its tables and of their comments, and draw the picture that the study shows, in turns
// (limited.HeavyTurn); with -update the picture is kept.
func TestStudies(t *testing.T) {
	if !*studies {
		t.Skip("runs hundreds of simulations; -studies runs them")
	}
	folder := must.Get(filepath.Abs("../../docs/studies"))(t)
	pages, _ := filepath.Glob(filepath.Join(folder, "*.md"))
	if len(pages) < 4 {
		t.Fatalf("found %v", pages)
	}
	for i, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		if !limited.HeavyTurn(i, "study "+name) {
			continue
		}
		t.Run(name, func(t *testing.T) { checkStudy(t, folder, readText(t, page)) })
	}
}

// checkStudy runs the commands of a study.
func checkStudy(t *testing.T, folder, text string) {
	t.Chdir(t.TempDir())
	must.Do(t, os.MkdirAll("docs/studies", 0o777))
	var times strings.Builder
	for _, line := range blockCommands(text) {
		words := shellWords(shellEnd.ReplaceAllString(line, ""))
		if strings.Contains(text, "(`--answer` adds it to the sweep)") {
			words = append(words, "--answer")
		}
		out, errs, status := callMain(words[1:]...)
		if status != done || errs != "" {
			t.Errorf("%s: status %d, %s", line, status, errs)
		}
		times.WriteString(out)
		if at := slices.Index(words, "--out"); at >= 0 {
			times.WriteString(timesOf(t, filepath.Join(words[at+1], "results.csv")))
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\|.*$| # .*$`).FindAllString(text, -1) {
		for _, want := range quoted.FindAllStringSubmatch(row, -1) {
			if !hasTime(times.String(), want[1], strings.Replace(want[2], "us", "µs", 1)) {
				t.Errorf("no command prints %s %s", want[1], want[2])
			}
		}
	}
	if strings.Contains(text, "go run ./cmd/dev/study-") { // it draws the picture, and has its own test
		return
	}
	for _, picture := range regexp.MustCompile(`\(([a-z-]+\.svg)\)`).FindAllStringSubmatch(text, -1) {
		checkPicture(t, filepath.Join("docs/studies", picture[1]), filepath.Join(folder, picture[1]))
	}
}

// The table of what non-blocking collectives hide is what the benchmark gives: communication + computation - both together, in per cent
// of the communication, for the computation that takes one to two times as long.
func TestNonblockingStudy(t *testing.T) {
	if !*studies {
		t.Skip("runs hundreds of simulations; -studies runs them")
	}
	var result struct {
		Libraries []struct {
			Bytes      []int
			Benchmarks []struct {
				Compute  []float64   `json:"compute_s"`
				Comm     []float64   `json:"comm_s"`
				Measured [][]float64 `json:"measured_s"`
			}
		}
	}
	out, _, _ := callMain("overlap", "nonblocking-collectives", "--collectives", "--ranks", "16", "--json")
	must.Do(t, json.Unmarshal([]byte(out), &result))
	rows := regexp.MustCompile(`(?m)^\| [a-z-]+ ((?:\| -?\d+ ){9})\|$`).FindAllStringSubmatch(readText(t, "../../docs/studies/nonblocking.md"), -1)
	for i, b := range result.Libraries[0].Benchmarks {
		now := ""
		for _, l := range result.Libraries {
			for _, size := range []int{1 << 10, 1 << 16, 1 << 20} {
				at := slices.Index(l.Bytes, size)
				comm := l.Benchmarks[i].Comm[at]
				for j, compute := range b.Compute {
					if compute >= comm && compute <= 2*comm {
						now += fmt.Sprintf("| %d ", int(math.Round(100*(comm+compute-l.Benchmarks[i].Measured[j][at])/comm)))
					}
				}
			}
		}
		if i >= len(rows) || rows[i][1] != now {
			t.Errorf("row %d of %d should be %s", i+1, len(rows), now)
		}
	}
}

// blockCommands returns the commands in the blocks of a page.
func blockCommands(page string) (lines []string) {
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		for _, line := range strings.Split(block[2], "\n") {
			if block[1] == "sh" && strings.HasPrefix(line, "overlapsim ") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// timesOf writes the times of a table of a sweep in the units of pages.
func timesOf(t *testing.T, file string) string {
	var b strings.Builder
	rows := must.Get(csv.NewReader(strings.NewReader(readText(t, file))).ReadAll())(t)
	for _, row := range rows[1:] {
		for i, cell := range row {
			if x, err := strconv.ParseFloat(cell, 64); err == nil && strings.HasSuffix(rows[0][i], "_s") {
				fmt.Fprintf(&b, "%.12f s %.9f ms %.6f µs\n", x, 1e3*x, 1e6*x)
			}
		}
	}
	return b.String()
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
