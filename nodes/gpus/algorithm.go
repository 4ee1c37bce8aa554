package gpus

// Algorithm is how an operation moves its bytes.
type Algorithm struct {
	Name       string
	operations []*Operation
	protocols  []*Protocol

	// Latencies of NCCL's tuning model (src/graph/tuning.cc, June 2026), by protocol, in us: what
	// is paid once, and hops within a domain, over PCIe and over the network. NCCL sets the latencies of
	// NVLS high to make it less attractive.
	base, near, overPCIe, far [3]float64

	cost     func(g *group, op *Operation, p *Protocol, bytes int64) parts
	estimate func(g *group, op *Operation, p *Protocol, bytes int64) float64 // NCCL's own estimate in seconds, by which it chooses
	messages func(s *schedule, op *Operation, p *Protocol, bytes int64)      // nil: it has no schedule
	crosses  func(op *Operation) *crossing                                   // how its bytes go from domain to domain
	lacks    func(g *group) string                                           // what a group lacks for the algorithm; "": nothing
	offers   func(g *group) bool                                             // whether NCCL considers it; nil: always
}

// The algorithms.
var (
	// Every GPU sends to the next one.
	Ring = &Algorithm{Name: "ring", operations: []*Operation{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce}, protocols: Protocols,
		base: [3]float64{6.6, 14, 8.4}, near: [3]float64{0.6, 1.9, 3.4}, overPCIe: [3]float64{1, 2.5, 5.7}, far: [3]float64{2.7, 4, 14}}
	// Double binary trees over domains, a chain within each.
	Tree = &Algorithm{Name: "tree", operations: []*Operation{AllReduce}, protocols: Protocols,
		base: [3]float64{6.8, 14, 8.4}, near: [3]float64{0.6, 1.25, 4}, overPCIe: [3]float64{1, 1.9, 4}, far: [3]float64{5, 8.5, 14}}
	// The switch multicasts and reduces.
	NVLS = &Algorithm{Name: "nvls", operations: []*Operation{AllReduce}, protocols: []*Protocol{Simple}, near: [3]float64{2: 25}}
	// NVLS within domains, trees between them.
	NVLSTree = &Algorithm{Name: "nvls-tree", operations: []*Operation{AllReduce}, protocols: []*Protocol{Simple},
		near: [3]float64{2: 25}, far: [3]float64{2: 20.9}}
	// All-to-all: each GPU sends to all others at the same time.
	Pairs = &Algorithm{Name: "pairs", operations: []*Operation{AllToAll, SendReceive}, protocols: []*Protocol{Simple},
		near: [3]float64{2: 3.4}, overPCIe: [3]float64{2: 5.7}, far: [3]float64{2: 14}}
	// All-to-all: first within the domain to the GPU of the rail, then over the network along
	// rails.
	Rails = &Algorithm{Name: "rails", operations: []*Operation{AllToAll}, protocols: []*Protocol{Simple},
		near: [3]float64{2: 3.4}, overPCIe: [3]float64{2: 5.7}, far: [3]float64{2: 14}}
)

// init joins the algorithms to their formulas, because the formulas name the algorithms.
func init() {
	oneDomain := func(g *group) bool { return g.domains == 1 }
	several := func(g *group) bool { return g.domains > 1 }
	anywhere := func(*group) string { return "" }
	Ring.cost, Ring.estimate, Ring.lacks = ringCost, ringEstimate, noRing
	Tree.cost, Tree.estimate, Tree.lacks = treeCost, treeEstimate, anywhere
	Tree.offers = func(g *group) bool { return g.domains > 1 || noRing(g) != "" }
	NVLS.cost, NVLS.estimate, NVLS.lacks, NVLS.offers = nvlsCost, nvlsEstimate, noSwitch, oneDomain
	NVLSTree.cost, NVLSTree.estimate, NVLSTree.lacks, NVLSTree.offers = nvlsTreeCost, nvlsEstimate, noSwitchTree, several
	Pairs.cost, Pairs.estimate, Pairs.lacks = pairsCost, pairsEstimate, anywhere
	Ring.crosses, Tree.crosses, NVLSTree.crosses, Rails.crosses = ringCrosses, always(&trees), always(&trees), always(&rails)
	Pairs.crosses, NVLS.crosses = pairsCrosses, always(nil)
	Ring.messages, NVLS.messages, Pairs.messages = ringMessages, switchMessages, pairsMessages
	Rails.cost, Rails.estimate, Rails.lacks, Rails.offers = railsCost, railsEstimate, noDomains, several
}

// Algorithms are all algorithms.
var Algorithms = []*Algorithm{Ring, Tree, NVLS, NVLSTree, Pairs, Rails}

func (a *Algorithm) String() string { return a.Name }

// Protocol is how GPUs tell each other that bytes have come.
type Protocol struct {
	Name  string
	index int // in the tables

	// touched is how many bytes a GPU moves in its memory for each one that comes: into the buffer of the channel and out of it,
	// flags included, and from or to the user's buffer ("at least 2x ... it can be 3x", NVIDIA/nccl issue 1428).
	touched float64
	wire    float64 // bytes that a NIC sends for each one, with flags
}

// The protocols.
var (
	LL     = &Protocol{"LL", 0, 2*2 + 1, 2}                      // a flag with every 4 bytes
	LL128  = &Protocol{"LL128", 1, 2*128.0/120 + 1, 128.0 / 120} // a flag with every 120 bytes
	Simple = &Protocol{"Simple", 2, 3, 1}                        // a flag with every chunk
)

// Protocols are all protocols.
var Protocols = []*Protocol{LL, LL128, Simple}

func (p *Protocol) String() string { return p.Name }
