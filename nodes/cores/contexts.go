package cores

import (
	"math"
	"unsafe"

	"overlapsim/sim"
)

// Contexts are the hardware contexts of the nodes of a run, numbered node by node, core by core.
// Calls must come in the order of their instants.
type Contexts struct {
	perCore int // contexts of a core
	perNode int // contexts of a node
	sharing int // contexts of a memory
	perHome int // memories of a node

	excess   [NumProfiles][NumProfiles]uint64 // F - 1
	contexts []context
	loads    []load   // by core; nil: a core has one context
	memories []memory // nil: memory sets no limit
	moved    func(context int, end sim.Time)
	effects  *effects // nil: not computed
}

// load is what the activities of a core add to the time of one of a profile, its own included.
type load [NumProfiles]uint64

// context is the state of one hardware context.
type context struct {
	activity Activity
	sibling  uint64 // speed that the siblings leave to it
	asks     int64  // bytes per second that it moves at that speed
	speed    uint64 // speed after memory has been shared
	left     Work   // as of since
	since    sim.Time
}

// New returns the contexts of n nodes, all idle. It calls moved whenever the end
// of an activity moves because of others.
func New(p *Params, nodes int, moved func(context int, end sim.Time)) (*Contexts, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c := &Contexts{perCore: max(1, p.Contexts), moved: moved}
	c.perNode = c.perCore * p.Cores
	c.sharing = c.perNode
	if p.Sharing > 0 {
		c.sharing = c.perCore * p.Sharing
	}
	c.perHome = (c.perNode + c.sharing - 1) / c.sharing
	for a := range NumProfiles {
		for b := range NumProfiles {
			c.excess[a][b] = p.excess(a, b)
		}
	}
	c.contexts = make([]context, nodes*c.perNode)
	for i := range c.contexts {
		c.contexts[i].sibling, c.contexts[i].speed = Full, Full
	}
	if c.perCore > 1 {
		c.loads = make([]load, nodes*p.Cores)
	}
	if p.Bandwidth > 0 {
		c.memories = make([]memory, nodes*c.perHome)
		for i := range c.memories {
			c.memories[i] = memory{bandwidth: int64(math.Round(p.Bandwidth)), level: enough}
		}
	}
	return c, nil
}

// Start gives a context new work in place of what it did before, and returns when that work will
// end if nothing changes. The previous activity is over or abandoned; Left returns how much of it
// was left.
func (c *Contexts) Start(context int, a Activity, w Work, now sim.Time) sim.Time {
	x := &c.contexts[context]
	short := c.pass(context, now)
	old := x.activity
	x.activity, x.left, x.since = a, w, now
	if c.loads != nil && old.Profile != a.Profile {
		core := &c.loads[context/c.perCore]
		for p := range core {
			core[p] += c.excess[p][a.Profile] - c.excess[p][old.Profile]
		}
	}
	if old != a {
		first := context - context%c.perCore
		c.ask(first, first+c.perCore)
		c.adapt(context, first, first+c.perCore, c.memory(context), now)
	}
	c.restart(context, short, now)
	return x.left.End(now, x.speed)
}

// Stop makes a context idle.
func (c *Contexts) Stop(context int, now sim.Time) { c.Start(context, Activity{}, Work{}, now) }

// Move lets the activity of a context go on in another one, and returns when it will end if nothing changes. What the other one
// did is abandoned.
func (c *Contexts) Move(from, to int, now sim.Time) sim.Time {
	a, left := c.contexts[from].activity, c.Left(from, now)
	c.Stop(from, now)
	return c.Start(to, a, left, now)
}

// Left returns the work that the activity of a context still has to do.
func (c *Contexts) Left(context int, now sim.Time) Work {
	x := &c.contexts[context]
	return x.left.Less(now-x.since, x.speed)
}

// End returns when the activity of a context will end if nothing changes.
func (c *Contexts) End(context int) sim.Time {
	x := &c.contexts[context]
	return x.left.End(x.since, x.speed)
}

// Stream changes the rate at which the NIC moves bytes in the memory of a context.
func (c *Contexts) Stream(context int, by sim.Rate, now sim.Time) {
	if c.memories == nil {
		return
	}
	short := c.pass(context, now)
	number := c.memory(context)
	m := &c.memories[number]
	change := whole(by)
	m.asked += change
	m.stream += change
	c.adapt(nobody, context, context, number, now)
	c.derive(context, short, now)
}

// nobody, passed as the changed context, makes adapt report all ends that move.
const nobody = -1

// Speed returns how fast the activity of a context runs now; alone it is 1.
func (c *Contexts) Speed(context int) float64 { return float64(c.contexts[context].speed) / Full }

// Siblings returns the contexts of the core of a context, Neighbours those that share its memory.
func (c *Contexts) Siblings(context int) (first, last int) {
	first = context - context%c.perCore
	return first, first + c.perCore
}
func (c *Contexts) Neighbours(context int) (first, last int) { return c.sharers(c.memory(context)) }

// PerNode returns how many contexts a node has, PerCore how many a core.
func (c *Contexts) PerNode() int { return c.perNode }
func (c *Contexts) PerCore() int { return c.perCore }

// ask applies rule 1 to the contexts of a core, and notes what they would move through memory at
// those speeds.
func (c *Contexts) ask(first, last int) {
	for i := first; i < last; i++ {
		x := &c.contexts[i]
		x.sibling = c.beside(i, x.activity.Profile)
		if c.memories != nil {
			m := &c.memories[c.memory(i)]
			m.asked -= x.asks
			x.asks = scale(x.activity.Demand, x.sibling)
			m.asked += x.asks
		}
	}
}

// Slowed returns how long work of a profile that takes t alone would take on a context next to the
// present activities of its siblings. It applies only rule 1.
func (c *Contexts) Slowed(context int, p Profile, t sim.Time) sim.Time {
	return Alone(t).End(0, c.beside(context, p))
}

// beside returns the speed of a context with this profile next to its siblings.
func (c *Contexts) beside(i int, p Profile) uint64 {
	if c.loads == nil {
		return Full
	}
	excess := c.loads[i/c.perCore][p] - c.excess[p][c.contexts[i].activity.Profile]
	if excess == 0 {
		return Full
	}
	return quotient(1, 0, Full+excess)
}

// adapt gives the contexts from first to last their new speeds from now on. If their memory is or
// was short, all contexts that share it get new speeds.
func (c *Contexts) adapt(changed, first, last, memory int, now sim.Time) {
	level := int64(enough)
	if c.memories != nil {
		before := c.memories[memory].level
		level = c.share(memory)
		if before != enough || level != enough {
			first, last = c.sharers(memory)
		}
	}
	for i := first; i < last; i++ {
		x := &c.contexts[i]
		speed := x.sibling
		if x.asks > level {
			speed = Ratio(level, x.activity.Demand)
		}
		if speed == x.speed {
			continue
		}
		x.left = x.left.Less(now-x.since, x.speed)
		x.since, x.speed = now, speed
		if i != changed && x.activity.Profile != Blocked {
			c.moved(i, x.left.End(now, speed))
		}
	}
}

// ContextBytes is the memory of a context.
const ContextBytes = int64(unsafe.Sizeof(context{}))
