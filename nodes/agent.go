package nodes

// Agent does the work of the library.
type Agent uint8

// The agents.
const (
	InCalls    Agent = iota // the process itself, in its calls only
	Testing                 // and in a Test every so often while it computes
	Interrupts              // the process itself, interrupted while it computes
	Thread                  // a helper thread beside it
	Offload                 // the NIC; no CPU time
	InWaits                 // the process itself, in calls that wait, not in those that post
	numAgents
)

// Agents returns all of them.
func Agents() []Agent {
	all := make([]Agent, numAgents)
	for i := range all {
		all[i] = Agent(i)
	}
	return all
}

// cpu is whose time the jobs of an agent take.
type cpu uint8

const (
	ownCPU    cpu = iota // that of the process
	helperCPU            // that of a thread beside it
	noCPU                // none
)

// occupation is what a process is busy with, as far as its agent asks.
type occupation uint8

const (
	inCompute occupation = iota
	inBetween            // two operations, or it names a phase or a pattern
	inPost               // a call that does not wait
	inWait               // a call that waits, or a post that is stalled; or it has ended
	occupations
)

// traits are what the engine asks of an agent (rule 12).
type traits struct {
	cpu      cpu
	works    [occupations]bool // it may work then
	tests    bool              // and in tests while the process computes
	intrudes bool              // on a computation, which costs more
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

// traits returns what an agent is.
func (a Agent) traits() *traits { return &traitsOf[a] }

// known tells whether there is such an agent.
func (a Agent) known() bool { return a < numAgents }

// occupied is what a rank is busy with that begins an operation.
var occupied = [...]occupation{
	OpCompute: inCompute, OpPhase: inBetween, OpPattern: inBetween,
	OpPut: inPost, OpGet: inPost, OpSignal: inPost, OpSend: inPost, OpReceive: inPost,
	OpWait: inWait, OpWaitAny: inWait, OpTest: inWait, OpBarrier: inWait, OpMeet: inWait, opAwait: inWait,
}
