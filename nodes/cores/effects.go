package cores

import "overlapsim/sim"

// Effect is the derivative of a work or a time with respect to the logarithm of a parameter.
type Effect struct {
	By    Parameter
	Value float64
}

// Parameter is a parameter on which speeds depend: a slow-down, or one of those below.
type Parameter int32

// Parameters after the slow-downs. demandOf(t) is the demand of activities with the tag t.
const (
	Bandwidth Parameter = Parameter(NumProfiles)*Parameter(NumProfiles) + iota
	Stream              // bandwidth of the NIC in a memory
	noTag
)

// SlowDown is the slow-down of profile a alongside profile b.
func SlowDown(a, b Profile) Parameter { return Parameter(a)*Parameter(NumProfiles) + Parameter(b) }

// demandOf is the demand of activities with a tag.
func demandOf(tag int32) Parameter { return noTag + Parameter(tag) }

// Profiles returns which profile the parameter slows down, and alongside which other one.
func (p Parameter) Profiles() (a, b Profile, ok bool) {
	return Profile(p / Parameter(NumProfiles)), Profile(p % Parameter(NumProfiles)), p < Bandwidth
}

// Tag returns the tag of the activities whose demand the parameter is.
func (p Parameter) Tag() (tag int32, ok bool) { return int32(p - noTag), p >= noTag }

// effects are the derivatives of the work that activities have done, with the times of all
// changes held fixed.
type effects struct {
	since []sim.Time // by context
	speed [][]Effect // by context: of its speed, since then
	done  [][]Effect // by context: of the work that its activity has done by then
	level []Effect   // of the level of a memory
}

// Differentiate makes the contexts keep track of Effects. It must be called before anything starts.
func (c *Contexts) Differentiate() {
	n := len(c.contexts)
	c.effects = &effects{since: make([]sim.Time, n), speed: make([][]Effect, n), done: make([][]Effect, n)}
}

// Effects returns the derivatives of the work that the activity of a context has done until now,
// measured in ps alone. They are valid until the next change.
func (c *Contexts) Effects(context int, now sim.Time) []Effect {
	c.effects.pass(context, now)
	return c.effects.done[context]
}

// Beside adds to all the derivatives of a slow-down: the factor by which work of a profile takes
// longer on a context alongside the present activities of its siblings than alone.
func (c *Contexts) Beside(all []Effect, context int, p Profile) []Effect {
	first := context - context%c.perCore
	return c.siblings(all, context, first, p, -1)
}

// siblings adds the derivatives of the slow-down by the siblings of a context, multiplied
// by -times.
func (c *Contexts) siblings(all []Effect, context, first int, p Profile, times float64) []Effect {
	for j := first; j < first+c.perCore; j++ {
		other := c.contexts[j].activity.Profile
		if excess := c.excess[p][other]; j != context && excess > 0 {
			all = plus(all, SlowDown(p, other), -times*(1+float64(excess)/Full))
		}
	}
	return all
}

// plus adds a value to the effect of a parameter.
func plus(all []Effect, by Parameter, value float64) []Effect {
	for i := range all {
		if all[i].By == by {
			all[i].Value += value
			return all
		}
	}
	return append(all, Effect{by, value})
}

// within returns the contexts whose speeds depend on what one of them does: the contexts of its
// core, or of its memory if that is short.
func (c *Contexts) within(context int, short bool) (first, last int) {
	if short {
		return c.sharers(c.memory(context))
	}
	first = context - context%c.perCore
	if c.perCore == 1 {
		return first, first
	}
	return first, first + c.perCore
}

// short tells whether a context needs more of its memory than it gets.
func (c *Contexts) short(context int) bool {
	return c.memories != nil && c.memories[c.memory(context)].level != enough
}

// pass adds up the effects of contexts before something changes now, and tells whether memory was
// short.
func (c *Contexts) pass(context int, now sim.Time) (short bool) {
	if c.effects == nil {
		return false
	}
	short = c.short(context)
	first, last := c.within(context, short)
	for i := first; i < last; i++ {
		c.effects.pass(i, now)
	}
	return short
}

func (e *effects) pass(i int, now sim.Time) {
	if passed := now - e.since[i]; passed > 0 {
		for _, s := range e.speed[i] {
			e.done[i] = plus(e.done[i], s.By, s.Value*float64(passed))
		}
	}
	e.since[i] = now
}

// restart removes the effects on the previous activity of a context.
func (c *Contexts) restart(context int, wasShort bool, now sim.Time) {
	if c.effects == nil {
		return
	}
	c.effects.done[context] = c.effects.done[context][:0]
	c.derive(context, wasShort, now)
}

// derive finds the derivatives of speeds after something has changed.
func (c *Contexts) derive(context int, wasShort bool, now sim.Time) {
	if c.effects == nil {
		return
	}
	level, short := int64(enough), c.short(context)
	if short {
		number := c.memory(context)
		level = c.memories[number].level
		c.effects.level = c.ofLevel(c.effects.level[:0], number)
	}
	first, last := c.within(context, short || wasShort)
	for i := first; i < last; i++ {
		c.effects.pass(i, now)
		c.effects.speed[i] = c.ofSpeed(c.effects.speed[i][:0], i, level)
	}
}

// ofSpeed returns the derivatives of the speed of a context.
func (c *Contexts) ofSpeed(all []Effect, i int, level int64) []Effect {
	x := &c.contexts[i]
	if x.activity.Profile == Blocked {
		return all
	}
	if x.asks <= level {
		v := c.Speed(i)
		return c.siblings(all, i, i-i%c.perCore, x.activity.Profile, v*v)
	}
	by, demand := c.demand(i)
	for _, e := range c.effects.level {
		all = plus(all, e.By, e.Value/demand)
	}
	return plus(all, by, -float64(level)/demand)
}

// ofLevel returns the derivatives of the level of a memory. The level is the bandwidth that
// contexts asking for less leave over, divided among the others.
func (c *Contexts) ofLevel(all []Effect, number int) []Effect {
	m := &c.memories[number]
	first, last := c.sharers(number)
	n := 0
	all = plus(all, Bandwidth, float64(m.bandwidth))
	if m.stream > m.level {
		n++
	} else if m.stream > 0 {
		all = plus(all, Stream, -float64(m.stream))
	}
	for i := first; i < last; i++ {
		x := &c.contexts[i]
		switch {
		case x.asks > m.level:
			n++
		case x.asks > 0:
			v := float64(x.sibling) / Full
			by, demand := c.demand(i)
			all = plus(all, by, -demand*v)
			all = c.siblings(all, i, i-i%c.perCore, x.activity.Profile, -demand*v*v)
		}
	}
	for i := range all {
		all[i].Value /= float64(max(1, n))
	}
	return all
}

// demand returns what a context would move alone, and the parameter that determines it.
func (c *Contexts) demand(i int) (Parameter, float64) {
	a := &c.contexts[i].activity
	return demandOf(a.Tag), float64(a.Demand)
}
