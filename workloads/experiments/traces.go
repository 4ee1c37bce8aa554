package experiments

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/workloads"
	"overlapsim/workloads/inputs"
)

// ErrNoProgram is why a trace is no program of ranks.
var ErrNoProgram = errors.New("is a trace of GPUs; it is not a program of ranks")

// MostSent is the largest sum of bytes that is told.
const MostSent = 1 << 60

// OpenTraces opens the files that a path stands for, in order: it is one, or with * in its name a pattern.
func OpenTraces[T any](path string, most int, order func(a, b string) int, open func(name string) (T, error)) (all []T, err error) {
	names := []string{path}
	if strings.Contains(filepath.Base(path), "*") {
		if names, err = filepath.Glob(path); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("no file is called %s", path)
		}
		slices.SortFunc(names, order)
	}
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

// ReadTrace reads a file with what reads its kind of trace.
func ReadTrace[T any](name string, read func(io.Reader) (T, error)) (trace T, err error) {
	f, err := inputs.Open(name)
	if err != nil {
		return trace, err
	}
	defer f.Close()
	if trace, err = read(f); err != nil {
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
