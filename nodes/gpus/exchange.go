package gpus

import (
	"fmt"
	"math"

	"overlapsim/sim"
)

// Exchange moves the tokens of each GPU to the GPUs that have their experts (dispatch), or moves
// their results back (combine). The experts are spread evenly over the group, and each set of
// experts is equally likely.
type Exchange struct {
	Tokens  float64 // tokens of a GPU
	Bytes   float64 // bytes of a token in transit
	Experts int     // experts of all GPUs together
	TopK    int     // experts to which a token goes
	Domains int     // most domains to which a token may go; 0: no limit
	Stages  *Stages
	SMs     int // SMs that the kernel occupies; it moves what they can move
}

// Stages is a way of sending tokens.
type Stages struct {
	Name     string
	together bool // tokens for a domain cross the network once, to the GPU on the same rail, and continue over links
	crosses  *crossing
}

// The two ways of sending tokens are DeepEP's.
var (
	// A token crosses the network once for each domain, and a link once for each GPU of it.
	TwoStage = &Stages{"two-stage", true, &rails}
	// A token goes straight to each of its experts. The kernel holds no SMs while it waits.
	Direct = &Stages{"direct", false, &among}
)

// AllStages are all ways of sending tokens.
var AllStages = []*Stages{TwoStage, Direct}

func (s *Stages) String() string { return s.Name }

// Exchanges are the speeds that kernels reach when they exchange tokens.
type Exchanges struct {
	Rows    string   // rows to which it was fitted
	Links   float64  // fraction of the switch's bandwidth; 0: exchanges are not known
	Network float64  // fraction of the NICs' bandwidth
	Start   sim.Time // of the kernel with two stages
	Direct  sim.Time // of the kernel with one stage
}

// Volume is what a GPU sends in an exchange, in bytes. It includes tokens for the GPU itself,
// because the kernel copies them too.
type Volume struct {
	Links   float64 // over links of its domain
	Network float64 // over NICs, without what stays in its domain
	Domains float64 // of tokens, once for each domain they go to, their own included: benchmarks count this for the network
}

// MostExperts is the largest number of experts.
const MostExperts = 1 << 16

// mustBeEven explains why an exchange has no time.
const mustBeEven = "an exchange needs as many GPUs in each domain; there are %d in %d domains"

// Exchange returns the time of an exchange whose members arrive at once, and what each GPU sends.
func (c *Communicator) Exchange(x *Exchange) (Cost, Volume, error) {
	g, err := c.group()
	if err != nil {
		return Cost{}, Volume{}, err
	}
	fit := &c.Machine.Exchanges
	switch {
	case fit.Links == 0:
		return Cost{}, Volume{}, fmt.Errorf("how fast tokens are exchanged is not known; give machine.gpu_exchange")
	case g.node.Switch == nil:
		return Cost{}, Volume{}, fmt.Errorf("an exchange needs a switch between the GPUs of a domain (gpu.switch)")
	case g.n != g.domains*g.per:
		return Cost{}, Volume{}, fmt.Errorf(mustBeEven, g.n, g.domains)
	case x.Experts > MostExperts:
		return Cost{}, Volume{}, &ChoiceError{"experts", fmt.Sprintf("must be at most %d, got %d", MostExperts, x.Experts)}
	case x.Experts%g.n != 0:
		return Cost{}, Volume{}, &ChoiceError{"experts",
			fmt.Sprintf("%d experts are not a multiple of the %d GPUs that share them", x.Experts, g.n)}
	case x.TopK < 1 || x.TopK > x.reach(g):
		return Cost{}, Volume{}, &ChoiceError{"top_k",
			fmt.Sprintf("must be 1 to %d, the experts that a token may go to; got %d", x.reach(g), x.TopK)}
	}
	v := x.volume(g)
	all := Cost{Egress: v.Links, Network: v.Network * float64(g.per), Memory: (1 + Simple.touched) * (v.Links + v.Network)}
	all.Start = fit.Direct
	if x.Stages.together {
		all.Start, all.Channels = fit.Start, x.SMs
	}
	transfer := v.Links / x.port(g, fit)
	if g.domains > 1 {
		transfer = max(transfer, all.Network/(g.network*fit.Network))
		all.crosses = x.Stages.crosses
	}
	all.Transfer = picoseconds(transfer)
	return c.Free.of(all), v, nil
}

// port is the bandwidth of the kernel over the links of a GPU. Each of its SMs moves at most as
// much as a channel of NCCL.
func (x *Exchange) port(g *group, fit *Exchanges) float64 {
	links := fit.Links * g.node.Switch.Bandwidth
	if x.Stages.together && x.SMs > 0 {
		return min(links, float64(x.SMs)*g.generation.ringLL128)
	}
	return links
}

// allowed is the number of domains to which a token may go.
func (x *Exchange) allowed(g *group) int {
	if x.Domains > 0 {
		return min(x.Domains, g.domains)
	}
	return g.domains
}

// reach is the number of experts in these domains.
func (x *Exchange) reach(g *group) int { return x.Experts / g.domains * x.allowed(g) }

// volume counts tokens. With two stages a token goes to each domain once.
func (x *Exchange) volume(g *group) Volume {
	sent, k := x.Tokens*x.Bytes, float64(x.TopK)
	others := float64(g.domains-1) / float64(g.domains)
	if !x.Stages.together {
		return Volume{Links: sent * k * (1 - others), Network: sent * k * others, Domains: sent * k}
	}
	domains := hit(x.allowed(g), x.Experts/g.domains, x.TopK)
	gpus := hit(x.allowed(g)*g.per, x.Experts/g.n, x.TopK)
	return Volume{Links: sent * gpus, Network: sent * domains * others, Domains: sent * domains}
}

// hit is the mean number of bins that k different items lie in, out of n bins of size b: n (1 -
// C(nb-b, k) / C(nb, k)).
func hit(bins, each, k int) float64 {
	missed := 1.0
	for i := range k {
		missed *= math.Max(0, float64(bins*each-each-i)) / float64(bins*each-i)
	}
	return float64(bins) * (1 - missed)
}

// TokenBytes is the size of a token of the given width in transit. In 8 bits it has a scale of 4
// bytes for every 128 numbers.
func TokenBytes(hidden float64, p Precision) float64 {
	if p == FP8 {
		return hidden * (1 + 4.0/128)
	}
	return 2 * hidden
}
