package nodes

import (
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// kernelOn is a node of two cores with a context each, where the kernel handles incoming messages
// on a logical CPU for a while.
func kernelOn(on int, each sim.Time) machines.Machine {
	m := machines.Machine{Name: "m", Cores: 2, Processes: 2, Sharing: &machines.Sharing{Contexts: 1},
		Copying: &machines.Copying{SendPerByte: 3, ReceivePerByte: 5, Buffer: 1 << 20, Chunk: 10, Protocols: float64(each), ServedBy: on}}
	m.Network.Latency = 70
	return m
}

// An idle CPU takes chunk by chunk through the protocols, and then the receiver copies it.
func TestKernelOnIdleCPU(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, each := rapid.IntRange(1, 9).Draw(t, "chunks"), sim.Time(rapid.IntRange(1, 20).Draw(t, "protocols"))
		var worked, in sim.Time
		for i := range sim.Time(n) {
			worked = max(worked, (i+1)*30+70) + each*10
			in = max(in, worked) + 50
		}
		if got := endOfPuts(t, kernelOn(1, each), 1, int32(10*n), Options{}); got != in+70 {
			t.Fatalf("%v, want %v", got, in+70)
		}
	})
}

// On a CPU that computes, all messages that arrive for the ranks of the node delay the end of
// that computation, and no other rank's.
func TestKernelInterruptsItsCPU(t *testing.T) {
	const each, bytes, work = 4, 40, 10_000
	put := []programs.Op{{Kind: programs.OpPut, Peer: 3, Amount: bytes}}
	for on := range 2 {
		m := kernelOn(on, each)
		want := []sim.Time{work, work}
		want[on] += each * bytes
		r := runScript(t, &m, Options{}, put, nil, computes(work), computes(work))
		if r.Finish[2] != want[0] || r.Finish[3] < want[1] || r.Finish[3] > want[1]+5*bytes {
			t.Errorf("on %d: ends at %v, want %v", on, r.Finish[2:], want)
		}
	}
}

// Settings under which no CPU can run the protocols are refused, with their key.
func TestKernelRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		mar  func(*machines.Machine)
		o    Options
	}{
		{"no shared cores", func(m *machines.Machine) { m.Sharing = nil }, Options{}},
		{"a CPU that is not there", func(m *machines.Machine) { m.Copying.ServedBy = 2 }, Options{}},
		{"helper threads", func(m *machines.Machine) {
			m.Runtime = &machines.Runtime{Progress: machines.Progression{By: machines.Thread}}
			m.Copying.Interrupts = false
		}, Options{}},
		{"a critical path", func(*machines.Machine) {}, Options{Critical: true}},
	} {
		m := kernelOn(0, 1)
		c.mar(&m)
		if _, err := Run(&m, puts(1, 10), 1, c.o); err == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
}
