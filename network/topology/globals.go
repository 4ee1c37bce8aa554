package topology

import "fmt"

// groupKeys are the keys of groups of routers that are joined all to all.
type groupKeys struct {
	Groups    int    `key:"topology.groups" unit:"count" in:"positive" doc:"groups"`
	PerRouter int    `key:"topology.nodes_per_router" unit:"count" in:"positive" doc:"nodes on each router"`
	Global    int    `key:"topology.global" unit:"count" in:"positive" doc:"global links of a router; if omitted: as few as the cables need, without cables as many as links down"`
	Cables    int    `key:"topology.cables" unit:"count" in:"positive" doc:"cables between every two groups; if omitted: as many as the global links allow"`
	Routing   string `key:"topology.routing" unit:"text" choices:"minimal,valiant,adaptive" doc:"minimal; by way of a third group, or router of the group; or the one of the two that the load favours when a message starts (on the flow fabric, on others minimal)"`
}

func newGroupKeys() groupKeys { return groupKeys{PerRouter: 1, Routing: routings[minimal]} }

// globals are the global links of groups of routers. Every two groups are joined by the same
// number of cables. The remaining ports stay free.
//
// The global ports of a group are numbered router by router. Cable c of a group to the j-th of
// the other groups is on port c(g-1)+j. This is the consecutive arrangement (Hastings et al.,
// CLUSTER 2015), repeated, which spreads the cables between two groups over their routers.
type globals struct {
	groups, size int // g groups of a routers that have global ports
	ports        int // h: global ports of a router
	cables       int // between two groups
	first        int // number of the first global link
}

// Joined says by how many cables groups are joined.
func (g *globals) Joined() string {
	if g.cables == 1 {
		return "1 cable between two groups"
	}
	return fmt.Sprintf("%d cables between two groups", g.cables)
}

// newGlobals returns the global links, and reports mistakes in their numbers. If either ports or cables is 0, it follows from the other; if
// both are, a router has as many global links as down, to nodes or to leaves, as in a balanced dragonfly (a = 2p = 2h; Kim et al., ISCA 2008,
// section 3.1) and a Dragonfly+ of full bandwidth (Shpiner et al., 2017), or as many as one cable needs. The argument name is the word for
// the routers.
func newGlobals(groups, size, down, ports, cables int, name string, f *faults) globals {
	before := len(*f)
	f.atLeast("groups", groups, 1)
	f.atLeast(name, size, 1)
	f.atLeast("global", ports, 0)
	f.atLeast("cables", cables, 0)
	g := globals{groups: groups, size: size, ports: ports, cables: cables}
	others := groups - 1
	if len(*f) > before || others == 0 {
		g.cables = 0
		return g
	}
	if ports == 0 {
		g.ports = (f.product("cables", max(1, cables), others) + size - 1) / size
		if cables == 0 {
			g.ports = max(g.ports, down)
		}
	}
	fit := f.product("global links", size, g.ports) / others
	switch {
	case fit == 0 && len(*f) == before:
		f.add("global: %d groups need at least %d global links per group, got %d %s with %d each",
			groups, others, size, name, ports)
	case cables > fit && len(*f) == before:
		f.add("cables: %d %s with %d global links each have room for %d to each of %d other groups, got %d",
			size, name, g.ports, fit, others, cables)
	case cables == 0:
		g.cables = fit
	}
	return g
}

// links counts the directed global links.
func (g *globals) links() int { return g.groups * g.used() }

// used returns the number of global ports of a group that have a cable.
func (g *globals) used() int { return (g.groups - 1) * g.cables }

// port returns the global port of a group at which cable c to another group begins.
func (g *globals) port(group, other, c int) int {
	if other > group {
		other--
	}
	return c*(g.groups-1) + other
}

// gateway returns the router of a group at which cable c to another group begins. It is numbered
// among all routers with global ports.
func (g *globals) gateway(group, other, c int) int {
	return group*g.size + g.port(group, other, c)/g.ports
}

// leave returns the link from a group to another over cable c.
func (g *globals) leave(group, other, c int) int32 {
	return int32(g.first + group*g.used() + g.port(group, other, c))
}

// join returns a global link whose ends are the numbers of its gateways.
func (g *globals) join(id int) Link {
	group, port := (id-g.first)/g.used(), (id-g.first)%g.used()
	c, other := port/(g.groups-1), port%(g.groups-1)
	if other >= group {
		other++
	}
	return Link{From: int32(g.gateway(group, other, c)), To: int32(g.gateway(other, group, c)), Class: 1}
}
