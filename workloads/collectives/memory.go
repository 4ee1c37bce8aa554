package collectives

// fresh is the size above which allocated memory comes from the system and is returned to it, so
// that every call touches it for the first time. It is the largest threshold of glibc's malloc
// (DEFAULT_MMAP_THRESHOLD_MAX of 64-bit systems).
const fresh = 32 << 20

// touch spends the time that the system takes for the pages of a call's temporary memory.
func (a *Algorithm) touch(g *Group, round int, do Caller) {
	if round > 0 || g.Touch == nil {
		return
	}
	if bytes := a.temporary(g); bytes > fresh {
		spend(g.Touch, bytes, do)
	}
}

// temporary is how many bytes a call of an algorithm allocates. By default, reductions keep what
// arrives, or the vector that they combine, separate from the caller's buffers (Open MPI,
// coll_base_reduce.c and its neighbours; MPICH does the same).
func (a *Algorithm) temporary(g *Group) int64 {
	switch {
	case a.allocates != nil:
		return a.allocates(g)
	case a.Of == Reduce || a.Of == ReduceScatter || a.Of == Allreduce:
		return g.Bytes
	}
	return 0
}

func init() {
	block := func(g *Group) int64 { return g.block(0).Bytes }
	AllreduceRing.allocates, AllreduceSegmentedRing.allocates = block, block
	for _, a := range []*Algorithm{AllreduceRabenseifner, AllreduceSwingBandwidth, AllreduceHierarchicalRabenseifner} {
		a.allocates = func(g *Group) int64 { return g.Bytes / 2 } // no more comes in, at first
	}
	AllgatherBruck.allocates = func(g *Group) int64 { return g.Bytes } // the blocks that it turns round
}
