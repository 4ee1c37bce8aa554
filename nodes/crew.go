package nodes

import (
	"sync"
	"sync/atomic"
	"time"
)

// crew are the processors that run regions, one region each. They wait for each other so often
// that they spin instead of sleeping.
type crew struct {
	turn atomic.Uint64 // number of the window to work on
	busy atomic.Int64
	over bool
	size int
}

func newCrew(regions []*region) *crew {
	w := &crew{size: len(regions)}
	for _, p := range regions {
		go w.member(p)
	}
	return w
}

// member works on a region, turn after turn.
func (w *crew) member(p *region) {
	for turn := uint64(1); ; turn++ {
		spin(func() bool { return w.turn.Load() >= turn })
		if w.over {
			return
		}
		p.window()
		w.busy.Add(-1)
	}
}

// work makes all members work on one window, while the caller works on its own region.
func (w *crew) work(own *region) {
	w.busy.Store(int64(w.size))
	w.turn.Add(1)
	own.window()
	spin(func() bool { return w.busy.Load() == 0 })
}

// leave ends the crew's work.
func (w *crew) leave() {
	w.over = true
	w.turn.Add(1)
}

const (
	// spins is how often a spinning processor looks without a pause: about as long as the merge
	// of a large window takes.
	spins = 400_000
	pause = 50 * time.Microsecond
)

// spin returns when come is true. A goroutine that has waited for long probably shares its
// processor, so it yields to others.
func spin(come func() bool) {
	for i := 0; !come(); i++ {
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
