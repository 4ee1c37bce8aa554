package stragglers

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/workloads/inputs"
)

// metaNames are the names that a file of sizes next to a table may have: the name of the table with meta for trace, and
// meta.yaml.
func metaNames(table string) (names []string) {
	name := filepath.Base(table)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	if rest, ok := strings.CutPrefix(stem, "trace"); ok {
		names = append(names, "meta"+rest+".yaml")
	}
	return append(names, "meta.yaml")
}

// readSizes reads the sizes of a job from a file next to its table; nil: there is none.
func readSizes(table string) (*results.JobSizes, string, error) {
	for _, name := range metaNames(table) {
		path := filepath.Join(filepath.Dir(table), name)
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, path, err
		}
		defer f.Close()
		inputs.Note(path)
		s, err := parseSizes(bufio.NewScanner(f))
		return s, path, err
	}
	return nil, "", nil
}

// mostSize is the largest size of a job.
const mostSize = 1 << 24

// parseSizes reads lines such as dp_size: 32. Other lines are skipped.
func parseSizes(in *bufio.Scanner) (*results.JobSizes, error) {
	s := &results.JobSizes{}
	keys := map[string]*int{"dp_size": &s.DataParallel, "pp_size": &s.Stages, "tp_size": &s.TensorParallel, "dsp_size": &s.SequenceParallel,
		"vpp_size": &s.Chunks, "world_size": &s.World}
	for line := 1; in.Scan(); line++ {
		key, value, _ := strings.Cut(in.Text(), ":")
		to := keys[strings.TrimSpace(key)]
		if to == nil {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 1 || n > mostSize {
			return nil, fmt.Errorf("line %d: %s must be 1 to %d, got %q", line, strings.TrimSpace(key), mostSize, strings.TrimSpace(value))
		}
		*to = n
	}
	return s, in.Err()
}

// fits returns an error if the sizes differ from the table's. Sizes that are not given are the table's.
func (j *job) fits(s *results.JobSizes) error {
	for _, one := range []struct {
		key, of    string
		said, have int
	}{{"dp_size", "data-parallel ranks", s.DataParallel, j.ranks}, {"pp_size", "stages", s.Stages, j.stages},
		{"vpp_size", "chunks of the model in a stage", s.Chunks, j.chunks}} {
		if one.said > 0 && one.said != one.have {
			return fmt.Errorf("%s is %d, and the table has %d %s", one.key, one.said, one.have, one.of)
		}
	}
	return nil
}
