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
}

func newRegionWorkers(regions []*region) *regionWorkers {
	w := &regionWorkers{size: len(regions)}
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

// runWindow makes all goroutines work on one window, while the caller works on its own region.
func (w *regionWorkers) runWindow(own *region) {
	w.busy.Store(int64(w.size))
	w.window.Add(1)
	own.window()
	spin(func() bool { return w.busy.Load() == 0 })
}

// stop ends the goroutines.
func (w *regionWorkers) stop() {
	w.over = true
	w.window.Add(1)
}

const (
	// spins is how often a spinning processor looks without a pause: about as long as the merge
	// of a large window takes.
	spins = 400_000
	pause = 50 * time.Microsecond
)

// spin returns when done is true. A goroutine that has waited for long probably shares its
// processor, so it yields to others.
func spin(done func() bool) {
	for i := 0; !done(); i++ {
		if i > spins {
			time.Sleep(pause)
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
