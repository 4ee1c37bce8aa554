package flow

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Two links of 12 B/s with one flow each: however much the second flow carries, the first
// one takes a twelfth of a second.
func TestAnotherFlowFarAway(t *testing.T) {
	for _, bytes := range []float64{0, 1, 2e18, 2e20, 1e300} {
		c := Case{Capacity: []float64{12, 12}, Flows: []CaseFlow{{Bytes: 1, Route: []int32{0}}, {Bytes: bytes, Route: []int32{1}}}}
		finish, _, err := c.Run()
		if err != nil || finish[0] != 1./12 || finish[1] != bytes/12 {
			t.Errorf("%g bytes: %v, %v", bytes, finish, err)
		}
	}
}

// drawCase is a random case of one part or more, of any scale.
func drawCase(stream *sim.Stream) *Case {
	magnitude := func(span float64) float64 { return math.Pow(10, span*(2*stream.Float64()-1)) }
	rate, size := magnitude(12), magnitude(12)
	c := &Case{}
	for range 1 + stream.Intn(8) {
		c.Capacity = append(c.Capacity, rate*magnitude(2))
	}
	for range 1 + stream.Intn(12) {
		f := CaseFlow{Bytes: size * magnitude(2), Start: float64(stream.Intn(3)) * size / rate}
		for l := range c.Capacity {
			if stream.Intn(3) == 0 {
				f.Route = append(f.Route, int32(l))
			}
		}
		if stream.Intn(3) == 0 {
			f.Limit = rate * magnitude(2)
		}
		c.Flows = append(c.Flows, f)
	}
	return c
}

// beside returns two cases as one: flows and links of both mixed, each in its order.
func beside(a, b *Case, stream *sim.Stream) (both *Case, of []int) {
	both = &Case{}
	parts, next := [2]*Case{a, b}, [2]int{}
	links := [2][]int32{}
	for next[0]+next[1] < len(a.Capacity)+len(b.Capacity) {
		k := stream.Intn(2)
		if next[k] < len(parts[k].Capacity) {
			links[k] = append(links[k], int32(len(both.Capacity)))
			both.Capacity = append(both.Capacity, parts[k].Capacity[next[k]])
			next[k]++
		}
	}
	next = [2]int{}
	for next[0]+next[1] < len(a.Flows)+len(b.Flows) {
		k := stream.Intn(2)
		if next[k] == len(parts[k].Flows) {
			continue
		}
		f := parts[k].Flows[next[k]]
		f.Route = slices.Clone(f.Route)
		for i, l := range f.Route {
			f.Route[i] = links[k][l]
		}
		if k == 0 {
			of = append(of, len(both.Flows))
		}
		both.Flows = append(both.Flows, f)
		next[k]++
	}
	return both, of
}

// A second case next to a case does not change the ends of its flows by one bit.
func TestIndependentParts(t *testing.T) {
	must.Long(t)
	for n := range uint64(5000) {
		stream := sim.NewStream(6, n)
		a, b := drawCase(stream), drawCase(stream)
		want, _, err := a.Run()
		if err != nil {
			t.Fatal(err)
		}
		both, of := beside(a, b, stream)
		got, _, err := both.Run()
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range of {
			if got[j] != want[i] {
				t.Fatalf("case %d: flow %d ends at %v alone, at %v beside others\n%+v\n%+v", n, i, want[i], got[j], a, b)
			}
		}
	}
}

// The flows of cases of any scale end when water-filling says.
func TestCasesAgainstReference(t *testing.T) {
	for n := range uint64(5000) {
		c := drawCase(sim.NewStream(7, n))
		got, _, err := c.Run()
		if err != nil {
			t.Fatal(err)
		}
		var plans []plan
		for _, f := range c.Flows {
			plans = append(plans, plan{f.Start, f.Bytes, f.Route, f.Limit})
		}
		for i, want := range reference(c.Capacity, plans) {
			if math.Abs(got[i]-want) > 1e-9*want {
				t.Fatalf("case %d: flow %d ends at %v, want %v\n%+v", n, i, got[i], want, c)
			}
		}
	}
}

// Times that a number cannot hold are an error.
func TestCasesTooFarApart(t *testing.T) {
	for _, c := range []Case{
		{Capacity: []float64{1e-300}, Flows: []CaseFlow{{Bytes: 1e300, Route: []int32{0}}}},
		{Flows: []CaseFlow{{Bytes: 1, Start: 1e308, Latency: 1e308}}},
	} {
		c.Name = "case"
		_, _, err := c.Run()
		if want := "case: flows[0]: sizes, times and bandwidths are too far apart to be simulated"; err == nil || fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
