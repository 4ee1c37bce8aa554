package calibrate

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/files"
)

// params are the parameters of a machine, times in seconds.
type params struct {
	name, runtime string
	files         []string
	eager         int64 // threshold
	before, above int64 // sizes measured on both sides of it; above 0: no rendezvous
	latency       float64
	send, receive Pieces
	transfer      Pieces
}

// network finds L and G from one-way times.
func (p *params) network(f *Fit, oneWay []Point) error {
	below, above := f.split(oneWay)
	rest := make([]Point, len(below))
	for i, point := range below {
		rest[i] = Point{point.Bytes, point.Seconds - p.send.At(point.Bytes) - p.receive.At(point.Bytes), point.Seconds}
	}
	eager := Segment(rest)
	p.latency = eager[0].Base
	for i := range rest {
		rest[i].Seconds -= p.latency
	}
	p.transfer = Segment(rest)
	if above == nil {
		return nil
	}
	p.transfer = append(p.transfer, Piece{From: p.eager + 1})
	m, err := files.ReadMachine(p.name, p.file())
	if err != nil {
		return fmt.Errorf("the fit gave no machine: %w", err)
	}
	rest = make([]Point, len(above))
	for i, point := range above {
		empty, err := simulate(m.Machine, OneWay, point.Bytes)
		if err != nil {
			return err
		}
		rest[i] = Point{point.Bytes, point.Seconds - empty.Seconds(), point.Seconds}
	}
	p.transfer = append(p.transfer[:len(p.transfer)-1], from(p.eager+1, Segment(rest))...)
	return nil
}

// file writes the machine file.
func (p *params) file() []byte {
	var out bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# Written by 'overlapsim calibrate'; running it again on the same measurements")
	line("# gives the same file.")
	line("title: %s", strconv.Quote("calibrated from "+p.source()))
	line("cores: {value: 1, origin: chosen, source: %q}", "nothing found; measured with one process on a node")
	line("")
	line("network:")
	line("  latency: {value: %s, origin: fitted, source: %q}", duration(p.latency),
		"calibrate "+p.source()+": one-way time at 0 B, less two overheads")
	p.cost(line, "send_overhead", p.send, "MPI_Isend")
	p.cost(line, "receive_overhead", p.receive, "MPI_Recv of messages that were there")
	line("  gap: {value: %s, origin: derived, source: %q}", duration(p.least()),
		"not measured; assumed equal to the overhead of the smallest message")
	p.cost(line, "gap_per_byte", p.transfer, "one-way times, less latency and overheads")
	if p.above > 0 {
		line("  rendezvous_threshold: {value: %dB, origin: fitted, source: %q}", p.eager,
			fmt.Sprintf("calibrate %s: late receives jump between %d B and %d B", p.source(), p.before, p.above))
	}
	if p.runtime != "" {
		line("")
		line("runtime: # given; what it does with the CPU above the threshold is its own")
		line("  base: %s", p.runtime)
		if p.above > 0 {
			line("  rendezvous: {threshold: {value: %dB, origin: fitted, source: %q}}", p.eager, "as network.rendezvous_threshold")
		}
	}
	return out.Bytes()
}

// source names the measurements: by their folder if they have one in common.
func (p *params) source() string {
	var folders, names []string
	for _, file := range p.files {
		folders = append(folders, filepath.Base(filepath.Dir(file)))
		names = append(names, filepath.Base(file))
	}
	if one := slices.Compact(folders); len(one) == 1 && one[0] != "." {
		return one[0]
	}
	return strings.Join(names, ", ")
}

// least is the smallest overhead of a send.
func (p *params) least() float64 {
	least := math.Inf(1)
	for _, piece := range p.send {
		least = min(least, piece.Base)
	}
	return least
}

// cost writes a curve.
func (p *params) cost(line func(string, ...any), key string, curve Pieces, what string) {
	line("  %s:", key)
	line("    origin: fitted")
	line("    source: %q", "calibrate "+p.source()+": "+what)
	line("    value:")
	for _, piece := range curve {
		line("      - {from: %dB, time: %s, per_byte: %s}", piece.From, duration(piece.Base),
			strconv.FormatFloat(piece.PerByte*1e9, 'f', 6, 64)+"ns/B")
	}
}

// duration writes a time to the picosecond.
func duration(seconds float64) string {
	return strconv.FormatFloat(math.Round(seconds*1e12)/1e6, 'f', -1, 64) + "us"
}
