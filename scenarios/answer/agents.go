package answer

import (
	"fmt"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// Changes of the agent that moves messages on.

// Costs of agents that the machine's file does not describe.
const (
	wakeThread   = "2us"   // as library/helper-thread.yaml
	threadJob    = "1us"   // as above
	interruptJob = "5us"   // as machines/bassi-interrupts.yaml
	testCost     = "0.3us" // as docs/tutorial.md
)

// ofAgent tells whether an agent other than today's can do what the NIC does not do already.
func ofAgent(by machines.Agent) func(*subject) bool {
	return func(s *subject) bool { return s.moved() && s.callsMatter() && s.library().Progress.By != by }
}

// untested tells whether tests during computation could do what the NIC does not do already.
func untested(s *subject) bool {
	return s.moved() && s.callsMatter() && !s.library().Progress.By.Tests()
}

// byProcessors tells whether processors move the messages.
func byProcessors(s *subject) bool { return s.moved() && !s.library().Progress.By.OfNIC() }

// callsMatter tells whether the process, or a thread, does what the NIC could do.
func (s *subject) callsMatter() bool {
	return !s.library().Progress.By.OfNIC() || s.beginsRounds()
}

// beginsRounds tells whether processes or threads begin rounds of collectives.
func (s *subject) beginsRounds() bool {
	return s.Machine.Copying == nil && s.library().Progress.By != machines.Triggered && s.Result.Uses.Does(programs.OpStart)
}

// progress lets an agent move the messages. Settings of today's agent that the new one
// cannot have are removed.
func progress(s *subject, says, price, by string, also ...string) []change {
	today, given := s.library().Progress, strings.Join(also, " ")
	for _, had := range []struct {
		key  string
		time sim.Time
	}{{"every", today.Every}, {"delay", today.Delay}, {"cost", today.Cost}} {
		if had.time > 0 && !strings.Contains(given, had.key+":") {
			also = append(also, had.key+": 0s")
		}
	}
	set := "machine.runtime.progress.by=" + by
	if len(also) > 0 {
		set = fmt.Sprintf("machine.runtime.progress={by: %s, %s}", by, strings.Join(also, ", "))
	}
	return []change{{says: says, price: price, set: []string{set}, like: by}}
}

func thread(s *subject) []change {
	price := "a core for each process"
	if place := s.threadPlace(); place == placeOf(false) {
		price = "time of its process's core"
	}
	price += "; " + wakeThread + " until the thread begins, " + threadJob + " for each step of a message"
	by, says := "thread", "a progress thread, "
	if s.library().Progress.By == machines.Offload {
		by, says = "nic-thread", "a progress thread that begins the rounds of collectives, "
	}
	return progress(s, says+s.threadPlace(), price, by, "delay: "+wakeThread, "cost: "+threadJob)
}

// threadPlace says where a process's thread runs.
func (s *subject) threadPlace() string {
	sharing := s.Machine.Sharing
	switch {
	case sharing != nil:
		return placeOf(sharing.Contexts < 2 || sharing.OwnCore)
	case 2*s.Processes <= s.Machine.Cores:
		return placeOf(true)
	}
	return "if each process has one more core"
}

// placeOf names the place of a thread.
func placeOf(apart bool) string {
	if apart {
		return "on its own core"
	}
	return "on the core of its process"
}

func interrupts(s *subject) []change {
	return progress(s, "interrupts for arriving messages", interruptJob+" of the processor for each piece of work", "interrupts", "cost: "+interruptJob)
}

func offload(s *subject) []change {
	return progress(s, "a NIC that moves messages on by itself", "", "nic")
}

func triggers(s *subject) []change {
	return progress(s, "a NIC that also begins the rounds of collectives (triggered operations)",
		"it combines, and copies inside nodes, as fast as a process", "triggered")
}

// inSwitches does collectives in switches, in the times of openmpi-4.1-sharp.
func inSwitches(*subject) []change {
	return []change{{says: "switches that combine (needs InfiniBand with SHARP)", price: "times as of Switch-IB 2", otherWork: true,
		set: []string{"machine.runtime.offload={fan_in: 18, level: 0.99us, segment: 256B, per_segment: 0.755us}"}}}
}

// hostsCombine tells whether the library chooses how hosts do collectives that switches could do. A machine that states 0 below a switch has a
// network without such switches.
func hostsCombine(s *subject) bool {
	w, ok := s.Workload.(workloads.Chosen)
	return ok && w.ByLibrary() && s.Machine.Copying == nil && s.library().Offload.FanIn == 0 &&
		!s.States("runtime.offload.fan_in")
}

// mostTested is the inverse of the part of a computation that tests may cost.
const mostTested = 10

// tests lets processes test four times in each computation.
func tests(s *subject) []change {
	if c := s.testing(s.piece / 4); c != nil {
		return []change{*c}
	}
	return nil
}

// testing lets processes test every so often, or twice as often if that gains; nil: tests would take much of the computation.
func (s *subject) testing(every sim.Time) *change {
	if cost, _ := keys.ParseTime(testCost); every < mostTested*cost {
		return nil
	}
	text, by := leading(every).String(), "test"
	if s.library().Progress.By == machines.InWaits { // its posts still do nothing
		by = "waits-test"
	}
	c := progress(s, "an MPI_Test every "+text+" of computation", testCost+" for each test", by, "every: "+text, "test: "+testCost)[0]
	c.further = func() *change { return s.testing(leading(every) / 2) }
	c.nearer = func() *change { return s.testing(leading(every) * 2) }
	return &c
}

// leading rounds a time down to its first digit.
func leading(t sim.Time) sim.Time {
	unit := sim.Time(1)
	for t/unit >= 10 {
		unit *= 10
	}
	return t / unit * unit
}

func sleeps(s *subject) bool { return s.library().Waiting == machines.Block }

func bound(s *subject) bool { return s.library().Bound && s.Background > 0 }
