package gpus

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// group is a communicator that has been laid out on its machine.
type group struct {
	shape
	fit        *Calibration
	generation *Generation
	node       *Node
	channels   int // channels asked for; 0: none asked for
}

// parts are the parts of a Cost, in seconds.
type parts struct {
	start, latency, bubble, transfer float64
	channels                         int
	egress, network, memory          float64
	outside, beyond                  string
}

func (p *parts) total() float64 { return p.start + p.latency + p.bubble + p.transfer }

// mostChunk is the most that a channel moves in a step of protocol Simple.
const mostChunk = 512 << 10

const micro = 1e-6

// rings is the bus bandwidth of rings within a domain. Few channels do not fill the links of a
// switch: a channel moves at most what NCCL's table gives a channel of a tree.
func (g *group) rings() float64 {
	if g.node.Switch == nil && g.per > 1 {
		if g.ways.count() == 0 {
			return g.node.PCIe.Bandwidth
		}
		return g.fit.Ring * float64(g.ways.count())
	}
	return min(g.fit.Ring, float64(g.blocks())*g.generation.treeSimple[0])
}

// bus is the bus bandwidth of a ring over all domains.
func (g *group) bus() float64 {
	if g.per == 1 {
		return g.nics()
	}
	if g.domains == 1 {
		return g.rings()
	}
	return min(g.rings(), g.nics())
}

// nics is the bandwidth that the NICs of a domain reach together; +Inf within one domain.
func (g *group) nics() float64 {
	if g.domains == 1 {
		return math.Inf(1)
	}
	return g.network * g.fit.Network
}

// blocks is the number of channels of a ring.
func (g *group) blocks() int {
	if g.channels > 0 {
		return g.channels
	}
	return max(1, g.fit.Channels)
}

// hop is the latency of a step within a domain, in seconds, from NCCL's table.
func (g *group) hop(a *Algorithm, p *Protocol) float64 {
	if !g.node.Joined() || g.node.Switch == nil && g.ways.count() == 0 {
		return a.overPCIe[p.index] * micro
	}
	return a.near[p.index] * micro
}

// farHop is the latency of a step over the network, in seconds.
func (g *group) farHop(a *Algorithm, p *Protocol) float64 {
	nic := g.node.Latency.Seconds()
	if p == Simple {
		nic *= 2 // for the flush
	}
	return a.far[p.index]*micro + nic
}

// posting is the time to hand a message to a NIC, in seconds.
func (g *group) posting(p *Protocol) float64 {
	t := 1.0
	if g.node.AMD {
		t = 2
	}
	if p == Simple {
		t *= 3
	}
	return t * micro
}

// choose returns the algorithm and the protocol with the shortest time by NCCL's estimate. A
// choice that is given is kept.
func (g *group) choose(a *Algorithm, p *Protocol, op *Operation, bytes int64) (*Algorithm, *Protocol) {
	algorithms := []*Algorithm{a}
	if a == nil {
		algorithms = g.candidates(op, p)
	}
	least := math.Inf(1)
	best, by := a, p
	for _, a := range algorithms {
		for _, one := range a.protocols {
			if p != nil && p != one {
				continue
			}
			if t := a.estimate(g, op, one, bytes); t < least || best == nil || by == nil {
				least, best, by = t, a, one
			}
		}
	}
	return best, by
}

// candidates are the algorithms of an operation among which NCCL chooses here.
func (g *group) candidates(op *Operation, p *Protocol) (all []*Algorithm) {
	for _, a := range of(op) {
		if a.lacks(g) == "" && (a.offers == nil || a.offers(g)) && (p == nil || slices.Contains(a.protocols, p)) {
			all = append(all, a)
		}
	}
	return all
}

// fits returns an error if an algorithm or protocol does not fit an operation.
func (g *group) fits(op *Operation, a *Algorithm, p *Protocol) error {
	if !slices.Contains(a.operations, op) {
		return &ChoiceError{"algorithm", fmt.Sprintf("%s has no algorithm %s; use auto or one of %s", op, a, names(of(op)))}
	}
	if lack := a.lacks(g); lack != "" {
		return &ChoiceError{"algorithm", fmt.Sprintf("%s %s", a, lack)}
	}
	if p != nil && !slices.Contains(a.protocols, p) {
		return &ChoiceError{"protocol", fmt.Sprintf("%s has no protocol %s; use auto or one of %s", a, p, names(a.protocols))}
	}
	return nil
}

// ChoiceError says which choice of a Communicator is not possible: algorithm, protocol, or
// members.
type ChoiceError struct{ Key, Message string }

// Named returns the one of all that has a name, or a *ChoiceError.
func Named[T fmt.Stringer](all []T, key, name string) (one T, err error) {
	for _, t := range all {
		if t.String() == name {
			return t, nil
		}
	}
	return one, &ChoiceError{key, fmt.Sprintf("%q is not known; use one of %s", name, names(all))}
}

// Chosen is Named, and nil for the name that leaves the choice to others.
func Chosen[T any, P interface {
	*T
	fmt.Stringer
}](all []P, key, name, open string) (P, error) {
	if name == open {
		return nil, nil
	}
	return Named(all, key, name)
}

func (e *ChoiceError) Error() string { return e.Key + ": " + e.Message }

// of returns the algorithms of an operation.
func of(op *Operation) (all []*Algorithm) {
	for _, a := range Algorithms {
		if slices.Contains(a.operations, op) {
			all = append(all, a)
		}
	}
	return all
}

func names[T fmt.Stringer](all []T) string {
	var words []string
	for _, one := range all {
		words = append(words, one.String())
	}
	return strings.Join(words, ", ")
}
