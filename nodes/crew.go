package nodes

import (
	"sync/atomic"
	"time"
)

// crew are the processors that run regions, one each. They wait for each other so often that
// they do not sleep in between.
type crew struct {
	turn atomic.Uint64 // of the window to work on
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

// work lets all work on one window, and the caller on a region of its own.
func (w *crew) work(own *region) {
	w.busy.Store(int64(w.size))
	w.turn.Add(1)
	own.window()
	spin(func() bool { return w.busy.Load() == 0 })
}

// leave ends the work.
func (w *crew) leave() {
	w.over = true
	w.turn.Add(1)
}

const (
	// spins is how often something is looked at without a pause: for about as long as the
	// merge of a large window takes.
	spins = 400_000
	pause = 50 * time.Microsecond
)

// spin returns when come is true. A goroutine that has waited for long probably shares its
// processor, and offers it to others.
func spin(come func() bool) {
	for i := 0; !come(); i++ {
		if i > spins {
			time.Sleep(pause)
		}
	}
}
