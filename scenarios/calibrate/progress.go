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
	hidden, sources := s.data.hidden()
	if s.base != "" || len(sources) == 0 {
		return
	}
	source := fmt.Sprintf("%s: of collectives of %d KiB and more computation hides %.0f %%", strings.Join(sources, ", "), largeEnough>>10, 100*hidden)
	switch {
	case hidden <= seldom:
		s.progress = value{text: "calls", kind: derived, source: source}
	case runtime == scenariosNone:
	case hidden >= mostly:
		s.progress = value{text: "interrupts", kind: assumed, source: source + ", so something begins their rounds meanwhile. Which agent does was not measured: " +
			"interrupts are taken, as with them the process pays the overheads that its calls were measured to take"}
	default:
		s.progress = value{text: "calls", kind: undetermined, source: source + ", more than calls alone let it, and less than something that " +
			"begins rounds meanwhile; calls are taken"}
	}
}

// contradiction says that the machine's library and what collectives during computation tell exclude each other; "": they do not.
func (r *Report) contradiction() string {
	share, sources := r.Data.hidden()
	during := false
	if rt := r.Machine.Runtime; rt != nil {
		during = rt.Progress.By.DuringComputation() || rt.Offload.FanIn > 0 // switches need no rounds
	}
	does := "begins the rounds of collectives only inside calls, so that computation hides little of them"
	if during {
		does = "begins the rounds of collectives while processes compute, so that computation hides most of them"
	}
	if len(sources) == 0 || during && share > seldom || !during && share < mostly {
		return ""
	}
	return fmt.Sprintf("Overlap: the measurements contradict --runtime. Of non-blocking collectives of %d KiB and more computation hides "+
		"%.0f %% in %s; this machine %s. Without --runtime the machine follows the measurements.", largeEnough>>10, 100*share, strings.Join(sources, ", "), does)
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
func (r *Report) Progress() []string {
	share, sources := r.Data.hidden()
	if len(sources) == 0 {
		return nil
	}
	said := fmt.Sprintf("Of non-blocking collectives of %d KiB and more computation hides %.0f %% (median of %s): ", largeEnough>>10,
		100*share,
		strings.Join(sources, ", "))
	switch {
	case share <= seldom:
		return []string{said + "the library moves messages in its calls only."}
	case share >= mostly:
		return []string{said + "something moves messages while the processes compute: a thread, interrupts, or the NIC. Which of them, this does not tell."}
	}
	return []string{said + "neither as if calls alone moved messages, nor as if something else did."}
}
