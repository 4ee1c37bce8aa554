package without

import (
	"math"
	"slices"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
)

// graph is a graph from which causes are taken away.
type graph struct{ *streams.Graph }

// anyOp tells whether there is such an operation.
func (g graph) anyOp(is func(o *streams.Op) bool) bool {
	for i := range g.Ops {
		if is(&g.Ops[i]) {
			return true
		}
	}
	return false
}

// each does something to all collectives.
func (g graph) each(do func(c *streams.Collective)) {
	for i := range g.Collectives {
		do(&g.Collectives[i])
	}
}

func everyWay(streams.Way) bool     { return true }
func together(way streams.Way) bool { return way == streams.Together }

func (g graph) collects() bool {
	return slices.ContainsFunc(g.Collectives, func(c streams.Collective) bool { return together(c.Way) })
}

func (g graph) communicationFree() {
	g.free(everyWay)
	g.shorten(streams.Lingers)
	g.joinFree()
}

func (g graph) collectivesFree() { g.free(together) }

// free lets collectives take no time beyond what their members compute.
func (g graph) free(of func(streams.Way) bool) {
	g.each(func(c *streams.Collective) {
		if of(c.Way) {
			c.Latency, c.Transfer, c.Flows = 0, c.Compute, nil
		}
	})
}

// idle lets members of collectives that take no time hold no SMs.
func (g graph) idle() {
	for i := range g.Ops { // collectives of devices that are alike take equally long
		if o := &g.Ops[i]; o.Collective > 0 && g.Collectives[o.Collective-1].Latency+g.Collectives[o.Collective-1].Transfer == 0 {
			o.Blocks, o.Work, o.Demand, o.Incoming = 0, 0, 0, 0
		}
	}
}

// shorten lets operations of a role take no time.
func (g graph) shorten(role streams.Role) {
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Collective == 0 && o.Role == role {
			o.Blocks, o.Work, o.Demand, o.Incoming = 0, 0, 0, 0
		}
	}
}

// computationFree leaves nothing but operations of several GPUs.
func (g graph) computationFree() {
	for _, role := range []streams.Role{streams.Computes, streams.Hosts, streams.Pauses} {
		g.shorten(role)
	}
	for i := range g.Ops {
		if g.Ops[i].Collective == 0 {
			g.Ops[i].Launch = 0
		}
	}
	g.each(func(c *streams.Collective) { c.Transfer, c.Compute = c.Transfer-c.Compute, 0 })
}

// split tells whether the graph says of some communication which part of it is latency and which is bytes.
func (g graph) split() bool {
	return slices.ContainsFunc(g.Collectives, func(c streams.Collective) bool { return !c.Whole })
}

func (g graph) linksFree() {
	g.Fabric = nil
	g.each(func(c *streams.Collective) { c.Link = 0 })
}

func (g graph) latencyFree() {
	g.each(func(c *streams.Collective) {
		if !c.Whole {
			c.Latency = 0
		}
	})
}

func (g graph) bytesFree() {
	g.each(func(c *streams.Collective) {
		if !c.Whole {
			c.Transfer, c.Flows = c.Compute, nil
		}
	})
}

// shares tells whether collectives share a link, or a fabric.
func (g graph) shares() bool {
	if g.Fabric != nil && slices.ContainsFunc(g.Collectives, func(c streams.Collective) bool { return len(c.Flows) > 0 }) {
		return true
	}
	of := make([]int, len(g.Links)+1)
	return slices.ContainsFunc(g.Collectives, func(c streams.Collective) bool {
		of[c.Link]++
		return c.Link > 0 && of[c.Link] > 1
	})
}

func (g graph) launches() bool {
	return g.anyOp(func(o *streams.Op) bool {
		return o.Launch > 0 && o.Role != streams.HostPauses || o.Role == streams.Hosts && o.Work > 0
	})
}

func (g graph) launchFree() {
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Role != streams.HostPauses {
			o.Launch = 0
		}
	}
	for i := range g.Devices {
		g.Devices[i].Delay = 0
	}
	g.shorten(streams.Hosts)
	g.unlimit()
}

func (g graph) joins() bool {
	return g.anyOp(func(o *streams.Op) bool { return o.Collective > 0 && o.Launch > 0 })
}

func (g graph) joinFree() {
	for i := range g.Ops {
		if g.Ops[i].Collective > 0 {
			g.Ops[i].Launch = 0
		}
	}
}

func (g graph) limited() bool {
	return slices.ContainsFunc(g.Devices, func(d streams.Device) bool { return d.Ahead > 0 })
}

func (g graph) unlimit() {
	for i := range g.Devices {
		g.Devices[i].Ahead = 0
	}
}

func (g graph) pauses() bool {
	return g.anyOp(func(o *streams.Op) bool { return o.Role == streams.HostPauses && o.Launch > 0 })
}

func (g graph) pauseFree() {
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Role == streams.HostPauses {
			o.Launch = 0
		}
	}
}

func (g graph) synchronises() bool {
	return g.anyOp(func(o *streams.Op) bool { return len(o.Wait) > 0 })
}

func (g graph) synchroniseFree() {
	for i := range g.Ops {
		g.Ops[i].Wait = nil
	}
}

// beside tells whether operations of two streams of a GPU need SMs.
func (g graph) beside() bool {
	stream := make([]int32, len(g.Devices)) // that needs SMs, counted from 1
	return g.anyOp(func(o *streams.Op) bool {
		if o.Blocks == 0 {
			return false
		}
		before := stream[o.Device]
		stream[o.Device] = o.Stream + 1
		return before > 0 && before != o.Stream+1
	})
}

func (g graph) stage(o *streams.Op) bool {
	return o.Collective > 0 && g.Collectives[o.Collective-1].Way == streams.Stage
}

// staged tells whether a GPU may wait for another one at an end of a message.
func (g graph) staged() bool {
	seen, waits := make([]bool, len(g.Collectives)), false
	g.Members(func(o *streams.Op, collective *int32) {
		if g.stage(o) {
			waits = waits || seen[*collective-1] || slices.ContainsFunc(o.After, func(n int32) bool { return g.Ops[n].Device != o.Device })
			seen[*collective-1] = true
		}
	})
	return waits
}

func (g graph) apart() { g.Apart = true }

// unstage gives each end of a message a separate message, which waits for operations of its GPU
// only.
func (g graph) unstage() {
	taken := make([]bool, len(g.Collectives))
	g.Members(func(o *streams.Op, collective *int32) {
		if !g.stage(o) {
			return
		}
		o.After = slices.DeleteFunc(slices.Clone(o.After), func(n int32) bool { return g.Ops[n].Device != o.Device })
		if n := *collective - 1; taken[n] {
			own := g.Collectives[n]
			own.Link = 0 // the message uses it once
			g.Collectives = append(g.Collectives, own)
			*collective = int32(len(g.Collectives))
		} else {
			taken[n] = true
		}
	})
}

// aloneOn is the time of a kernel on a GPU that does nothing else, in picoseconds: whole waves, or as the memory allows.
func aloneOn(d *streams.Device, o *streams.Op) float64 {
	if o.Blocks == 0 {
		return float64(o.Work)
	}
	wave := func(blocks float64) float64 {
		if all := blocks * float64(o.Demand); d.Bandwidth > 0 {
			return float64(o.Work) * max(1, all/float64(d.Bandwidth))
		}
		return float64(o.Work)
	}
	time := math.Floor(float64(o.Blocks)/float64(d.SMs)) * wave(float64(d.SMs))
	if rest := o.Blocks % d.SMs; rest > 0 {
		time += wave(float64(rest))
	}
	return time
}

// kernels lists the kernels of each GPU in the order of their launches; none of a GPU that is like another one.
func (g graph) kernels() [][]int32 {
	all := make([][]int32, len(g.Devices))
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Collective == 0 && o.Role == streams.Computes {
			all[o.Device] = append(all[o.Device], int32(i))
		}
	}
	return all
}

// several tells whether several GPUs compute. Where one stands for others, these do the same.
func (g graph) several() bool {
	kernels, computing := g.kernels(), 0
	for i, d := range g.Devices {
		if d.Like > 0 {
			i = int(d.Like) - 1
		}
		computing += min(1, len(kernels[i]))
	}
	return computing > 1
}

// balance gives the kernels of all GPUs the mean of their times. Where all GPUs have kernels of the same kinds, each kernel gets
// the mean of those at its place; elsewhere all kernels of a GPU become longer or shorter by one factor.
func (g graph) balance() {
	all := slices.DeleteFunc(g.kernels(), func(list []int32) bool { return len(list) == 0 })
	if len(all) < 2 {
		return
	}
	if !g.correspond(all) {
		g.level(slices.DeleteFunc(all, func(list []int32) bool { return g.sum(list) == 0 }))
		return
	}
	for i := range all[0] {
		one := make([][]int32, len(all))
		for n := range all {
			one[n] = all[n][i : i+1]
		}
		g.level(one)
	}
}

// correspond tells whether lists have operations of the same kinds.
func (g graph) correspond(all [][]int32) bool {
	return !slices.ContainsFunc(all, func(list []int32) bool {
		return !slices.EqualFunc(list, all[0], func(a, b int32) bool { return g.Ops[a].Kind == g.Ops[b].Kind })
	})
}

// sum is the time of kernels alone, in picoseconds.
func (g graph) sum(list []int32) (sum float64) {
	for _, i := range list {
		sum += aloneOn(&g.Devices[g.Ops[i].Device], &g.Ops[i])
	}
	return sum
}

// level gives lists of kernels the same time, the mean of all lists. A list that takes no time has one kernel.
func (g graph) level(all [][]int32) {
	mean := 0.0
	for _, list := range all {
		mean += g.sum(list) / float64(len(all))
	}
	for _, list := range all {
		own := g.sum(list)
		for _, i := range list {
			o := &g.Ops[i]
			if own == 0 {
				o.Work = sim.Time(math.Round(mean))
			} else {
				o.Work = max(min(1, o.Work), sim.Time(math.Round(float64(o.Work)*mean/own)))
			}
		}
	}
}
