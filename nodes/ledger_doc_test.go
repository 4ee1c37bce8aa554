package nodes

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

var update = flag.Bool("update", false, "write the pictures of docs/explanation/time-breakdown.md again")

// pictured are the runs that docs/explanation/time-breakdown.md shows.
var pictured = []struct {
	name    string
	machine *machines.Machine
	ops     [][]programs.Op
}{
	{"read, the receiver computes",
		runtimeMachine(func(*machines.Machine, *machines.Runtime) {}),
		[][]programs.Op{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), compute(400), wait(0)}}},
	{"read, the receive is late",
		runtimeMachine(func(*machines.Machine, *machines.Runtime) {}),
		[][]programs.Op{{isend(1, 60, 0, 0), wait(0)}, {compute(400), irecv(0, 0, 0), wait(0)}}},
	{"read, both are waited for",
		runtimeMachine(func(*machines.Machine, *machines.Runtime) {}),
		[][]programs.Op{{irecv(1, 1, 0), isend(1, 60, 0, 1), wait(1), wait(0)}, {irecv(0, 0, 0), compute(400), isend(0, 60, 1, 1), wait(1), wait(0)}}},
	{"read, tests every 150",
		runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Progress = machines.Progression{By: machines.Testing, Every: 150, Test: 10}
		}),
		[][]programs.Op{{isend(1, 60, 0, 0), wait(0)}, {irecv(0, 0, 0), compute(400), wait(0)}}},
	{"read, a thread on both sides",
		runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) {
			rt.Progress = machines.Progression{By: machines.Thread, Delay: 10, Cost: 10}
		}),
		[][]programs.Op{{isend(1, 60, 0, 0), compute(800), wait(0)}, {irecv(0, 0, 0), compute(800), wait(0)}}},
	{"write, the sender computes",
		runtimeMachine(func(_ *machines.Machine, rt *machines.Runtime) { rt.Rendezvous = machines.Write }),
		[][]programs.Op{{isend(1, 60, 0, 0), compute(400), wait(0)}, {irecv(0, 0, 0), wait(0)}}},
	{"two senders",
		with(func(m *machines.Machine) { m.Runtime, m.Network.Rendezvous = &machines.Runtime{Matching: 10}, 0 }),
		[][]programs.Op{{isend(2, 90, 0, 0)}, {isend(2, 90, 0, 0)}, {irecv(0, 0, 0), irecv(1, 0, 1), wait(1), wait(0)}}},
}

const pictureScale = 10 // ps for each character

// picture draws the lanes of processes and of their threads. A letter stands for the term with
// most of each piece of time.
func picture(t *results.Timeline) string {
	letters := [results.NumTerms]byte{'C', 'i', 'o', 'n', 'p', 't', 'x', 'l', 'w', 'b', ' '}
	var b strings.Builder
	for _, lane := range t.Lanes {
		if lane.Kind != results.CPULane && lane.Kind != results.HelperLane {
			continue
		}
		var row []byte
		for _, s := range lane.Spans {
			for len(row) < int(s.Start/pictureScale) {
				row = append(row, ' ')
			}
			for sim.Time(len(row))*pictureScale+pictureScale/2 < s.End {
				row = append(row, letters[s.Term])
			}
		}
		fmt.Fprintf(&b, "%-13s |%s|\n", lane.Name, row)
	}
	return b.String()
}

// The pictures of docs/explanation/time-breakdown.md are drawn from the runs; -update writes them.
func TestLedgerDocument(t *testing.T) {
	const path = "../docs/explanation/time-breakdown.md"
	text := must.Get(os.ReadFile(path))(t)
	doc := string(text)
	for _, p := range pictured {
		r, err := Run(p.machine, &script{1, p.ops, 1}, 1, Options{Timeline: true})
		if err != nil {
			t.Fatal(p.name, err)
		}
		head := "```text\n" + p.name + "\n\n"
		before, rest, found := strings.Cut(doc, head)
		old, after, closed := strings.Cut(rest, "```")
		if !found || !closed {
			t.Fatalf("%s has no picture %q", path, p.name)
		}
		drawn := picture(r.Timeline)
		if old != drawn && !*update {
			t.Errorf("%s: %s: run with -update\n%s", path, p.name, drawn)
		}
		doc = before + head + drawn + "```" + after
	}
	if *update {
		must.Do(t, os.WriteFile(path, []byte(doc), 0o644))
	}
}
