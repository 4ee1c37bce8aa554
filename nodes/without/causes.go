package without

import (
	"fmt"
	"slices"
	"strings"
)

// cause is something that makes runs longer.
type cause struct {
	Name, Doc    string
	Processes    func(*Run) // takes it away from a run of processes; nil: it has no meaning there
	NotProcesses string     // why it has no meaning for them: "processes have no stages"
	GPUs         onGPUs
}

const onlyGPUs = "only workloads on GPUs have "

// Causes are all causes.
var Causes = []cause{
	{Name: "communication", Doc: "messages are there when they are sent, at no cost; a receive still waits until its sender has sent",
		Processes: (*Run).communication, GPUs: gpuCommunication},
	{Name: "computation", Doc: "computation takes no time", Processes: (*Run).computation, GPUs: gpuComputation},
	{Name: "latency", Doc: "L is 0, also inside nodes, of links and routers, and of rounds of barriers", Processes: (*Run).latency,
		GPUs: gpuLatency},
	{Name: "bandwidth", Doc: "bytes take no time in NICs (G is 0) and no token bucket holds them; links of the network still limit them",
		Processes: (*Run).bandwidth, GPUs: gpuBandwidth},
	{Name: "gap", Doc: "the NIC takes no time for a message (g and startup are 0)", Processes: (*Run).gap, GPUs: gpuGap},
	{Name: "links", Doc: "links of the network take all that comes, also links.ejection if it is stated, and messages have no contention factors; NICs stay as they are",
		Processes: (*Run).links, GPUs: gpuLinks},
	{Name: "overhead", Doc: "messages take no time of CPUs: o, O, copies, matching, packing, tests, interrupts, wake-ups, " +
		"and non-blocking collectives combine in no time",
		Processes: (*Run).overhead, GPUs: gpuOverhead},
	{Name: "progress", Doc: "a message makes progress as soon as it can, without any CPU; handshakes still cross the network",
		Processes: (*Run).progress, GPUs: gpuProgress},
	{Name: "imbalance", Doc: "each rank that shares the computation computes as long as their mean in the same step", Processes: (*Run).imbalance, GPUs: gpuImbalance},
	{Name: "interference", Doc: "activities of a node do not slow each other down, and background threads take nothing",
		Processes: (*Run).interference, GPUs: gpuInterference},
	{Name: "noise", Doc: "the operating system takes nothing", Processes: (*Run).noise, GPUs: gpuNoise},
	{Name: "stalls", Doc: "queues and buffers hold all that comes, so no call waits for room", Processes: (*Run).stalls, GPUs: gpuStalls},
	{Name: "synchronisation", Doc: "a barrier of all ranks takes no time, and no rank waits in it", Processes: (*Run).synchronisation,
		GPUs: gpuSynchronisation},
	{Name: "launches", NotProcesses: onlyGPUs + "launches", GPUs: gpuLaunches},
	{Name: "collectives", NotProcesses: "collectives of processes are messages: take communication away", GPUs: gpuCollectives},
	{Name: "bubbles", NotProcesses: onlyGPUs + "stages of pipelines", GPUs: gpuBubbles},
	ofOneKind(kinds[0]), ofOneKind(kinds[1]), ofOneKind(kinds[2]), ofOneKind(kinds[3]), ofOneKind(kinds[4]),
}

// none is the name that takes nothing away.
const none = "none"

// Names are the names of all causes, after the name of no cause.
func Names() []string {
	all := []string{none}
	for i := range Causes {
		all = append(all, Causes[i].Name)
	}
	return all
}

// Set is a set of causes: bit i is set if it has Causes[i].
type Set uint32

// Of returns the set of some names.
func Of(names ...string) (s Set, err error) {
	for _, name := range names {
		i := slices.IndexFunc(Causes, func(c cause) bool { return c.Name == name })
		switch {
		case i >= 0:
			s |= 1 << i
		case name != none:
			return 0, fmt.Errorf("must be one of %s, got %q", strings.Join(Names(), ", "), name)
		}
	}
	return s, nil
}

// all returns the causes of a set in the order of the table.
func (s Set) all() (all []*cause) {
	for i := range Causes {
		if s&(1<<i) != 0 {
			all = append(all, &Causes[i])
		}
	}
	return all
}

// Names are the names of the causes of a set.
func (s Set) Names() (names []string) {
	for _, c := range s.all() {
		names = append(names, c.Name)
	}
	return names
}

// String lists the names of a set.
func (s Set) String() string {
	if s == 0 {
		return none
	}
	return strings.Join(s.Names(), ", ")
}
