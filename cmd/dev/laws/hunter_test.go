package laws

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"overlapsim/nodes"
)

// hunter is a worker of a hunt.
type hunter struct {
	lab       *lab
	tables    *tables
	generator *generator
	ran       uint64
	asked     map[string]int
	said      coverage
	faults    map[string]*Fault // by kind
	odd       map[string]*Anomaly
	tells     io.Writer     // gets new kinds of faults; may be nil
	number    atomic.Uint64 // of the case that is tried
	since     atomic.Int64  // when that began, in ns
}

func newHunter(dir string, command Command) (*hunter, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	l, err := newLab(dir, command)
	if err != nil {
		return nil, err
	}
	t, err := knownTables()
	if err != nil {
		return nil, err
	}
	if err := t.probe(l); err != nil {
		return nil, err
	}
	return &hunter{
		lab: l, tables: t, generator: newGenerator(t, l), asked: map[string]int{}, said: coverage{}, faults: map[string]*Fault{},
		odd: map[string]*Anomaly{},
	}, nil
}

// try checks the laws on a case, or only those with the names, with commas between them.
func (w *hunter) try(number uint64, only string) {
	w.number.Store(number)
	w.since.Store(time.Now().UnixNano())
	c := w.generator.draw(number)
	t := newTrial(w.lab, w.tables, c, number)
	if _, err := t.runs(); err == nil {
		w.ran++
		w.said.add(w.tables, c)
	}
	which, wanted := newDraw(w.tables, ^number), strings.Split(only, ",")
	for _, law := range Laws {
		if !slices.Contains(wanted, law.Name) && (only != "" || which.IntN(law.every) > 0) {
			continue
		}
		t.draw = newDraw(w.tables, law.seedOf(number))
		switch err := law.ask(t); {
		case errors.Is(err, errNotFor):
			continue
		case isOdd(err):
			w.count(law, err, number, c)
		case err != nil:
			w.note(law, err.Error(), number, c)
		}
		w.asked[law.Name]++
	}
}

// ask checks a law on a trial; a panic of the program breaks it.
func (l Law) ask(t *trial) (err error) {
	defer catch(&err)
	if err := t.panicked(); err != nil {
		return err
	}
	return l.holds(t)
}

// panicked returns the panic of the case itself, which breaks every law.
func (t *trial) panicked() error {
	if t.plain == nil {
		t.plain = t.once(nodes.Options{})
	}
	var c *crash
	if errors.As(t.plain.err, &c) {
		return c
	}
	return nil
}

// numbersOf matches what may differ between two faults of one kind.
var numbersOf = regexp.MustCompile(`-?\d[\d.,]*(e[+-]?\d+)?( ?[µumnp]?s\b)?|"(\\"|[^"])*"|( --[a-z-]+)+|[^ ]*/case\.[a-z]+`)

// kindOf is a message without its numbers.
func kindOf(law, message string) string {
	if panicPrefix.MatchString(message) {
		law = Laws[0].Name
	}
	return law + ": " + numbersOf.ReplaceAllString(message, "#")
}

var panicPrefix = regexp.MustCompile(`^panic at `)

// note keeps the fault with the lowest number of each kind.
func (w *hunter) note(law Law, message string, number uint64, c Case) {
	if panicPrefix.MatchString(message) {
		law = Laws[0]
	}
	kind := kindOf(law.Name, message)
	f := w.faults[kind]
	if f == nil {
		f = &Fault{Law: law, Number: number, Message: message, Case: c, known: knownFault(law.Name, message)}
		w.faults[kind] = f
		if w.tells != nil && f.known == nil {
			fmt.Fprintf(w.tells, "case %d, law %s: %s\n", number, law.Name, message)
		}
	}
	f.Times++
}
