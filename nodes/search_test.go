package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/sim"
)

// A message that finds n receives posted costs the CPU Matching and n/2
// searches: three messages into six receives, that arrive while the target
// computes and are matched in its next call, one after the other.
func TestRule15Search(t *testing.T) {
	const ns = sim.Nanosecond
	m := &Machine{Name: "search", Cores: 1, Processes: 1,
		Network: network.LogGOPS{Latency: ns, Transfer: network.PerByte(1)},
		Runtime: &Runtime{Matching: 10 * ns, Search: 4 * ns}}
	r, err := Run(m, searchProgram{}, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// All three jobs are taken on when the wait begins, with six receives posted.
	if got, want := r.Ledgers[1][0][Overhead], 3*(10+6*4/2)*ns; got != want {
		t.Errorf("overhead %v, want %v", got, want)
	}
}

// searchProgram: rank 0 sends three messages, rank 1 posts six receives,
// computes, and waits for the three.
type searchProgram struct{}

func (searchProgram) Ranks() int       { return 2 }
func (searchProgram) Phases() []string { return []string{"all"} }

func (searchProgram) Step(me, step int, do *Ops) bool {
	if step > 0 {
		return false
	}
	if me == 0 {
		for i := range 3 {
			do.Isend(1, 8, i, i)
		}
		for i := range 3 {
			do.Wait(i)
		}
		do.Barrier()
		for i := range 3 {
			do.Send(1, 8, 3+i)
		}
		return true
	}
	for i := range 6 {
		do.Irecv(0, 8, i, i)
	}
	do.Compute(Task{Time: sim.Microsecond}, 1)
	for i := range 3 {
		do.Wait(i)
	}
	do.Barrier()
	return true
}
