package machines

// Agent says who does the work of the library.
type Agent uint8

// The agents.
const (
	InCalls        Agent = iota // the process itself, in its calls only
	Testing                     // as InCalls, and also in a Test at regular intervals during computation
	Interrupts                  // the process itself, interrupted while it computes
	Thread                      // a helper thread next to it
	Offload                     // the NIC; no CPU time. The process begins the rounds of schedules, in its calls
	InWaits                     // the process itself, in calls that wait, not in those that post
	Triggered                   // as Offload, and the NIC begins rounds as well
	Assisted                    // as Offload, and a helper thread begins rounds
	TestingInWaits              // as InWaits, and also in a Test at regular intervals during computation
	numAgents
)

// OfNIC tells whether the agent is the NIC, which takes messages in without a CPU.
func (a Agent) OfNIC() bool { return a == Offload || a == Triggered || a == Assisted }

// OfThread tells whether a helper thread does jobs.
func (a Agent) OfThread() bool { return a == Thread || a == Assisted }

// Tests tells whether the process tests at regular intervals during computation.
func (a Agent) Tests() bool { return a == Testing || a == TestingInWaits }

// DuringComputation tells whether rounds of schedules can begin while the process computes.
func (a Agent) DuringComputation() bool { return a != InCalls && a != InWaits && a != Offload }

// Agents returns all agents.
func Agents() []Agent {
	all := make([]Agent, numAgents)
	for i := range all {
		all[i] = Agent(i)
	}
	return all
}
