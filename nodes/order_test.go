package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// twoMessages sends a rendezvous and then a short message with the same tag. The receiver waits for the second receive only, and
// afterwards for the first one.
type twoMessages struct{ first, second int64 }

func (twoMessages) Ranks() int       { return 2 }
func (twoMessages) Phases() []string { return []string{"second", "first"} }

func (p twoMessages) Step(rank, step int, do *programs.Ops) bool {
	if rank == 0 {
		do.Isend(1, p.first, 0, 0)
		do.Isend(1, p.second, 0, 1)
	} else {
		do.Irecv(0, p.first, 0, 0)
		do.Irecv(0, p.second, 0, 1)
	}
	do.Wait(1)
	do.Phase(1)
	do.Wait(0)
	return false
}

// However long a request is held back, no later message of the same pair takes its receive.
func TestRequestsAreNotOvertaken(t *testing.T) {
	const threshold, delay = 1000, 50_000
	for _, runtime := range []*machines.Runtime{nil, {}, {Progress: machines.Progression{By: machines.Thread}},
		{Progress: machines.Progression{By: machines.Offload}}, {Rendezvous: machines.Write}, {Rendezvous: machines.Pipelined}} {
		for _, copying := range []*machines.Copying{nil, {Chunk: 1 << 20, Buffer: 1 << 20}} {
			if copying != nil && runtime != nil && runtime.Progress.By == machines.Offload {
				continue
			}
			for _, second := range []int64{8, threshold} {
				m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Runtime: runtime, Copying: copying, Network: network.LogGOPS{
					Latency: 1000, SendOverhead: network.Constant(100), ReceiveOverhead: network.Constant(100), Transfer: network.PerByte(1),
					Rendezvous: threshold, Asking: network.Constant(delay)}}
				r, err := Run(m, twoMessages{threshold + 1, second}, 1, Options{Critical: true})
				if err != nil {
					t.Fatal(err)
				}
				var waited sim.Time
				for _, spent := range r.Ledgers[1][0] {
					waited += spent
				}
				held := delay
				if copying != nil && runtime == nil { // all messages are eager
					held = 0
				}
				if waited >= delay || r.Finish[1] < sim.Time(held) {
					t.Errorf("library %+v, copying %v, %d B: the second receive ends at %v, both at %v", runtime, copying != nil, second, waited, r.Finish[1])
				}
			}
		}
	}
}
