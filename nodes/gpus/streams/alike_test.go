package streams

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
)

// alikeGraphs returns random GPUs with the same operations, whose collectives are of all of them or of one: once with the operations of each,
// and once with those of the first one only.
func alikeGraphs(t *rapid.T) (apart, alike *Graph) {
	small := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	g := &Graph{Kinds: []string{"a", "b"}, Links: []string{"x"}, Record: true, Ties: uint64(small("ties", 1))}
	g.Devices = []Device{{Name: "x", SMs: int32(2 + small("SMs", 6)), Bandwidth: small("bandwidth", 3) * 10, Delay: sim.Time(small("delay", 3)),
		Ahead: int(small("ahead", 5)), Streams: make([]Stream, 1+small("streams", 2))}}
	several := int32(2 + small("devices", 2))
	var own []bool // by member
	for range 1 + small("operations", 9) {
		member := int32(min(1, small("member", 2)))
		o := randomOp(t, g, 0, member)
		if member > 0 {
			own = append(own, small("own", 1) > 0)
		}
		g.Ops = append(g.Ops, o)
	}
	alike, apart = new(*g), new(*g)
	alike.Ops, apart.Ops, alike.Devices, apart.Devices = nil, nil, nil, nil
	for d := range several {
		one, member := g.Devices[0], 0
		one.Begins = sim.Time(small("begins", 3))
		apart.Devices = append(apart.Devices, one)
		for _, o := range g.Ops {
			behind := d * int32(len(g.Ops))
			o.Device, o.After, o.Wait = d, slices.Clone(o.After), slices.Clone(o.Wait)
			for i := range o.After {
				o.After[i] += behind
			}
			for i := range o.Wait {
				o.Wait[i] += behind
			}
			if o.Collective > 0 {
				if o.Collective = int32(member)*several + 1; own[member] {
					o.Collective += d
				}
				one.Joins = append(one.Joins, o.Collective)
				member++
			}
			if apart.Ops = append(apart.Ops, o); d == 0 {
				alike.Ops = append(alike.Ops, o)
			}
		}
		if one.Like = 1; d == 0 {
			one.Like, one.Joins = 0, nil
		}
		alike.Devices = append(alike.Devices, one)
	}
	used := map[int32]int32{} // collectives are those that have members
	for member, own := range own {
		c := Collective{Latency: sim.Time(small("latency", 4)), Transfer: 1 + sim.Time(small("transfer", 20)), Link: int32(small("link", 1))}
		for d := range several {
			if d == 0 || own {
				alike.Collectives = append(alike.Collectives, c)
				used[int32(member)*several+1+d] = int32(len(alike.Collectives))
			}
		}
	}
	apart.Collectives = slices.Clone(alike.Collectives)
	for _, g := range []*Graph{apart, alike} {
		g.Members(func(_ *Op, collective *int32) { *collective = used[*collective] })
	}
	return apart, alike
}

// Law: GPUs that are alike take, operation by operation, the times that they take if each has operations of its own.
func TestAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		apart, alike := alikeGraphs(t)
		a, first := Run(apart)
		b, second := Run(alike)
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Fatalf("%v, alike %v", first, second)
		}
		if first != nil {
			return
		}
		all := func(r *Result) (said []any) {
			said = append(said, r.Starts, r.Ends, r.Begun, r.Ledgers, r.Spans, r.Critical(), r.Events)
			for d := range r.Ledgers {
				said = append(said, r.Hidden(int32(d), 0), r.Running(int32(d)))
			}
			return said
		}
		if x, y := fmt.Sprint(all(a)), fmt.Sprint(all(b)); x != y {
			t.Fatalf("%s\nalike\n%s", x, y)
		}
	})
}
