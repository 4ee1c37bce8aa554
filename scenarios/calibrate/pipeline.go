package calibrate

import (
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
)

// bare is a machine of two nodes whose messages cost nothing except for their bytes, with some more keys.
func bare(name, more string) (*files.Machine, error) {
	return files.ReadMachine(name, []byte(more+"\ncores: 1\nnodes: 2\nnetwork: {latency: 0s, send_overhead: 0s, gap: 0s, bandwidth: 1GB/s}\n"))
}

// pipeline notes what the library spends to match a message, and whether it copies messages that are not eager in fragments, and does not
// say what that costs.
func (s *fitting) pipeline() error {
	if s.base == "" {
		return nil
	}
	m, err := bare(s.Name, "runtime: "+s.base)
	if err != nil {
		return err
	}
	r := m.Runtime
	if r != nil {
		s.matching = r.Matching.Seconds()
		s.inWindow = s.matching + r.Search.Seconds()*(window+1)/4 // it searches half of the receives that are posted
	}
	s.fragments = r != nil && r.Rendezvous == machines.Pipelined
	s.pipelined = s.fragments && r.Pipeline.In == 0 && r.Pipeline.Out == 0
	return nil
}

// rendezvousKeys writes the threshold, and what copying costs: where the library copies fragments, a byte of
// them costs the CPUs what a byte of an eager message does, on the way into the same socket or segment. If nothing
// tells what the way out costs, it costs as much: if it were free, both processes of an exchange would go in step.
func (s *fitting) rendezvousKeys(w *writer) {
	in, out, source := s.bothCopies()
	copies := s.pipelined && (in > 0 || s.send.kind == measured && s.Eager > 0)
	if s.Above == 0 && !copies {
		return
	}
	w.line("  rendezvous:")
	if s.Above > 0 {
		w.line("    threshold: {value: %dB, origin: %s, source: %q}", s.Eager, s.thresholdKind().origin(),
			"measured: as network.rendezvous_threshold")
	}
	if !copies {
		return
	}
	if in > 0 {
		w.line("    in: {value: %s, origin: derived, source: %q}", gap(in), says(derived, source))
		w.line("    out: {value: %s, origin: derived, source: %q}", gap(out), says(derived, source))
		return
	}
	s.eagerCopies(w)
}

// bothCopies returns what a byte of large messages costs the CPUs of both ways, in seconds, and how that is known, where
// windows both ways take longer than windows one way: a process then copies its own messages in, and others out. 0: nothing
// tells. The costs are medians over sizes of several fragments.
func (s *fitting) bothCopies() (in, out float64, source string) {
	const long = 64 << 10
	longer := map[int64]float64{}
	for _, p := range s.points[BothStreams] {
		longer[p.Bytes] = p.Seconds
	}
	var one, other []float64
	for _, p := range s.points[Stream] {
		if both := longer[p.Bytes]; p.Bytes >= long && both >= shared*p.Seconds {
			one = append(one, p.Seconds/float64(p.Bytes))
			other = append(other, (both-p.Seconds)/float64(p.Bytes))
		}
	}
	if len(one) == 0 {
		return 0, 0, ""
	}
	slices.Sort(one)
	slices.Sort(other)
	return one[len(one)/2], other[len(other)/2], join(s.data.says(Stream), s.data.says(BothStreams)) +
		", per byte of large messages: a process copies its own in, and others out"
}

// eagerCopies writes what copies cost if a byte of a fragment costs the CPUs what a byte of an eager message does.
func (s *fitting) eagerCopies(w *writer) {
	perByte := func(c curve) float64 { return max(0, c.At(s.Eager)-c.At(0)) / float64(s.Eager) }
	const eager = ", per byte of the largest eager message"
	in, out := s.send, s.receive
	in.source, out.source = in.source+eager, out.source+eager
	if out.kind == assumed && perByte(out) == 0 {
		out = in
		out.source += "; nothing measured tells the way out, which is taken to cost as much"
	}
	for _, way := range []struct {
		key string
		of  curve
	}{{"in", in}, {"out", out}} {
		w.line("    %s: {value: %s, origin: derived, source: %q}", way.key, gap(perByte(way.of)), says(derived, way.of.source))
	}
}
