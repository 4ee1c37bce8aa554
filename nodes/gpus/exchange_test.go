package gpus

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overlapsim/sim"
)

// exchanger is a machine of nodes of 8 GPUs with round numbers.
func exchanger() *Machine {
	m := &Machine{GPU: GPU{Generation: Hopper, SMs: 132}}
	m.Node = Node{GPUs: 8, Domain: 8, Switch: &Switch{Bandwidth: 200e9}}
	for i := range 8 {
		m.Node.NICs = append(m.Node.NICs, NIC{GPU: i, Rail: i, Bandwidth: 50e9})
	}
	m.Exchanges = Exchanges{Links: 0.8, Network: 0.9, Start: 40 * sim.Microsecond, Direct: 30 * sim.Microsecond}
	return m
}

// Volumes are the volumes of tokens that are sent one by one, to experts drawn at random, once to each
// domain and each GPU.
func TestVolumeIsThatOfDrawnTokens(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ gpus, experts, k, domains int }{{8, 64, 8, 0}, {16, 256, 8, 4}, {32, 64, 4, 2}, {64, 256, 8, 4}, {24, 24, 6, 0}} {
		const tokens = 40000
		x := &Exchange{Tokens: 1, Bytes: 1, Experts: c.experts, TopK: c.k, Domains: c.domains, Stages: TwoStage}
		_, v, err := First(exchanger(), c.gpus, 8).Exchange(x)
		if err != nil {
			t.Fatal(err)
		}
		var links, far, all float64
		for range tokens {
			hosts, gpus := drawn(random, c.gpus, c.experts, c.k, c.domains)
			links, all = links+float64(len(gpus)), all+float64(len(hosts))
			far += float64(len(hosts))
			if hosts[0] { // the sender's own
				far--
			}
		}
		for what, pair := range map[string][2]float64{"links": {v.Links, links}, "network": {v.Network, far}, "domains": {v.Domains, all}} {
			if got, want := pair[0], pair[1]/tokens; math.Abs(got/want-1) > 0.01 && math.Abs(got-want) > 0.01 {
				t.Errorf("%+v: %s %.4f, drawn %.4f", c, what, got, want)
			}
		}
	}
}

// drawn returns the domains and the GPUs of the experts of a token: domains are drawn first, then experts in them.
func drawn(random *rand.Rand, gpus, experts, k, most int) (hosts, on map[int]bool) {
	domains := (gpus + 7) / 8
	if most == 0 || most > domains {
		most = domains
	}
	allowed := random.Perm(domains)[:most]
	each := experts / domains
	hosts, on = map[int]bool{}, map[int]bool{}
	for _, i := range random.Perm(most * each)[:k] {
		host := allowed[i/each]
		hosts[host] = true
		on[host*8+i%each/(experts/gpus)] = true
	}
	return hosts, on
}

// The slower of links and NICs determines the time, in addition to the start; few SMs move less than the
// links.
func TestExchangeWaitsForTheSlowerPart(t *testing.T) {
	x := &Exchange{Tokens: 4096, Bytes: 7392, Experts: 256, TopK: 8, Domains: 4, Stages: TwoStage, SMs: 24}
	sent := x.Tokens * x.Bytes
	time := func(gpus int) float64 {
		c, _, err := First(exchanger(), gpus, 8).Exchange(x)
		if err != nil {
			t.Fatal(err)
		}
		return c.Total().Seconds()
	}
	_, v, _ := First(exchanger(), 8, 8).Exchange(x)
	for gpus, want := range map[int]float64{8: 40e-6 + v.Links/160e9, 64: 40e-6 + sent*hit(4, 32, 8)*7/8/45e9} {
		if got := time(gpus); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%d GPUs: %g s, want %g", gpus, got, want)
		}
	}
	x.SMs = 2
	if got, want := time(8), 40e-6+v.Links/(2*36.7e9); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("2 SMs: %g s, want %g", got, want)
	}
	x.Stages = Direct
	if got, want := time(16), 30e-6+sent*8/2/45e9; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("direct: %g s, want %g", got, want)
	}
}

// Errors name impossible exchanges.
func TestExchangeMistakes(t *testing.T) {
	for want, change := range map[string]func(m *Machine, x *Exchange) int{
		"give machine.gpu_exchange":                        func(m *Machine, _ *Exchange) int { m.Exchanges = Exchanges{}; return 8 },
		"an exchange needs a switch":                       func(m *Machine, _ *Exchange) int { m.Node.Switch = nil; m.Node.PCIe.Bandwidth = 1; return 8 },
		"as many GPUs in each domain; there are 12 in 2":   func(*Machine, *Exchange) int { return 12 },
		"experts: 36 experts are not a multiple of the 8":  func(_ *Machine, x *Exchange) int { x.Experts = 36; return 8 },
		"top_k: must be 1 to 32, the experts that a token": func(_ *Machine, x *Exchange) int { x.TopK = 33; return 8 },
		"experts: must be at most 65536, got 65544":        func(_ *Machine, x *Exchange) int { x.Experts = 65544; return 8 },
		"top_k: must be 1 to 8, the experts":               func(_ *Machine, x *Exchange) int { x.TopK, x.Domains = 9, 1; return 32 },
	} {
		m, x := exchanger(), &Exchange{Tokens: 1, Bytes: 1, Experts: 32, TopK: 2, Stages: TwoStage}
		if _, _, err := First(m, change(m, x), 8).Exchange(x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
