package stragglers

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

// Sizes are read from lines, others are skipped, and what is wrong is named with its line.
func TestSizes(t *testing.T) {
	s, err := parseSizes(bufio.NewScanner(strings.NewReader("trial_name: SE\ndp_size: 32\ndsp_size: 2\npp_size: 2\ntp_size: 1\nvpp_size: 1\nworld_size: 128\n")))
	if want := (results.JobSizes{World: 128, DataParallel: 32, Stages: 2, TensorParallel: 1, SequenceParallel: 2, Chunks: 1}); err != nil || *s != want {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{"a: b\ndp_size: x": `line 2: dp_size must be 1 to`, "pp_size: 0": "line 1: pp_size must be 1 to"} {
		must.Refuse(parseSizes(bufio.NewScanner(strings.NewReader(text))))(t, want)
	}
	j := &job{ranks: 2, stages: 4, chunks: 1}
	for want, s := range map[string]results.JobSizes{"": {DataParallel: 2, Stages: 4, World: 8}, "pp_size is 2, and the table has 4 stages": {Stages: 2},
		"dp_size is 3, and the table has 2 data-parallel ranks": {DataParallel: 3}} {
		if err := j.fits(&s); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The file of sizes is that of the table, or else of the folder; without one there are no sizes.
func TestSizesBeside(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "trace-X.parquet")
	if s, _, err := readSizes(table); s != nil || err != nil {
		t.Errorf("%v, %v without a file", s, err)
	}
	for i, name := range []string{"meta.yaml", "meta-X.yaml"} { // the second one comes first
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("world_size: "+strings.Repeat("8", i+1)), 0o600))
		if s, path, err := readSizes(table); err != nil || s.World != []int{8, 88}[i] || filepath.Base(path) != name {
			t.Errorf("%+v of %s, %v", s, path, err)
		}
	}
}
