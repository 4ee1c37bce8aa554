package gpus

// Algorithm is how an operation moves its bytes.
type Algorithm struct{ Name string }

// The algorithms.
var (
	Ring     = &Algorithm{"ring"}
	Tree     = &Algorithm{"tree"}      // double binary tree over nodes, chains inside them
	NVLS     = &Algorithm{"nvls"}      // the switch multicasts and reduces
	NVLSTree = &Algorithm{"nvls-tree"} // NVLS inside domains, trees between them
	Pairs    = &Algorithm{"pairs"}     // all-to-all: all to all at once
	Rails    = &Algorithm{"rails"}     // all-to-all: inside nodes to the GPU of the rail, then over the network
)

// Algorithms are all algorithms.
var Algorithms = []*Algorithm{Ring, Tree, NVLS, NVLSTree, Pairs, Rails}

func (a *Algorithm) String() string { return a.Name }

// Protocol is how GPUs tell each other that bytes have come.
type Protocol struct{ Name string }

// The protocols.
var (
	LL     = &Protocol{"LL"}     // a flag with every 4 bytes
	LL128  = &Protocol{"LL128"}  // a flag with every 120 bytes
	Simple = &Protocol{"Simple"} // a flag with every chunk
)

// Protocols are all protocols.
var Protocols = []*Protocol{LL, LL128, Simple}

func (p *Protocol) String() string { return p.Name }
