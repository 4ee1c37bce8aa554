package topology

import "fmt"

// Crossbar is one router with all nodes: only injection and ejection limit messages. It has no
// links.
type Crossbar struct{ nodes int }

// NewCrossbar returns a crossbar with this number of nodes.
func NewCrossbar(nodes int) (*Crossbar, error) {
	var f faults
	f.atLeast("nodes", nodes, 1)
	if len(f) == 0 {
		f.product("nodes", nodes)
	}
	return &Crossbar{nodes}, f.err()
}

func (c *Crossbar) String() string { return fmt.Sprintf("crossbar %d", c.nodes) }

func (c *Crossbar) Nodes() int        { return c.nodes }
func (c *Crossbar) Routers() int      { return 1 }
func (c *Crossbar) Links() int        { return 0 }
func (c *Crossbar) Classes() []string { return nil }
func (c *Crossbar) Router(int) int    { return 0 }

// Link panics: a crossbar has none.
func (c *Crossbar) Link(id int) Link { panic(fmt.Sprintf("topology: link %d of a crossbar", id)) }

// LinkName panics like Link.
func (c *Crossbar) LinkName(id int) string { return between(c.Link(id), "") }

func (c *Crossbar) Route(_, _ int, path []int32) []int32  { return path }
func (c *Crossbar) Choices(_, _ int, out []int32) []int32 { return out }
func (c *Crossbar) Hops(_, _ int) int                     { return 0 }
func (c *Crossbar) Diameter() int                         { return 0 }

// Acyclic implements Acyclic: no message waits for a link.
func (c *Crossbar) Acyclic() {}

var crossbars = Kind{
	Name: "crossbar", Doc: "one router (a switch, a star) with all nodes, as many as the run has", Grows: true, Examples: []string{""},
	New: func() Keys { return new(crossbarKeys) },
}

// crossbarKeys is empty: a crossbar has no parameters.
type crossbarKeys struct{}

// Build implements Keys.
func (*crossbarKeys) Build(nodes int) (Topology, error) { return NewCrossbar(nodes) }
