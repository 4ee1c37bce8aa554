package laws

import (
	"overlapsim/nodes"
	"overlapsim/sim"
)

// Fabrics on which a message alone takes as long as on the ideal one.
var alike = []string{"flow", "backlog"}

// fabricsAgree runs a case in which no two messages meet on other fabrics, on a
// crossbar.
func fabricsAgree(t *trial) error {
	if t.scenario() == nil || !t.fixed() || t.scenario().Machine.Sharing != nil || t.scenario().Background > 0 {
		return errNotFor // memory is loaded at other times
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	for _, path := range [][]string{{"machine", "topology"}, {"machine", "links"}, {"machine", "network", "channels"}, {"mapping_first"}} {
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
	if err != nil || meets(ideal.Result.Timeline.Messages, places) {
		return errNotFor
	}
	for _, kind := range alike {
		c.fabric(kind)
		other, err := t.lab.run(c, nodes.Options{})
		if err != nil {
			return err
		}
		if err := sameRun("on the fabric "+kind, ideal.Result, other.Result, sim.Time(2*ideal.Result.Messages)); err != nil {
			return err
		}
	}
	return nil
}

// meets tells whether two messages between nodes are under way at a time that have
// a node in common.
func meets(messages []nodes.Message, places []int) bool {
	var before []nodes.Message
	for _, m := range messages {
		from, to := places[m.From], places[m.To]
		if from == to {
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
