package report

import (
	"fmt"
	"math"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/results"
)

// Sizes of the drawing of GPUs in px.
const (
	gpuRing   = 84.0 // radius
	gpuHigh   = 18.0
	gpuWide   = 44.0
	mostRound = 16 // more GPUs are a number
)

// gpus draws the GPUs of a node in a ring. A line joins each pair that has links, and is as
// wide as there are links; or a switch joins all.
func (d *sketch) gpus(m *Machine, y float64) float64 {
	if m.GPUs == nil {
		return y
	}
	for _, text := range append([]string{plural(m.GPUs.GPUs, "GPU")}, m.GPU...) {
		for _, line := range folded(text) {
			y += 16
			d.text(12, y-4, "", line)
		}
	}
	if m.GPUs.GPUs == 1 || m.GPUs.GPUs > mostRound {
		return y
	}
	r := ring{panel / 2, y + 16 + gpuRing + gpuHigh/2, m.GPUs.GPUs}
	for _, l := range m.GPUs.Links {
		d.joins(r, l)
	}
	if m.GPUs.Switch != nil {
		d.hub(r)
	}
	for i := range r.n {
		x, y := r.at(i)
		d.box("gpu", x, y, fmt.Sprintf("GPU %d", i))
	}
	return r.y + gpuRing + gpuHigh
}

// ring is where GPUs are drawn: around a point.
type ring struct {
	x, y float64
	n    int
}

func (r ring) at(i int) (x, y float64) {
	sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(r.n))
	return math.Round(r.x + (gpuRing+12)*sin), math.Round(r.y - gpuRing*cos)
}

// joins draws the links between two GPUs.
func (d *sketch) joins(r ring, l gpus.Link) {
	x, y := r.at(l.A)
	to, down := r.at(l.B)
	d.printf(`<path class="link" d="M%g,%g L%g,%g" stroke="%s" stroke-width="%d"/>`, x, y, to, down, TermColor(results.Transfer), 2*l.Count-1)
}

// hub draws a switch with its links.
func (d *sketch) hub(r ring) {
	for i := range r.n {
		x, y := r.at(i)
		d.printf(`<path class="link" d="M%g,%g L%g,%g" stroke="%s"/>`, r.x, r.y, x, y, TermColor(results.Transfer))
	}
	d.box("switch", r.x, r.y, "switch")
}

// box writes a name in a box around a point.
func (d *sketch) box(class string, x, y float64, name string) {
	d.printf(`<rect class="%s" x="%g" y="%g" width="%g" height="%g" rx="3" fill="Canvas" stroke="%s"/>`, class, x-gpuWide/2, y-gpuHigh/2,
		gpuWide, gpuHigh, TermColor(results.Compute))
	d.text(x, y+4, ` text-anchor="middle"`, name)
}
