package files

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network/fabrics"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads"
	"overlapsim/workloads/transforms"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o666))
}

// loadText checks the text of a scenario that is not in a file.
func loadText(text string, settings []string) (*File, error) {
	return Read("text.yaml", []byte(text), settings)
}

// Every scenario of the library loads without problems.
func TestLibraryScenarios(t *testing.T) {
	must.Long(t)
	for _, name := range Scenarios() {
		study, err := Load(name, nil)
		if err != nil {
			t.Errorf("%v", err)
		} else if study.Title == "" {
			t.Errorf("%s has no title", name)
		}
	}
}

// A key of the machine's topology or routers has two spellings, the scenario's and the machine's. Of both the last one holds: the file,
// then its run, then flags.
func TestLastSpellingHolds(t *testing.T) {
	const text = "machine: {cores: 1, network: {latency: 1us, send_overhead: 1us, bandwidth: 1GB/s}}\nchanges: {topology.multipath: d-mod-k}\n" +
		"topology: {kind: fat-tree, children: [2, 2], parents: [2], multipath: ecmp}\nfabric: {kind: packet, payload: 2KiB, packet: 2112B, " +
		"slots: 8, bandwidth: 5GB/s}\nranks: 2\nworkload: {name: halo}\n"
	for _, c := range []struct {
		run             string // the settings of its run
		set             []string
		multipath, rate string
	}{
		{"", nil, "ecmp", "5GB/s"},
		{"machine.topology.multipath: d-mod-k, machine.fabric.bandwidth: x2", nil, "d-mod-k", "10GB/s"},
		{"topology.multipath: d-mod-k, fabric: {bandwidth: 7GB/s}", nil, "d-mod-k", "7GB/s"},
		{"machine.topology.multipath: d-mod-k", []string{"topology.multipath=ecmp", "fabric.bandwidth=x2", "machine.fabric.bandwidth=x2"}, "ecmp", "20GB/s"},
		{"topology.multipath: ecmp", []string{"machine.topology={multipath: d-mod-k}", "fabric={bandwidth: 1GB/s}"}, "d-mod-k", "1GB/s"},
	} {
		f := must.Get(Read("mine.yaml", []byte(text+"runs: [{name: one, "+c.run+"}]\n"), c.set))(t)
		is := map[string]string{}
		for _, fact := range f.Runs[0].Machine.Facts {
			is[strings.TrimPrefix(fact.Path, "machine.")] = fact.Value
		}
		if is["topology.multipath"] != c.multipath || is["fabric.bandwidth"] != c.rate {
			t.Errorf("{%s} %v: %s, %s; want %s, %s", c.run, c.set, is["topology.multipath"], is["fabric.bandwidth"], c.multipath, c.rate)
		}
	}
}

// The value of every key of a scenario arrives where it belongs.
func TestScenarioKeys(t *testing.T) {
	text := `
title: All keys
machine: jacquard
changes: {network.latency: 3us}
workload: {name: ft-pencils, rows: 64, row_length: 128, computation: 0.5, flops: 0}
ranks: 8
processes_per_node: 1
topology: {kind: torus, dims: [2, 2, 3]}
mapping: TZYX
mapping_file: scenario_test.go
mapping_first: 0
fabric: {kind: flow, calibration: hopper, payload: 240B, packet: 272B, control: 80B, bandwidth: 425MB/s, hop_latency: 100ns,
  answer_latency: 500ns, slots: 4, bubble: 2,
  adaptive_channels: 3, injection_fifos: 6, answer_fifos: 1, network_first: true, arbitration: longest-queue, adaptive_arbitration: longest-or-any,
  routing: static, get_routing: dynamic}
seed: 18446744073709551615
background_threads: 0
moves: {receives: best, sends: worst, waits: spread, collectives: best, pieces: 2, least: 4KiB}
without: [latency, none]
ties: 3
runs: [{name: one}]
`
	_, err := loadText(text, nil)
	if want := "text.yaml:16:1: seed: must be at most 9223372036854775807, got 18446744073709551615"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	study := must.Get(loadText(strings.Replace(text, "18446744073709551615", "7", 1), nil))(t)
	s := study.Runs[0]
	if s.Name != "one" || s.Title != "All keys" || s.Machine.Name != "jacquard" || s.Kind != "ft-pencils" ||
		s.Ranks != 8 || s.Processes != 1 || s.Mapping != "TZYX" || s.Fabric != "flow" || s.Seed != 7 {
		t.Errorf("got %+v", s)
	}
	if s.Without.String() != "latency" || s.Machine.Network.Latency != 0 || s.Whole().Machine.Network.Latency != 3*sim.Microsecond {
		t.Errorf("without %v: L is %v, with it %v", s.Without, s.Machine.Network.Latency, s.Whole().Machine.Network.Latency)
	}
	if m := s.moves; m.Receives != transforms.Best || m.Sends != transforms.Worst || m.Waits != transforms.Spread ||
		m.Collectives != transforms.Best || m.Pieces != 2 || m.Least != 4096 {
		t.Errorf("got moves %+v", m)
	}
	if want := []int32{0, 4, 8, 2, 6, 10, 1, 5}; !slices.Equal(s.Nodes, want) { // z, then y, then x fastest
		t.Errorf("ranks are on %v, want %v", s.Nodes, want)
	}
	if want := []string{"network.latency=3us", "topology.kind=torus", "topology.dims=[2, 2, 3]",
		"fabric.payload=240B"}; !reflect.DeepEqual(s.Machine.Changes[:4], want) {
		t.Errorf("changes are %q, want %q", s.Machine.Changes, want)
	}
	var routers fabrics.PacketKeys
	if s.Machine.wiring.fill(&routers); routers.Slots != 4 || routers.GetRouting != "dynamic" {
		t.Errorf("got routers %+v", routers)
	}
	for _, row := range WorkloadRows(s.Workload) {
		got := reflect.ValueOf(row.To).Elem().Interface()
		want := map[string]any{"rows": int64(64), "row_length": int64(128), "computation": 0.5, "flops": 0.0}[row.Path]
		if got != want {
			t.Errorf("%s is %v, want %v", row.Path, got, want)
		}
	}
	routerKeys := routerRows()
	for _, row := range newScenarioFile().rows() {
		_, key := keys.Split(row.Path)
		if _, ok := routerKeys.Row(row.Path); !ok && !strings.Contains(text, key+":") {
			t.Errorf("the key %s is not tested", row.Path)
		}
	}
}

func TestScenarioDefaults(t *testing.T) {
	study := must.Get(loadText(good, nil))(t)
	s := study.Runs[0]
	if s.Name != "text" || s.Processes != s.Machine.Processes || s.Mapping != "block" || s.Fabric != "ideal" || s.Seed != 1 {
		t.Errorf("got %+v", s)
	}
	kind, _ := workloads.Lookup("ft-pencils")
	before, now := WorkloadRows(kind.New()), WorkloadRows(s.Workload)
	for i := range now {
		if !reflect.DeepEqual(now[i].To, before[i].To) {
			t.Errorf("%s is not the default", now[i].Path)
		}
	}
}

// Variants keep the values that they do not change. A setting overrides all of them.
func TestVariants(t *testing.T) {
	study := must.Get(loadText(good+`
changes: {network.gap: 9us}
runs:
  - {name: plain}
  - {name: bassi, machine: bassi, workload.rows: 64}
  - {name: slabs, workload: {name: ft-slabs}, ranks: 16}
`, []string{"workload.row_length=64", "machine.network.gap=1us"}))(t)
	var got []string
	for _, s := range study.Runs {
		rows := WorkloadRows(s.Workload)
		got = append(got, strings.Join([]string{s.Name, s.Machine.Name, s.Kind, keys.Format(keys.Count, float64(s.Ranks)),
			rows[0].Default(), rows[1].Default(), s.Machine.Network.Gap.String()}, " "))
	}
	want := []string{
		"plain jacquard ft-pencils 32 8192 64 1us",
		"bassi bassi ft-pencils 32 64 64 1us",
		"slabs jacquard ft-slabs 16 8192 64 1us",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every parameter of every workload can be set to its default without a change: the
// output of show can be read again.
func TestWorkloadDefaultsRoundTrip(t *testing.T) {
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		w := kind.New()
		for _, row := range WorkloadRows(w) {
			before := reflect.ValueOf(row.To).Elem().Interface()
			if text := row.Default(); text != "" && text[0] != '[' {
				if err := row.Read(text); err != nil {
					t.Errorf("%s: %s: %v", name, row.Path, err)
				}
			}
			if now := reflect.ValueOf(row.To).Elem().Interface(); !reflect.DeepEqual(now, before) {
				t.Errorf("%s: %s: %v became %v", name, row.Path, before, now)
			}
		}
	}
}

// Settings on random trees have the same effect as on a map of paths.
func TestOverlay(t *testing.T) {
	step := rapid.SampledFrom([]string{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		root := &keys.Node{Shape: keys.Mapping}
		leaves := map[string]string{}
		var problems keys.Problems
		for i := range rapid.IntRange(1, 12).Draw(t, "settings") {
			path := strings.Join(rapid.SliceOfN(step, 1, 3).Draw(t, "path"), ".")
			before := len(problems)
			keys.Overlay{Problems: &problems}.Apply(root,
				keys.Setting{Path: path, Value: &keys.Node{Shape: keys.Scalar, Text: keys.Format(keys.Count, float64(i))}})
			if refused := len(problems) > before; refused != hasLeafAbove(leaves, path) {
				t.Fatalf("%s on %v: refused is %v", path, leaves, refused)
			} else if !refused {
				for other := range leaves {
					if strings.HasPrefix(other, path+".") {
						delete(leaves, other)
					}
				}
				leaves[path] = keys.Format(keys.Count, float64(i))
			}
		}
		got := map[string]string{}
		collect(root, "", got)
		if !reflect.DeepEqual(got, leaves) {
			t.Fatalf("got %v, want %v", got, leaves)
		}
	})
}

// hasLeafAbove tells whether the path leads through a value where it needs a group.
func hasLeafAbove(leaves map[string]string, path string) bool {
	for leaf := range leaves {
		if strings.HasPrefix(path, leaf+".") {
			return true
		}
	}
	return false
}

func collect(n *keys.Node, path string, leaves map[string]string) {
	if n.Shape == keys.Scalar {
		leaves[path] = n.Text
	}
	for i, name := range n.Names {
		collect(n.Values[i], keys.Join(path, name), leaves)
	}
}

// Any text gives runs, or problems that have a place and are in order.
func FuzzScenario(f *testing.F) {
	f.Add(good, "ranks=4")
	f.Add(machine+goodMore, "machine.network.send_overhead=[{from: 0B}]")
	for _, m := range mistakes {
		if len(m.text) < 1000 {
			f.Add(m.text, strings.Join(m.set, " "))
		}
	}
	for _, name := range Scenarios() {
		text, _ := ScenarioText(name)
		f.Add(string(text), "machine=bassi")
	}
	f.Fuzz(func(t *testing.T, text, set string) {
		var settings []string
		if set != "" {
			settings = []string{set}
		}
		study, err := loadText(text, settings)
		if err == nil {
			if len(study.Runs) == 0 {
				t.Fatal("neither runs nor problems")
			}
			return
		}
		problems := err.(keys.Problems)
		for i, p := range problems {
			placed := p.Place.Flag != "" || p.Place.File != "" && p.Place.Line > 0 && p.Place.Column > 0
			if !placed || p.Message == "" || strings.Contains(p.Key, "\n") {
				t.Fatalf("%+v", p)
			}
			if i > 0 && problems[i-1].Place.Compare(p.Place) > 0 {
				t.Fatalf("%v before %v", problems[i-1], p)
			}
		}
	})
}

// Cyclic takes as many nodes as block, 3 for 7 ranks at 3 per node, and ranks r and q share a node where r - q is a multiple of that; each
// thread of a process that has two stays with the other one. With cyclic-all, the 8 nodes of xenon count instead.
func TestCyclic(t *testing.T) {
	for _, c := range []struct {
		workload, mapping   string
		ranks, per, threads int
		nodes               int
	}{
		{"advection-std", "cyclic", 7, 3, 1, 3},
		{"advection-std", "cyclic", 12, 4, 1, 3},
		{"advection-asym", "cyclic", 12, 4, 2, 3},
		{"advection-std", "cyclic", 3, 4, 1, 1},
		{"advection-std", "cyclic-all", 12, 4, 1, 8},
		{"advection-asym", "cyclic-all", 32, 4, 2, 8},
	} {
		text := fmt.Sprintf("machine: xenon\nworkload: {name: %s, x: 40, y: 30, z: 20, steps: 4}\nranks: %d\nprocesses_per_node: %d\nmapping: %s\n",
			c.workload, c.ranks, c.per, c.mapping)
		s := must.Get(loadText(text, nil))(t).Runs[0]
		if got := s.NodesTaken(); got != min(c.nodes, c.ranks/c.threads) {
			t.Errorf("%+v: %d nodes", c, got)
		}
		for r := range s.Nodes {
			for q := range s.Nodes {
				if got, want := s.Nodes[r] == s.Nodes[q], (r/c.threads-q/c.threads)%c.nodes == 0; got != want {
					t.Errorf("%+v: ranks %d and %d share a node: %v, want %v", c, r, q, got, want)
				}
			}
		}
	}
}

// Random takes the nodes that block fills, and as many ranks on each where these are full: 8 ranks at 4 per node on nodes 0 and 1 of 8.
// Random-all takes any of the machine's.
func TestRandom(t *testing.T) {
	used := func(mapping string, seed int) map[int32]int {
		text := fmt.Sprintf("machine: xenon\nworkload: {name: advection-std, x: 40, y: 30, z: 20, steps: 4}\nranks: 8\nprocesses_per_node: 4\n"+
			"mapping: %s\nseed: %d\n", mapping, seed)
		on := map[int32]int{}
		for _, n := range must.Get(loadText(text, nil))(t).Runs[0].Nodes {
			on[n]++
		}
		return on
	}
	elsewhere := 0
	for seed := 1; seed <= 20; seed++ {
		if on := used("random", seed); len(on) != 2 || on[0] != 4 || on[1] != 4 {
			t.Errorf("seed %d: ranks by node %v", seed, on)
		}
		for n := range used("random-all", seed) {
			elsewhere = max(elsewhere, int(n))
		}
	}
	if elsewhere != 7 {
		t.Errorf("random-all: the last node used is %d", elsewhere)
	}
}
