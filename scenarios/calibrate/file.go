package calibrate

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// file writes the machine file.
func (s *fitting) file() []byte {
	w := &writer{}
	w.line("# Written by 'overlapsim calibrate'; running it again on the same measurements")
	w.line("# gives the same file. Sources begin with measured, derived, assumed or not determined.")
	w.line("title: %s", strconv.Quote("calibrated from "+s.data.source()+" (a node is one process)"))
	w.line("cores: {value: 1, origin: chosen, source: %q}", says(undetermined, "nothing found; measured with one process on a node"))
	w.line("")
	w.line("network:")
	w.time("  latency", s.latency)
	w.cost("  send_overhead", s.send)
	w.cost("  receive_overhead", s.receive)
	w.time("  gap", s.gap)
	w.cost("  gap_per_byte", s.transfer)
	if s.AtOnce {
		w.line("  early: {value: true, origin: chosen, source: %q}", says(undetermined, "whether a byte takes the time of the process or of the NIC; "+
			"both are taken to spend it, at the same time"))
	}
	if s.delivers() {
		w.cost("  delivery", s.delivery)
	}
	if s.Above > 0 {
		w.line("  rendezvous_threshold: {value: %dB, origin: %s, source: %q}", s.Eager, s.thresholdKind().origin(), says(s.thresholdKind(),
			s.thresholdSource()))
	}
	if s.asking.kind != 0 {
		w.cost("  request_delay", s.asking)
	}
	s.bucketKeys(w)
	s.runtimeKeys(w)
	return w.Bytes()
}

// thresholdKind is how the threshold was found.
func (s *fitting) thresholdKind() kind {
	if s.base != "" && len(s.points[LateReceive]) == 0 && len(s.points[SendCPU]) == 0 {
		return assumed
	}
	return measured
}

func (s *fitting) thresholdSource() string {
	text := fmt.Sprintf("%s: %s between %d B and %d B", s.data.source(), s.How, s.Before, s.Above)
	if s.within {
		text += ", where " + s.base + " has its threshold"
	}
	return text
}

// runtimeKeys writes the library, if anything is known about it.
func (s *fitting) runtimeKeys(w *writer) {
	if s.base == "" && s.progress.kind == 0 && !s.Late {
		return
	}
	w.line("")
	switch {
	case s.base != "":
		w.line("runtime: # given; what it does with the CPU above the threshold is its own")
		w.line("  base: %s", s.base)
	case s.progress.kind != 0:
		w.line("runtime:")
		w.line("  progress: {by: {value: %s, origin: %s, source: %q}}", s.progress.text, s.progress.kind.origin(), says(s.progress.kind,
			s.progress.source))
	default:
		w.line("runtime:")
		w.line("  progress: {by: {value: calls, origin: chosen, source: %q}}",
			says(undetermined, fmt.Sprintf("no collective of %d KiB or more was measured during computation; most libraries work in their calls only",
				largeEnough>>10)))
	}
	if s.base == "" {
		w.line("  collectives: mpich-4 # %s: nothing measured tells whose choices of algorithms these are", undetermined)
	}
	s.rendezvousKeys(w)
	if s.unexpected.Pieces != nil {
		w.cost("  unexpected", s.unexpected)
	} else if s.base != "" && len(s.points[LateReceive]) > 0 {
		w.line("  unexpected: {value: 0us, origin: derived, source: %q}", says(derived, s.data.says(LateReceive)+" take no longer than "+
			"their overhead"))
	}
}

// writer writes lines of YAML.
type writer struct{ bytes.Buffer }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// time writes a time.
func (w *writer) time(key string, v value) {
	w.line("%s: {value: %s, origin: %s, source: %q}", key, duration(v.value), v.kind.origin(), says(v.kind, v.source))
}

// cost writes a curve.
func (w *writer) cost(key string, c curve) {
	w.line("%s:", key)
	w.line("    origin: %s", c.kind.origin())
	w.line("    source: %q", says(c.kind, c.source))
	w.line("    value:")
	for _, piece := range c.Pieces {
		w.line("      - {from: %dB, time: %s, per_byte: %s}", piece.From, duration(piece.Base), gap(piece.PerByte))
	}
}

// gap writes a time per byte.
func gap(seconds float64) string { return strconv.FormatFloat(seconds*1e9, 'f', 6, 64) + "ns/B" }

// duration writes a time to the picosecond.
func duration(seconds float64) string {
	return strconv.FormatFloat(math.Round(seconds*1e12)/1e6, 'f', -1, 64) + "us"
}
