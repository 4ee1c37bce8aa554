package machines

// Agent says who does the work of the library.
type Agent uint8

// The agents.
const (
	InCalls    Agent = iota // the process itself, in its calls only
	Testing                 // as InCalls, and also in a Test at regular intervals during computation
	Interrupts              // the process itself, interrupted while it computes
	Thread                  // a helper thread next to it
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
