package nodes

import (
	"sync"
	"sync/atomic"
	"time"
)

// regionWorkers are the goroutines that run regions, one region each. They wait for each other so
// often that they spin instead of sleeping.
type regionWorkers struct {
	window atomic.Uint64 // number of the window to work on
	busy   atomic.Int64
	over   bool
	size   int
	alone  int // windows to come that the caller works on by itself
	next   int // how many that will be when the others are late again
}

func newRegionWorkers(regions []*region) *regionWorkers {
	w := &regionWorkers{size: len(regions), next: fewestAlone}
	for _, p := range regions {
		go w.run(p)
	}
	return w
}

// run works on a region, window after window.
func (w *regionWorkers) run(p *region) {
	for window := uint64(1); ; window++ {
		spin(func() bool { return w.window.Load() >= window })
		if w.over {
			return
		}
		p.window()
		w.busy.Add(-1)
	}
}

// runWindow works on one window of all regions, the caller on the first one and the goroutines on theirs. Where they are late, other
// programs use the processors, and waiting for each other would cost more than it gains: the caller then works on the next windows by
// itself, on more of them each time, and tries again.
func (w *regionWorkers) runWindow(regions []*region) {
	if w.alone > 0 {
		w.alone--
		for _, p := range regions {
			p.window()
		}
		return
	}
	w.busy.Store(int64(w.size))
	began := time.Now()
	w.window.Add(1)
	regions[0].window()
	worked := time.Since(began)
	spin(func() bool { return w.busy.Load() == 0 })
	if time.Since(began)-worked > max(late, 4*worked) {
		w.alone, w.next = w.next, min(2*w.next, mostAlone)
	} else {
		w.next = fewestAlone
	}
}

// stop ends the goroutines.
func (w *regionWorkers) stop() {
	w.over = true
	w.window.Add(1)
}

const (
	// spins is how often a spinning processor looks without a pause: about as long as the merge
	// of a large window takes.
	spins          = 400_000
	pause, longest = 50 * time.Microsecond, 400 * time.Microsecond
	// late is how long the caller may wait for the others, which is longer than they may sleep.
	late                   = time.Millisecond
	fewestAlone, mostAlone = 16, 4096
)

// spin returns when done is true. A goroutine that has waited for long probably shares its
// processor, so it yields to others.
func spin(done func() bool) {
	for i, sleep := 0, pause; !done(); i++ {
		if i > spins {
			time.Sleep(sleep)
			sleep = min(2*sleep, longest)
		}
	}
}

// divide calls a function for parts of n items at the same time, one part on each core.
func divide(n, cores int, do func(from, to int)) {
	const fewest = 1 << 14 // items that are worth another core
	parts := min(cores, n/fewest)
	if parts < 2 {
		do(0, n)
		return
	}
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { do(i*n/parts, (i+1)*n/parts) })
	}
	all.Wait()
}
