package nodes

// Agent says who does the work of the library.
type Agent uint8

// The agents.
const (
	InCalls    Agent = iota // the process itself, in its calls only
	Testing                 // as InCalls, and also in a Test at regular intervals while it computes
	Interrupts              // the process itself, interrupted while it computes
	Thread                  // a helper thread beside it
	Offload                 // the NIC; no CPU time
	InWaits                 // the process itself, in calls that wait, not in those that post
	numAgents
)

// Agents returns all agents.
func Agents() []Agent {
	all := make([]Agent, numAgents)
	for i := range all {
		all[i] = Agent(i)
	}
	return all
}

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

var traitsOf = [numAgents]traits{
	InCalls:    {cpu: ownCPU, works: [occupations]bool{inPost: true, inWait: true}},
	Testing:    {cpu: ownCPU, works: [occupations]bool{inPost: true, inWait: true}, tests: true},
	Interrupts: {cpu: ownCPU, works: always, intrudes: true},
	Thread:     {cpu: helperCPU, works: always},
	Offload:    {cpu: noCPU, works: always},
	InWaits:    {cpu: ownCPU, works: [occupations]bool{inWait: true}},
}

var always = [occupations]bool{true, true, true, true}

// traits returns the traits of the agent.
func (a Agent) traits() *traits { return &traitsOf[a] }

// known tells whether the agent exists.
func (a Agent) known() bool { return a < numAgents }

// occupied is what a rank is busy with once it has begun an operation.
var occupied = [...]occupation{
	OpCompute: inCompute, OpPhase: inBetween, OpPattern: inBetween,
	OpPut: inPost, OpGet: inPost, OpSignal: inPost, OpSend: inPost, OpReceive: inPost,
	OpWait: inWait, OpWaitAny: inWait, OpTest: inWait, OpBarrier: inWait, OpMeet: inWait, opAwait: inWait,
}
