package collectives

// ReduceInOrder combines in the order of the members, for operations that do not commute: a
// binary tree whose subtrees are neighbours. Its root is the last member, which sends the
// result to the root.
var ReduceInOrder = &Algorithm{
	Of: Reduce, Name: "in-order-binary",
	How:      "up a binary tree whose subtrees are neighbouring ranks, to the last rank, which sends the sum to the root",
	Source:   "Open MPI, coll_base_reduce.c: intra_in_order_binary",
	Schedule: Schedule{func(g *Group) int { return (tree)(nil).rounds(g) + 1 }, inOrder}, Uses: Uses{Segment: true},
}

func init() { Register(ReduceInOrder) }

func inOrder(g *Group, round int, r *Round) {
	last, up := g.Ranks-1, (tree)(nil).rounds(g)
	if round == up {
		switch {
		case last == g.Root:
		case g.Me == last:
			r.Send(g.Root, g.whole())
		case g.Me == g.Root:
			r.Recv(last, g.whole())
		}
		return
	}
	to, kids := postOrder(0, g.Ranks, g.Me, r.kids[:0])
	r.kids = kids
	g.passUp(to, kids, round, r)
}

// postOrder is the binary tree of the members from first to before end whose root is the last
// one. The halves of the others are its subtrees.
func postOrder(first, end, member int, kids []int) (parent int, children []int) {
	parent = -1
	for {
		root := end - 1
		middle := first + (root-first+1)/2
		if member == root {
			if root > middle {
				kids = append(kids, root-1)
			}
			if middle > first {
				kids = append(kids, middle-1)
			}
			return parent, kids
		}
		parent = root
		if member < middle {
			end = middle
		} else {
			first, end = middle, root
		}
	}
}
