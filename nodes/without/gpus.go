package without

import (
	"fmt"

	"overlapsim/nodes/gpus/streams"
)

// onGPUs is what the absence of a cause means for operations on the streams of GPUs. A graph that does not have the cause, or
// does not know it apart from others, is refused.
type onGPUs struct {
	Doc   string
	Not   string           // why it has no meaning on GPUs
	has   func(graph) bool // nil: a graph that does not have it stays as it is
	Lacks string           // why a graph does not have the cause
	take  func(graph)
}

// Refused is the error of a cause that cannot be taken away from a run.
type Refused struct{ Cause, Reason string }

func (r *Refused) Error() string {
	return fmt.Sprintf("%s cannot be taken away: %s", r.Cause, r.Reason)
}

// CheckGPUs returns a *Refused if a cause has no meaning on GPUs.
func (s Set) CheckGPUs() error {
	for _, c := range s.all() {
		if c.GPUs.Not != "" {
			return &Refused{c.Name, c.GPUs.Not}
		}
	}
	return nil
}

// Streams takes causes away from a graph of streams. The error is a *Refused if the graph does not have one of them.
func (s Set) Streams(g *streams.Graph) error {
	if err := s.CheckGPUs(); err != nil {
		return err
	}
	for _, c := range s.all() {
		if has := c.GPUs.has; has != nil && !has(graph{g}) {
			return &Refused{c.Name, c.GPUs.Lacks}
		}
	}
	for _, c := range s.all() {
		c.GPUs.take(graph{g})
	}
	if s != 0 {
		graph{g}.idle()
	}
	return nil
}

// The causes that workloads take away themselves: imbalance where the GPU that does most stands for all, and progress where messages wait for
// calls of hosts.
var (
	Imbalance, _ = Of("imbalance")
	Progress, _  = Of("progress")
)

// In tells whether all of a set are in another one. Less returns the set without the causes of another one.
func (s Set) In(other Set) bool  { return s&^other == 0 }
func (s Set) Less(other Set) Set { return s &^ other }

// The meanings for GPUs.
var (
	gpuCommunication = onGPUs{Doc: "operations of several GPUs take no time, no SMs and no time of hosts, and still begin with their last arrival",
		take: graph.communicationFree}
	gpuComputation = onGPUs{Doc: "only operations of several GPUs take time: kernels, their launches, other work of hosts and pauses of traces do not",
		take: graph.computationFree}
	gpuLatency = onGPUs{Doc: "the start and the steps of operations of several GPUs take no time",
		has: graph.split, Lacks: notSplit, take: graph.latencyFree}
	gpuBandwidth = onGPUs{Doc: "bytes take no time between GPUs",
		has: graph.split, Lacks: notSplit, take: graph.bytesFree}
	gpuGap   = onGPUs{Not: "operations of several GPUs have no gap: what does not depend on bytes is their latency"}
	gpuLinks = onGPUs{Doc: "operations on the same links do not slow each other down",
		has: graph.shares, Lacks: "no two operations are on the same links", take: graph.linksFree}
	gpuOverhead = onGPUs{Doc: "the host takes no time to launch operations of several GPUs",
		has: graph.joins, Lacks: "hosts take no time for operations of several GPUs, or no time that is known apart", take: graph.joinFree}
	gpuProgress  = onGPUs{Not: "no message of a GPU waits for a call of its host, except large ones of halo-gpus with interior_first"}
	gpuImbalance = onGPUs{Doc: "each kernel takes the mean over the GPUs; if these do not launch the same kinds of kernels, all compute equally long",
		has: graph.several, Lacks: "one GPU computes, or stands for all others, which do the same", take: graph.balance}
	gpuInterference = onGPUs{Doc: "operations of a GPU do not slow each other down: each has all SMs and all memory",
		has: graph.beside, Lacks: "no two streams need SMs; the times of a trace are not known apart from interference", take: graph.apart}
	gpuNoise = onGPUs{Doc: "pauses of the hosts of a trace, in which they launch nothing, take no time",
		has: graph.pauses, Lacks: "there are no pauses of hosts, in which they launch nothing; only traces have them", take: graph.pauseFree}
	gpuStalls = onGPUs{Doc: "hosts launch as far ahead as they like",
		has: graph.limited, Lacks: "hosts launch as far ahead as they like already", take: graph.unlimit}
	gpuSynchronisation = onGPUs{Doc: "hosts wait for no operation before they launch the next one; events between streams stay",
		has: graph.synchronises, Lacks: "no host waits for its GPU", take: graph.synchroniseFree}
	gpuLaunches = onGPUs{Doc: "hosts take no time, and launch as far ahead as they like",
		has: graph.launches, Lacks: "no host takes time", take: graph.launchFree}
	gpuCollectives = onGPUs{Doc: "operations of several GPUs take no time, except messages from one GPU to another",
		has: graph.collects, Lacks: "there are no collectives", take: graph.collectivesFree}
	gpuBubbles = onGPUs{Doc: "no GPU waits for the other end of a message, such as the previous stage of a pipeline; the message takes its time",
		has: graph.staged, Lacks: "there is no pipeline: no GPU waits for a message of another one", take: graph.unstage}
)

const notSplit = "no communication whose latency is known apart from its bytes; in a trace, collectives: machine takes the latency of the machine"
