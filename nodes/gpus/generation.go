package gpus

import (
	"math"
	"slices"
)

// Generation is a family of GPUs, with what NCCL's tuning model knows about it. Bandwidths are in
// bytes per second. Those by number of domains are for one, two, and three or more.
//
// Source: NVIDIA/nccl, src/graph/tuning.cc, topo.h and search.cc, state of June 2026.
type Generation struct {
	Name string

	low        [3]float64 // LL: bus bandwidth of all channels, one domain
	ringLL128  float64    // of a channel
	treeLL128  [3]float64 // of a channel
	treeSimple [3]float64 // of a channel
	speeds     []float64  // of a channel within a domain: the speeds that NCCL's search tries
	inSwitch   float64    // efficiency of NVLS; 0: it has none
	inTree     [3]float64 // of a channel of NVLS and trees
	factor     float64    // factor on the latency of Simple rings over the network
}

func gb(all ...float64) []float64 {
	for i := range all {
		all[i] *= 1e9
	}
	return all
}

func three(a, b, c float64) [3]float64 { return [3]float64{a * 1e9, b * 1e9, c * 1e9} }

var beforeHopper = gb(40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3)

// The generations.
var (
	Volta = &Generation{Name: "volta", low: three(39, 39, 20.4), ringLL128: 20e9, treeLL128: three(20, 20, 20),
		treeSimple: three(26.5, 18.5, 10), speeds: beforeHopper, inTree: three(26.5, 18.5, 10), factor: 1.9}
	Ampere = &Generation{Name: "ampere", low: three(87.7, 22.5, 19), ringLL128: 20e9, treeLL128: three(20, 20, 20),
		treeSimple: three(24, 23.6, 17.8), speeds: beforeHopper, inTree: three(24, 23.6, 17.8), factor: 1.4}
	Hopper = &Generation{Name: "hopper", low: three(141, 45, 35), ringLL128: 36.7e9, treeLL128: three(36.7, 36.7, 29),
		treeSimple: three(38.7, 41.4, 36), speeds: gb(60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3), inSwitch: 0.85,
		inTree: three(0, 57.7, 45.5), factor: 1.4}
	Blackwell = &Generation{Name: "blackwell", low: three(282, 90, 70), ringLL128: 40e9, treeLL128: three(55.6, 31.67, 20),
		treeSimple: three(70, 42.8, 24), speeds: gb(90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18), inSwitch: 0.74,
		inTree: three(0, 96, 80), factor: 1.4}
	CDNA3 = like(Ampere, "cdna3") // another maker; nothing found
)

// like returns a generation with the numbers of another generation.
func like(g *Generation, name string) *Generation {
	other := *g
	other.Name = name
	return &other
}

// Generations are all generations.
var Generations = []*Generation{Volta, Ampere, Hopper, Blackwell, CDNA3}

func (g *Generation) String() string { return g.Name }

// lowOver is the highest bandwidth of LL over several domains. It depends on the host's
// processor.
func (g *Generation) lowOver(domains int, amd bool) float64 {
	switch {
	case domains == 1:
		return g.low[0]
	case amd:
		return Ampere.low[column(domains)]
	}
	return Volta.low[column(domains)]
}

// column returns the column of a table by number of domains.
func column(domains int) int { return min(domains, 3) - 1 }

// searched returns the highest bandwidth below a total that a search over speeds finds for rings.
func (g *Generation) searched(total float64) (found float64) {
	for _, s := range g.speeds {
		found = max(found, s*math.Floor(total/s))
	}
	return found
}

// Slowest is the least bandwidth of a GPU's links into a switch at which the search finds a ring, in bytes per second.
func (g *Generation) Slowest() float64 { return slices.Min(g.speeds) }
