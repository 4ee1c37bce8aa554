package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// cpu says whose CPU does the jobs of an agent.
type cpu uint8

const (
	ownCPU    cpu = iota // the CPU of the process
	helperCPU            // the CPU of a helper thread next to it
	noCPU                // none
)

// occupation is what a process is busy with, as far as it matters to agents.
type occupation uint8

const (
	inCompute occupation = iota
	inBetween            // between two operations, or in one that names a phase or a pattern
	inPost               // a call that does not wait
	inTest               // a test
	inWait               // a call that waits, or a stalled post; or the program has ended
	occupations
)

// traits are what the engine needs to know about an agent (rule 12).
type traits struct {
	cpu      cpu               // of a NIC: that begins rounds
	works    [occupations]bool // by occupation: whether it may work then
	tests    bool              // it also works in tests while the process computes
	intrudes bool              // its jobs interrupt a computation, at an additional cost
}

var agents = [...]traits{
	machines.InCalls:        {cpu: ownCPU, works: [occupations]bool{inPost: true, inTest: true, inWait: true}},
	machines.Testing:        {cpu: ownCPU, works: [occupations]bool{inPost: true, inTest: true, inWait: true}, tests: true},
	machines.TestingInWaits: {cpu: ownCPU, works: [occupations]bool{inTest: true, inWait: true}, tests: true},
	machines.Interrupts:     {cpu: ownCPU, works: always, intrudes: true},
	machines.Thread:         {cpu: helperCPU, works: always},
	machines.Offload:        {cpu: ownCPU, works: always},
	machines.InWaits:        {cpu: ownCPU, works: [occupations]bool{inTest: true, inWait: true}},
	machines.Triggered:      {cpu: noCPU, works: always},
	machines.Assisted:       {cpu: helperCPU, works: always},
}

var always = [occupations]bool{true, true, true, true, true}

// traitsOf returns the traits of an agent.
func traitsOf(a machines.Agent) *traits { return &agents[a] }

// isAgent tells whether an agent exists.
func isAgent(a machines.Agent) bool { return int(a) < len(agents) }

// occupied is what a rank is busy with after it has begun an operation, by state.
var occupied = [...]occupation{
	programs.OpCompute: inCompute, programs.OpPhase: inBetween, programs.OpPattern: inBetween,
	programs.OpPut: inPost, programs.OpGet: inPost, programs.OpSignal: inPost, programs.OpSend: inPost, programs.OpReceive: inPost,
	programs.OpWait: inWait, programs.OpWaitAny: inWait, programs.OpTest: inTest, programs.OpBarrier: inWait, programs.OpMeet: inWait,
	programs.OpAwait: inWait, programs.OpStart: inBetween, programs.OpStarted: inBetween,
}
