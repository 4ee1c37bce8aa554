package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// sharedCases returns the exact cases next to the module, or those that are kept here.
func sharedCases(t *testing.T) []string {
	t.Helper()
	for _, folder := range []string{"../../../shared/cases/flow", "testdata/cases"} {
		if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(files) > 0 {
			return files
		}
	}
	t.Fatal("no exact cases")
	return nil
}

func readCase(t *testing.T, file string) *Case {
	t.Helper()
	f := must.Get(os.Open(file))(t)
	defer f.Close()
	return must.Get(ReadCase(f, filepath.Base(file)))(t)
}

// TestExactCases runs the cases on the routes that they list.
func TestExactCases(t *testing.T) {
	for _, file := range sharedCases(t) {
		c := readCase(t, file)
		finish, _, err := c.Run()
		if err != nil {
			t.Fatal(err)
		}
		compareCase(t, c, finish, 1e-12)
	}
}

func compareCase(t *testing.T, c *Case, finish []float64, tolerance float64) {
	t.Helper()
	worst := 0.0
	for i, f := range c.Flows {
		off := math.Abs(finish[i] - *f.Completion)
		worst = max(worst, off / *f.Completion)
		if off > tolerance**f.Completion {
			t.Errorf("%s: flow %d from %s to %s ends at %.15g, want %.15g", c.Name, i, f.From, f.To, finish[i], *f.Completion)
		}
	}
	t.Logf("%s: %d flows, largest relative difference %.1g", c.Name, len(c.Flows), worst)
}

// TestExactCasesThroughOwnRoutes runs the cases of known topologies on our own routes.
// Every bandwidth in them is 1e9 B/s.
func TestExactCasesThroughOwnRoutes(t *testing.T) {
	known := 0
	for _, file := range sharedCases(t) {
		top := topologyOf(t, file)
		if top == nil {
			continue
		}
		known++
		c := readCase(t, file)
		p := Params{Capacity: make([]sim.Rate, len(top.Classes()))}
		for i := range p.Capacity {
			p.Capacity[i] = 1e9
		}
		if top.Diameter() == 0 || top.Classes()[0] == "1-2" {
			p.Injection, p.Ejection = 1e9, 1e9
		}
		compareCase(t, c, ownRoutes(t, c, top, p), 1e-9)
	}
	if known < 6 {
		t.Errorf("only %d cases of known topologies", known)
	}
}

// topologyOf returns the topology that a case names, nil if it is none of ours.
func topologyOf(t *testing.T, file string) (top topology.Topology) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Topology struct {
			Kind, Params string
			Dims         []int
			N            int
		}
	}
	if err = json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	switch c.Topology.Kind {
	case "crossbar":
		top, err = topology.NewCrossbar(c.Topology.N)
	case "torus":
		top, err = topology.NewTorus(topology.Grid{Sizes: c.Topology.Dims, Tie: topology.TieSimGrid})
	case "fattree":
		if c.Topology.Params != "2;4,4;1,4;1,1" {
			t.Fatalf("%s: fat tree %s", file, c.Topology.Params)
		}
		top, err = topology.NewFatTree(topology.Tree{Down: []int{4, 4}, Up: []int{4}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// fabricStarter starts the flows of a case on a fabric.
type fabricStarter struct {
	t   *testing.T
	f   *Fabric
	c   *Case
	nic sim.Rate // 0: takes no time
}

func (s *fabricStarter) Handle(e sim.Event) {
	f := s.c.Flows[e.Arg]
	node := func(name string) int32 {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
		if err != nil {
			s.t.Fatal(err)
		}
		return int32(n)
	}
	one := transfer(uint32(e.Arg), node(f.From), node(f.To), int64(f.Bytes))
	if s.nic > 0 {
		one.Length = s.nic.Time(one.Bytes)
	}
	s.f.Start(one)
}

func ownRoutes(t *testing.T, c *Case, top topology.Topology, p Params) []float64 {
	t.Helper()
	k := sim.NewKernel()
	rec := newRecorder(len(c.Flows))
	f := must.Get(New(k, rec, top, p))(t)
	self := k.Register(&fabricStarter{t, f, c, 0})
	for i, flow := range c.Flows {
		k.Schedule(sim.Seconds(flow.Start), self, 0, uint64(i))
	}
	k.Run()
	finish := make([]float64, len(c.Flows))
	for i, at := range rec.arrived {
		finish[i] = at.Seconds()
	}
	return finish
}

// TestCaseFormat reads cases that leave out, vary or repeat optional parts.
func TestCaseFormat(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"one bandwidth", `{"link_bandwidth_Bps": 1e9, "flows": [{"bytes": 1000000000, "route": ["a", "b"]}, {"bytes": 1e9, "route": ["b"]}]}`,
			"[2 2]"},
		{"nothing shared", `{"flows": [{"bytes": 5, "start": 2, "latency": 0.5}, {"bytes": 0, "route": []}, {"bytes": 7, "route": null}]}`,
			"[2.5 0 0]"},
		{"zero bytes", `{"link_bandwidth_Bps": {"a": 1}, "link_latency_s": 0.25,
			"flows": [{"bytes": 0, "route": ["a"]}, {"bytes": 1, "route": ["a"]}]}`, "[0.25 1.25]"},
		{"latency of links", `{"link_bandwidth_Bps": 1, "link_latency_s": {"a": 1, "b": 2},
			"flows": [{"bytes": 1, "route": ["a", "b", "c"]}, {"bytes": 1, "route": ["b"], "latency": 0}]}`, "[4 1]"},
		{"limits", `{"link_bandwidth_Bps": 4, "rate_limit_Bps": 2,
			"flows": [{"bytes": 2, "route": ["a"]}, {"bytes": 1, "route": ["a"], "rate_limit_Bps": 1}, {"bytes": 8}]}`, "[1 1 4]"},
		{"limits by other names", `{"flows": [{"bytes": 8, "limit_Bps": 1}, {"bytes": 8, "max_rate_Bps": 2}, {"bytes": 8, "rate_Bps": 4}]}`,
			"[8 4 2]"},
		{"limited, then not",
			`{"link_bandwidth_Bps": 3, "flows": [{"bytes": 5, "route": ["a"], "limit_Bps": 2}, {"bytes": 3, "route": ["a"]}]}`, "[3 2]"},
		{"numbered links", `{"link_bandwidth_Bps": {"0": 1, "1": 2}, "flows": [{"src": 0, "dst": 1, "bytes": 2, "route": [0, 1]}]}`, "[2]"},
		{"one byte on a fast link",
			`{"link_bandwidth_Bps": 1e12, "flows": [{"bytes": 1, "route": ["a"]}, {"bytes": 1, "route": ["a"]}, {"bytes": 2, "route": ["a"]}]}`,
			"[3e-12 3e-12 4e-12]"},
		{"years on a slow link", `{"link_bandwidth_Bps": 1e-3, "flows": [{"bytes": 1e9, "route": ["a"]}]}`, "[1e+12]"},
		{"fields that describe",
			`{"name": "n", "makespan": 1, "units": "s", "flows": [{"id": "x", "bytes": 1, "closed_form": null, "comment": "c"}]}`, "[0]"},
	} {
		read, err := ReadCase(strings.NewReader(c.text), "case")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		finish, _, err := read.Run()
		if got := fmt.Sprint(finish); err != nil || got != c.want {
			t.Errorf("%s: ends at %s, want %s (error %v)", c.name, got, c.want, err)
		}
	}
}

// TestBadCases checks the messages for files that are not cases.
func TestBadCases(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", ``, "case:1:1: unexpected end of JSON input"},
		{"syntax", "{\n \"flows\": [}", "case:2:12: invalid character '}' looking for beginning of value"},
		{"kind", "{\n \"flows\": [{\"bytes\": \"many\"}]}", "case:2:27: flows.bytes: must not be a string"},
		{"no flows", `{}`, "case: flows: a case needs at least one"},
		{"no bandwidth", `{"flows": [{"bytes": 1, "route": ["a"]}]}`, `case: flows[0].route[0]: link "a" has no link_bandwidth_Bps`},
		{"all at once", `{"link_bandwidth_Bps": {"a": 0, "b": 1}, "link_latency_s": {"b": -1},
			"flows": [{"route": ["a", "c"], "bytes": -1, "start": -2}, {"route": ["b", "b"], "weight": 2, "limit_Bps": -3}]}`,
			"case: flows[0].route[0]: the bandwidth of link \"a\" must be positive, got 0\n" +
				"case: flows[0].route[1]: link \"c\" has no link_bandwidth_Bps\n" +
				"case: flows[0].bytes: must not be negative, got -1\n" +
				"case: flows[0].start: must not be negative, got -2\n" +
				"case: flows[1].bytes: missing\n" +
				"case: flows[1].weight: all flows weigh 1 here, got 2\n" +
				"case: link_latency_s of b: must not be negative, got -1\n" +
				"case: flows[1].route[1]: link \"b\" is there twice\n" +
				"case: flows[1].latency: must not be negative, got -2\n" +
				"case: flows[1].rate_limit_Bps: must not be negative, got -3"},
		{"bandwidth in words", `{"link_bandwidth_Bps": "fast", "link_latency_s": {"a": "slow"}, "flows": [{"bytes": 1, "route": ["a"]}]}`,
			"case: link_bandwidth_Bps: must be a number, or an object with a number for each link\n" +
				"case: link_latency_s: must be a number, or an object with a number for each link"},
	} {
		_, err := ReadCase(strings.NewReader(c.text), "case")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error\n%v, want\n%s", c.name, err, c.want)
		}
	}
}

// FuzzReadCase: every case that can be read can be run, and no flow ends before it could.
func FuzzReadCase(f *testing.F) {
	f.Add([]byte(`{"link_bandwidth_Bps": {"a": 1e9, "b": 3}, "link_latency_s": 0.5,
		"flows": [{"bytes": 7, "start": 1, "route": ["a", "b"]}, {"bytes": 0, "route": ["b"]}]}`))
	f.Add([]byte(`{"link_bandwidth_Bps": 4, "rate_limit_Bps": 2, "flows": [{"bytes": 2, "route": ["a"]}, {"bytes": 8, "latency": 1e-9}]}`))
	f.Add([]byte(`{"link_bandwidth_Bps": 1e-300, "flows": [{"bytes": 1e300, "route": ["a"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ReadCase(bytes.NewReader(text), "case")
		if err != nil {
			return
		}
		finish, _, err := c.Run()
		if err != nil {
			return
		}
		for i, flow := range c.Flows {
			least := flow.Start + flow.Latency
			for _, l := range flow.Route {
				least = max(least, flow.Start+flow.Latency+flow.Bytes/c.Capacity[l])
			}
			if finish[i] < least*(1-1e-9) {
				t.Errorf("flow %d %+v ends at %v, not before %v", i, flow, finish[i], least)
			}
		}
	})
}
