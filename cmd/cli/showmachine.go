package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// drawMachine writes a page with a drawing of a machine, and its numbers.
func drawMachine(c *call, name string, to output) error {
	m, err := files.LoadMachine(name)
	if err != nil {
		return err
	}
	if err := to.check("show", "--html"); err != nil {
		return err
	}
	p, err := machinePage(m)
	if err != nil {
		return err
	}
	if err := to.write(func(w io.Writer) error { return report.Write(w, p) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "Report: %s\n", to)
	return err
}

// machinePage draws a machine as its file describes it.
func machinePage(m *files.Machine) (*report.Page, error) {
	shape, err := m.Shape()
	if err != nil {
		return nil, err
	}
	d := &report.Machine{Cores: m.Cores, Processes: m.Processes, Shape: shape, Sockets: 1, NICs: m.Rails(),
		NIC: statedFor(m.Facts, "runtime.name", "network.bandwidth", "network.gap_per_byte", "network.channels", "network.latency",
			"network.send_overhead", "network.receive_overhead", "network.rendezvous_threshold",
			"intra_node.latency", "intra_node.per_byte", "intra_node.across.latency", "intra_node.across.per_byte", "nics.use", "nics.routers",
			"nics.far"),
		Wires: statedFor(m.Facts, "links.bandwidth", "links.latency", "links.injection", "links.ejection")}
	if m.Sockets != nil {
		d.Sockets = m.Sockets.Number
	}
	if s := m.Sharing; s != nil && s.Bandwidth > 0 {
		d.PerMemory, d.Memory = s.PerMemory, strings.Join(statedFor(m.Facts, "memory.bandwidth"), "")
	}
	if g := m.GPUs; g != nil {
		d.GPUs, d.GPU = &g.Node, statedFor(m.Facts, "gpu.title", "gpu.link_bandwidth", "gpu.switch.bandwidth", "gpu.switch.reduces", "gpu.domain",
			"gpu.pcie.bandwidth", "gpu.pcie.gpus", "gpu.nics.bandwidth")
	}
	table := &report.Table{Head: []string{"Parameter", "Value", "Origin", "Source"}, Words: slices.Repeat([]bool{true}, 4)}
	for _, f := range stated(m.Facts) {
		table.Rows = append(table.Rows, []report.Cell{{Text: f.Path}, {Text: f.Value}, {Text: orDash(f.Origin)}, {Text: orDash(f.Source)}})
	}
	return &report.Page{Title: m.Name, Lead: m.Title, Sections: []report.Section{
		{Title: "The machine as described", Note: described(m.Machine), Picture: d.Picture()},
		{Title: "Its numbers", Table: table},
	}}, nil
}

// described says what the drawing shows of a machine with as many nodes as are asked for.
func described(m *machines.Machine) string {
	if m.Nodes == 0 {
		return "The machine has as many nodes as a run asks for; the network is drawn with as many as its topology gives, or with one."
	}
	return ""
}

// statedFor returns the values that a file states for some paths, a line each.
func statedFor(facts []keys.Fact, paths ...string) (lines []string) {
	for _, path := range paths {
		for _, f := range facts {
			if f.Path == path || strings.HasPrefix(f.Path, path+"[") {
				lines = append(lines, f.Path+" "+f.Value)
			}
		}
	}
	return lines
}
