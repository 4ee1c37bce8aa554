package keys

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Place is where a user wrote a text: a line of a file, or a flag.
type Place struct {
	File         string // as the user named it; library files as library/NAME.yaml or machines/NAME.yaml
	Line, Column int    // from 1
	Flag         string // "--set path=value" if it is not a file
	Number       int    // of a setting: of those that were given, from 1
}

func (p Place) String() string {
	if p.Flag != "" {
		return p.Flag
	}
	if p.Line == 0 { // of a file that is not text
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problem is one mistake in the input.
type Problem struct {
	Place   Place
	Key     string      // the key's path in its file, "" for the whole file
	Message string      // what is wrong and what would be correct, for people
	Kind    ProblemKind // for programs
	Within  bool        // the message itself names a file, and perhaps a place in it
}

// ProblemKind is the kind of a problem, for programs.
type ProblemKind uint8

// The kinds of problems.
const (
	Other      ProblemKind = iota
	UnknownKey             // there is no such key
	Fraction               // a fraction where only whole numbers are allowed
	OtherFile              // the file is of another kind, such as a machine in the place of a scenario
	Settled                // another key determines the number, which may be omitted
)

// Error returns "file:line:column: key: message". A flag names its key itself.
func (p Problem) Error() string {
	if p.Within && p.Place.Flag == "" && p.Place.Line == 0 {
		return p.Message
	}
	if p.Key == "" || p.Place.names(p.Key) {
		return fmt.Sprintf("%s: %s", p.Place, p.Message)
	}
	return fmt.Sprintf("%s: %s: %s", p.Place, p.Key, p.Message)
}

// names tells whether the place is a flag that itself says which key it is about. A
// setting says so if it sets that key, which may be one of the machine.
func (p Place) names(key string) bool {
	setting, is := strings.CutPrefix(p.Flag, "--set ")
	path, _, _ := strings.Cut(setting, "=")
	return p.Flag != "" && (!is || path == key || strings.HasSuffix(path, "."+key))
}

// Problems are all mistakes of an input, sorted by place.
type Problems []Problem

// Error returns one line for each problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// Moved returns an error with its problems where the user wrote the settings that they are of: move is called
// with each such problem and its setting, path=value as of --set. Other errors stay.
func Moved(err error, move func(p *Problem, setting string)) error {
	var problems Problems
	if !errors.As(err, &problems) {
		return err
	}
	moved := slices.Clone(problems)
	for i := range moved {
		if setting, ok := strings.CutPrefix(moved[i].Place.Flag, "--set "); ok {
			move(&moved[i], setting)
		}
	}
	return moved
}

// Together joins errors: the problems of all of them, or the other errors if there are none.
func Together(errs ...error) error {
	var all Problems
	var others []error
	for _, err := range errs {
		var problems Problems
		if errors.As(err, &problems) {
			all = append(all, problems...)
		} else {
			others = append(others, err)
		}
	}
	if err := all.Err(); err != nil {
		return err
	}
	return errors.Join(others...)
}

// Add records a problem.
func (p *Problems) Add(at Place, key, format string, args ...any) {
	p.AddKind(Other, at, key, format, args...)
}

// AddKind records a problem of a kind.
func (p *Problems) AddKind(kind ProblemKind, at Place, key, format string, args ...any) {
	*p = append(*p, Problem{Place: at, Key: key, Message: fmt.Sprintf(format, args...), Kind: kind})
}

// Err returns the problems sorted by place, each once, or nil if there are none. Files
// are sorted by name; flags come last, in the order in which they were found.
func (p Problems) Err() error {
	var sorted Problems
	seen := map[Problem]bool{}
	for _, problem := range p {
		if !seen[problem] {
			seen[problem] = true
			sorted = append(sorted, problem)
		}
	}
	if len(sorted) == 0 {
		return nil
	}
	slices.SortStableFunc(sorted, func(a, b Problem) int { return a.Place.Compare(b.Place) })
	return sorted
}

// Unjoin returns the errors that were joined into one; none for nil.
func Unjoin(err error) (all []error) {
	several, ok := err.(interface{ Unwrap() []error })
	switch {
	case ok:
		for _, one := range several.Unwrap() {
			all = append(all, Unjoin(one)...)
		}
	case err != nil:
		all = append(all, err)
	}
	return all
}

func (p Place) Compare(q Place) int {
	switch {
	case p.Flag != "" && q.Flag != "":
		return 0
	case p.Flag != "":
		return 1
	case q.Flag != "":
		return -1
	}
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}
