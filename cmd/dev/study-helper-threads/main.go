// Command study-helper-threads finds out when a helper thread of the communication
// library pays, on the SMT sibling of its process: it runs the scenario
// helper-thread with and without one, over message sizes, network speeds and
// slow-downs, and prints and draws the map with its break-even line.
//
//	go run ./cmd/dev/study-helper-threads
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/points"
)

// panel is a network and how its bytes are moved.
type panel struct {
	name     string
	perByte  float64 // ns per byte on the wire
	settings []string
}

// The CPU's part is the part of TCP, half a ns to copy a byte out and one to take
// one in, or the part of RDMA, where only the protocol needs it.
var panels = []panel{
	tcp("TCP, 1 Gb/s", 8), tcp("TCP, 10 Gb/s", 0.8), tcp("TCP, 100 Gb/s", 0.08),
	rdma("RDMA, 1 Gb/s", 8), rdma("RDMA, 10 Gb/s", 0.8), rdma("RDMA, 100 Gb/s", 0.08),
}

func tcp(name string, perByte float64) panel {
	return panel{name, perByte, []string{fmt.Sprintf("machine.network.gap_per_byte=%gns/B", perByte)}}
}

func rdma(name string, perByte float64) panel {
	p := tcp(name, perByte)
	p.settings = append(p.settings, "machine.copying=none", "machine.runtime.rendezvous.kind=read",
		"machine.runtime.rendezvous.threshold=16KiB", "machine.network.latency=2us",
		"machine.network.send_overhead=0.5us", "machine.network.receive_overhead=0.5us")
	return p
}

// sizes are the bytes of a message, slow the slow-downs of computation and of
// the library next to each other.
var (
	sizes = []int64{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}
	slow  = []float64{1, 1.1, 1.25, 1.5, 1.75, 2}
)

const usage = `usage: go run ./cmd/dev/study-helper-threads

Runs the scenario helper-thread over message sizes, networks and slow-downs of
the SMT sibling. Prints where a helper thread pays and draws the map,
docs/studies/helper-threads.svg.
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if err := study(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func study() error {
	var maps []gainMap
	for _, p := range panels {
		m, err := p.gains()
		if err != nil {
			return err
		}
		fmt.Print(m.table())
		maps = append(maps, m)
	}
	return draw("docs/studies/helper-threads.svg", maps)
}

// gainMap is what the helper thread gains, as a part of the time without it.
type gainMap struct {
	name      string
	gain      [][]float64 // by slow-down, by size
	breakEven []float64   // by size: the slow-down at which it gains nothing; 0: it never gains, beyond: more than the largest
}

const beyond = 1e9

func (p panel) gains() (gainMap, error) {
	m := gainMap{name: p.name, gain: make([][]float64, len(slow))}
	for _, s := range sizes {
		var before float64
		even := beyond
		for i, f := range slow {
			gain, err := p.run(s, f)
			if err != nil {
				return m, err
			}
			m.gain[i] = append(m.gain[i], gain)
			if gain <= 0 && even == beyond {
				if even = 0; i > 0 {
					even = slow[i-1] + (f-slow[i-1])*before/(before-gain)
				}
			}
			before = gain
		}
		m.breakEven = append(m.breakEven, even)
	}
	return m, nil
}

// run returns what the helper gains for a size and a slow-down. An iteration
// computes as long as its six messages are on the wire, and 100 us.
func (p panel) run(bytes int64, slow float64) (gain float64, err error) {
	compute := 100_000_000 + int64(math.Round(6000*float64(bytes)*p.perByte)) // ps
	settings := append([]string{
		fmt.Sprintf("workload.bytes=%dB", bytes), fmt.Sprintf("workload.compute=%dps", compute),
		fmt.Sprintf("machine.smt.slow_down.fp.stack=%g", slow), fmt.Sprintf("machine.smt.slow_down.stack.fp=%g", slow),
	}, p.settings...)
	var times [2]float64
	for run := range times {
		pool := &points.Pool{Load: points.Of("helper-thread", run, settings)}
		if times[run], err = points.One(pool, points.Point{}, points.Makespan); err != nil {
			return 0, err
		}
	}
	return 1 - times[1]/times[0], nil
}

// table is the map as a Markdown table.
func (m *gainMap) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| slow-down |", m.name)
	for _, s := range sizes {
		fmt.Fprintf(&b, " %s |", keys.FormatBytes(s))
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(sizes)+1) + "\n")
	for i, f := range slow {
		fmt.Fprintf(&b, "| %g |", f)
		for _, g := range m.gain[i] {
			fmt.Fprintf(&b, " %+.1f %% |", 100*g)
		}
		b.WriteString("\n")
	}
	b.WriteString("| break-even |")
	for _, e := range m.breakEven {
		switch e {
		case 0:
			b.WriteString(" never pays |")
		case beyond:
			fmt.Fprintf(&b, " above %g |", slow[len(slow)-1])
		default:
			fmt.Fprintf(&b, " %.2f |", e)
		}
	}
	b.WriteString("\n\n")
	return b.String()
}
