package calibrate

import (
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
)

// bare is a machine of two nodes whose messages cost nothing beside their bytes, with some more keys.
func bare(name, more string) (*files.Machine, error) {
	return files.ReadMachine(name, []byte(more+"\ncores: 1\nnodes: 2\nnetwork: {latency: 0s, send_overhead: 0s, gap: 0s, bandwidth: 1GB/s}\n"))
}

// pipeline notes whether the library copies messages that are not eager in fragments, and
// does not say what that costs.
func (s *fitting) pipeline() error {
	if s.base == "" {
		return nil
	}
	m, err := bare(s.Name, "runtime: "+s.base)
	if err != nil {
		return err
	}
	r := m.Runtime
	s.fragments = r != nil && r.Rendezvous == machines.Pipelined
	s.pipelined = s.fragments && r.Pipeline.In == 0 && r.Pipeline.Out == 0
	return nil
}

// rendezvousKeys writes the threshold, and what copying costs: where the library copies fragments, a byte of
// them costs the CPUs what a byte of an eager message does, on the way into the same socket or segment.
func (s *fitting) rendezvousKeys(w *writer) {
	if s.Above == 0 {
		return
	}
	w.line("  rendezvous:")
	w.line("    threshold: {value: %dB, origin: %s, source: %q}", s.Eager, s.thresholdKind().origin(),
		"measured: as network.rendezvous_threshold")
	if !s.pipelined || s.send.kind != measured {
		return
	}
	for _, way := range []struct {
		key string
		of  curve
	}{{"in", s.send}, {"out", s.receive}} {
		perByte := max(0, way.of.At(s.Eager)-way.of.At(0)) / float64(s.Eager)
		source := says(derived, way.of.source+", per byte of the largest eager message")
		w.line("    %s: {value: %s, origin: derived, source: %q}", way.key, gap(perByte), source)
	}
}
