package topology

import (
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

func torus(t *testing.T, g Grid) *Torus {
	t.Helper()
	return must.Get(NewTorus(g))(t)
}

// TestOrders writes out where the first ranks of some orders run.
func TestOrders(t *testing.T) {
	small := torus(t, Grid{Sizes: []int{2, 3, 2}})
	pairs := torus(t, Grid{Sizes: []int{2, 2}, PerRouter: 2})
	for _, c := range []struct {
		top   *Torus
		order string
		per   int
		want  string
	}{
		{small, "XYZT", 2, "[0 1 2 3 4 5 6 7 8 9 10 11 0 1]"},
		{small, "TXYZ", 2, "[0 0 1 1 2 2 3 3 4 4 5 5 6 6]"},
		{small, "zytx", 2, "[0 6 2 8 4 10 0 6 2 8 4 10 1 7]"},
		{small, "YXTZ", 1, "[0 2 4 1 3 5 6 8 10 7 9 11]"},
		{pairs, "XYT", 2, "[0 2 4 6 0 2 4 6 1 3 5 7 1 3]"},
		{pairs, "TYX", 1, "[0 1 4 5 2 3 6 7]"},
	} {
		m := must.Get(c.top.Order(c.order, c.per, min(14, c.top.Nodes()*c.per)))(t)
		if got := fmt.Sprint(m); got != c.want {
			t.Errorf("%v, %s with %d processes per node: %s, want %s", c.top, c.order, c.per, got, c.want)
		}
	}
}

// TestMappingsFillSlots: every mapping of as many ranks as there are slots
// puts exactly perNode of them on each node, regardless of the order.
func TestMappingsFillSlots(t *testing.T) {
	top := torus(t, Grid{Sizes: []int{3, 2, 4}, PerRouter: 2})
	const per = 3
	ranks := per * top.Nodes()
	mappings := map[string]func() (Mapping, error){
		"block":  func() (Mapping, error) { return Block(top.Nodes(), per, ranks) },
		"cyclic": func() (Mapping, error) { return Cyclic(top.Nodes(), per, ranks, 1) },
		"dealt":  func() (Mapping, error) { return Cyclic(top.Nodes(), per, ranks, per) },
		"spread": func() (Mapping, error) { return Spread(top.Nodes(), per, ranks) },
		"random": func() (Mapping, error) { return Random(top.Nodes(), per, ranks, 7) },
	}
	for _, order := range permutations("XYZT") {
		mappings[order] = func() (Mapping, error) { return top.Order(order, per, ranks) }
	}
	for name, build := range mappings {
		m := must.Get(build())(t)
		load := make([]int, top.Nodes())
		for _, node := range m {
			load[node]++
		}
		if slices.Min(load) != per || slices.Max(load) != per {
			t.Errorf("%s: %d to %d ranks per node, want %d", name, slices.Min(load), slices.Max(load), per)
		}
	}
}

// TestCells writes out where the ranks of small grids are. Cells that are smaller than a node, or larger, follow each other.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		text       string
		per, ranks int
		want       string
	}{
		{"4x4/2x2", 4, 16, "[0 0 1 1 0 0 1 1 2 2 3 3 2 2 3 3]"},
		{"4x4/4x1", 4, 16, "[0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3]"},
		{"4x2x2/2x1x2", 4, 16, "[0 0 1 1 2 2 3 3 0 0 1 1 2 2 3 3]"},
		{"6x2/3x1", 2, 12, "[0 0 1 1 2 2 3 3 4 4 5 5]"},
		{"6/2", 4, 6, "[0 0 0 0 1 1]"},
	} {
		m, err := Cells(c.text, 8, c.per, c.ranks)
		if got := result(m, err); got != c.want {
			t.Errorf("%s, %d on each: %s, want %s", c.text, c.per, got, c.want)
		}
	}
	for _, text := range []string{"4x4/3x2", "4x4/2", "4x4/", "4x4/2x2x1", "axb/1x1", "4x-4/1x1", "4x4/0x2", "9223372036854775807x2/1x1"} {
		if m, err := Cells(text, 8, 4, 16); err == nil || !strings.HasPrefix(err.Error(), "must be a grid of ranks and cells that divide it") {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
	if _, err := Cells("4x2/2x2", 8, 4, 16); err == nil || err.Error() != "must be a grid of the 16 ranks, got 4x2" {
		t.Error(err)
	}
}

// TestSpread: as few nodes as Block takes, the distances between neighbours differ by one at most.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		nodes, per, ranks int
		want              string
	}{
		{12, 1, 4, "[0 3 6 9]"},
		{12, 2, 7, "[0 0 3 3 6 6 9]"},
		{10, 1, 4, "[0 2 5 7]"},
		{5, 3, 15, "[0 0 0 1 1 1 2 2 2 3 3 3 4 4 4]"},
	} {
		m := must.Get(Spread(c.nodes, c.per, c.ranks))(t)
		if got := fmt.Sprint(m); got != c.want {
			t.Errorf("%d ranks on %d nodes, %d on each: %s, want %s", c.ranks, c.nodes, c.per, got, c.want)
		}
	}
	if _, err := Spread(3, 2, 7); err == nil {
		t.Error("7 ranks fit on 3 nodes with 2 each")
	}
}

// permutations returns all orders of the letters.
func permutations(s string) []string {
	if len(s) < 2 {
		return []string{s}
	}
	var all []string
	for i := range s {
		for _, rest := range permutations(s[:i] + s[i+1:]) {
			all = append(all, s[i:i+1]+rest)
		}
	}
	return all
}

func TestRandomBySeed(t *testing.T) {
	one, _ := Random(64, 2, 100, 1)
	again, _ := Random(64, 2, 100, 1)
	other, _ := Random(64, 2, 100, 2)
	if !slices.Equal(one, again) {
		t.Error("the same seed gives two mappings")
	}
	if slices.Equal(one, other) {
		t.Error("two seeds give the same mapping")
	}
}

// TestReadMapping reads good files, and checks the line that the error names for bad
// ones.
func TestReadMapping(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"good", "# my mapping\n2 0\n\n0, 1\n1\t1 # both\n", "[1 1 0]"},
		{"twice", "0 0\n1 1\n0 1\n2 0\n", "map:3: rank 0 has a node already, on line 1"},
		{"missing", "2 0\n", "map: rank 0 is missing\nmap: rank 1 is missing"},
		{"full", "0 1\n1 1\n2 1\n", "map:3: node 1 gets more than 2 ranks"},
		{"out of range", "0 2\n3 0\n1 -1\n2 0\n0 0\n1 1",
			"map:1: node must be 0 to 1, got \"2\"\nmap:2: rank must be 0 to 2, got \"3\"\nmap:3: node must be 0 to 1, got \"-1\""},
		{"words", "0 zero\n1 0\n2 0\n0 0 0\n0 1", "map:1: node must be 0 to 1, got \"zero\"\nmap:4: want a rank and a node, got 3 values"},
	} {
		m, err := ReadMapping(strings.NewReader(c.file), "map", 2, 2, 3)
		if got := result(m, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func result(m []int32, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(m)
}

func TestReadPlaces(t *testing.T) {
	top := torus(t, Grid{Sizes: []int{3, 2}, PerRouter: 2})
	for _, c := range []struct{ name, file, want string }{
		{"good", "# where\nport, y,x,node\n1,0,2,30\n0,1,0,7\n", "[6 5]"},
		{"no column", "node,x,z\n", "places: no column y, port"},
		{"empty", "", "places: heading: EOF"},
		{"range", "node,x,y,port\n0,3,0,0\n1,0,0,2\nn,0,0,0",
			"places:2: x must be 0 to 2, got \"3\"\nplaces:3: port must be 0 to 1, got \"2\"\nplaces:4: node must be 0 to 2147483646, got \"n\""},
		{"taken", "node,x,y,port\n0,1,0,0\n1,1,0,0", "places:3: the place of node 1 is taken, see line 2"},
		{"twice", "node,x,y,port\n0,1,0,0\n0,1,0,1", "places:3: node 0 has a place already, see line 2"},
		{"short", "node,x,y,port\n0,1,0\n", "places: record on line 2: wrong number of fields"},
	} {
		nodes, err := ReadPlaces(strings.NewReader(c.file), "places", top)
		if got := result(nodes, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// hopper returns the torus of Hopper and the routers of its nodes, as the machine's own
// list has them.
func hopper(t *testing.T) (*Torus, []int32) {
	t.Helper()
	file := must.Get(os.Open("testdata/hopper-nodes.csv.gz"))(t)
	defer file.Close()
	text := must.Get(gzip.NewReader(file))(t)
	top := torus(t, Grid{Sizes: []int{17, 8, 24}, PerRouter: 2})
	places := must.Get(ReadPlaces(text, "nodes.csv", top))(t)
	return top, places
}

// TestHopper reads the machine's own list: all nodes of the 17x8x24 torus, of
// which consecutive numbers are near each other.
func TestHopper(t *testing.T) {
	top, places := hopper(t)
	if len(places) != top.Nodes() {
		t.Fatalf("%d places, want %d", len(places), top.Nodes())
	}
	m := must.Get(Consecutive(places, 100, 4, 4*64))(t)
	if m[3] != places[100] || m[4] != places[101] || m[255] != places[163] {
		t.Errorf("ranks 3, 4, 255 are on nodes %d, %d, %d, want %d, %d, %d", m[3], m[4], m[255], places[100], places[101], places[163])
	}
	near := 0.0
	for i := range places[1:] {
		near += float64(top.Hops(int(places[i]), int(places[i+1])))
	}
	if near /= float64(len(places) - 1); near > 1.5 {
		t.Errorf("consecutive nodes are %.2f hops apart", near)
	}
}

func TestBadMappings(t *testing.T) {
	top := torus(t, Grid{Sizes: []int{2, 2}})
	places := []int32{3, 1, 2}
	for _, c := range []struct {
		name  string
		build func() (Mapping, error)
		want  string
	}{
		{"too many", func() (Mapping, error) { return Block(4, 2, 9) }, "ranks: 9 do not fit on 4 nodes with 2 processes each"},
		{"pairs", func() (Mapping, error) { return Cyclic(4, 3, 9, 2) }, "mapping: 3 processes per node cannot be dealt out 2 at a time"},
		{"none", func() (Mapping, error) { return Random(4, 0, 0, 1) },
			"processes per node: must be at least 1, got 0\nranks: must be at least 1, got 0"},
		{"overflow", func() (Mapping, error) { return Block(1<<20, 1<<20, 1) }, "processes: more than 2147483647 processes"},
		{"order", func() (Mapping, error) { return top.Order("XYZT", 1, 4) },
			`mapping: an order of this torus has each of the letters XYT once, got "XYZT"`},
		{"order twice", func() (Mapping, error) { return top.Order("XXT", 1, 4) },
			`mapping: an order of this torus has each of the letters XYT once, got "XXT"`},
		{"first", func() (Mapping, error) { return Consecutive(places, 4, 1, 1) }, "first node: must be 0 to 2, got 4"},
		{"end", func() (Mapping, error) { return Consecutive(places, 1, 2, 5) }, "ranks: 5 do not fit on 2 nodes with 2 processes each"},
		{"file", func() (Mapping, error) { return ReadMapping(strings.NewReader(""), "map", 2, 1, 3) },
			"ranks: 3 do not fit on 2 nodes with 1 processes each"},
		{"many faults", func() (Mapping, error) { return ReadMapping(strings.NewReader(""), "map", 40, 1, 40) },
			"map: rank 19 is missing\nand 20 more"},
	} {
		_, err := c.build()
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}
