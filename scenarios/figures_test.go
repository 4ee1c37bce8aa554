package scenarios_test

import (
	"slices"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// gantt runs a library scenario and returns the spans of its timeline by kind of lane,
// for the lanes of rank 0 and its NIC.
func gantt(t *testing.T, name string) map[results.LaneKind][]results.Span {
	t.Helper()
	study := must.Get(scenarios.Load(name, nil))(t)
	out := must.Get(study.Runs[0].Run(nodes.Options{Timeline: true}))(t)
	lanes := map[results.LaneKind][]results.Span{}
	for _, lane := range out.Result.Timeline.Lanes {
		if lane.Index == 0 {
			lanes[lane.Kind] = lane.Spans
		}
	}
	return lanes
}

func terms(spans []results.Span) (names []string) {
	for _, s := range spans {
		names = append(names, s.Term.String())
	}
	return names
}

// Nishtala, section 7.3, Figures 20 to 22 (N = P = 4): one process computes
// four rows and sends three.

func TestFigure20ComputationHidesAllTransfers(t *testing.T) {
	lanes := gantt(t, "fig20-computation")
	cpu, insert, send := lanes[results.CPULane], lanes[results.InsertLane], lanes[results.SendLane]
	if want := []string{"compute", "overhead", "compute", "overhead", "compute", "overhead", "compute"}; !slices.Equal(terms(cpu), want) {
		t.Fatalf("CPU: %v, want %v", terms(cpu), want)
	}
	for i, s := range send {
		compute := cpu[2*i+2] // the computation after put i
		if s.Start < compute.Start || s.End > compute.End {
			t.Errorf("transfer %d at %v to %v, not behind the computation at %v to %v", i, s.Start, s.End, compute.Start, compute.End)
		}
		if insert[i].Start != cpu[2*i+1].Start || insert[i].End > s.Start {
			t.Errorf("insertion %d at %v to %v: it begins with the put and ends before the transfer", i, insert[i].Start, insert[i].End)
		}
	}
}

func TestFigure21WireIsBusyAndTheProcessWaits(t *testing.T) {
	lanes := gantt(t, "fig21-transfer")
	cpu, send := lanes[results.CPULane], lanes[results.SendLane]
	if got := terms(cpu)[:7]; slices.Contains(got, "nic_stall") {
		t.Errorf("initiation is as in the first case, got %v", got)
	}
	if last := cpu[len(cpu)-1]; last.Term != results.Transfer || last.End != send[2].End {
		t.Errorf("the process waits for the last transfer, got %v until %v", last.Term, last.End)
	}
	for i := 1; i < len(send); i++ {
		if send[i].Start != send[i-1].End {
			t.Errorf("transfer %d begins at %v, the one before ends at %v", i, send[i].Start, send[i-1].End)
		}
	}
	if first := cpu[0]; send[0].Start < first.End {
		t.Errorf("the first transfer begins at %v, before the first computation ends at %v", send[0].Start, first.End)
	}
}

func TestFigure22InitiationWaitsForTheNIC(t *testing.T) {
	lanes := gantt(t, "fig22-initiation")
	cpu, insert := lanes[results.CPULane], lanes[results.InsertLane]
	want := []string{"compute", "overhead", "compute", "nic_stall", "overhead", "compute", "nic_stall", "overhead", "compute"}
	if got := terms(cpu); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Fatalf("CPU: %v, want %v, then waiting", got, want)
	}
	for i := 1; i < len(insert); i++ {
		if insert[i].Start != insert[i-1].End {
			t.Errorf("insertion %d begins at %v, the one before ends at %v", i, insert[i].Start, insert[i-1].End)
		}
	}
	if last := cpu[len(want)-1]; last.Start != cpu[len(want)-2].End || insert[2].End <= last.Start {
		t.Error("the last computation must not wait for the NIC, which is still inserting")
	}
	var stalls sim.Time
	for _, s := range cpu {
		if s.Term == results.NICStall {
			stalls += s.End - s.Start
		}
	}
	if want := 2 * 5 * sim.Microsecond; stalls < want { // (P-2)(g - T - o) before the waits
		t.Errorf("stalls %v, want at least %v", stalls, want)
	}
}

// Nishtala, section 8.1, Figures 27 and 28 (P = 4): each process asks for a block, then waits for the
// one before and computes it. The first case takes what equation 10 says. In the second, equations 11
// and 12 count o + 2L + the transfer for each block; here the next request passes the block that the
// NIC sends, so all blocks but the first take the transfer.
func TestFigures27And28AreTheModel(t *testing.T) {
	us := sim.Microsecond
	for name, c := range map[string]struct {
		block sim.Time
		want  sim.Time
	}{
		"fig27-computation":   {20 * us, 3*(1+20)*us + 20*us},
		"fig28-communication": {10 * us, (1+2+16)*us + 2*16*us + 10*us},
	} {
		cpu := gantt(t, name)[results.CPULane]
		computed := sim.Time(0)
		for _, s := range cpu {
			if s.Term == results.Compute {
				computed += s.End - s.Start
			}
		}
		if end := cpu[len(cpu)-1].End; end != c.want || computed != 4*c.block {
			t.Errorf("%s: ends at %v (want %v) and computes for %v", name, end, c.want, computed)
		}
	}
}
