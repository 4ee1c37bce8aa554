package calibrate

import (
	"fmt"
	"math"
	"slices"

	"overlapsim/scenarios/calibrate/outputs"
)

// ring is a collective of GPUs as a ring of messages: each GPU sends Steps of them, one
// after the other, each of 1/GPUs of the bytes. A send to a neighbour is one message with
// all bytes.
type ring struct {
	name  string
	gpus  int
	steps float64
}

// ringOf returns the ring of a table: bus bandwidth over algorithm bandwidth are the bytes that each GPU
// sends for each byte, 2(n-1)/n for an all-reduce, (n-1)/n for an all-gather or reduce-scatter.
func ringOf(t *outputs.Table) ring {
	shares := make([]float64, 0, len(t.Rows))
	for _, r := range t.Rows[len(t.Rows)/2:] { // small sizes are printed with few digits
		shares = append(shares, r.Share)
	}
	share, n := median(shares), t.Processes
	if n < 2 && share > 1.2 && share < 1.999 {
		n = int(math.Round(2 / (2 - share)))
	}
	if n < 2 || math.Abs(share-1) < 1e-2 && t.Name != "all_gather" && t.Name != "reduce_scatter" {
		return ring{t.Name, max(n, 2), 1}
	}
	return ring{t.Name, n, math.Round(share * float64(n))}
}

// bytes of a message of the ring.
func (r ring) bytes(all float64) float64 {
	if r.steps == 1 {
		return all
	}
	return all / float64(r.gpus)
}

// ringMachine finds the machine of a ring: latency from the smallest size, gap per byte from all.
func (s *fitting) ringMachine() {
	s.ring = ringOf(&s.data.GPUs[0])
	points := s.points[Collective]
	steps := s.ring.steps
	said := s.data.says(Collective)
	empty := min(smallest(points), s.Curves[Collective].At(0)) / steps
	s.latency = value{value: empty, high: smallest(points) / steps, bounds: true, kind: assumed,
		source: fmt.Sprintf("%s: at 0 B, over %.0f steps of a ring; the start of a kernel is part of it", said, steps)}
	rest := make([]Point, len(points))
	for i, p := range points {
		rest[i] = Point{int64(math.Round(s.ring.bytes(float64(p.Bytes)))), p.Seconds/steps - s.latency.value, p.Seconds / steps}
	}
	rest = slices.CompactFunc(rest, func(a, b Point) bool { return a.Bytes == b.Bytes })
	s.transfer = curve{Pieces: segment(rest), kind: derived, source: fmt.Sprintf("%s: a ring of %d GPUs, %.0f messages one after the other",
		said, s.ring.gpus, steps)}
	s.transfer.measure(rest)
	none := curve{Pieces: Pieces{{}}, kind: undetermined, source: "GPUs send by themselves; what that takes from kernels was not measured"}
	s.send, s.receive = none, none
	s.gap = value{kind: undetermined, source: "no messages were measured one after the other"}
}

// collective is the time of a ring on the machine, in seconds.
func (f *Fit) collective(bytes int64) float64 {
	net := &f.Machine.Network
	message := int64(math.Round(f.ring.bytes(float64(bytes))))
	return f.ring.steps * (net.Latency + net.SendOverhead.Of(message) + net.ReceiveOverhead.Of(message) + net.Transfer.Of(message)).Seconds()
}
