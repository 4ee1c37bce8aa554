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
	case a.Allocates != nil:
		return a.Allocates(g)
	case a.Of == Reduce || a.Of == ReduceScatter || a.Of == Allreduce:
		return g.Bytes
	}
	return 0
}

// Some algorithms allocate less than the vector: a block, or half of it, because no more comes in
// at first.
func oneBlock(g *Group) int64 { return g.block(0).Bytes }
func halfOf(g *Group) int64   { return g.Bytes / 2 }

// onCopy copies the vector before the first messages: reductions leave the caller's vector as it is
// and work on a copy. Open MPI, coll_base_allreduce.c and coll_base_reduce_scatter.c ("copy local
// buffer into the temporary results"); MPICH, allreduce_intra_reduce_scatter_allgather.c; libbine of
// pico, libbine_allreduce.c and libbine_reduce_scatter.c.
func onCopy(s Schedule) Schedule {
	return Schedule{s.Rounds, func(g *Group, round int, r *Round) {
		if round == 0 {
			inPlace(g, round, r)
		}
		s.Round(g, round, r)
	}}
}
