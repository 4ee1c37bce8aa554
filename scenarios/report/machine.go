package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"overlapsim/network/topology"
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/results"
)

// Machine is what is drawn of a cluster: a node, its interface, and the network behind it.
type Machine struct {
	Cores, Processes int        // of a node
	PerMemory        int        // neighbouring cores that share a memory; 0: all, or not described
	Memory           string     // what is known of each memory; empty: nothing
	Sockets, NICs    int        // of a node
	GPUs             *gpus.Node // nil: a node has none
	GPU              []string   // what is known of them, a line each
	NIC              []string   // what is known of the interface, a line each
	Wires            []string   // what is known of the links, a line each
	Shape            topology.Topology
}

// Sizes of the drawing in px.
const (
	machineWidth = 1000
	machineTop   = 44.0
	panel        = 290.0 // width of a panel
	apart        = 65.0  // between panels
	square       = 13.0  // a core
	abreast      = 16    // cores in a row
	mostSquares  = 320   // more cores are a number
	lineLength   = 42    // bytes of a line of text
)

// Picture draws the machine as SVG: cores by the memory that they share, the network
// interface, and how many nodes are how far away in the network.
func (m *Machine) Picture() template.HTML {
	var b strings.Builder
	d := &sketch{b: &b}
	node := d.gpus(m, d.node(m))
	nic := d.lines(panel+apart, "Network interface", m.NIC)
	network := d.network(2*(panel+apart), m)
	height := max(node, nic, network) + 16
	for _, x := range []float64{0, panel + apart, 2 * (panel + apart)} {
		d.printf(`<rect x="%g" y="30" width="%g" height="%g" rx="6" fill="none" stroke="#8a93a3"/>`, x+1, panel-2, height-32)
	}
	for _, x := range []float64{panel, 2*panel + apart} {
		d.printf(`<path d="M%g,%g h%g" stroke="%s" stroke-width="3"/>`, x, height/2, apart, TermColor(results.Transfer))
	}
	return template.HTML(fmt.Sprintf(`<svg class="machine" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %g" width="%[1]d" `+
		`font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="the machine">%[3]s</svg>`, machineWidth, height, b.String()))
}

// sketch writes SVG.
type sketch struct{ b *strings.Builder }

func (d *sketch) printf(format string, args ...any) { fmt.Fprintf(d.b, format+"\n", args...) }

func (d *sketch) text(x, y float64, style, text string) {
	d.printf(`<text x="%g" y="%g"%s fill="currentColor">%s</text>`, x, y, style, template.HTMLEscapeString(text))
}

// lines writes the title of a panel and lines of text, and returns where they end.
func (d *sketch) lines(x float64, title string, all []string) float64 {
	d.text(x, 20, ` font-weight="600"`, title)
	y := machineTop
	for _, text := range all {
		for _, line := range folded(text) {
			y += 16
			d.text(x+12, y-8, "", line)
		}
	}
	return y
}

// folded breaks a text between words into lines that fit into a panel.
func folded(text string) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last < 0 || len(lines[last])+1+len(word) > lineLength {
			lines = append(lines, word)
		} else {
			lines[last] += " " + word
		}
	}
	return lines
}

// node draws the cores of a node, with a frame around those that share a memory, or a socket.
func (d *sketch) node(m *Machine) float64 {
	about := []string{plural(m.Cores, "core") + ", " + plural(m.Processes, "process")}
	if m.Sockets > 1 || m.NICs > 1 {
		about = append(about, plural(m.Sockets, "socket")+", "+plural(m.NICs, "NIC"))
	}
	if m.Memory != "" {
		about = append(about, fmt.Sprintf("for each %s: %s", plural(m.perMemory(), "core"), m.Memory))
	}
	y := d.lines(0, "Node", about)
	if m.Cores > mostSquares {
		return y
	}
	for first := 0; first < m.Cores; first += m.perMemory() {
		n := min(m.perMemory(), m.Cores-first)
		rows := math.Ceil(float64(n) / abreast)
		d.printf(`<rect class="memory" x="10" y="%g" width="%g" height="%g" rx="3" fill="none" stroke="%s"/>`, y, panel-20, rows*square+8,
			TermColor(results.Compute))
		for i := range n {
			d.printf(`<rect class="core" x="%g" y="%g" width="%g" height="%g" fill="%s"/>`,
				16+float64(i%abreast)*square, y+4+float64(i/abreast)*square, square-3, square-3, TermColor(results.Compute))
		}
		y += rows*square + 14
		y = d.interfaces(m, first, first+n, y)
	}
	return y
}

// interfaces draws below a row of cores the NICs of the sockets that end in this row, if a
// node has several NICs.
func (d *sketch) interfaces(m *Machine, first, end int, y float64) float64 {
	x := 10.0
	for nic := range m.NICs {
		last := (nic*m.Sockets/m.NICs+1)*m.Cores/m.Sockets - 1
		if m.NICs == 1 || last < first || last >= end {
			continue
		}
		if x+54 > panel {
			x, y = 10, y+22
		}
		d.printf(`<rect class="nic" x="%g" y="%g" width="50" height="16" rx="3" fill="none" stroke="%s"/>`, x, y, TermColor(results.Transfer))
		d.text(x+6, y+12, "", fmt.Sprintf("NIC %d", nic))
		x += 56
	}
	if x > 10 {
		y += 24
	}
	return y
}

func (m *Machine) perMemory() int {
	if m.PerMemory == 0 {
		return max(1, m.Cores/max(1, m.Sockets))
	}
	return m.PerMemory
}

// network draws a bar for each distance from the first node: how many nodes are that many
// links away.
func (d *sketch) network(x float64, m *Machine) float64 {
	about := append([]string{m.Shape.String(), plural(m.Shape.Nodes(), "node") + ", " +
		plural(m.Shape.Routers(), "router") + ", " + plural(m.Shape.Links(), "link")}, m.Wires...)
	y := d.lines(x, "Network, as the first node sees it", about)
	away := distances(m.Shape)
	most := 1
	for _, n := range away {
		most = max(most, n)
	}
	for hops, n := range away {
		d.printf(`<rect class="distance" x="%g" y="%g" width="%.1f" height="12" fill="%s"/>`, x+70, y, 110*float64(n)/float64(most),
			TermColor(results.Transfer))
		d.text(x+12, y+10, "", plural(hops, "link"))
		d.text(x+186, y+10, "", plural(n, "node"))
		y += 18
	}
	return y
}

// distances counts the other nodes at each number of links from node 0.
func distances(shape topology.Topology) []int {
	away := make([]int, 1)
	for node := 1; node < shape.Nodes(); node++ {
		hops := shape.Hops(0, node)
		for len(away) <= hops {
			away = append(away, 0)
		}
		away[hops]++
	}
	return away
}

// plural writes a number and the noun that it counts.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") {
		what += "e"
	}
	return Count(n) + " " + what + "s"
}
