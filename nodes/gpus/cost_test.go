package gpus

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// box is a node of eight GPUs at a switch, with a NIC for each.
func box() *Machine {
	m := &Machine{
		GPU:  GPU{Generation: Hopper, SMs: 132},
		Node: Node{GPUs: 8, Domain: 8, Switch: &Switch{Bandwidth: 450e9, Reduces: true}},
		Fit: Calibration{Start: 20 * sim.Microsecond, Step: 5 * sim.Microsecond, Ring: 380e9, Channels: 24, Low: 1, InSwitch: 315e9,
			SwitchStart: 20 * sim.Microsecond, SwitchStep: 60 * sim.Microsecond, SwitchBlocks: 16, Network: 0.965, Far: 1.6},
	}
	for g := range 8 {
		m.Node.NICs = append(m.Node.NICs, NIC{g, g, 50e9})
	}
	return m
}

func timeOf(t *testing.T, c *Communicator, op *Operation, bytes int64) Cost {
	t.Helper()
	return must.Get(c.Time(op, bytes))(t)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got/want-1) > within {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// The bus bandwidth of a large ring is W, less half a chunk for each round of 2(n-1) chunks; the
// bytes per time of NVLS are W n/(n+1), less a quarter for each round of n.
func TestPlateaus(t *testing.T) {
	const bytes = 1 << 40
	for n := 2; n <= 8; n++ {
		c := First(box(), n, 8)
		c.Algorithm, c.Protocol = Ring, Simple
		cost := timeOf(t, c, AllReduce, bytes)
		near(t, "ring", bytes*AllReduce.Bus(n)/cost.Total().Seconds(), 380e9/(1+1/(4*float64(n-1))), 1e-3)
		c.Algorithm = NVLS
		cost = timeOf(t, c, AllReduce, bytes)
		near(t, "nvls", bytes/cost.Total().Seconds(), 315e9*float64(n)/float64(n+1)/(1+1/(4*float64(n))), 1e-3)
	}
}

// The steps of NVLS take as long for each GPU of the domain: with fits of 72 GPUs, 8 take a ninth of them. Groups of less than half as many
// GPUs as were measured, or of more than twice as many, are said to be beyond the fit.
func TestStepsOfSwitch(t *testing.T) {
	m := box()
	m.Node.Domain, m.Fit.SwitchStep, m.Fit.SwitchGPUs = 144, 720*sim.Microsecond, 72
	for n, beyond := range map[int]bool{8: true, 35: true, 36: false, 72: false, 144: false} {
		c := First(m, n, 8)
		c.Algorithm = NVLS
		cost := timeOf(t, c, AllReduce, 1<<40)
		if want := sim.Time(n) * 10 * sim.Microsecond; cost.Latency != want || (cost.Beyond != "") != beyond {
			t.Errorf("%d GPUs: %v, want %v; %q", n, cost.Latency, want, cost.Beyond)
		}
	}
}

// A time never falls with the bytes, for each algorithm and protocol.
func TestMoreBytesTakeLonger(t *testing.T) {
	for _, gpus := range []int{8, 16, 32} {
		for _, op := range Operations {
			for _, a := range of(op) {
				for _, p := range a.protocols {
					c := First(box(), gpus, 8)
					c.Algorithm, c.Protocol = a, p
					last := sim.Time(0)
					for b := int64(1); b < 1<<36; b = b*5/3 + 1 {
						cost, err := c.Time(op, b)
						if err != nil {
							break
						}
						if cost.Total() < last {
							t.Errorf("%d GPUs, %s %s %s: %d bytes take %v, less than fewer", gpus, op, a, p, b, cost.Total())
						}
						last = cost.Total()
					}
				}
			}
		}
	}
}

// With tensor parallelism 4 in hosts of 8, a data-parallel group has two NICs of each host, and
// moves twice the bytes per time of a group with one member in each.
func TestNICsOfAGroup(t *testing.T) {
	m := box()
	pairs := &Communicator{Machine: m, Members: []int{0, 4, 8, 12, 16, 20, 24, 28}}
	nics, bandwidth := pairs.NICs()
	if domains, members := pairs.Domains(); domains != 4 || members != 2 || nics != 2 || bandwidth != 100e9 {
		t.Errorf("%d domains of %d members, %d NICs of %g B/s; want 4, 2, 2, 1e11", domains, members, nics, bandwidth)
	}
	const bytes = 1 << 36
	pairs.Algorithm, pairs.Protocol = Ring, Simple
	near(t, "bus bandwidth", bytes*AllReduce.Bus(8)/timeOf(t, pairs, AllReduce, bytes).Total().Seconds(), 0.965*100e9, 1e-2)
	single := &Communicator{Machine: m, Members: []int{0, 8, 16, 24}, Algorithm: Ring, Protocol: Simple}
	near(t, "bus bandwidth", bytes*AllReduce.Bus(4)/timeOf(t, single, AllReduce, bytes).Total().Seconds(), 0.965*50e9, 1e-2)
}

// The members, domains and NICs of random groups in any order, counted one by one. A large group takes no more memory than a small one:
// loading a scenario of a million GPUs asks for its cost many times.
func TestLargeGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		m := box()
		m.Node.Domain = 8 * (1 + random.IntN(3))
		m.Node.NICs = m.Node.NICs[:1+random.IntN(8)]
		c := &Communicator{Machine: m, Members: random.Perm(100)[:1+random.IntN(60)]}
		members, nics := map[int]int{}, map[int]map[int]bool{}
		for _, g := range c.Members {
			d := g / m.Node.Domain
			if nics[d] == nil {
				nics[d] = map[int]bool{}
			}
			members[d]++
			nics[d][g/8*8+m.Node.NICOf(g%8)] = true
		}
		most, least := slices.Max(slices.Collect(maps.Values(members))), 100
		for _, of := range nics {
			least = min(least, len(of))
		}
		domains, per := c.Domains()
		if n, bandwidth := c.NICs(); domains != len(members) || per != most || n != least || bandwidth != float64(least)*50e9 {
			t.Fatalf("%v in domains of %d, %d NICs: %d domains of %d, %d NICs of %g", c.Members, m.Node.Domain, len(m.Node.NICs), domains, per, n,
				bandwidth)
		}
	}
	allocated := func(members int) float64 {
		c := First(box(), members, 8)
		return testing.AllocsPerRun(5, func() { timeOf(t, c, AllGather, 1<<20) })
	}
	if few, many := allocated(64), allocated(64000); many > few {
		t.Errorf("the cost of a group of 64 GPUs allocates %g times, of 64,000 GPUs %g times", few, many)
	}
}

// A domain may be larger than a host: its GPUs need no NICs.
func TestDomainOfNineHosts(t *testing.T) {
	m := box()
	m.Node.Domain, m.Node.NICs = 72, nil
	cost := timeOf(t, First(m, 72, 8), AllReduce, 1<<30)
	if cost.Algorithm != NVLS || cost.Network != 0 {
		t.Errorf("%s, %g bytes over the network; want nvls and none", cost.Algorithm, cost.Network)
	}
	if _, err := First(m, 73, 8).Time(AllReduce, 1); err == nil {
		t.Error("a group in two domains needs NICs")
	}
}

// An error names what does not fit, and what would.
func TestChoicesThatDoNotFit(t *testing.T) {
	mesh := box()
	mesh.Node.Switch, mesh.Node.Links = nil, cubeMesh()
	for _, c := range []struct {
		m         *Machine
		gpus      int
		op        *Operation
		algorithm *Algorithm
		protocol  *Protocol
		want      string
	}{
		{box(), 8, AllGather, NVLS, nil, "algorithm: all-gather has no algorithm nvls; use auto or one of ring"},
		{box(), 8, AllReduce, NVLS, LL, "protocol: nvls has no protocol LL; use auto or one of Simple"},
		{box(), 16, AllReduce, NVLS, nil, "algorithm: nvls is for one domain; between several there is nvls-tree"},
		{box(), 8, AllReduce, NVLSTree, nil, "algorithm: nvls-tree is for groups in several domains"},
		{box(), 8, AllToAll, Rails, nil, "algorithm: rails is for groups in several domains"},
		{box(), 8, AllToAll, nil, LL, "protocol: no algorithm of all-to-all here has protocol LL"},
		{mesh, 5, AllReduce, Ring, nil, "algorithm: ring needs a cycle of links through all GPUs of the group; there are only chains"},
		{mesh, 4, AllReduce, NVLS, nil, "algorithm: nvls needs a switch that multicasts and reduces (gpu.switch.reduces), and its bandwidth " +
			"(gpu_calibration.in_switch)"},
	} {
		g := First(c.m, c.gpus, 8)
		g.Algorithm, g.Protocol = c.algorithm, c.protocol
		if _, err := g.Time(c.op, 1<<20); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Few channels do not fill the links of a switch: an all-reduce of 1 GiB by 4 of Ampere moves at most 96
// GB/s. With the usual number the bound does not act.
func TestFewChannels(t *testing.T) {
	m := &Machine{GPU: GPU{Generation: Ampere, SMs: 108}, Node: Node{GPUs: 8, Domain: 8, Switch: &Switch{Bandwidth: 300e9, Links: 12}},
		Fit: Calibration{Ring: 240e9, Channels: 24, Low: 1, Far: 1}}
	at := func(channels int) float64 {
		c := First(m, 8, 8)
		c.Channels, c.Algorithm, c.Protocol = channels, Ring, Simple
		cost := must.Get(c.Time(AllReduce, 1<<30))(t)
		return (1 << 30) * AllReduce.Bus(8) / cost.Transfer.Seconds() / 1e9
	}
	for channels, want := range map[int]float64{4: 96, 8: 192, 10: 240, 24: 240, 0: 240} {
		if got := at(channels); math.Abs(got-want) > 0.01 {
			t.Errorf("%d channels move %.2f GB/s, want %g", channels, got, want)
		}
	}
}
