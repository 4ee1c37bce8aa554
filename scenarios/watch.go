package scenarios

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// watch wraps a maker of fabrics so that after returns the loads of the links of its
// fabric; nil: the fabric has no links.
func watch(maker network.Maker) (watched network.Maker, after func(end sim.Time) (*network.Links, error)) {
	var fabric network.Contended
	var kernel *sim.Kernel
	watched = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		var err error
		fabric, err = maker(k, sink)
		kernel = k
		return fabric, err
	}
	return watched, func(end sim.Time) (*network.Links, error) {
		if fabric == nil { // the run has no links
			return nil, nil
		}
		l := fabric.Links()
		if l == nil {
			return nil, nil
		}
		l.Elapsed = max(end, kernel.Now())
		return l, l.Check()
	}
}
