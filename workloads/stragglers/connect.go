package stragglers

import "slices"

// slack is by how much clocks of workers may differ, in seconds.
const slack = 5e-5

// connect finds what waits for what, and what is done together.
func (j *job) connect() {
	parallel := j.ranks > 1 || slices.ContainsFunc(j.ops, func(o *operation) bool { return o.kind == gather || o.kind == scatter })
	overlapped := slices.ContainsFunc(j.ops, func(o *operation) bool { return o.kind == separate })
	valid := map[id]int{} // the k-th transfer that takes place, of a kind and a stage
	for stage := range j.stages {
		j.pipeline(stage, valid)
		computing := j.of(stage, forward, backward)
		j.chain(computing...)
		for kind := range transfers {
			j.chain(j.of(stage, kind)...)
		}
		j.firstBackward(stage, computing)
		if parallel {
			j.chain(j.of(stage, gather, scatter)...)
			j.parameters(stage, computing)
		}
		if parallel && overlapped {
			j.gradients(stage, computing)
		}
		j.ending(stage, computing, parallel, overlapped)
	}
	j.pair(valid)
	j.together(parallel)
}

// wait lets an operation wait for another one. There may be neither.
func (j *job) wait(op, other int) {
	if op >= 0 && other >= 0 && !slices.Contains(j.ops[op].after, other) {
		j.ops[op].after = append(j.ops[op].after, other)
	}
}

// chain lets operations follow each other. Those below 0 are omitted.
func (j *job) chain(ops ...int) {
	before := -1
	for _, op := range ops {
		if op >= 0 {
			j.wait(op, before)
			before = op
		}
	}
}

// pipeline joins the transfers of a stage with its computation. Of a kind with as many transfers as
// computations the k-th is for the k-th. A profiler may record some that do not take place: at the
// ends of a step, and at the ends of the model.
func (j *job) pipeline(stage int, valid map[id]int) {
	for kind, t := range transfers {
		computing := j.of(stage, t.of)
		lastStart, firstEnd := j.bounds(computing)
		var real []int
		for _, i := range j.of(stage, kind) {
			o := j.ops[i]
			if t.sends && o.end >= firstEnd-slack || !t.sends && o.start <= lastStart+slack {
				real = append(real, i)
			} else {
				j.alone(i)
			}
		}
		number := 0
		if !t.sends && len(real)+1 == len(computing) {
			number = 1 // the first one is missing
		}
		for _, i := range real {
			compute := j.find(t.of, stage, number)
			number++
			if compute < 0 {
				j.alone(i)
				continue
			}
			if t.sends {
				j.wait(i, compute)
			} else {
				j.wait(compute, i)
				j.wait(i, j.find(t.of, stage, j.ops[compute].seq-1))
			}
			if peer := j.ops[compute].global + t.side; peer < 0 || peer >= j.chunks*j.stages {
				j.alone(i)
				continue
			}
			key := id{kind, stage, 0}
			for valid[key] != 0 {
				key.seq++
			}
			valid[key] = i + 1
		}
	}
}

// bounds are the last start and the first end of operations.
func (j *job) bounds(ops []int) (lastStart, firstEnd float64) {
	for n, i := range ops {
		o := j.ops[i]
		if n == 0 || o.start > lastStart {
			lastStart = o.start
		}
		if n == 0 || o.end < firstEnd {
			firstEnd = o.end
		}
	}
	return lastStart, firstEnd
}

// alone makes a group of one operation.
func (j *job) alone(op int) { j.join(op) }

// join makes a group.
func (j *job) join(ops ...int) {
	ops = slices.DeleteFunc(ops, func(op int) bool { return op < 0 })
	if len(ops) == 0 {
		return
	}
	for _, op := range ops {
		j.ops[op].group = len(j.groups)
	}
	j.groups = append(j.groups, ops)
}

// pair joins the k-th send of a stage and the k-th receive of its neighbour.
func (j *job) pair(valid map[id]int) {
	for i, o := range j.ops {
		t, ok := transfers[o.kind]
		if !ok || o.group >= 0 {
			continue
		}
		k := 0
		for valid[id{o.kind, o.stage, k}] != i+1 {
			k++
		}
		peer := id{t.peer, (o.stage + t.side + j.stages) % j.stages, k}
		j.join(i, valid[peer]-1)
	}
}

// firstBackward lets the first transfers of the backward pass wait for the computation before the
// last forward one ahead of it.
func (j *job) firstBackward(stage int, computing []int) {
	first := slices.IndexFunc(computing, func(i int) bool { return j.ops[i].kind == backward })
	if first < 2 {
		return
	}
	for _, kind := range []string{"backward-recv", "backward-send"} {
		j.wait(j.find(kind, stage, 0), computing[first-2])
	}
}

// parameters lets the first forward computation of each chunk wait for the last collective that
// gathers the chunk's parameters.
func (j *job) parameters(stage int, computing []int) {
	last := map[int]int{} // by chunk
	for _, i := range j.of(stage, gather) {
		if before, ok := last[j.ops[i].chunk]; !ok || j.ops[i].seq > j.ops[before].seq {
			last[j.ops[i].chunk] = i
		}
	}
	for chunk, i := range last {
		n := slices.IndexFunc(computing, func(c int) bool { return j.ops[c].kind == forward && j.ops[c].chunk == chunk })
		if n >= 0 {
			j.wait(computing[n], i)
		}
	}
}

// gradients lets the first reduction of each chunk wait for the chunk's last backward computation.
func (j *job) gradients(stage int, computing []int) {
	first := map[int]int{} // by chunk
	for _, i := range j.of(stage, scatter) {
		if before, ok := first[j.ops[i].chunk]; !ok || j.ops[i].seq < j.ops[before].seq {
			first[j.ops[i].chunk] = i
		}
	}
	for chunk, i := range first {
		last := -1
		for _, c := range computing {
			if o := j.ops[c]; o.kind == backward && o.chunk == chunk && (last < 0 || o.end > j.ops[last].end) {
				last = c
			}
		}
		j.wait(i, last)
	}
}

// ending is what comes after the last computation.
func (j *job) ending(stage int, computing []int, parallel, overlapped bool) {
	last := -1
	for _, c := range computing {
		if last < 0 || j.ops[c].end > j.ops[last].end {
			last = c
		}
	}
	one := func(kind string) int { return j.find(kind, stage, 0) }
	collected := one(collect)
	if j.wait(collected, last); collected < 0 {
		collected = last
	}
	chain := []int{collected, one(norms)}
	if stage == 0 || stage == j.stages-1 {
		chain = append(chain, one(embedding))
	}
	reductions := j.of(stage, scatter)
	slices.SortStableFunc(reductions, func(a, b int) int { return j.ops[a].seq - j.ops[b].seq })
	switch {
	case parallel && overlapped:
		if n := len(reductions); n > 0 {
			for _, next := range []int{one(norms), one(embedding), one(separate)} {
				if next >= 0 {
					j.wait(next, reductions[n-1])
					break
				}
			}
		}
		chain = append(chain, one(separate))
	case parallel:
		chain = append(chain, reductions...)
	}
	j.chain(append(chain, one(clip), one(optimizer))...)
}

// together joins what several ranks or stages do together.
func (j *job) together(parallel bool) {
	var clips []int
	for i, o := range j.ops {
		switch {
		case o.kind == clip:
			clips = append(clips, i)
			o.all = true
		case parallel && (o.kind == gather || o.kind == scatter || o.kind == separate):
			o.all = true
			j.alone(i)
		}
	}
	j.join(clips...)
	if ends := []int{j.find(embedding, 0, 0)}; j.stages > 1 {
		j.join(append(ends, j.find(embedding, j.stages-1, 0))...)
	} else {
		j.join(ends...)
	}
}
