package laws

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
)

// better is a case in which one resource of the machine is better.
type better struct {
	Case
	says   string
	causes []string // whose absence includes it; nil: there are none
}

// costs are the causes whose absence sets a key of a machine to nothing that alone makes no part of the
// time of a run, by the key or the beginning of it. The other keys are known to package without.
var costs = []struct{ key, cause string }{
	{"barrier.per_round", "latency"}, {"barrier.inside", "latency"}, {"links.latency", "latency"}, {"fabric.hop_latency", "latency"}, {"fabric.answer_latency", "latency"},
	{"network.bandwidth", "bandwidth"},
	{"links.injection", "bandwidth"}, {"links.ejection", "bandwidth"},
	{"links.duplex", "bandwidth"}, {"links.exchange", "bandwidth"}, {"bucket.rate", "bandwidth"},
	{"links.bandwidth", "links"},
	{"copying.protocols", "overhead"}, {"copying.interrupt", "overhead"}, {"runtime.send_overhead", "overhead"},
	{"runtime.receive_overhead", "overhead"}, {"runtime.progress.cost", "overhead"},
	{"noise.length", "noise"}, {"memory.bandwidth", "interference"},
	{"kernels", "computation"},
}

// costsOfGPUs are the costs of machines with GPUs.
var costsOfGPUs = []struct{ key, cause string }{
	{"gpu_kernels.launch", "launches"}, {"gpu_kernels.join", "launches"},
	{"gpu_calibration.start", "latency"}, {"gpu_calibration.step", "latency"}, {"gpu_calibration.far", "latency"},
	{"gpu_calibration.ring", "bandwidth"}, {"gpu_calibration.in_switch", "bandwidth"}, {"gpu.nics.bandwidth", "bandwidth"},
}

// costOf is the cause whose absence includes that a key of a machine costs nothing; "": there is none.
func costOf(on results.Workers, key string) string {
	table := costs
	if on == results.GPUs {
		table = costsOfGPUs
	}
	for _, c := range table {
		if rest, ok := strings.CutPrefix(key, c.key); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return c.cause
		}
	}
	if on == results.GPUs {
		return ""
	}
	return without.CauseOf(key)
}

// worse are times and rates that are not better if they are halved, or doubled: how often something disturbs, how often a library looks,
// what a kernel demands, and how long a turn on a core is.
var worse = []string{"noise.rate", "noise.interval", "runtime.progress.every", "time_slice", "smt", "memory.demand", "kernels.own.demand"}

// improvements are changes that make something better and are no factor of a time.
var improvements = []struct {
	set   []string
	cause string
}{
	{[]string{"machine.network.bandwidth=x10"}, "bandwidth"}, {[]string{"machine.network.gap_per_byte=x0.1"}, "bandwidth"},
	{[]string{"machine.network.queue_depth=x4"}, "stalls"}, {[]string{"machine.network.outstanding=x4"}, "stalls"},
	{[]string{"machine.network.outstanding_per_peer=x4"}, "stalls"}, {[]string{"machine.copying.buffer=x4"}, "stalls"},
	{[]string{"machine.noise=none"}, "noise"},
}

// agents are others that may move messages on. They are no better part of the machine, as they take on work of processors at other times, but
// no more than what processors do for messages, and what no agent does in time.
var agents = []string{"machine.runtime.progress={by: nic, every: 0s, delay: 0s, cost: 0s}",
	"machine.runtime.progress={by: thread, every: 0s, delay: 0s, cost: 0s}", "machine.runtime.progress={by: interrupts, every: 0s, delay: 0s, cost: 0s}"}

// agent draws a case in which another agent moves messages on; false: it has no library, and would get one.
func (t *trial) agent() (b better, ok bool) {
	set := one(t.draw, agents)
	b = better{Case: t.Case.clone(), says: set, causes: []string{"progress", "overhead"}}
	b.Settings = append(b.Settings, set)
	return b, t.scenario().Machine.Runtime != nil
}

// better draws a case in which something of the machine is better: half a time, twice a rate, more room.
func (t *trial) better() (b better, ok bool) {
	if t.chance(0.4) {
		o := one(t.draw, improvements)
		b = better{Case: t.Case.clone(), says: strings.Join(o.set, " "), causes: []string{o.cause}}
		b.Settings = append(b.Settings, o.set...)
		return b, true
	}
	c, err := t.spelled()
	if err != nil {
		return b, false
	}
	at, path, ok := t.anyTimed(c, "machine")
	if !ok {
		return b, false
	}
	key := strings.TrimPrefix(path, "machine.")
	text, ok := slower(at.text, big.NewRat(1, 2))
	if !ok || strings.HasSuffix(key, ".demand") || slices.ContainsFunc(worse, func(w string) bool { return strings.HasPrefix(key, w) }) {
		return b, false
	}
	b = better{says: path + " " + strconv.Quote(text) + " instead of " + strconv.Quote(at.text)}
	if cause := costOf(t.on(), key); cause != "" {
		b.causes = []string{cause}
	}
	at.text, b.Case = text, c
	return b, true
}

// on is what the case runs on.
func (t *trial) on() results.Workers {
	if o, err := t.runs(); err == nil {
		return o.Result.On
	}
	return results.Processes
}
