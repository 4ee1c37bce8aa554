package training

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// graphWriter makes the graph of operations.
type graphWriter struct {
	keys    *graph
	machine *gpus.Machine
	place   experiments.Place
	wrong   mistakes

	graph   *streams.Graph
	streams []string         // their names
	folded  bool             // all GPUs do the same: one stands for all
	parts   []part           // by operation of the list
	ways    map[string]int32 // of collectives, by the GPUs of the group that shares them
	newest  []map[string]int32
}

// part is what an operation of the list is on every GPU.
type part struct {
	kind, stream int
	work         gpus.Work
	alone        sim.Time // of an operation without blocks
	groups       [][]int  // of a collective
	members      int      // of all groups
	groupOf      []int32  // by GPU: one more than the number of its group; 0: it is in none
	cost         streams.Collective
	egress       float64          // bytes that a member sends
	incoming     int64            // bytes per second that others move in its memory
	flows        [][]streams.Flow // of each group, on a fabric
}

// checked returns the writer of the graph in its buckets, or what is wrong with it.
func (w *graph) checked(m *gpus.Machine, place experiments.Place) (*graphWriter, error) {
	g, err := w.listed(m, place)
	if err != nil || w.Bucket == 0 {
		return g, err
	}
	if w.Bucket > mostMoved/8 {
		return nil, &workloads.KeyError{Key: "bucket", Message: fmt.Sprintf("must be at most %g, got %d", mostMoved/8, w.Bucket)}
	}
	joined, err := w.bucketed()
	if err == nil {
		g, err = joined.listed(m, place)
	}
	if err != nil {
		return nil, &workloads.KeyError{Key: "bucket", Message: err.Error()}
	}
	return g, nil
}

// listed returns the writer of the operations as they are in the list, or what is wrong with them.
func (w *graph) listed(m *gpus.Machine, place experiments.Place) (*graphWriter, error) {
	g := &graphWriter{keys: w, machine: m, place: place, graph: &streams.Graph{}, ways: map[string]int32{}}
	g.folded = !slices.ContainsFunc(w.Operations, func(o operation) bool { return o.GPUs != nil })
	g.streams = g.names()
	for i := range w.Operations {
		g.parts = append(g.parts, g.part(i, g.streams))
		g.folded = g.folded && (place.Point == nil || len(g.parts[i].groups) < 2) // on a fabric groups differ
	}
	g.bounds()
	return g, errors.Join(g.wrong...)
}

// write writes the graph.
func (w *graph) write(m *gpus.Machine, place experiments.Place) (*graphWriter, error) {
	g, err := w.checked(m, place)
	if err != nil {
		return nil, err
	}
	g.addDevices(g.streams)
	for range w.Repeat {
		for i := range g.keys.Operations {
			g.operation(i)
		}
	}
	return g, nil
}

// names returns the streams in their order, the stream of the first kernel before others that are not listed, and checks
// all names.
func (g *graphWriter) names() (all []string) {
	for i, s := range g.keys.Streams {
		if !graphForm().MatchString(s.Name) || slices.Contains(all, s.Name) {
			g.wrong.add(fmt.Sprintf("streams[%d].name", i), "must be letters, digits, - or _, and not twice in the list; got %q", s.Name)
		}
		if s.Priority < -mostPriority || s.Priority > mostPriority {
			g.wrong.add(fmt.Sprintf("streams[%d].priority", i), "must be -%d to %d, got %d", mostPriority, mostPriority, s.Priority)
		}
		all = append(all, s.Name)
	}
	if n := slices.IndexFunc(g.keys.Operations, func(o operation) bool { return o.Collective == "" }); len(all) == 0 && n >= 0 {
		all = append(all, g.keys.Operations[n].stream())
	}
	for i := range g.keys.Operations {
		o := &g.keys.Operations[i]
		if name := o.stream(); !slices.Contains(all, name) {
			all = append(all, name)
		}
		for key, text := range map[string]string{"name": o.Name, "stream": o.stream(), "kind": o.kind()} {
			if !graphForm().MatchString(text) {
				g.wrong.add(at(i, key), "must be letters, digits, - or _, at most 64; got %q", text)
			}
		}
	}
	if len(all) > mostStreams {
		g.wrong.add("operations", "are on %d streams, the most is %d", len(all), mostStreams)
	}
	return all
}

func (o *operation) stream() string { return orElse(o.Stream, "compute") }

func (o *operation) kind() string { return orElse(o.Kind, orElse(o.Collective, "kernel")) }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// part checks an operation and finds what it costs.
func (g *graphWriter) part(i int, names []string) part {
	o := &g.keys.Operations[i]
	g.order(i)
	p := part{stream: slices.Index(names, o.stream()), kind: slices.Index(g.graph.Kinds, o.kind())}
	if p.kind < 0 {
		p.kind = len(g.graph.Kinds)
		g.graph.Kinds = append(g.graph.Kinds, o.kind())
	}
	if o.Collective != "" {
		g.collective(i, &p)
		if len(g.wrong) > 0 {
			return p
		}
		p.groupOf = make([]int32, g.place.Ranks)
		for n, group := range p.groups {
			p.members += len(group)
			for _, gpu := range group {
				p.groupOf[gpu] = int32(n + 1)
			}
		}
		return p
	}
	for key, given := range map[string]bool{"group": o.Group != 0, "apart": o.Apart != 0, "algorithm": o.Algorithm != "",
		"protocol": o.Protocol != "", "channels": o.Channels != 0} {
		if given {
			g.wrong.add(at(i, key), "is of a collective, and %s is not one; give collective, or omit it", o.Name)
		}
	}
	g.kernel(i, &p)
	return p
}

// order checks the names of an operation and of those it comes after, and its GPUs.
func (g *graphWriter) order(i int) {
	o, before := &g.keys.Operations[i], g.keys.Operations[:i]
	named := func(name string) int {
		return slices.IndexFunc(before, func(b operation) bool { return b.Name == name })
	}
	if n := named(o.Name); n >= 0 {
		g.wrong.add(at(i, "name"), "%s is the name of operations[%d] too", o.Name, n)
	}
	for j, gpu := range o.GPUs {
		if gpu >= g.place.Ranks || slices.Contains(o.GPUs[:j], gpu) {
			g.wrong.add(at(i, "gpus"), "must be different numbers of GPUs, 0 to %d; got %d", g.place.Ranks-1, gpu)
		}
	}
	for key, list := range map[string][]string{"after": o.After, "host_after": o.HostAfter} {
		for _, name := range list {
			n := named(name)
			switch {
			case n < 0:
				g.wrong.add(at(i, key), "must name operations that are listed before it; %q does not", name)
			case before[n].GPUs != nil && !within(o.GPUs, g.place.Ranks, before[n].GPUs):
				g.wrong.add(at(i, key), "%s does not run on all GPUs that %s runs on; between GPUs a collective or send-receive says what comes first",
					name, o.Name)
			}
		}
	}
}

// within tells whether all of some GPUs, or of all if there are none, are among others.
func within(some []int, all int, others []int) bool {
	if some == nil {
		return len(others) == all
	}
	return !slices.ContainsFunc(some, func(gpu int) bool { return !slices.Contains(others, gpu) })
}

// bounds refuses graphs that are too large, or take too long.
func (g *graphWriter) bounds() {
	if n := g.operations(); n > mostOps {
		g.wrong.add("repeat", "the graph has %.0f operations, the most is %d", n, int(mostOps))
	}
	if len(g.graph.Kinds) > mostKinds {
		g.wrong.add("operations", "are of %d kinds, the most is %d", len(g.graph.Kinds), mostKinds)
	}
	if n := g.bytes(); n > mostSent {
		g.wrong.add("repeat", "the operations send %.3g bytes, the most is %.3g", n, mostSent)
	}
	longest := 0.0
	for _, p := range g.parts {
		work := float64(max(1, p.work.Blocks)) * p.work.Block.Seconds()
		slower := 1 + 2*float64(g.machine.GPU.SMs)*float64(p.work.Demand)/g.memory() // a transfer next to others in a memory
		longest += p.alone.Seconds() + p.cost.Latency.Seconds() + p.cost.Transfer.Seconds()*float64(len(g.parts))*slower +
			work*(1+float64(p.work.Demand)/g.memory()) + g.launch().Seconds()
	}
	if longest*float64(g.keys.Repeat) > machines.Longest.Seconds()/4 {
		g.wrong.add("repeat", "the operations take longer than a run can, 53 days")
	}
}

// operations is how many the graph has at most: not every GPU does all.
func (g *graphWriter) operations() float64 {
	return float64(len(g.parts)) * float64(g.keys.Repeat) * float64(g.deviceCount())
}

// bytes is what all GPUs send.
func (g *graphWriter) bytes() float64 {
	sum := 0.0
	for _, p := range g.parts {
		sum += p.egress * float64(p.members)
	}
	return math.Round(sum * float64(g.keys.Repeat))
}

func (g *graphWriter) deviceCount() int {
	if g.folded {
		return 1
	}
	return g.place.Ranks
}

// memory is what kernels together can move, bytes per second: the bandwidth of the data sheet where rates of
// kernels are not known.
func (g *graphWriter) memory() float64 {
	if g.machine.Kernels.Moves == 0 {
		return g.machine.GPU.Bandwidth
	}
	return g.machine.Memory()
}

// launch is what the host needs for a kernel.
func (g *graphWriter) launch() sim.Time {
	if g.machine.Kernels.Products == 0 {
		return g.machine.GPU.Launch
	}
	return g.machine.Kernels.Launch
}

func (g *graphWriter) addDevices(names []string) {
	for i := range g.deviceCount() {
		d := streams.Device{Name: fmt.Sprint(i), SMs: int32(g.machine.GPU.SMs), Bandwidth: int64(g.memory()), Ahead: launchesAhead}
		for _, name := range names {
			s := streams.Stream{Name: name}
			if j := slices.IndexFunc(g.keys.Streams, func(s streamKey) bool { return s.Name == name }); j >= 0 {
				s.Priority = int(g.keys.Streams[j].Priority)
			}
			d.Streams = append(d.Streams, s)
		}
		g.graph.Devices = append(g.graph.Devices, d)
		g.newest = append(g.newest, map[string]int32{})
	}
}

// operation writes an operation on all GPUs that do it.
func (g *graphWriter) operation(i int) {
	o, p := &g.keys.Operations[i], &g.parts[i]
	first := int32(len(g.graph.Ops))
	begun := make([]int32, len(p.groups)) // collectives of this round
	for device := range g.graph.Devices {
		if o.GPUs != nil && !slices.Contains(o.GPUs, device) {
			continue
		}
		op := streams.Op{Name: o.Name, Kind: uint8(p.kind), Device: int32(device), Stream: int32(p.stream), Launch: g.launch(),
			Blocks: p.work.Blocks, Work: p.work.Block, Demand: p.work.Demand, Incoming: p.incoming, After: g.named(device, o.After), Wait: g.named(device, o.HostAfter)}
		if p.groupOf != nil && p.groupOf[device] > 0 {
			n := int(p.groupOf[device]) - 1
			if begun[n] == 0 {
				begun[n] = g.begin(p, n)
			}
			op.Collective, op.Work = begun[n], 0
			if g.machine.Kernels.Products > 0 {
				op.Launch = g.machine.Kernels.Join
			}
		} else if op.Blocks == 0 {
			op.Work = p.alone
		}
		g.graph.Ops = append(g.graph.Ops, op)
	}
	for n := first; n < int32(len(g.graph.Ops)); n++ {
		g.newest[g.graph.Ops[n].Device][o.Name] = n
	}
}

// begin adds a collective of a group.
func (g *graphWriter) begin(p *part, n int) int32 {
	c := p.cost
	if p.flows != nil {
		c.Flows = p.flows[n]
	}
	if c.Link > 0 {
		var members []byte
		for _, gpu := range p.groups[n] {
			members = binary.AppendUvarint(members, uint64(gpu))
		}
		if g.ways[string(members)] == 0 {
			g.graph.Links = append(g.graph.Links, fmt.Sprint("of ", len(p.groups[n]), " GPUs from ", p.groups[n][0]))
			g.ways[string(members)] = int32(len(g.graph.Links))
		}
		c.Link = g.ways[string(members)]
	}
	g.graph.Collectives = append(g.graph.Collectives, c)
	return int32(len(g.graph.Collectives))
}

// named returns the newest operations of some names on a GPU.
func (g *graphWriter) named(device int, names []string) (all []int32) {
	for _, name := range names {
		all = append(all, g.newest[device][name])
	}
	return all
}
