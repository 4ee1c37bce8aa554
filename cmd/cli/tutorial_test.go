package cli

import (
	"compress/gzip"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/limited"
	"overlapsim/scenarios/validation"
	"overlapsim/sim/must"
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
	"report.sqlite":           "workloads/gputrace/testdata/nsight.sqlite.gz",
	"ranks/rank-0.json.gz":    "workloads/gputrace/testdata/sampled_rank-0.json.gz",
	"ranks/rank-1.json.gz":    "workloads/gputrace/testdata/sampled_rank-1.json.gz",
}

// sampleFolder is a folder with the samples.
func sampleFolder(t *testing.T) string {
	folder := t.TempDir()
	for name, from := range samples {
		from, err := filepath.Abs(filepath.Join("../..", from))
		name = filepath.Join(folder, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(name), 0o777)
		}
		if err == nil && strings.HasSuffix(name, ".sqlite") {
			writeText(t, name, unpacked(t, from))
		} else if err == nil {
			err = os.Symlink(from, name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// unpacked is the text of a gzipped file.
func unpacked(t *testing.T, path string) string {
	packed := must.Get(os.Open(path))(t)
	defer packed.Close()
	text := must.Get(gzip.NewReader(packed))(t)
	all := must.Get(io.ReadAll(text))(t)
	return string(all)
}

// unplayed are the lines of blocks of commands that no test of pages runs, by how they begin, or all of a page, with the reason.
var unplayed = map[string]string{
	"docs/contributing/libraries.md":     "npm needs a network",
	"docs/studies/":                      "TestStudies runs them: hundreds of simulations",
	"git clone ":                         "the place of the repository is the reader's",
	"go install ":                        "the tests build the command themselves",
	"go test ":                           "these are the tests; TestGoOfDocs looks for them",
	"go run ./cmd/dev/":                  "for developers, and long; TestGoOfDocs looks for them",
	"go mod edit ":                       "TestOutside has such a module",
	"go build -o yours ":                 "TestOutside builds it",
	"mpirun ":                            "needs MPI and a cluster",
	"nsys ":                              "needs Nsight Systems",
	"TMPDIR=":                            "needs MPI and a cluster; the tests of scenarios/record record",
	"overlapsim record ":                 "needs MPI; the tests of scenarios/record record",
	"overlapsim calibrate osu_":          "needs what mpirun prints; scenarios/calibrate reads such outputs",
	"overlapsim sweep SCENARIO ":         "a placeholder",
	"overlapsim run SCENARIO ":           "a placeholder",
	"overlapsim run sweep3d-2x2/":        "no trace of liballprof is in the project",
	"overlapsim potential sweep3d-2x2/":  "no trace of liballprof is in the project",
	"overlapsim run app.trace --phase 2": "the sample has no phases; TestPhase in workloads/traces has",
	"overlapsim validate ":               "needs measurements of the reader, or takes minutes; scenarios/validation runs all data sets",
	"overlapsim run hopper-calibration ": "108 runs; TestHopperCalibration in scenarios/calibrate",
	"overlapsim gradient ft-pencils-jacquard --html":           "many re-runs of a long run; scripts run gradient on short ones",
	"overlapsim sweep ft-pencils-jacquard ":                    "four long runs; one of them is played",
	"overlapsim reproduce cray ":                               "takes a minute; TestReproduce in scenarios/papers judges every claim",
	"overlapsim run bgp/fig4":                                  "takes long; TestFiguresAreThoseOfTheText in scenarios/papers draws it",
	"overlapsim run probes/fig4":                               "takes long; TestFiguresAreThoseOfTheText in scenarios/papers draws it",
	"overlapsim run bgp-diagonal --set workload.op=get --html": "takes long; a quarter of it is played",
}

// unplayedWhy says why a line of a page is not run, if that is so.
func unplayedWhy(page, line string, used map[string]bool) (why string, is bool) {
	for begins, of := range unplayed {
		if strings.HasPrefix(line, begins) || strings.HasPrefix(page, begins) {
			used[begins], why, is = true, of, true
		}
	}
	return why, is
}

var (
	fenced   = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```\n")
	fileName = regexp.MustCompile(`^# ([a-z-]+\.yaml):`)
)

// What the pages show is true: the files of a page are written and its commands run in order, except those in unplayed;
// where a page shows an output, they print it. A line of three points stands for any lines.
// A page that shows no output has its turn (limited.HasTurn).
// With -update, what a block without points shows is written again.
func TestTutorial(t *testing.T) {
	must.Long(t)
	home, _ := os.Getwd()
	pages, used := docPages(t), map[string]bool{}
	for i, file := range slices.Sorted(maps.Keys(pages)) {
		shows := strings.Contains(pages[file], "```console\n")
		if !shows && !strings.Contains(pages[file], "```sh\n") {
			continue
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "../../"), func(t *testing.T) {
			t.Chdir(sampleFolder(t))
			page := playedPage(t, strings.TrimPrefix(filepath.ToSlash(file), "../../"), pages[file], used, shows || limited.HasTurn(i))
			if t.Chdir(home); *update {
				must.Do(t, os.WriteFile(file, []byte(page), 0o666))
			}
		})
	}
	for begins := range unplayed {
		if !used[begins] && !t.Failed() && ranAll(t) {
			t.Errorf("no page has %q: it is no longer in need of a reason", begins)
		}
	}
}

// ranAll tells whether no flag chose among the parts of a test.
func ranAll(*testing.T) bool { return !strings.Contains(flag.Lookup("test.run").Value.String(), "/") }

// playedPage runs the commands of a page, all or those whose outputs it shows, and returns the page as it should be.
func playedPage(t *testing.T, name, page string, used map[string]bool, all bool) string {
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		switch kind, body := block[1], block[2]; kind {
		case "yaml":
			file := fileName.FindStringSubmatch(body)
			if file == nil { // a part of a file of the project: TestBlocksOfDocs
				continue
			}
			must.Do(t, os.WriteFile(file[1], []byte(body), 0o666))
			if all && !readsFile(page, block[0], file[1]) { // else commands that write what it names may not have run
				if err := loads(file[1], body); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		case "sh":
			playedLines(t, name, body, used, all)
		case "console":
			page = strings.Replace(page, block[0], "```"+kind+"\n"+playedBack(t, body)+"```\n", 1)
		}
	}
	return page
}

// readsFile tells whether a command or a file of a page, other than this block, names a file.
func readsFile(page, block, file string) bool {
	for _, other := range fenced.FindAllString(page, -1) {
		if other != block && strings.Contains(other, file) {
			return true
		}
	}
	return false
}

// loads reads a file of a page as what its keys say that it is.
func loads(name, text string) (err error) {
	has := func(key string) bool { return strings.Contains("\n"+text, "\n"+key+":") }
	switch {
	case has("measured"):
		_, err = validation.Load(name)
	case has("workload") || has("runs"):
		_, err = files.Load(name, nil)
	case has("progress") || has("rendezvous"):
		_, err = files.LoadRuntime(name)
	default:
		_, err = files.LoadMachine(name)
	}
	return err
}

// The picture of the first page is drawn by the command that the page names.
func TestPictureOfFirstPage(t *testing.T) {
	must.Long(t)
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

var (
	quoted = regexp.MustCompile(`([0-9.]+) (us|ms|s)\b`)
	timed  = regexp.MustCompile(`([0-9.]+) (µs|ms|s)\b`)
	into   = regexp.MustCompile(` > ([a-z.-]+)$`)
)

// playedLines runs the command lines of a block, or only looks at them. Times in the comment of a line are in its output, if that is
// rounded alike.
func playedLines(t *testing.T, page, block string, used map[string]bool, run bool) {
	for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(block, "\\\n", " ")), "\n") {
		if _, is := unplayedWhy(page, line, used); is || line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		command := strings.TrimSpace(shellEnd.ReplaceAllString(line, ""))
		words := shellWords(command)
		if words[0] != "overlapsim" {
			t.Errorf("%s: %s: run it, or say in unplayed why not", page, line)
			continue
		}
		if !run {
			continue
		}
		if words[1] == "explore" {
			words = append(words, "--no-open")
		}
		if words[1] == "run" && !strings.Contains(words[2], "/") && !strings.Contains(line, "--live") {
			words = append(words, "--no-advice") // the re-runs are those of the pages that show an output
		}
		out, errs, status := callMain(words[1:]...)
		if status != done || errs != "" {
			t.Errorf("%s: %s: status %d, %s", page, line, status, errs)
		}
		if to := into.FindStringSubmatch(line); to != nil {
			writeText(t, to[1], out)
		}
		_, comment, _ := strings.Cut(line, " # ")
		for _, want := range quoted.FindAllStringSubmatch(comment, -1) {
			if !hasTime(out, want[1], strings.Replace(want[2], "us", "µs", 1)) {
				t.Errorf("%s: %s: %s %s is not in\n%s", page, line, want[1], want[2], out)
			}
		}
	}
}

// hasTime tells whether an output has a time, rounded to as many decimals.
func hasTime(out, number, unit string) bool {
	_, decimals, _ := strings.Cut(number, ".")
	for _, m := range timed.FindAllStringSubmatch(out, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		if err == nil && m[2] == unit && strconv.FormatFloat(x, 'f', len(decimals), 64) == number {
			return true
		}
	}
	return false
}

// printedOnce are the outputs of commands that need no file, which several pages show.
var printedOnce = map[string]string{}

// needsFile tells whether a command reads or writes files of its folder.
func needsFile(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		_, err := os.Stat(word)
		return err == nil || word == "--out" || word == "sweep" || word == "explore"
	})
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
	key := strings.Join(words, " ")
	out, again := printedOnce[key]
	if !again {
		var errs string
		var status int
		if out, errs, status = callMain(words[1:]...); status == wrong && errs == want { // the page shows mistakes
			return block
		} else if status != done || errs != "" {
			t.Errorf("%s: status %d, %s", command, status, errs)
		}
		if !needsFile(words) {
			printedOnce[key] = out
		}
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
