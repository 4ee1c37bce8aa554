package files

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// sample returns a value of a key that is not its default: the text in the file, and the
// value that it gives.
func sample(row keys.Row, n int) (text string, value any) {
	switch row.To.(type) {
	case *string:
		last := row.Choices[len(row.Choices)-1]
		return last, last
	case *bool:
		return "true", true
	case *[]bool:
		return "[false, true]", []bool{false, true}
	case *[]int:
		return fmt.Sprintf("[%d, 3]", n), []int{n, 3}
	case *int:
		return fmt.Sprint(n), n
	case *int64:
		return fmt.Sprintf("%dB", n), int64(n)
	case *float64:
		return fmt.Sprintf("%d.5", n), float64(n) + 0.5
	case *sim.Time:
		return fmt.Sprintf("%dns", n), sim.Time(n) * sim.Nanosecond
	case *sim.Rate:
		return fmt.Sprintf("%dGB/s", n), sim.Rate(n) * 1e9
	case *[]sim.Rate:
		return fmt.Sprintf("[%dGB/s, 1MB/s]", n), []sim.Rate{sim.Rate(n) * 1e9, 1e6}
	}
	panic(fmt.Sprintf("%s: no sample of a %T", row.Path, row.To))
}

// The value of every key of every family of topologies and of every fabric arrives where
// it belongs, with or without its origin. All readers of a key describe it alike.
func TestWiringKeys(t *testing.T) {
	var kinds []any
	for _, k := range topology.Kinds() {
		kinds = append(kinds, k.New())
	}
	for _, k := range fabrics.Kinds() {
		kinds = append(kinds, k.New())
	}
	text := strings.TrimPrefix(strings.ReplaceAll(machine, "\n  ", "\n"), "machine:\n")
	want, rows := map[string]any{}, newWiringFile()
	for _, g := range wiringGroups {
		if text += g.path + ":\n"; g.path == "topology" {
			text += "  kind: crossbar\n"
		}
		for i, row := range rows.values.Under(g.path) {
			_, key := keys.Split(row.Path)
			written, value := sample(row, i+2)
			text += "  " + key + ": {value: " + written + ", origin: chosen, source: here}\n"
			want[row.Path] = value
		}
	}
	var problems keys.Problems
	m := decodeMachine(keys.ReadText("m.yaml", []byte(text), &problems), "m", "", &problems)
	if problems != nil {
		t.Fatalf("%v\n%s", problems, text)
	}
	for _, own := range kinds {
		m.wiring.fill(own)
		for _, row := range keys.Tagged(own) {
			if got := reflect.ValueOf(row.To).Elem().Interface(); !reflect.DeepEqual(got, want[row.Path]) {
				t.Errorf("%T: %s is %v, want %v", own, row.Path, got, want[row.Path])
			}
			one, _ := rows.values.Row(row.Path)
			if _, doc, _ := strings.Cut(one.Doc, ": "); doc != row.Doc || one.Is != row.Is || one.Range != row.Range || one.Needs != row.Needs {
				t.Errorf("%T: %s is described in two ways: %+v and %+v", own, row.Path, row, one)
			}
		}
	}
	if len(want) != len(rows.values) || len(want) < 20 {
		t.Errorf("%d keys in groups, %d in all", len(want), len(rows.values))
	}
}

// A bandwidth is refused where it is read if it, or its gap per byte, is too large for a
// number.
func TestInfiniteRates(t *testing.T) {
	for _, set := range []string{"machine.network.bandwidth=1e308GB/s", "machine.network.gap_per_byte=1e-320ps/B",
		"machine.links.injection=1e-310B/s"} {
		must.Refuse(loadText(good, []string{set}))(t, "is a bandwidth beyond all numbers: ")
	}
}

// The keys of another module's topology or fabric are in the groups of a machine file,
// and have the same meaning as for other readers.
func TestKeysOfOtherModules(t *testing.T) {
	for want, own := range map[string]any{
		"": &struct {
			Bus sim.Rate `key:"links.bus" unit:"bandwidth"`
		}{},
		"mine reads memory.bus; its keys must begin with topology., links., fabric. or bucket.": &struct {
			Bus sim.Rate `key:"memory.bus" unit:"bandwidth"`
		}{},
		`mine reads links.bandwidth as *sim.Rate with the default "0B/s", others as *[]sim.Rate with ""`: &struct {
			Bandwidth sim.Rate `key:"links.bandwidth" unit:"bandwidth"`
		}{},
		"mine reads links.window as a whole number from 1 to 2147483647, others as a whole number from 0 to 2147483647": &struct {
			Window int `key:"links.window" unit:"count" in:"positive"`
		}{},
	} {
		func() {
			defer func() {
				if got := recover(); got != nil && got != want || got == nil && want != "" {
					t.Errorf("got %v, want %s", got, want)
				}
			}()
			w := newWiringFile()
			for _, row := range keys.Tagged(own) {
				w.add("mine", row)
			}
		}()
	}
}

// A key that means different things to two families is described for each.
func TestMeaningsOfKeys(t *testing.T) {
	var all []meaning
	for _, of := range [][2]string{{"dragonfly", "groups"}, {"hub", "boxes"}, {"dragonfly-plus", "groups"}} {
		all = means(all, of[0], of[1])
	}
	if want := []meaning{{"groups", []string{"dragonfly", "dragonfly-plus"}}, {"boxes", []string{"hub"}}}; !reflect.DeepEqual(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
}

// A tree given by one set of keys replaces that of a base given by the other set. Keys of both
// sets at once are refused, wherever they are given.
func TestTreesOverBases(t *testing.T) {
	const (
		counted = "base: loggp\ntopology: {kind: fat-tree, levels: 2, arity: 4, taper: 2}\n"
		listed  = "base: loggp\ntopology: {kind: fat-tree, children: [4, 6], parents: [2]}\n"
	)
	for _, c := range []struct {
		base, over, same, wrong string
	}{
		{base: counted, over: "children: [4, 6], parents: [2]", same: listed},
		{base: listed, over: "levels: 2, arity: 4, taper: 2", same: counted},
		{base: listed, over: "arity: 4, levels: 2, taper: 2", same: counted},
		{base: listed, over: "children: [4, 7]", same: strings.Replace(listed, "6", "7", 1)},
		{base: counted, over: "taper: 4", same: strings.Replace(counted, "taper: 2", "taper: 4", 1)},
		{base: listed, over: "taper: 2", wrong: "taper: is of a tree given by levels and arity"},
		{base: listed, over: "levels: 2", wrong: "arity: must be at least 1"},
		{base: counted, over: "children: [4, 6]", wrong: "parents: 2 levels of children need"},
		{base: counted, over: "children: [4, 6], parents: [2], levels: 2, arity: 4", wrong: "not by both"},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		write(t, "base.yaml", c.base)
		want, wanted := shapeOf(t, c.same)
		got, wrong := shapeOf(t, "base: base.yaml\ntopology: {"+c.over+"}\n")
		if c.wrong == "" && (wrong != nil || wanted != nil || got.String() != want.String() || got.Links() != want.Links()) {
			t.Errorf("%s over %s: %v, %v, want %v, %v", c.over, c.base, got, wrong, want, wanted)
		}
		if c.wrong != "" && (wrong == nil || !strings.Contains(wrong.Error(), c.wrong)) {
			t.Errorf("%s over %s: %v, %v, want %q", c.over, c.base, got, wrong, c.wrong)
		}
	}
}

// shapeOf is the topology of a machine; nil for no text.
func shapeOf(t *testing.T, text string) (topology.Topology, error) {
	t.Helper()
	if text == "" {
		return nil, nil
	}
	m := must.Get(ReadMachine("over.yaml", []byte(text)))(t)
	return m.Shape()
}
