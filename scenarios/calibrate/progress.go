package calibrate

import (
	"fmt"
	"strings"
)

// Limits for the share of a large collective that computation hides: at most seldom if the
// library works only in calls, at least mostly if something works alongside the computation.
const (
	seldom      = 0.2
	mostly      = 0.7
	largeEnough = 64 << 10 // bytes; smaller collectives end before computation begins
)

// library notes what moves the messages: the library that was given, or what collectives tell.
func (s *fitting) library(runtime string) {
	if s.base = runtime; runtime == scenariosNone {
		s.base = ""
	}
	if hidden, sources := s.data.hidden(); s.base == "" && len(sources) > 0 && hidden <= seldom {
		s.progress = value{text: "calls", kind: derived,
			source: fmt.Sprintf("%s: of collectives of %d KiB and more computation hides %.0f %%", strings.Join(sources, ", "), largeEnough>>10,
				100*hidden)}
	}
}

// scenariosNone is the word for no runtime.
const scenariosNone = "none"

// hidden is the median share of large collectives that computation hides, and where it was read.
func (d *Data) hidden() (share float64, sources []string) {
	var all []float64
	for _, t := range d.Beside {
		before := len(all)
		for _, r := range t.Rows {
			if r.Bytes >= largeEnough {
				all = append(all, r.Hidden())
			}
		}
		if len(all) > before {
			sources = append(sources, t.Where())
		}
	}
	return median(all), sources
}

// Progress says in words what collectives during computation tell.
func (d *Data) Progress() string {
	share, sources := d.hidden()
	if len(sources) == 0 {
		return ""
	}
	said := fmt.Sprintf("Of non-blocking collectives of %d KiB and more computation hides %.0f %% (median of %s): ", largeEnough>>10,
		100*share,
		strings.Join(sources, ", "))
	switch {
	case share <= seldom:
		return said + "the library moves messages in its calls only."
	case share >= mostly:
		return said + "something moves messages while the processes compute: a thread, interrupts, or the NIC. Which of them, this does not tell."
	}
	return said + "neither as if calls alone moved messages, nor as if something else did."
}
