package nodes

import (
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// combining is what the switches combine (rule 32). The zero value: nothing so far.
type combining struct {
	calls map[combiner]int32        // by rank: how many times it has given data to a group
	open  map[combiner]*combination // by number of the call: what has not come from all ranks
	of    map[int32]*combination    // by message
}

// combiner is a group of ranks and a tag, with a rank or the number of a call.
type combiner struct{ first, tag, of int32 }

// combination are the data of the ranks of a group.
type combination struct {
	key   combiner
	ranks int32
	came  []int32 // messages
}

// combines notes to what the message of a rank belongs.
func (c *cluster) combines(id, r int32, op *programs.Op) {
	ranks, first := op.Combined()
	if c.machine.Runtime == nil || c.switches().FanIn < 1 {
		c.fail(mistake("runtime.offload", "rank %d gives data to the switches, but the switches of machine %s do not combine", r, c.machine.Name))
		return
	}
	if c.place.inside(r, op.Peer) {
		c.fail(mistake("runtime.offload", "rank %d gives data to the switches, but all ranks are on its node", r))
		return
	}
	k := &c.combining
	if k.of == nil {
		*k = combining{map[combiner]int32{}, map[combiner]*combination{}, map[int32]*combination{}}
	}
	who := combiner{first, op.Tag, r}
	key := combiner{first, op.Tag, k.calls[who]}
	k.calls[who]++
	if k.open[key] == nil {
		k.open[key] = &combination{key: key, ranks: ranks}
	}
	if k.open[key].ranks != ranks {
		c.fail(fmt.Errorf("rank %d gives data of %d ranks to the switches, others of its group of %d", r, ranks, k.open[key].ranks))
	}
	k.of[id] = k.open[key]
}

// leavesNode lets the data that a rank gives to the switches go towards another node.
func (c *cluster) leavesNode(r int32, op *programs.Op) {
	if ranks, _ := op.Combined(); ranks == 0 {
		return
	}
	for n := range c.ranks {
		if !c.place.inside(r, op.Peer) || n == len(c.ranks)-1 {
			return
		}
		op.Peer = (op.Peer + 1) % int32(len(c.ranks))
	}
}

// reachesSwitch is called when the data of a rank have come to the switches. Once the data of all ranks have, the result is
// on its way to all.
func (c *cluster) reachesSwitch(id int32, now sim.Time) {
	k := c.combining.of[id]
	delete(c.combining.of, id)
	c.messages.at(id).arrived = now
	c.note(id, now, results.Partner)
	if k.came = append(k.came, id); len(k.came) < int(k.ranks) {
		return
	}
	delete(c.combining.open, k.key)
	levels, more := c.switches().Levels(int(k.ranks)), c.switches().More(c.messages.at(id).bytes)
	at := now + sim.Time(levels)*c.switches().Level + sim.Time(more)*c.switches().PerSegment
	if !c.within(at) {
		return
	}
	end := c.causes.combines(c, id, levels, more, at)
	for _, one := range k.came {
		m := c.messages.at(one)
		c.note(one, now, results.Latency)
		m.delivered, m.completed = at, at
		c.causes.combined(one, end)
		c.recorder.delivered(m.record, at)
		c.endFlight(m.from, at)
		c.settled(m.from, one)
	}
}

// switches are how the switches of the network combine.
func (c *cluster) switches() *machines.Combining { return &c.machine.Runtime.Offload }

// combines returns the moment at which a result is in the memory of all ranks. The last of their data, which are in this message,
// have come now.
func (t *causes) combines(c *cluster, id int32, levels, more int64, at sim.Time) cause {
	if t == nil {
		return cause{}
	}
	on, o := where{results.Wire, c.place.nic[c.messages.at(id).from], t.message(id).number}, c.switches()
	up := t.add(t.now, t.now.At+sim.Time(levels)*o.Level, parts.OffloadLevel, levels, on)
	return t.add(up, at, parts.OffloadSegment, more, on)
}

// combined says that the result of a message is in memory at this moment.
func (t *causes) combined(id int32, at cause) {
	if t != nil {
		m := t.message(id)
		m.delivered, m.completed = at, at
	}
}
