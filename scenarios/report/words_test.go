package report

import (
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// handshake is a rendezvous: a request, a read, the bytes and an acknowledgement.
type handshake struct{}

func (handshake) Ranks() int       { return 2 }
func (handshake) Phases() []string { return []string{"all"} }

func (handshake) Step(rank, step int, do *programs.Ops) bool {
	switch {
	case step > 0:
		return false
	case rank == 0:
		do.Send(1, 1<<20, 0)
	default:
		do.Recv(0, 1<<20, 0)
	}
	return true
}

// The tooltip of a wait fits the progress of its message: nothing is on the way before it has
// left, or after it has been delivered.
func TestTooltipsFollowTheMessage(t *testing.T) {
	must.Long(t)
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 100 * sim.Microsecond, SendOverhead: network.Constant(20 * sim.Microsecond), Gap: 50 * sim.Microsecond,
		Transfer: network.PerByte(500), Rendezvous: 1000,
	}}
	r := must.Get(nodes.Run(m, handshake{}, 1, nodes.Options{Timeline: true}))(t)
	b := browse(t, written(t, onePage("a rendezvous", r)), 1300, 900)
	said := map[string]bool{}
	for lane, l := range byNode(r.Timeline) {
		for i, s := range l.Spans {
			if l.Kind != results.CPULane || s.Message < 0 || s.Term == results.Overhead {
				continue
			}
			m, tip := r.Timeline.Messages[s.Message], hoverOn(b, 0, lane, i)
			early, late := s.End <= m.Start, s.Start >= m.Delivered
			for words, fits := range map[string]bool{
				"its request": early, "all bytes have left": s.Start >= m.Sent && s.End <= m.Delivered,
				"it is there": late, "and then the news": s.Start < m.Delivered && s.End > m.Delivered, "the bytes of": s.Start >= m.Start &&
					s.End <= m.Sent,
			} {
				if strings.Contains(tip, words) && !fits {
					t.Errorf("%s, %v from %v to %v: the tooltip says %q of %+v", l.Name, s.Term, s.Start, s.End, tip, m)
				}
				said[words] = said[words] || strings.Contains(tip, words)
			}
		}
	}
	if !said["its request"] || !said["all bytes have left"] || !said["and then the news"] || !said["the bytes of"] {
		t.Errorf("not all of it was said: %v", said)
	}
	b.Clean()
}
