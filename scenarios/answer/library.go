package answer

import (
	"fmt"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
)

// Library changes of a run, for programs that ask for one of them. None says why there is
// nothing to change.

// Eager sends the run's largest messages at once.
func Eager(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	s := newSubject(o, nil)
	if !s.rendezvous() {
		return nil, "no message is longer than the rendezvous threshold"
	}
	return found(eager(s))
}

// Copies are settings that charge the copies of pieces of the run's largest messages, where they are sent at once and the
// machine charges none, and what they cost.
func Copies(o *outcomes.Outcome, pieces int) (set []string, price string) {
	s := newSubject(o, nil)
	most := (s.largest + int64(pieces) - 1) / int64(pieces)
	if !s.rendezvous() || most > s.Machine.Network.Rendezvous {
		return nil, ""
	}
	if set = s.ChargedCopies(files.Sizes{Over: most / 2}); set != nil {
		price = s.chargedCopy()
	}
	return set, price
}

// Library is the path of the library, with its threshold.
const Library = "machine.runtime"

// SentAtOnce are paths that decide which messages are sent at once.
var SentAtOnce = []string{Library, "machine.network.rendezvous_threshold", "machine.runtime.rendezvous.threshold", "moves.pieces", "workload.pieces"}

// SaidCharged says what charges the copies of what only some of several runs send at once, and in which of them.
func SaidCharged(in, some, at string, set []string) string {
	return fmt.Sprintf("charged%s: a copy by each side of what only some %s send at once; with %s: %s", in, some, at, keys.Flags(set))
}

// CopiesSince are settings that charge the copies of messages that a scenario sends at once, and the same scenario with a lower threshold or
// in fewer pieces does not, where the machine charges none.
func CopiesSince(before, now *files.Scenario) []string {
	had, has := before.Machine.Network.Rendezvous, now.Machine.Network.Rendezvous
	if had == 0 || before.Program == nil || now.Program == nil || before.Machine.Runtime != nil && now.Machine.Runtime == nil {
		return nil // without a library messages move by themselves, and nothing says that they are copied
	}
	of := files.Sizes{Over: had}
	switch largest := sample(now.Program, 0).largest; {
	case largest <= had && (has == 0 || largest <= has):
		if sample(before.Program, 0).largest <= had {
			return nil
		}
		of.Over = largest / 2
	case 0 < has && sample(now.Program, has).largest <= had: // none is sent at once only here
		return nil
	case now.Machine.Runtime == nil: // messages that wait for their receive have the same overheads
		of.UpTo = has
	}
	return now.ChargedCopies(of)
}

// LeastAtOnce is the one of n scenarios with several libraries that sends least at once; nil: none can be loaded.
func LeastAtOnce(n int, load func(i int) (*scenarios.Scenario, error)) (least *scenarios.Scenario) {
	for i := range n {
		s, err := load(i)
		if err != nil {
			continue
		}
		if limit := s.Machine.Network.Rendezvous; least == nil || limit > 0 && (least.Machine.Network.Rendezvous == 0 || limit < least.Machine.Network.Rendezvous) {
			least = s
		}
	}
	return least
}

// Charge charges, where runs of a study have several libraries, the copies of what only some of them send at once. The runs say so.
func Charge(study *scenarios.Study) error {
	runs, several := slices.Clone(study.Runs), false
	for _, run := range runs {
		if run.Program == nil || run.Machine.Runtime == nil {
			return nil
		}
		several = several || run.Machine.Runtime.Name != runs[0].Machine.Runtime.Name
	}
	if !several {
		return nil
	}
	least := LeastAtOnce(len(runs), func(i int) (*scenarios.Scenario, error) { return runs[i], nil })
	for i, run := range runs {
		set := CopiesSince(least.Scenario, run.Scenario)
		if set == nil {
			continue
		}
		charged, err := run.With(set)
		if err != nil {
			return err
		}
		charged.Name = run.Name
		charged.Assumed = append(charged.Assumed, "assumed: each side copies what other runs do not send at once: "+keys.Flags(set))
		study.Runs[i] = charged
	}
	return nil
}

// ThreadBeside lets a progress thread on the core of its process move the run's messages on.
func ThreadBeside(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	if s := o.Machine.Sharing; s == nil || s.Contexts < 2 {
		return nil, "the machine's file does not say how two threads of a core slow each other down (machine.smt)"
	}
	return threadAt(o, false, "machine.smt.helper=sibling")
}

// ThreadApart lets a progress thread on its own core do so.
func ThreadApart(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	processes := (o.Processes + programs.Threads(o.Program) - 1) / programs.Threads(o.Program)
	switch s := o.Machine.Sharing; {
	case s == nil:
		return moved(o, machines.Thread, "a thread", thread)
	case 2*processes > o.Machine.Cores:
		return nil, fmt.Sprintf("no core of a node is left for it: its processes take %d of %d", processes, o.Machine.Cores)
	case s.Contexts == 0:
		return threadAt(o, true, "machine.smt={contexts: 1, helper: core}")
	}
	return threadAt(o, true, "machine.smt.helper=core")
}

// threadAt lets a progress thread at a place move messages on, if the machine says what threads share.
func threadAt(o *outcomes.Outcome, apart bool, set string) (c *outcomes.Change, none string) {
	there := o.Machine.Sharing.OwnCore == apart
	if o.Machine.Runtime != nil && o.Machine.Runtime.Progress.By == machines.Thread && !there {
		return &outcomes.Change{Change: "the progress thread, " + placeOf(apart), Set: []string{set}}, ""
	}
	if c, none = moved(o, machines.Thread, "a thread", thread); c == nil {
		return nil, none
	}
	c.Change = "a progress thread, " + placeOf(apart)
	if !there {
		c.Set = append(slices.Clone(c.Set), set)
	}
	return c, ""
}

// Offload lets the NIC move the run's messages on.
func Offload(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	return moved(o, machines.Offload, "the NIC", offload)
}

// moved lets an agent move the messages on.
func moved(o *outcomes.Outcome, by machines.Agent, who string, changes func(*subject) []change) (c *outcomes.Change, none string) {
	switch s := newSubject(o, nil); {
	case !s.moved():
		return nil, "no processor has to move a message on"
	case s.library().Progress.By == by:
		return nil, who + " does it already"
	default:
		return found(changes(s))
	}
}

func found(changes []change) (*outcomes.Change, string) {
	return &outcomes.Change{Change: changes[0].says, Set: changes[0].set}, ""
}
