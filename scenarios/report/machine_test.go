package report

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"overlapsim/network/topology"
	"overlapsim/nodes/gpus"
	"overlapsim/sim/must"
)

// The drawing has every core, a frame for each memory, and a bar for each distance; it is
// well-formed, and names are escaped.
func TestMachinePicture(t *testing.T) {
	shape := must.Get(topology.NewTorus(topology.Mesh(5)))(t)
	m := &Machine{Cores: 20, Processes: 4, PerMemory: 8, Memory: "6GB/s", NIC: []string{"a < b"}, Shape: shape}
	text := string(m.Picture())
	for class, want := range map[string]int{"core": 20, "memory": 3, "distance": 5} {
		if got := strings.Count(text, `class="`+class+`"`); got != want {
			t.Errorf("%d of %s, want %d", got, class, want)
		}
	}
	for _, want := range []string{"a &lt; b", "mesh 5", "20 cores, 4 processes", "for each 8 cores: 6GB/s", ">1 link<", ">4 links<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the drawing does not say %s", want)
		}
	}
	wellFormed(t, text)
}

// Every NIC is drawn below the cores of its socket; one NIC is only in the list.
func TestNICsPicture(t *testing.T) {
	shape := must.Get(topology.NewCrossbar(4))(t)
	for _, c := range []struct{ perMemory, frames int }{{0, 2}, {4, 2}, {2, 4}, {8, 1}} {
		m := &Machine{Cores: 8, Processes: 8, PerMemory: c.perMemory, Sockets: 2, NICs: 4, Shape: shape}
		text := string(m.Picture())
		for class, want := range map[string]int{"core": 8, "memory": c.frames, "nic": 4} {
			if got := strings.Count(text, `class="`+class+`"`); got != want {
				t.Errorf("%d cores a memory: %d of %s, want %d", c.perMemory, got, class, want)
			}
		}
		if second, nic := strings.LastIndex(text, `class="core"`), strings.Index(text, ">NIC 1<"); c.frames > 1 && nic > second {
			t.Error("the NICs of the first socket are below the second one")
		}
		if !strings.Contains(text, "2 sockets, 4 NICs") {
			t.Error("the drawing does not count sockets and NICs")
		}
		wellFormed(t, text)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Text is cut between words only, and none of it is lost.
func TestFolded(t *testing.T) {
	text := "dragonfly 74 groups of 32 routers, 4 nodes and 4 global links per router " + strings.Repeat("x", 60)
	lines := folded(text)
	if got := strings.Join(lines, " "); got != text || len(lines) != 3 {
		t.Errorf("%q of %d lines", got, len(lines))
	}
}

// From the end of a line there is one node at each distance; all nodes of a router are at
// distance 0. Together they are all other nodes.
func TestDistances(t *testing.T) {
	line, _ := topology.NewTorus(topology.Mesh(4))
	two, _ := topology.NewHyperX([]int{3, 3}, 2)
	one, _ := topology.NewCrossbar(5)
	for _, c := range []struct {
		shape topology.Topology
		want  []int
	}{{line, []int{0, 1, 1, 1}}, {two, []int{1, 8, 8}}, {one, []int{4}}} {
		if got := distances(c.shape); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v nodes by distance, want %v", c.shape, got, c.want)
		}
	}
}

// Every GPU is drawn, and what joins them: a line for each pair with links, or one to the switch for each GPU.
func TestGPUsPicture(t *testing.T) {
	shape := must.Get(topology.NewCrossbar(4))(t)
	linked := &gpus.Node{GPUs: 4, Links: []gpus.Link{{A: 0, B: 1, Count: 2}, {A: 2, B: 3, Count: 1}}}
	for _, c := range []struct {
		node            *gpus.Node
		gpus, links, in int
	}{
		{linked, 4, 2, 0},
		{&gpus.Node{GPUs: 8, Switch: &gpus.Switch{}}, 8, 8, 1},
		{&gpus.Node{GPUs: 1}, 0, 0, 0},
		{&gpus.Node{GPUs: 72, Switch: &gpus.Switch{}}, 0, 0, 0},
		{nil, 0, 0, 0},
	} {
		text := string((&Machine{Cores: 8, Processes: 8, GPUs: c.node, GPU: []string{"a < b"}, Shape: shape}).Picture())
		for class, want := range map[string]int{"gpu": c.gpus, "link": c.links, "switch": c.in} {
			if got := strings.Count(text, `class="`+class+`"`); got != want {
				t.Errorf("%+v: %d of %s, want %d", c.node, got, class, want)
			}
		}
		if c.node != nil && !strings.Contains(text, plural(c.node.GPUs, "GPU")+"<") {
			t.Errorf("%+v: the drawing does not count the GPUs", c.node)
		}
		wellFormed(t, text)
	}
}
