package experiments

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/workloads"
	"overlapsim/workloads/inputs"
)

// MostSent is the largest sum of bytes that is reported.
const MostSent = 1 << 60

// OpenTraces opens the files that a path stands for, in the order of the numbers in their names: it is one; several of
// a folder, with commas between their names; with * in its name a pattern; or a folder, in which those with the right beginnings are meant.
func OpenTraces[T any](path string, most int, begins func(begin []byte) bool, open func(name string) (T, error)) (all []T, err error) {
	names := []string{path}
	_, noFile := os.Stat(path)
	if list := strings.Split(filepath.Base(path), ","); noFile != nil && len(list) > 1 {
		names = nil
		for _, name := range list {
			names = append(names, filepath.Join(filepath.Dir(path), name))
		}
	} else if strings.Contains(filepath.Base(path), "*") {
		if names, err = filepath.Glob(path); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("no file is called %s", path)
		}
	} else if info, err := os.Stat(path); err == nil && info.IsDir() {
		names, _ = filepath.Glob(filepath.Join(quoted.Replace(path), "*"))
		names = slices.DeleteFunc(names, func(name string) bool { return !begins(inputs.Begin(name)) })
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: is a folder without a trace", path)
		}
	}
	slices.SortFunc(names, inputs.ByNumbers)
	if len(names) > most {
		return nil, fmt.Errorf("%s are %d files, the most is %d", path, len(names), most)
	}
	for _, name := range names {
		one, err := open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// quoted lets a path mean itself in a pattern.
var quoted = strings.NewReplacer("*", "\\*", "?", "\\?", "[", "\\[", "\\", "\\\\")

// mostTrace is the most that is read of a trace, uncompressed.
const mostTrace = 4 << 30

// ReadTrace reads a file, gzipped or not, with what reads its kind of trace.
func ReadTrace[T any](name string, read func(io.Reader) (T, error)) (trace T, err error) {
	f, err := inputs.Open(name)
	if err != nil {
		return trace, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	text := io.Reader(in)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if text, err = gzip.NewReader(in); err != nil {
			return trace, fmt.Errorf("%s: is not gzip: %w", name, err)
		}
	}
	if trace, err = read(io.LimitReader(text, mostTrace)); err != nil {
		return trace, fmt.Errorf("%s: %w", name, err)
	}
	return trace, nil
}

// NotOpened says that a workload has no file yet.
func NotOpened() error { return &workloads.KeyError{Key: "file", Message: "has not been opened"} }

// mostFactor is the largest factor of times.
const mostFactor = 1000

// Factor is a key whose value times are multiplied with.
type Factor struct {
	Key string
	By  float64
}

// WrongFactors returns what is wrong with factors.
func WrongFactors(factors ...Factor) (wrong []error) {
	for _, f := range factors {
		if !(f.By >= 0 && f.By <= mostFactor) {
			wrong = append(wrong, &workloads.KeyError{Key: f.Key, Message: fmt.Sprintf("must be 0 to %d, got %g", mostFactor, f.By)})
		}
	}
	return wrong
}

// TooLong returns an error if operations of the given seconds could take longer than a run can.
func TooLong(seconds float64) error {
	if seconds > machines.Longest.Seconds()/4 {
		return fmt.Errorf("its operations take %.3g s, longer than a run can, 53 days", seconds)
	}
	return nil
}
