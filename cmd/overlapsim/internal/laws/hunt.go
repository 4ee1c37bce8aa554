package laws

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"overlapsim/nodes"
)

// Hunt tries cases of consecutive numbers.
type Hunt struct {
	Command     Command
	Dir         string // where cases are laid; a folder of each worker's own is made in it
	From, Count uint64
	Only        string // name of the one law that is asked, of every case; "": all, each as often as its row says
	Workers     int
	Progress    io.Writer // nil: none
}

// Fault is a law that does not hold.
type Fault struct {
	Law     Law
	Message string
	Number  uint64 // of the case that showed it first
	Times   int
	Case    Case
	known   *known
}

// Result is what a hunt found.
type Result struct {
	Cases, Ran uint64
	Asked      map[string]int // how many cases a law was for
	New, Known []*Fault       // the first of each kind, by number
	Missing    []string       // what there is and no case that ran has said
	Unneeded   []string       // known faults that did not show
	Elapsed    time.Duration
}

// hunter is a worker of a hunt.
type hunter struct {
	lab       *lab
	tables    *tables
	generator *Generator
	ran       uint64
	asked     map[string]int
	said      coverage
	faults    map[string]*Fault // by kind
	number    atomic.Uint64     // of the case that is tried
	since     atomic.Int64      // when that began, in ns
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
	return &hunter{lab: l, tables: t, generator: newGenerator(t, l), asked: map[string]int{}, said: coverage{}, faults: map[string]*Fault{}}, nil
}

// Run tries all cases.
func (h Hunt) Run() (*Result, error) {
	start := time.Now()
	var next atomic.Uint64
	var group sync.WaitGroup
	hunters := make([]*hunter, h.Workers)
	for i := range hunters {
		var err error
		if hunters[i], err = newHunter(filepath.Join(h.Dir, fmt.Sprint("worker", i)), h.Command); err != nil {
			return nil, err
		}
	}
	for i := range hunters {
		group.Go(func() {
			for n := next.Add(1) - 1; n < h.Count; n = next.Add(1) - 1 {
				hunters[i].try(h.From+n, h.Only)
			}
		})
	}
	done := make(chan bool)
	go h.report(&next, hunters, done)
	group.Wait()
	close(done)
	return h.result(hunters, time.Since(start)), nil
}

// Judge asks laws of given cases.
type Judge struct{ hunter *hunter }

// NewJudge returns a judge who lays cases into a folder.
func NewJudge(dir string, command Command) (*Judge, error) {
	w, err := newHunter(dir, command)
	return &Judge{w}, err
}

// Faults asks every law of a case, those that choose something several times.
func (j *Judge) Faults(c Case) (all []*Fault) {
	w := j.hunter
	w.faults = map[string]*Fault{}
	t := newTrial(w.lab, w.tables, c, 0)
	for i, law := range Laws {
		for again := range uint64(askedOften) {
			seed := uint64(i)<<48 + again
			t.draw = newDraw(w.tables, seed)
			if err := law.ask(t); err != nil && !errors.Is(err, errNotFor) {
				w.note(law, err.Error(), 0, c)
			}
			if chose := t.draw.Uint64() != newDraw(w.tables, seed).Uint64(); !chose {
				break
			}
		}
	}
	for _, kind := range sortedKeys(w.faults) {
		all = append(all, w.faults[kind])
	}
	return all
}

// slowCase is a time that no case should take.
const slowCase = 20 * time.Second

// report says from time to time how far a hunt is, and what it cannot get past.
func (h Hunt) report(next *atomic.Uint64, hunters []*hunter, done chan bool) {
	if h.Progress == nil {
		return
	}
	for {
		select {
		case <-done:
			return
		case <-time.After(30 * time.Second):
			n := min(next.Load(), h.Count)
			fmt.Fprintf(h.Progress, "%d of %d cases; a run that starts at %d goes on here\n", n, h.Count, h.From+n)
			for _, w := range hunters {
				if took := time.Since(time.Unix(0, w.since.Load())); took > slowCase {
					fmt.Fprintf(h.Progress, "case %d takes %v\n", w.number.Load(), took.Round(time.Second))
				}
			}
		}
	}
}

// try asks the laws of a case, or only one.
func (w *hunter) try(number uint64, only string) {
	w.number.Store(number)
	w.since.Store(time.Now().UnixNano())
	c := w.generator.draw(number)
	t := newTrial(w.lab, w.tables, c, number)
	if _, err := t.runs(); err == nil {
		w.ran++
		w.said.add(w.tables, c)
	}
	which := newDraw(w.tables, ^number)
	for i, law := range Laws {
		if only != law.Name && (only != "" || which.IntN(law.every) > 0) {
			continue
		}
		t.draw = newDraw(w.tables, number+uint64(i)<<48)
		switch err := law.ask(t); {
		case errors.Is(err, errNotFor):
			continue
		case err != nil:
			w.note(law, err.Error(), number, c)
		}
		w.asked[law.Name]++
	}
}

// ask asks a law of a trial; a panic of the program breaks it.
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

// note keeps the fault of the lowest number of each kind.
func (w *hunter) note(law Law, message string, number uint64, c Case) {
	if panicPrefix.MatchString(message) {
		law = Laws[0]
	}
	kind := kindOf(law.Name, message)
	f := w.faults[kind]
	if f == nil {
		f = &Fault{Law: law, Number: number, Message: message, Case: c, known: knownFault(law.Name, message)}
		w.faults[kind] = f
	}
	f.Times++
}

// result puts together what the workers found.
func (h Hunt) result(hunters []*hunter, took time.Duration) *Result {
	r := &Result{Cases: h.Count, Asked: map[string]int{}, Elapsed: took}
	faults, said, shown := map[string]*Fault{}, coverage{}, map[*known]bool{}
	for _, w := range hunters {
		r.Ran += w.ran
		for name, n := range w.asked {
			r.Asked[name] += n
		}
		for what, n := range w.said {
			said[what] += n
		}
		for kind, f := range w.faults {
			faults[kind] = merge(faults[kind], f)
		}
	}
	for _, kind := range sortedKeys(faults) {
		f := faults[kind]
		if f.known != nil {
			shown[f.known] = true
			r.Known = append(r.Known, f)
		} else {
			r.New = append(r.New, f)
		}
	}
	for i := range mustShrinkToNothing {
		if k := &mustShrinkToNothing[i]; !shown[k] {
			r.Unneeded = append(r.Unneeded, k.finding)
		}
	}
	r.Missing = said.missing(hunters[0].tables, 1)
	return r
}

// merge keeps the fault of the lower number.
func merge(a, b *Fault) *Fault {
	if a == nil {
		return b
	}
	if a.Number > b.Number {
		a, b = b, a
	}
	a.Times += b.Times
	return a
}
