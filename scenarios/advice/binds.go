package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// If nothing helps, one sentence says why, from the run's own numbers.

// quiet is the part of all time below which the cost of communication is not worth
// mentioning. A resource that is busy for more than the part busy of the run is its
// bottleneck.
const quiet, busy = leastGain, 0.9

// lost are the terms in which there may be something to gain: those of processes, and those of GPUs.
var lost = [results.NumWorkers][]results.Term{results.Processes: anything, results.GPUs: starved}

// binds says what the run is bound by, after a number of re-runs that were no better.
func (s *subject) binds(tried int) string {
	if rest := s.share(anything...) + s.share(results.Interference); rest < quiet {
		return "nothing to gain: " + report.Percent(1-rest, 1) + " of the time is computation"
	}
	for _, resource := range []func() (string, float64){s.link, s.nic, s.processor} {
		if what, share := resource(); share >= busy {
			return "nothing that overlap can do: " + what + " is busy " + report.Percent(share, 1) + " of the run"
		}
	}
	text := fmt.Sprintf("none of %d re-runs gains more than 1 %%", tried)
	switch tried {
	case 0:
		text = "no known change fits"
	case 1:
		text = "the only change that fits gains no more than 1 %"
	}
	most := s.mostOf(lost[s.Result.On])
	text += fmt.Sprintf("; most of what could be gained is %s, %s of the time", name(most), report.Percent(s.share(most), 1))
	if most == results.Partner || most == results.BarrierTime {
		text += s.late()
	}
	return text
}

// late says which rank keeps the others waiting, if one computes longer.
func (s *subject) late() string {
	computed := make([]sim.Time, s.Result.Ranks)
	for rank, phases := range s.Result.Ledgers {
		for i := range phases {
			computed[rank] += phases[i][results.Compute]
		}
	}
	rank, most := longest(computed)
	more := most.Seconds() - s.ledger[results.Compute].Seconds()/float64(s.Result.Ranks)
	if more < quiet*s.Result.Makespan().Seconds() {
		return ""
	}
	return fmt.Sprintf("; rank %d computes %s longer than the mean", rank, report.Seconds(more))
}

// nic is the NIC with the most bytes to transfer, and the least time that they need.
func (s *subject) nic() (string, float64) { return "the busiest NIC", s.ofRun(s.Result.Bound.Bytes) }

// link is the most used link.
func (s *subject) link() (string, float64) {
	if s.Links == nil {
		return "", 0
	}
	used := s.Links.Busiest(1)
	if len(used) == 0 {
		return "", 0
	}
	return "the link " + s.Links.Name(used[0]), s.Links.Used(used[0])
}

// processor is the processor with the most work, and the part of it that no run can avoid.
func (s *subject) processor() (string, float64) {
	return "the busiest processor", s.ofRun(s.Result.Bound.Work)
}

func longest(all []sim.Time) (at int, most sim.Time) {
	most = slices.Max(all)
	return slices.Index(all, most), most
}

func (s *subject) ofRun(t sim.Time) float64 { return t.Seconds() / s.Result.Makespan().Seconds() }

// name is a term in words.
func name(t results.Term) string { return strings.ReplaceAll(t.String(), "_", " ") }

// mostOf returns the longest of some terms.
func (s *subject) mostOf(terms []results.Term) results.Term {
	return slices.MaxFunc(terms, func(a, b results.Term) int { return cmp.Compare(s.ledger[a].Seconds(), s.ledger[b].Seconds()) })
}
