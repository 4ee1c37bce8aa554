package gpus

// Generation is a family of GPUs, as NCCL's tables tell them apart.
type Generation struct{ Name string }

// The generations.
var (
	Volta     = &Generation{"volta"}
	Ampere    = &Generation{"ampere"}
	Hopper    = &Generation{"hopper"}
	Blackwell = &Generation{"blackwell"}
	CDNA3     = &Generation{"cdna3"}
)

// Generations are all generations.
var Generations = []*Generation{Volta, Ampere, Hopper, Blackwell, CDNA3}

func (g *Generation) String() string { return g.Name }
