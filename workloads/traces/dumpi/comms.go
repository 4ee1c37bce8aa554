package dumpi

import (
	"cmp"
	"slices"

	"overlapsim/workloads/traces"
)

// Handles that have the same number on every rank.
const (
	noComm    = 1
	worldComm = 2
	selfComm  = 3
	noRequest = 1
)

// making is a call of a rank that makes a communicator.
type making struct {
	offset     int64
	how        maker
	old, made  int64 // as the rank numbers them
	color, key int64
	members    int64 // of a grid
}

// maker says who becomes a member of the new communicator.
type maker uint8

const (
	duplicates maker = iota
	splits
	grids
)

// makers are the calls that make communicators whose members follow from their arguments.
var makers = map[string]maker{"MPI_Comm_dup": duplicates, "MPI_Comm_split": splits, "MPI_Cart_create": grids}

// makingOf returns what a record makes.
func makingOf(r *rawCall) (m making, ok bool) {
	how, ok := makers[r.Function.Name]
	if !ok {
		return m, false
	}
	m = making{offset: r.Offset, how: how, old: r.number("oldcomm"), made: r.number("newcomm"), color: r.number("color"),
		key: r.number("key"), members: 1}
	for _, size := range r.list("dims") {
		m.members *= int64(max(0, size))
		m.members = min(m.members, 1<<31)
	}
	return m, true
}

// Communicators without a number: one to which the rank does not belong, and one of the rank
// alone.
const (
	none  = -1
	alone = -2
)

// comms combines the communicators of all ranks.
type comms struct {
	all   []traces.Comm
	ranks []member
	next  map[int][]int // ranks whose next making is from this communicator
}

// member is a rank: the communicators that it makes, and what its numbers mean.
type member struct {
	makes  []making
	became []int         // the communicator that each making gave it; none
	now    map[int64]int // by the rank's own numbers
}

// unite finds the members of all communicators. A communicator is made when all members of the
// old one have arrived at that call. If this never happens for some making, unite returns a rank
// and its first such making.
func unite(ranks int, makes [][]making) (c *comms, rank int, stuck *making) {
	c = &comms{all: make([]traces.Comm, 1), ranks: make([]member, ranks), next: map[int][]int{}}
	for r := range c.ranks {
		c.ranks[r] = member{makes: makes[r], now: map[int64]int{worldComm: 0, selfComm: alone}}
	}
	ready := []int{}
	for r := range c.ranks {
		ready = c.comes(r, ready)
	}
	for len(ready) > 0 {
		old := ready[0]
		ready = ready[1:]
		came := c.next[old]
		delete(c.next, old)
		slices.Sort(came)
		c.make(old, came)
		for _, r := range came {
			ready = c.comes(r, ready)
		}
	}
	for r := range c.ranks {
		if m := &c.ranks[r]; len(m.became) < len(m.makes) {
			return c, r, &m.makes[len(m.became)]
		}
	}
	return c, 0, nil
}

// comes notes that a rank has arrived at its next making. If it is the last member, the
// communicator is ready.
func (c *comms) comes(rank int, ready []int) []int {
	m := &c.ranks[rank]
	for len(m.became) < len(m.makes) {
		old, ok := m.now[m.makes[len(m.became)].old]
		switch {
		case ok && old == alone:
			m.takes(alone)
			continue
		case !ok || old == none:
			return ready
		}
		c.next[old] = append(c.next[old], rank)
		if len(c.next[old]) == c.all[old].Size(len(c.ranks)) {
			ready = append(ready, old)
		}
		return ready
	}
	return ready
}

// takes notes the communicator that the next making gave a rank.
func (m *member) takes(comm int) {
	next := &m.makes[len(m.became)]
	m.became = append(m.became, comm)
	if next.made != noComm {
		m.now[next.made] = comm
	}
}

// make makes communicators from an old one whose members have all arrived.
func (c *comms) make(old int, came []int) {
	parts := map[int64][]int{}
	var colors []int64
	for _, r := range c.members(old) {
		next := c.following(r)
		if next.made == noComm {
			continue
		}
		color := int64(0)
		if next.how == splits {
			color = next.color
		}
		if parts[color] == nil {
			colors = append(colors, color)
		}
		parts[color] = append(parts[color], r)
	}
	given := map[int]int{}
	slices.Sort(colors)
	for _, color := range colors {
		c.add(parts[color], old, given)
	}
	for _, r := range came {
		if comm, ok := given[r]; ok {
			c.ranks[r].takes(comm)
		} else {
			c.ranks[r].takes(none)
		}
	}
}

// members returns the ranks of a communicator in the order of its members.
func (c *comms) members(comm int) (ranks []int) {
	for i := range c.all[comm].Size(len(c.ranks)) {
		ranks = append(ranks, c.all[comm].Rank(i))
	}
	return ranks
}

func (c *comms) following(rank int) *making {
	m := &c.ranks[rank]
	return &m.makes[len(m.became)]
}

// add makes a communicator of some members of an old one, in the order of their keys.
func (c *comms) add(of []int, old int, given map[int]int) {
	first := c.following(of[0])
	if first.how == splits {
		slices.SortStableFunc(of, func(a, b int) int { return cmp.Compare(c.following(a).key, c.following(b).key) })
	}
	if first.how == grids {
		of = of[:min(int64(len(of)), first.members)]
	}
	comm := traces.Comm{Ranks: c.all[old].Ranks}
	if len(of) < c.all[old].Size(len(c.ranks)) || first.how == splits {
		comm.Ranks = make([]int32, len(of))
		for i, r := range of {
			comm.Ranks[i] = int32(r)
		}
	}
	for _, r := range of {
		given[r] = len(c.all)
	}
	c.all = append(c.all, comm)
}
