package laws

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// trafficAddsUp compares what was recorded over time with what is counted in all.
func trafficAddsUp(t *trial) error {
	if t.scenario() == nil || !t.scenario().Contended() {
		return errNotFor
	}
	o, err := t.explained()
	if err != nil {
		return err
	}
	traffic := o.Result.Traffic
	if o.Result.Timeline == nil { // the time is a formula's
		return nil
	}
	if traffic.Carried != nil {
		for i := range o.Links.Loads {
			if err := carriesAll(o.Links, traffic, i); err != nil {
				return err
			}
		}
	}
	waited, sent := int64(0), sim.Time(0)
	for node := range traffic.Waiting.Rows() {
		waited += traffic.Waiting.Sum(node)
	}
	for _, lane := range o.Result.Timeline.Lanes {
		if lane.Kind == results.SendLane {
			for _, s := range lane.Spans {
				sent += s.End - s.Start
			}
		}
	}
	if waited < int64(sent) {
		return fmt.Errorf("transfers are at NICs for %d ps, and NICs send for %v", waited, sent)
	}
	return nil
}

// carriesAll compares what a link carried. One of a backlog fabric may have promised a few bytes
// more than it has carried at the end; they are in the bins from the end on.
func carriesAll(l *network.Links, t *network.Traffic, link int) error {
	sum, promised := t.Carried.Sum(link)/network.ByteParts, int64(0)
	if row := t.Bytes(link); l.Unit == "ns" {
		for _, bytes := range row[min(t.Bins()-1, len(row)):] {
			promised += bytes
		}
	}
	if bytes := int64(l.Loads[link].Bytes); sum < bytes || sum-promised > bytes {
		return fmt.Errorf("%s carried %d bytes, over time %d", l.Name(link), bytes, sum)
	}
	return nil
}
