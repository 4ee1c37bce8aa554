package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/goal"
)

var (
	damages     = flag.Int("damages", 2, "how often each file of a user is damaged")
	damagesFrom = flag.Uint64("damages-from", 1, "seed of what is damaged")
)

// reading are commands that read files of a user, which stand in the folder IN. A sweep keeps its folder open, so it is a process.
var reading = []struct {
	files string // a name in the folder of the test, or a pattern from the folder of the project
	args  []string
}{
	{"saved.json", []string{"run", "IN/saved.json"}},
	{"saved.json", []string{"run", "IN/saved.json", "--json"}},
	{"saved.json", []string{"compare", "IN/saved.json", "fig22-initiation", "--json"}},
	{"swept", []string{"sweep", "IN"}},
	{"small.goal", []string{"replay", "IN/small.goal", "--json"}},
	{"small.goal", []string{"run", "IN/small.goal", "--json"}},
	{"small.trace", []string{"run", "IN/small.trace", "--json"}},
	{"small.json", []string{"run", "IN/small.json", "--json"}},
	{"small.et", []string{"run", "IN/small.et", "--json"}},
	{"small.table", []string{"run", "IN/small.table", "--json"}},
	{"prof", []string{"run", "IN", "--json"}},
	{"set", []string{"validate", "IN/set.yaml"}},
	{"earlier/*factors.yaml", []string{"run", "IN/on-factors.yaml", "--json"}},
	{"earlier/machine.yaml", []string{"run", "fig22-initiation", "--machine", "IN/machine.yaml", "--json"}},
	{"scenarios/validation/trace-*.parquet", []string{"run", "IN/trace-ST.parquet", "--json"}},
	{"workloads/gputrace/testdata/nsight.sqlite.gz", []string{"run", "IN/nsight.sqlite", "--json"}},
	{"workloads/gputrace/testdata/sampled*.gz", []string{"run", "IN", "--json"}},
	{"workloads/chakra/testdata/ring*.gz", []string{"run", "IN", "--json"}},
	{"workloads/traces/ti/testdata/mixed_2ranks.txt", []string{"run", "IN/mixed_2ranks.txt", "--json"}},
	{"workloads/traces/dumpi/testdata/mixed*", []string{"run", "IN/mixed.meta", "--json"}},
	{"small.bin", []string{"replay", "IN/small.bin", "--json"}},
	{"small.bin", []string{"run", "IN/small.bin", "--json"}},
	{"scenarios/calibrate/testdata/openmpi-tcp/*.gz", []string{"calibrate", "IN/pingpong.csv", "IN/isend.csv", "--json"}},
}

// goalText is a schedule, text or binary, as text.
func goalText(t *testing.T, schedule string) string {
	var text strings.Builder
	must.Do(t, must.Get(goal.Read(strings.NewReader(schedule), "small"))(t).WriteText(&text))
	return text.String()
}

// A damaged file, in which something is cut, changed, lost or swapped, is read as what it says then or refused: no
// command crashes, prints what is no number, or does not end.
func TestDamagedFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; -short leaves it out")
	}
	whole := must.Get(filepath.Abs("../.."))(t)
	inFolder(t)
	hostileFiles(t)
	writeText(t, "set/set.yaml", fitted)
	writeText(t, "set/fitted.csv", fittedRows)
	binary := must.Get(os.ReadFile(filepath.Join(whole, "workloads/goal/testdata/small.bin")))(t)
	if again, want := goalText(t, string(binary)), goalText(t, smallSchedule()); again != want {
		t.Fatalf("small.bin is\n%s\nwant\n%s", again, want)
	}
	writeText(t, "small.bin", string(binary))
	for rank := range 2 {
		writeText(t, fmt.Sprintf("prof/pmpi-trace-rank-%d.txt", rank), fmt.Sprintf(profiled, rank, 1-rank))
	}
	saved, said, status := callMain("run", "fig22-initiation", "--json", "--per-rank", "--gradient", "--no-advice")
	if status != done {
		t.Fatal(said)
	}
	writeText(t, "saved.json", saved)
	succeed(t, program(t, ".", "sweep", "fig22-initiation", "--vary", "machine.network.latency=1us,2us,3us", "--out", "swept"))
	must.Do(t, os.CopyFS("testdata/earlier", os.DirFS(filepath.Join(whole, "cmd/cli/testdata/earlier"))))
	counts := map[int]int{}
	for n, r := range reading {
		x := collected(t, whole, r.files)
		if status, wrong := readDamaged(t, r.args, x); status != done || wrong != "" {
			t.Errorf("%v, undamaged: status %d, %s", r.args, status, wrong)
			continue
		}
		for i := range *damages {
			random := rand.New(rand.NewPCG(*damagesFrom+uint64(i), uint64(n)))
			damaged, how := damage(random, x)
			status, wrong := readDamaged(t, r.args, damaged)
			if counts[status]++; wrong != "" {
				t.Errorf("%v, damage %d (%s): %s", r.args, *damagesFrom+uint64(i), how, wrong)
			}
		}
	}
	t.Logf("by status: %v", counts)
}

const profiled = "# htor's PMPI Tracer 0.2 Output File\n\nMPI_Init:-:140737488343500:140737488344604:1000.000000\n" +
	"MPI_Irecv:1010:2:20:11,8,8:%[2]d:3:0,%[1]d,2:5:1011\nMPI_Send:1020:1:20:11,8,8:%[2]d:3:0,%[1]d,2:1022\nMPI_Wait:1030:5:7:1032\n" +
	"MPI_Allreduce:1040:1:2:10:11,8,8:3:0,%[1]d,2:1050\nMPI_Finalize:9000:-\n"

// collected are the files that a pattern names, with their texts, unpacked.
func collected(t *testing.T, whole, pattern string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	add := func(root, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, path)
		if z, e := gzip.NewReader(bytes.NewReader(text)); e == nil {
			text, err = io.ReadAll(z)
			name = strings.TrimSuffix(name, ".gz")
		}
		if err != nil {
			t.Fatal(err)
		}
		all[name] = text
	}
	for _, from := range []string{".", "testdata", whole} {
		found, _ := filepath.Glob(filepath.Join(from, pattern))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				add(filepath.Dir(path), path)
				continue
			}
			filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					add(path, at)
				}
				return err
			})
		}
		if len(all) > 0 {
			break
		}
	}
	if len(all) == 0 {
		t.Fatalf("no file is called %s", pattern)
	}
	return all
}

// extremes are what takes the place of a number.
var extremes = []string{"0", "-1", "1e308", "-1e308", "NaN", "9223372036854775807", "-9223372036854775808", "1e-308", "", "x", "null", "2147483648", "\"\""}

var extremeBits = []uint64{0, math.MaxUint64, math.MaxInt64, 1 << 63, math.MaxUint32 << 32, 1 << 31 << 32, math.MaxInt32 << 32,
	math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), math.Float64bits(1e308), math.Float64bits(-1e-308)}

// damage returns files of which one is damaged, or lost, and says how.
func damage(random *rand.Rand, files map[string][]byte) (map[string][]byte, string) {
	damaged := map[string][]byte{}
	var names []string
	for name, text := range files {
		damaged[name] = slices.Clone(text)
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[random.IntN(len(names))]
	text := damaged[name]
	if len(text) < 2 {
		return damaged, "none"
	}
	at := random.IntN(len(text))
	to := at + random.IntN(min(len(text)-at, 1<<random.IntN(12))+1)
	kind := random.IntN(9)
	switch kind {
	case 0:
		text = text[:at]
	case 1:
		text[at] ^= 1 << random.IntN(8)
	case 2:
		text = slices.Delete(text, at, to)
	case 3:
		text = slices.Insert(text, at, text[at:to]...)
	case 4, 5: // a number is another one
		if begin := bytes.IndexAny(text[at:], "0123456789"); begin >= 0 {
			at += begin
			end := at
			for end < len(text) && strings.IndexByte("0123456789.eE+-", text[end]) >= 0 {
				end++
			}
			text = slices.Replace(text, at, end, []byte(extremes[random.IntN(len(extremes))])...)
		}
	case 6: // two lines are swapped, or one is lost
		lines := bytes.SplitAfter(text, []byte("\n"))
		i, j := random.IntN(len(lines)), random.IntN(len(lines))
		if lines[i], lines[j] = lines[j], lines[i]; random.IntN(3) == 0 {
			lines = slices.Delete(lines, i, i+1)
		}
		text = bytes.Join(lines, nil)
	case 8: // the bytes of a number are those of an extreme one, in either order of bytes
		number := binary.BigEndian.AppendUint64(nil, extremeBits[random.IntN(len(extremeBits))])
		if random.IntN(2) == 0 {
			slices.Reverse(number)
		}
		copy(text[at:], number[:4<<random.IntN(2)])
	case 7: // two files are swapped, or one is lost
		other := names[random.IntN(len(names))]
		text, damaged[other] = damaged[other], text
		if random.IntN(2) == 0 && len(names) > 1 {
			delete(damaged, name)
			return damaged, "lost " + name
		}
	}
	damaged[name] = text
	return damaged, fmt.Sprintf("kind %d of %s at %d to %d", kind, name, at, to)
}

// readDamaged runs a command on files, and returns its status and what is wrong with how it ended.
func readDamaged(t *testing.T, args []string, files map[string][]byte) (status int, wrong string) {
	t.Helper()
	folder := t.TempDir()
	defer os.RemoveAll(folder)
	for name, text := range files {
		writeText(t, filepath.Join(folder, name), string(text))
	}
	args = slices.Clone(args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "IN", folder)
	}
	call := caller(callMain)
	if args[0] == "sweep" {
		call = inProcess(t)
	}
	var out, errs string
	ended := make(chan bool, 1)
	go func() {
		out, errs, status = call(args...)
		ended <- true
	}()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%v does not end", args)
	}
	switch {
	case status != done && status != failed && status != 2:
		wrong = fmt.Sprintf("status %d", status)
	case strings.Contains(errs, "goroutine") || strings.Contains(errs, "runtime error") || strings.Contains(errs, "a bug in the simulator"):
		wrong = "a fault"
	case status == 2 && !strings.Contains(errs, folder):
		wrong = "status 2, and no file is named"
	case status == done && slices.Contains(args, "--json"):
		wrong = nonsense(out)
	case status == done && (strings.Contains(out, "NaN") || strings.Contains(out, "Inf")):
		wrong = "what is no number"
	}
	if wrong != "" {
		wrong = fmt.Sprintf("%s\n%.1500s\n%.1500s", wrong, errs, out)
	}
	return status, wrong
}

// nonsense says what is wrong with the JSON of a command.
func nonsense(text string) string {
	var printed any
	if err := json.Unmarshal([]byte(text), &printed); err != nil {
		return "no JSON: " + err.Error()
	}
	return negative("", printed)
}

// negative names a time or a count that cannot be.
func negative(at string, of any) (wrong string) {
	switch of := of.(type) {
	case map[string]any:
		for name, value := range of {
			if n, ok := value.(float64); ok && slices.Contains([]string{"makespan_s", "ranks", "messages", "events", "bound_s"}, name) &&
				!(n >= 0 && n <= max(float64(1<<63), sim.Forever.Seconds())) {
				return fmt.Sprintf("%s.%s is %g", at, name, n)
			}
			if wrong = negative(at+"."+name, value); wrong != "" {
				return wrong
			}
		}
	case []any:
		for i, value := range of {
			if wrong = negative(fmt.Sprintf("%s[%d]", at, i), value); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}
