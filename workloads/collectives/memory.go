package collectives

// fresh is the size above which memory that is allocated comes from the system and goes back
// to it, so that every call touches it for the first time: the largest threshold of glibc's
// malloc (DEFAULT_MMAP_THRESHOLD_MAX of 64-bit systems).
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

// temporary is how many bytes a call of an algorithm allocates: reductions to some members
// keep the vector that they combine apart from the caller's buffers.
func (a *Algorithm) temporary(g *Group) int64 {
	if a.Of == Reduce || a.Of == ReduceScatter {
		return g.Bytes
	}
	return 0
}
