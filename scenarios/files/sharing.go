package files

import (
	"slices"

	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
)

// sharingFile holds the content of a machine file on how threads that share a core or a
// memory slow each other down.
type sharingFile struct {
	smt, slow, memory keys.Group
	moves             keys.Group
	scheduler         machines.Scheduler
	synchronizing     string
	sharing           machines.Sharing
	pairs             map[cores.Profile]*keys.Group
}

// profiles that an activity may have, by name.
var profiles = cores.ProfileNames[cores.FP:]

func newSharing() sharingFile {
	return sharingFile{synchronizing: "blocked", pairs: map[cores.Profile]*keys.Group{}}
}

// rows is the key table of smt and memory.
func (f *sharingFile) rows() keys.Table {
	rows := keys.Table{
		{Path: "smt", To: &f.smt, Doc: "simultaneous multithreading: contexts of a core slow each other down; if omitted: a core has one"},
		{Path: "smt.contexts", To: &f.sharing.Contexts, Is: keys.Count, Needs: keys.Required, Range: keys.Positive,
			Doc: "hardware contexts of a core"},
		{Path: "smt.synchronizing", To: &f.synchronizing, Choices: []string{"blocked", "poll"},
			Doc: "what a process does in a barrier: it sleeps, or it polls; for messages it is " +
				"runtime.waiting", Use: noSynchronizing},
		{Path: "smt.helper", To: keys.OneOf(&f.sharing.OwnCore), Choices: []string{"sibling", "core"},
			Doc: "where the helper thread of a runtime is: on the core of its process, or on its own core", Use: helpless},
		{Path: "smt.scheduler", To: &f.moves,
			Doc: "an operating system that moves processes of one thread between the cores of a memory; if omitted: they stay where they are",
			Use: pinned},
		{Path: "smt.scheduler.wakes", To: keys.OneOf(&f.scheduler.First), Choices: []string{"last", "first"},
			Doc: "where a process wakes up: on the context that it had last, or on the first one of its memory (from where the interrupts of " +
				"the NIC wake it); if others run there, on its last one, the other ones of that core, or any"},
		{Path: "smt.scheduler.balance", To: &f.scheduler.Balance, Is: keys.Time, Needs: keys.Required,
			Doc: "a core that has been idle for this time, while another one had several running processes, takes one of them over"},
		{Path: "smt.slow_down", To: &f.slow,
			Doc: "how many times longer an activity takes with another one on its core, as slow_down.ONE.OTHER; fp: floating point, memory: " +
				"it misses the caches, copy: memory copies, poll: it waits in a loop, stack: communication library and kernel; if omitted: " +
				"1", Use: oneContext},
	}
	for a := cores.FP; a < cores.NumProfiles; a++ {
		f.pairs[a] = new(keys.Group)
		rows = append(rows, keys.Row{Path: "smt.slow_down." + a.String(), To: f.pairs[a], Doc: "slow-down of " + a.String()})
		for b := cores.FP; b < cores.NumProfiles; b++ {
			rows = append(rows, keys.Row{Path: "smt.slow_down." + a.String() + "." + b.String(), To: &f.sharing.SlowDown[a][b], Is: keys.Number,
				Doc: a.String() + " with " + b.String() + "; 0: 1, no slower"})
		}
	}
	return append(rows,
		keys.Row{Path: "memory", To: &f.memory, Doc: "bandwidth that cores and the NIC share; if omitted: there is enough"},
		keys.Row{Path: "memory.bandwidth", To: &f.sharing.Bandwidth, Is: keys.Bandwidth, Needs: keys.Required, Range: keys.Positive,
			Doc: "of a memory, shared max-min fairly by computations (kernels.NAME.demand); bytes of NICs take their part", Use: undemanded},
		keys.Row{Path: "memory.cores", To: &f.sharing.PerMemory, Is: keys.Count,
			Doc: "neighbouring cores that share a memory; 0: all of the node"})
}

// profile returns the profile of that name.
func profile(name string) cores.Profile {
	return cores.Profile(slices.Index(cores.ProfileNames[:], name))
}

// apply gives a machine the values of the file, if it has any.
func (f *sharingFile) apply(m *machines.Machine) {
	if f.smt.Given || f.memory.Given {
		m.Sharing = new(f.sharing)
		m.Sharing.Synchronizing = profile(f.synchronizing)
		if f.moves.Given {
			m.Sharing.Scheduler = new(f.scheduler)
		}
	}
}

// checkSharing reports slow-downs outside of 1 to 1000, and memories with more cores than
// a node has.
func checkSharing(m *machines.Machine, tree *keys.Node, prefix string, problems *keys.Problems) {
	s := m.Sharing
	if s == nil {
		return
	}
	if s.PerMemory > m.Cores {
		problems.Add(tree.At("memory").PlaceOf("cores"), keys.Within(prefix, "memory.cores"), "must be at most the %d cores of a node, got %d",
			m.Cores, s.PerMemory)
	}
	for a, row := range s.SlowDown {
		for b, factor := range row {
			if factor != 0 && !(factor >= 1 && factor <= 1000) {
				one, other := cores.Profile(a).String(), cores.Profile(b).String()
				problems.Add(tree.At("smt").At("slow_down").At(one).PlaceOf(other), keys.Within(prefix, "smt.slow_down."+one+"."+other),
					"must be 1 (no slower) to 1000, got %s", keys.Format(keys.Number, factor))
			}
		}
	}
}
