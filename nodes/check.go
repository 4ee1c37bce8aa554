package nodes

import (
	"fmt"
	"math"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Validate reports what would make a run on a machine meaningless. The machine's file has already
// been checked key by key.
func Validate(m *machines.Machine) error {
	if m.Processes < 1 || m.Cores < 1 {
		return fmt.Errorf("machine %s: cores and processes must be at least 1, got %d and %d", m.Name, m.Cores, m.Processes)
	}
	if err := checkTimes(m); err != nil {
		return err
	}
	if err := checkCopying(m); err != nil {
		return err
	}
	if m.Sharing != nil {
		if err := checkSharing(m); err != nil {
			return fmt.Errorf("machine %s: %w", m.Name, err)
		}
	}
	if err := checkSockets(m); err != nil {
		return err
	}
	if m.Noise != nil {
		if err := checkNoise(m); err != nil {
			return err
		}
	}
	if m.Runtime != nil {
		return checkRuntime(m)
	}
	return nil
}

const maxChunk = 1 << 30 // bytes

// checkCopying reports values that are not possible.
func checkCopying(m *machines.Machine) error {
	c := m.Copying
	switch {
	case c == nil:
	case c.Chunk < 1 || c.Chunk > c.Buffer || c.Chunk > maxChunk:
		return mistake("copying.chunk", "machine %s: a chunk of %d bytes must be 1 byte to 1 GiB and fit into the buffer of %d", m.Name, c.Chunk,
			c.Buffer)
	case c.Window > 0 && c.Chunk > c.Window:
		return mistake("copying.window", "machine %s: must hold a chunk of %d bytes, got %d", m.Name, c.Chunk, c.Window)
	case c.Protocols == 0:
	case m.Sharing == nil:
		return mistake("copying.protocols", "machine %s: needs cores that are shared (smt, memory)", m.Name)
	case m.Runtime != nil && traitsOf(m.Runtime.Progress.By).cpu == helperCPU:
		return mistake("copying.protocols", "machine %s: a helper thread (runtime.progress.by) may be where the kernel works", m.Name)
	case c.ServedBy >= m.Contexts():
		return mistake("copying.served_by", "machine %s: must be less than the %d logical CPUs of a node, got %d", m.Name, m.Contexts(),
			c.ServedBy)
	}
	return nil
}

// checkSharing reports values that are not possible.
func checkSharing(m *machines.Machine) error {
	if m.Runtime != nil && traitsOf(m.Runtime.Progress.By).tests {
		return mistake("runtime.progress", "machine %s: computation that tests (by: test, waits-test) cannot be slowed down by others (smt, memory)", m.Name)
	}
	if s := m.Sharing.Scheduler; s != nil && s.Balance < 0 {
		return mistake("smt.scheduler.balance", "machine %s: must not be negative, got %v", m.Name, s.Balance)
	}
	return contextsOf(m).Validate()
}

func contextsOf(m *machines.Machine) *cores.Params {
	s := m.Sharing
	return &cores.Params{Contexts: s.Contexts, Cores: m.Cores, Sharing: s.PerMemory, SlowDown: s.SlowDown, Bandwidth: s.Bandwidth}
}

// mostNICs is the largest number of NICs of a node.
const mostNICs = 64

// checkSockets reports values that are not possible.
func checkSockets(m *machines.Machine) error {
	if s := m.Sockets; s != nil && (s.Number < 1 || m.Cores%s.Number > 0) {
		return mistake("sockets.number", "must divide the %d cores of a node of %s, got %d", m.Cores, m.Name, s.Number)
	}
	if n := m.NICs; n != nil && (n.Number < 1 || n.Number > mostNICs) {
		return mistake("nics.number", "must be 1 to %d, got %d", mostNICs, n.Number)
	}
	return nil
}

// checkNoise reports values that are not possible.
func checkNoise(m *machines.Machine) error {
	n := m.Noise
	if !(n.Rate >= 0) || n.Length < 0 || !(n.Rate*n.Length.Seconds() < 1) {
		return mistake("noise", "machine %s: %g times %v a second leave no time to compute", m.Name, n.Rate, n.Length)
	}
	return nil
}

// checkRuntime reports settings that do not fit each other or the machine.
func checkRuntime(m *machines.Machine) error {
	rt := m.Runtime
	p := &rt.Progress
	switch {
	case !isAgent(p.By) || rt.Rendezvous > machines.Copy || rt.Waiting > machines.Block || rt.Partitioned > machines.WholeMessage:
		return mistake("runtime", "machine %s: there is no agent %d, no protocol %d or no way to wait %d", m.Name, p.By, rt.Rendezvous,
			rt.Waiting)
	case p.By.Tests() && p.Every < 1:
		return mistake("runtime.progress.every", "machine %s: between two tests there must be computation, got %v", m.Name, p.Every)
	case m.Copying != nil && m.Copying.Interrupts:
		return mistake("copying.interrupts", "machine %s: interrupts are the runtime's to say where there is one", m.Name)
	case m.Copying != nil && p.By.OfNIC():
		return mistake("runtime.progress.by", "machine %s: a NIC without RDMA cannot do the library's work", m.Name)
	case rt.Offload.FanIn == 1 || rt.Offload.FanIn < 0:
		return mistake("runtime.offload.fan_in", "machine %s: must be at least 2, got %d", m.Name, rt.Offload.FanIn)
	case m.Copying != nil && rt.Offload.FanIn > 0:
		return mistake("runtime.offload", "machine %s: NICs without RDMA give no data to switches that combine", m.Name)
	case !valid(&rt.Pipeline), !valid(&rt.Strided.Pipeline):
		return mistake("runtime", "machine %s: the chunk, first bytes and depth of a pipeline must not be negative", m.Name)
	}
	return nil
}

func valid(p *machines.Pipeline) bool { return p.Chunk >= 0 && p.Depth >= 0 && p.First >= 0 }

// checkTimes reports times whose sum is too long.
func checkTimes(m *machines.Machine) error {
	var sum sim.Total
	var longest sim.Time
	var name string
	add := func(called string, t sim.Time) {
		if sum.Add(t); t > longest {
			longest, name = t, called
		}
	}
	parts.Look(m, func(all []parts.Parameter) {
		for i := range all {
			for _, t := range all[i].Times {
				add(all[i].Name, *t)
			}
		}
	})
	add("time_slice", m.Slice)
	if m.Noise != nil {
		add("noise.length", m.Noise.Length)
	}
	if m.Runtime != nil {
		add("runtime.progress.every", m.Runtime.Progress.Every)
	}
	if sum.Seconds() > machines.Longest.Seconds() {
		return mistake(name, "the times of machine %s add up to more than 53 days, the longest run; this is the longest of them, "+
			"%v", m.Name, longest)
	}
	return nil
}

// largest returns the size of the largest message that a run can carry, in bytes.
func largest(m *machines.Machine) int64 {
	perByte := 0.0 // over all parts of the way of a message
	parts.Look(m, func(all []parts.Parameter) {
		for i := range all {
			most := 0.0
			if all[i].Unit == results.SecondPerByte {
				for _, f := range all[i].Floats {
					most = max(most, *f)
				}
			}
			perByte += most
		}
	})
	if size := float64(machines.Longest/2) / perByte; size < math.MaxInt64 {
		return int64(size)
	}
	return math.MaxInt64
}
