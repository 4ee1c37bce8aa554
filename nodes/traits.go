package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// cpu says whose CPU time the jobs of an agent take.
type cpu uint8

const (
	ownCPU    cpu = iota // that of the process
	helperCPU            // that of a helper thread beside it
	noCPU                // none
)

// occupation is what a process is busy with, as far as agents distinguish it.
type occupation uint8

const (
	inCompute occupation = iota
	inBetween            // between two operations, or in one that names a phase or a pattern
	inPost               // a call that does not wait
	inWait               // a call that waits, or a post that is stalled; or it has ended
	occupations
)

// traits are what the engine needs to know about an agent (rule 12).
type traits struct {
	cpu      cpu
	works    [occupations]bool // whether it may work during an occupation
	tests    bool              // it also works in tests while the process computes
	intrudes bool              // its jobs interrupt a computation, at an extra cost
}

var agents = [...]traits{
	machines.InCalls:    {cpu: ownCPU, works: [occupations]bool{inPost: true, inWait: true}},
	machines.Testing:    {cpu: ownCPU, works: [occupations]bool{inPost: true, inWait: true}, tests: true},
	machines.Interrupts: {cpu: ownCPU, works: always, intrudes: true},
	machines.Thread:     {cpu: helperCPU, works: always},
	machines.Offload:    {cpu: noCPU, works: always},
	machines.InWaits:    {cpu: ownCPU, works: [occupations]bool{inWait: true}},
}

var always = [occupations]bool{true, true, true, true}

// traitsOf returns the traits of an agent.
func traitsOf(a machines.Agent) *traits { return &agents[a] }

// isAgent tells whether an agent exists.
func isAgent(a machines.Agent) bool { return int(a) < len(agents) }

// occupied is what a rank is busy with once it has begun an operation.
var occupied = [...]occupation{
	programs.OpCompute: inCompute, programs.OpPhase: inBetween, programs.OpPattern: inBetween,
	programs.OpPut: inPost, programs.OpGet: inPost, programs.OpSignal: inPost, programs.OpSend: inPost, programs.OpReceive: inPost,
	programs.OpWait: inWait, programs.OpWaitAny: inWait, programs.OpTest: inWait, programs.OpBarrier: inWait, programs.OpMeet: inWait,
	programs.OpAwait: inWait,
}
