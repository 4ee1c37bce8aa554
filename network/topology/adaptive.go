package topology

// Adaptive is a topology of groups in which the source of each message chooses between the
// minimal route and Valiant's when the message starts: UGAL (Singh, "Load-balanced routing in
// interconnection networks", 2005; for dragonflies Kim et al., ISCA 2008, section 4.2). Route and
// all other methods describe minimal routes.
type Adaptive struct {
	grouped
	valiant *Valiant
}

// String adds the routing to the shape.
func (a *Adaptive) String() string { return a.grouped.String() + ", adaptive" }

// Choose appends to path the route of a message that starts now; on holds the number of messages
// on each link. The source sees the links of a route up to the one that leaves its group. The
// cost of a route is its length, times one plus the largest number of messages on a link that the
// source sees. The message takes the minimal route if that is free, or if Valiant's costs no
// less.
func (a *Adaptive) Choose(from, to int, on []int32, path []int32) []int32 {
	first := len(path)
	path = a.Route(from, to, path)
	detour := len(path)
	most := a.most(path[first:], on)
	if most == 0 {
		return path
	}
	path = a.valiant.Route(from, to, path)
	least := (most + 1) * (detour - first)
	if (a.most(path[detour:], on)+1)*(len(path)-detour) < least {
		return append(path[:first], path[detour:]...)
	}
	return path[:detour]
}

// most returns the largest number of messages on a link of a route that its source sees.
func (a *Adaptive) most(route []int32, on []int32) (most int) {
	for _, l := range route {
		most = max(most, int(on[l]))
		if link := a.Link(int(l)); a.group(int(link.From)) != a.group(int(link.To)) {
			break
		}
	}
	return most
}
