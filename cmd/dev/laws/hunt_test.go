package laws

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Hunt tries cases of consecutive numbers.
type Hunt struct {
	Command     Command
	Dir         string // where cases are written; each worker makes its own folder in it
	From, Count uint64
	Only        string // names of the only laws to check, on every case, with commas; "": all, each as often as its row says
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
	Asked      map[string]int // number of cases that a law applied to
	New, Known []*Fault       // the first of each kind, by number
	Anomalies  []*Anomaly     // of each law, by reason
	Missing    []string       // keys, choices and names that no case that ran has used
	Unneeded   []string       // known faults that did not occur
	Elapsed    time.Duration
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
		hunters[i].tells = h.Progress
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

// slowCase is a time that no case should take.
const slowCase = 20 * time.Second

// report prints the progress of a hunt from time to time, and the case that it is stuck on.
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

// result combines the results of the workers.
func (h Hunt) result(hunters []*hunter, took time.Duration) *Result {
	r := &Result{Cases: h.Count, Asked: map[string]int{}, Elapsed: took}
	odd := map[string]*Anomaly{}
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
	for _, w := range hunters {
		for kind, a := range w.odd {
			odd[kind] = a.and(odd[kind])
		}
	}
	for _, kind := range sortedKeys(odd) {
		r.Anomalies = append(r.Anomalies, odd[kind])
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
