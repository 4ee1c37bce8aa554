package laws

import (
	"fmt"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// other is a fabric on which a message alone takes as long as on the ideal one.
type other struct {
	kind string
	lay  func(c Case, nodes int, ideal *outcomes.Outcome) bool              // sets up what else it needs; false: not possible
	room func(ideal *outcomes.Outcome) (everyMessage sim.Time, rel float64) // how far times may be apart
}

var others = []other{
	{"flow", onCrossbar, rounding},
	{"backlog", onCrossbar, rounding},
	{"flow", onFastLinks, rounding},
	{"backlog", onFastLinks, rounding},
	{"packet", onRing, fewPackets},
	{"packet", onSwitch, fewPackets},
	{"packet", onTree, fewPackets},
}

func onCrossbar(Case, int, *outcomes.Outcome) bool { return true }

// onFastLinks joins the nodes by links much faster than their NICs. Of two CPUs that could copy a
// piece at one time another may be first, by a picosecond.
func onFastLinks(c Case, nodes int, ideal *outcomes.Outcome) bool {
	c.ring(nodes)
	c.Scenario.set(scalar("100000GB/s"), "machine", "links", "bandwidth")
	return ideal.Machine.Network.Transfer.Further() > 1 && oneRate(ideal) && !inPieces(ideal)
}

// oneRate tells whether a NIC is no faster for some sizes than for large messages.
func oneRate(o *outcomes.Outcome) bool { return len(o.Machine.Network.Transfer) == 1 }

// Packets of the packet fabric are so small that the size of the last one hardly matters.
const packetBytes = 64

// onRing joins the nodes by a ring of routers.
func onRing(c Case, nodes int, ideal *outcomes.Outcome) bool {
	c.ring(nodes)
	return (nodes <= neighbours || !together(ideal.Result.Timeline.Messages)) && inPackets(c, ideal)
}

// onSwitch joins the nodes by one switch: messages between different nodes share nothing.
func onSwitch(c Case, nodes int, ideal *outcomes.Outcome) bool {
	return nodes <= mostOnSwitch && inPackets(c, ideal)
}

// mostOnSwitch is how many nodes a switch of the packet fabric has room for.
const mostOnSwitch = 64

// onTree joins the nodes by a tree of two levels, with one switch at its top.
func onTree(c Case, nodes int, ideal *outcomes.Outcome) bool {
	t := mapping()
	t.put("kind", scalar("fat-tree"))
	t.put("children", list(number((nodes+1)/2), number(2)))
	t.put("parents", list(number(1)))
	c.Scenario.set(t, "machine", "topology")
	return nodes <= mostOnSwitch && !together(ideal.Result.Timeline.Messages) && inPackets(c, ideal)
}

// inPackets gives the routers links that are as fast as the NICs.
func inPackets(c Case, ideal *outcomes.Outcome) bool {
	perByte := ideal.Machine.Network.Transfer.Further()
	for key, value := range map[string]string{
		"payload": fmt.Sprintf("%dB", packetBytes), "packet": fmt.Sprintf("%dB", packetBytes), "slots": "16",
		"bandwidth": fmt.Sprintf("%.12gB/s", 1e12/perByte),
	} {
		c.Scenario.set(scalar(value), "machine", "fabric", key)
	}
	return perByte > 0 && oneRate(ideal) && !inPieces(ideal) // who copies first may be the other, with other pieces
}

// neighbours are as many nodes of a ring as have a link between each two.
const neighbours = 3

// together tells whether two messages are in flight at the same time.
func together(messages []results.Message) bool {
	for i, m := range messages {
		for _, b := range messages[:i] {
			if b.Posted < m.Delivered && m.Posted < b.Delivered {
				return true
			}
		}
	}
	return false
}

func (c Case) ring(nodes int) {
	t := mapping()
	t.put("kind", scalar("torus"))
	t.put("dims", list(number(nodes)))
	c.Scenario.set(t, "machine", "topology")
}

// rounding allows a picosecond when a message leaves, and one when it arrives.
func rounding(*outcomes.Outcome) (sim.Time, float64) { return 2, 0 }

// fewPackets allows the unused part of a last packet, and as much for a request, a reply,
// a finish and their acknowledgements, which are packets here.
func fewPackets(ideal *outcomes.Outcome) (sim.Time, float64) {
	return 6*sim.Time(packetBytes*ideal.Machine.Network.Transfer.Further()) + 6, 1e-9
}

// between are the keys of the network between NICs.
var between = [][]string{
	{"machine", "topology"}, {"machine", "links"}, {"machine", "fabric"}, {"machine", "network", "channels"}, {"mapping_first"},
	{"machine", "bucket"},
}

// fabricsAgree runs a case in which no two messages meet on the ideal fabric and
// on another one.
func fabricsAgree(t *trial) error {
	if t.scenario() == nil || !t.fixed() || t.few() || t.scenario().Machine.Sharing != nil || t.scenario().Background > 0 {
		return errNotFor // memory is loaded at other times
	}
	if m := t.scenario().Machine; m.Network.Startup > 0 && (m.Runtime != nil || m.Network.Rendezvous > 0) {
		return errNotFor // requests and replies that meet in a NIC pass one by one on the ideal fabric only, and are not seen below
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	for _, path := range between {
		c.Scenario.drop(path...)
	}
	c.fabric("ideal")
	places := numbered(t.places())
	c = c.mapped(places)
	study, err := t.lab.load(c)
	if err != nil {
		return errNotFor
	}
	ideal, err := study.Runs[0].Run(nodes.Options{Timeline: true})
	copied := c.Scenario.at("machine", "intra_node") != nil
	if err != nil || meets(ideal.Result.Timeline.Messages, places, copied) {
		return errNotFor
	}
	return t.agrees(c, one(t.draw, others), ideal, places)
}

// agrees runs a case on another fabric.
func (t *trial) agrees(c Case, on other, ideal *outcomes.Outcome, places []int) error {
	c.fabric(on.kind)
	if !on.lay(c, 1+maximum(places), ideal) {
		return errNotFor
	}
	result, err := t.lab.run(c, nodes.Options{})
	if err != nil {
		return refusedOr(err)
	}
	each, relative := on.room(ideal)
	room := each*sim.Time(ideal.Result.Messages) + sim.Time(relative*float64(ideal.Result.Makespan()))
	return sameFinish("on the fabric "+on.kind, ideal.Result, result.Result, room)
}

func maximum(all []int) (most int) {
	for _, n := range all {
		most = max(most, n)
	}
	return most
}

// meets tells whether two messages with a node in common are in flight at the same time.
// Messages inside a node count only if they are not copied.
func meets(messages []results.Message, places []int, copied bool) bool {
	var before []results.Message
	for _, m := range messages {
		from, to := places[m.From], places[m.To]
		if m.From == m.To || from == to && copied {
			continue
		}
		for _, b := range before {
			touches := places[b.From] == from || places[b.To] == to || places[b.From] == to || places[b.To] == from
			if touches && b.Posted < m.Delivered && m.Posted < b.Delivered {
				return true
			}
		}
		before = append(before, m)
	}
	return false
}
