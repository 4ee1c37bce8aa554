package streams

import (
	"slices"
)

// Members calls a function for each member of a collective, also for those of devices that are like others. The operation is
// that of all devices that are alike.
func (g *Graph) Members(do func(o *Op, collective *int32)) {
	for d, own := range g.byDevice() {
		joins := g.Devices[d].Joins
		for _, i := range own {
			switch o := &g.Ops[i]; {
			case o.Collective == 0:
			case g.Devices[d].Like == 0:
				do(o, &o.Collective)
			default:
				do(o, &joins[0])
				joins = joins[1:]
			}
		}
	}
}

// byDevice lists the operations of each device by their places in Ops, in the order of their launches. Devices that are alike have the same list.
func (g *Graph) byDevice() [][]int32 {
	number := make([]int, len(g.Devices))
	for i := range g.Ops {
		number[g.Ops[i].Device]++
	}
	all := make([][]int32, len(g.Devices))
	for d, n := range number {
		if all[d] = make([]int32, 0, n); g.Devices[d].Like > 0 {
			all[d] = nil
		}
	}
	for i := range g.Ops {
		all[g.Ops[i].Device] = append(all[g.Ops[i].Device], int32(i))
	}
	for d := range g.Devices {
		if like := g.Devices[d].Like; like > 0 {
			all[d] = all[like-1]
		}
	}
	return all
}

// laid is a graph with the operations of all its devices by number. Where no device is like another one, an operation has the number of
// its place in Ops. Otherwise all operations of a device follow those of the device before, as if they were in Ops.
type laid struct {
	*Graph
	devices []int32   // by operation
	joins   []int32   // by operation: its collective, counted from 1; 0: none
	behind  []int32   // by device: by how much the number of an operation exceeds its place in Ops
	queues  [][]int32 // by device: the places of its operations in Ops, in the order of their launches
	places  []int32   // by place in Ops: the place in the queue
	members lists     // by collective: its members
}

func lay(g *Graph) *laid {
	l := &laid{Graph: g, queues: g.byDevice(), behind: make([]int32, len(g.Devices)), places: make([]int32, len(g.Ops))}
	all, shared := 0, slices.ContainsFunc(g.Devices, func(d Device) bool { return d.Like > 0 })
	for d, queue := range l.queues {
		if shared && len(queue) > 0 {
			l.behind[d] = int32(all) - queue[0]
		}
		all += len(queue)
	}
	l.devices, l.joins = make([]int32, all), make([]int32, all)
	for d, queue := range l.queues {
		member := 0
		for at, i := range queue {
			n := i + l.behind[d]
			l.devices[n], l.places[i] = int32(d), int32(at)
			if l.joins[n] = g.Ops[i].Collective; l.joins[n] > 0 && g.Devices[d].Like > 0 {
				l.joins[n] = g.Devices[d].Joins[member]
				member++
			}
		}
	}
	return l
}

// op is what the operation of a number does. Its device and its collective are those of the device that its device is like.
func (l *laid) op(n int32) *Op { return &l.Ops[n-l.behind[l.devices[n]]] }

// nameOf is the name of the GPU of an operation.
func (l *laid) nameOf(n int32) string { return l.Devices[l.devices[n]].Name }
