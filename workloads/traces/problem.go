package traces

import (
	"errors"
	"fmt"
	"strings"
)

// Problem is a mistake in a file of a trace.
type Problem struct {
	Name         string // of the file
	Line, Column int    // of text, from 1; 0: Offset counts
	Offset       int64  // of binary files, in bytes
	Text         string // what is wrong, and what would be right
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Name + ": " + p.Where()
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Name, p.Line, p.Column, p.Text)
}

// Where is the text, behind the offset in a file that has no lines.
func (p *Problem) Where() string {
	if p.Line == 0 {
		return fmt.Sprintf("offset %d: %s", p.Offset, p.Text)
	}
	return p.Text
}

// Problems are the mistakes of a trace, up to MostProblems.
type Problems []*Problem

func (all Problems) Error() string {
	var texts []string
	for _, p := range all {
		texts = append(texts, p.Error())
	}
	return strings.Join(texts, "\n")
}

// MostProblems is the number of mistakes after which reading stops.
const MostProblems = 20

// Note adds an error if it is a Problem, and returns any other. It returns all of them when
// there are enough.
func (all *Problems) Note(err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	if *all = append(*all, p); len(*all) >= MostProblems {
		return *all
	}
	return nil
}

// Err returns the problems; nil: there are none.
func (all Problems) Err() error {
	if len(all) == 0 {
		return nil
	}
	return all
}

// ErrFlopRate says that a trace counts floating-point operations, and no rate is given.
var ErrFlopRate = errors.New("counts computation in flops; give the flops per second of a rank, such as 1e9")
