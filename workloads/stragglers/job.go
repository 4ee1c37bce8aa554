package stragglers

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Kinds of operations that have a place in the graph of a step.
const (
	forward, backward         = "forward-compute", "backward-compute"
	gather, scatter, separate = "params-all-gather", "grads-reduce-scatter", "separate-grads-all-reduce"
	collect, norms, embedding = "gc", "layernorm-grads-all-reduce", "embedding-grads-all-reduce"
	clip, optimizer           = "optimizer-clip-main-grad", "optimizer"
)

// transfers are the sends and receives of a pipeline: for which computation, to or from which
// side, and which kind is at the other end.
var transfers = map[string]struct {
	of    string
	sends bool
	side  int // of the peer: 1: the next stage
	peer  string
}{
	"forward-send": {forward, true, 1, "forward-recv"}, "forward-recv": {forward, false, -1, "forward-send"},
	"backward-send": {backward, true, -1, "backward-recv"}, "backward-recv": {backward, false, 1, "backward-send"},
}

// communicates tells whether times of a kind are transfers; their median stands for all.
func communicates(kind string) bool {
	_, transfer := transfers[kind]
	return transfer || slices.Contains([]string{gather, scatter, separate, norms, embedding, clip}, kind)
}

// operation is one of a step: all data-parallel ranks and steps have it, each in a cell.
type operation struct {
	kind          string
	stage, seq    int
	chunk, global int
	start, end    float64 // in the first step of the first rank

	begun, duration []float64 // by cell, as traced
	after           []int
	group           int  // of operations that are done together; -1: it is done alone
	all             bool // by all data-parallel ranks together
}

func (o *operation) String() string { return fmt.Sprintf("%s %d of stage %d", o.kind, o.seq, o.stage) }

// job is a traced job.
type job struct {
	ranks, stages, chunks int // data-parallel ranks; chunks of the model in a stage
	steps                 []int64
	ops                   []*operation
	groups                [][]int
	order                 []int // of operations, none before what it waits for
	at                    map[id]int
}

// id names an operation.
type id struct {
	kind       string
	stage, seq int
}

// newJob sorts rows into operations and cells, and finds what waits for what.
func newJob(rows []row) (*job, error) {
	if len(rows) == 0 {
		return nil, errors.New("has no operations")
	}
	j := &job{chunks: 1}
	number := map[int64]int{}
	for i := range rows {
		r := &rows[i]
		j.ranks, j.stages, j.chunks = max(j.ranks, r.dp+1), max(j.stages, r.stage+1), max(j.chunks, r.chunk+1)
		number[r.step] = 0
	}
	for step := range number {
		j.steps = append(j.steps, step)
	}
	slices.Sort(j.steps)
	for i, step := range j.steps {
		number[step] = i
	}
	if cells := j.ranks * len(j.steps); cells > len(rows) {
		return nil, fmt.Errorf("has %d operations for %d data-parallel ranks and %d steps; each of them needs some", len(rows), j.ranks, len(j.steps))
	}
	if kinds := j.distinct(rows); kinds*j.ranks*len(j.steps) > 2*len(rows) {
		return nil, fmt.Errorf("has %d operations, and %d kinds of them for each of %d data-parallel ranks and %d steps would be more than twice as many",
			len(rows), kinds, j.ranks, len(j.steps))
	}
	if err := j.fill(rows, number); err != nil {
		return nil, err
	}
	if err := j.apart(); err != nil {
		return nil, err
	}
	j.connect()
	return j, j.sort()
}

// apart returns an error if a step lasts longer than a run can. It names the operation that is farthest from the others.
func (j *job) apart() error {
	for n, step := range j.steps {
		starts := make([]float64, 0, len(j.ops)*j.ranks)
		for _, o := range j.ops {
			starts = append(starts, o.begun[n*j.ranks:(n+1)*j.ranks]...)
		}
		if slices.Max(starts)-slices.Min(starts) <= longest {
			continue
		}
		slices.Sort(starts)
		usual, far := starts[len(starts)/2], 0.0
		var at error
		for _, o := range j.ops {
			for rank, t := range o.begun[n*j.ranks : (n+1)*j.ranks] {
				if away := math.Abs(t - usual); away > far {
					far = away
					at = fmt.Errorf("step %d, data-parallel rank %d: %s starts at %g s, %.3g s from most others: that is longer than a run can be, 53 days",
						step, rank, o, t, away)
				}
			}
		}
		return at
	}
	return nil
}

// distinct is how many operations a step of a rank has at most.
func (j *job) distinct(rows []row) int {
	seen := map[id]bool{}
	for i := range rows {
		seen[id{rows[i].kind, rows[i].stage, rows[i].seq}] = true
	}
	return len(seen)
}

// fill puts times into cells.
func (j *job) fill(rows []row, number map[int64]int) error {
	cells := j.ranks * len(j.steps)
	j.at = map[id]int{}
	filled := map[*operation][]bool{}
	for i := range rows {
		r := &rows[i]
		key := id{r.kind, r.stage, r.seq}
		n, ok := j.at[key]
		if !ok {
			n = len(j.ops)
			j.at[key] = n
			j.ops = append(j.ops, &operation{kind: r.kind, stage: r.stage, seq: r.seq, group: -1, begun: make([]float64, cells),
				duration: make([]float64, cells)})
			filled[j.ops[n]] = make([]bool, cells)
		}
		o, cell := j.ops[n], number[r.step]*j.ranks+r.dp
		if filled[o][cell] {
			return fmt.Errorf("step %d, data-parallel rank %d: has %s twice", r.step, r.dp, o)
		}
		filled[o][cell], o.begun[cell], o.duration[cell] = true, r.start, r.duration
		if cell == 0 {
			o.chunk, o.global, o.start, o.end = r.chunk, r.global, r.start, r.start+r.duration
		}
	}
	for _, o := range j.ops {
		if cell := slices.Index(filled[o], false); cell >= 0 {
			return fmt.Errorf("step %d, data-parallel rank %d: lacks %s, which others have", j.steps[cell/j.ranks], cell%j.ranks, o)
		}
	}
	return nil
}

// sort finds an order in which nothing comes before what it waits for. Members of a group count
// as one.
func (j *job) sort() error {
	waits, next := make([]int, len(j.ops)), make([][]int, len(j.ops))
	for i, o := range j.ops {
		waits[i] = len(o.after)
		for _, other := range o.after {
			next[other] = append(next[other], i)
		}
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	begun := make([]int, len(j.groups))
	finish := func(i int) {
		for _, n := range next[i] {
			if waits[n]--; waits[n] == 0 {
				ready = append(ready, n)
			}
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		i := ready[0]
		j.order = append(j.order, i)
		g := j.ops[i].group
		if g < 0 {
			finish(i)
			continue
		}
		if begun[g]++; begun[g] == len(j.groups[g]) {
			for _, member := range j.groups[g] {
				finish(member)
			}
		}
	}
	if len(j.order) < len(j.ops) {
		for i, o := range j.ops {
			if !slices.Contains(j.order, i) {
				return fmt.Errorf("%s and %d others wait for each other", o, len(j.ops)-len(j.order)-1)
			}
		}
	}
	return nil
}

// byStart orders operations of the first step.
func (j *job) byStart(a, b int) int {
	x, y := j.ops[a], j.ops[b]
	return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.seq, y.seq), cmp.Compare(x.kind, y.kind))
}

// of returns the operations of a stage of some kinds, in the order of their starts.
func (j *job) of(stage int, kinds ...string) (all []int) {
	for i, o := range j.ops {
		if o.stage == stage && slices.Contains(kinds, o.kind) {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, j.byStart)
	return all
}

// find returns an operation; -1: there is none.
func (j *job) find(kind string, stage, seq int) int {
	if i, ok := j.at[id{kind, stage, seq}]; ok {
		return i
	}
	return -1
}
