package gputrace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// operation is what a stream of a GPU did. Times are in ns.
type operation struct {
	name       string
	text       int64 // of an export: the number of its name
	kind       kind
	received   bool // it is the receive of a message
	stream     int64
	start, end int64
	launch     int64 // when its call began; the operation's start if it has no call
	arrives    int64 // when the GPU has the launch, as late as it explains the start
	call       int64 // correlation
	after      int   // operation of another stream that it seems to wait for; -1: none
	events     []int // operations of other streams that it waits for by events of the host
	wait       int   // operation for which the host waited before it launched this one; -1: none
	inGraph    bool  // launched as a part of a CUDA graph

	grid       uint64 // of a kernel: its numbers of blocks, as one number
	collective string // "": none
	bytes      int64  // of its largest buffer; 0: not known
	group      string // of ranks
	members    int
	gpus       []int // of the group, if all of its ranks were traced, as the first ones of the job; nil: they were not
}

// kind is a category of operations.
type kind uint8

const (
	kernel kind = iota
	memcpy
	memset
	collective
	between // what lies between launches, and pauses that nothing explains
	numKinds
)

var kindNames = []string{"kernel", "copy", "fill", "collective", "between_kernels"}

var categories = map[string]kind{"kernel": kernel, "gpu_memcpy": memcpy, "gpu_memset": memset}

// rank is what the GPU of a process did.
type rank struct {
	ops        []operation
	calls      map[int64]int64 // starts by correlation
	waits      []span          // waits of the host for the GPU
	waited     bool            // there are such waits
	eventCalls []eventCall     // of the host
	steps      []int64         // times at which steps of the host began, or optimizers
	profiled   []span          // steps that the profiler marked
	optimized  int             // calls of an optimizer
	graphs     map[int64]bool  // calls that launch a CUDA graph
	host       hostTimes
	pauses     []span // of the host
	streams    []int64
	device     int64

	number, world int    // of the job, as the trace says; number -1: it does not
	file          string // without its folder
	measured      results.TracedRank
	names         map[string]string // one of each
}

type span struct{ start, end int64 }

func newRank() *rank {
	return &rank{calls: map[int64]int64{}, graphs: map[int64]bool{}, device: -1, number: -1, names: map[string]string{}}
}

// event reads an event. Of events that are used a time that is missing or damaged is an error.
func (r *rank) event(e *event) error {
	kind, onGPU := categories[e.Category]
	switch e.Category {
	case "cuda_runtime", "cuda_driver", "hip_runtime", "user_annotation", "cpu_op":
	default:
		if !onGPU {
			return nil
		}
	}
	start, ok := nanoseconds(e.Start)
	if !ok {
		return fmt.Errorf("ts: must be a number of microseconds, got %.40q", string(e.Start))
	}
	length, ok := nanoseconds(e.Duration)
	if !ok || length < 0 {
		return fmt.Errorf("dur: must be a number of microseconds, not negative, got %.40q", string(e.Duration))
	}
	if start > math.MaxInt64/2 || start < math.MinInt64/2 {
		return fmt.Errorf("ts: is out of bounds: %s", e.Start)
	}
	args := arguments{}
	json.Unmarshal(e.Args, &args) // what is no object has no arguments
	call, _ := args.number("correlation")
	switch e.Category {
	case "cpu_op":
		r.host.does(e.Name, span{start, start + length})
		return nil
	case "user_annotation":
		if strings.HasPrefix(e.Name, load) {
			r.host.does(e.Name, span{start, start + length})
		}
		if isStep(e.Name) {
			r.steps = append(r.steps, start)
		}
		if strings.HasPrefix(e.Name, "ProfilerStep") {
			r.profiled = append(r.profiled, span{start, start + length})
		} else if strings.HasPrefix(e.Name, "Optimizer.step") {
			r.optimized++
		}
		return nil
	case "cuda_runtime", "cuda_driver", "hip_runtime":
		r.hostCall(e.Name, call, span{start, start + length})
		return nil
	}
	stream, onStream := args.number("stream")
	if !onStream {
		return nil
	}
	if device, _ := args.number("device"); r.device < 0 {
		r.device = device
	} else if device != r.device {
		return nil
	}
	if r.names[e.Name] == "" {
		r.names[e.Name] = e.Name
	}
	o := operation{name: r.names[e.Name], kind: kind, stream: stream, start: start, end: start + length, call: call, after: -1, wait: -1}
	o.grid = args.grid()
	o.describe(args)
	r.ops = append(r.ops, o)
	return nil
}

// isStep tells whether a range of the host is a step, or an optimizer.
func isStep(name string) bool {
	return strings.HasPrefix(name, "ProfilerStep") || strings.HasPrefix(name, "Optimizer.step")
}

// hostCall reads a call of the host.
func (r *rank) hostCall(name string, call int64, at span) {
	r.host.does(name, at)
	if strings.Contains(name, "GraphLaunch") {
		r.graphs[call] = true
	}
	switch {
	case strings.Contains(name, "Synchronize"):
		r.waits, r.waited = append(r.waits, at), true
	case strings.Contains(name, "EventRecord"):
		r.eventCalls = append(r.eventCalls, eventCall{at.start, false})
	case strings.Contains(name, "StreamWaitEvent"):
		r.eventCalls = append(r.eventCalls, eventCall{at.start, true})
	case call != 0:
		r.calls[call] = at.start
	}
}

// collectives are NCCL's kernels by their names, without nccl's own prefixes.
var collectives = []struct{ in, name string }{
	{"AllReduce", "all-reduce"}, {"AllGather", "all-gather"}, {"ReduceScatter", "reduce-scatter"}, {"Broadcast", "broadcast"},
	{"SendRecv", "send-receive"}, {"Reduce", "reduce"},
}

// typeBytes are the sizes of numbers, by the profiler's names for their types.
var typeBytes = map[string]int64{"Float": 4, "Half": 2, "BFloat16": 2, "Double": 8, "Int": 4, "Long": 8, "Byte": 1, "Char": 1, "Bool": 1,
	"Float8_e4m3fn": 1, "Float8_e5m2": 1}

// describe says which collective an operation is.
func (o *operation) describe(args arguments) {
	if o.kind != kernel || !strings.HasPrefix(o.name, "nccl") {
		return
	}
	o.kind, o.collective = collective, "other"
	for _, c := range collectives {
		if strings.Contains(o.name, c.in) {
			o.collective = c.name
			break
		}
	}
	if o.collective == "send-receive" && strings.HasPrefix(args.text("Collective name"), "all_to_all") {
		o.collective = "all-to-all"
	}
	o.received = strings.HasPrefix(args.text("Collective name"), "recv")
	in, _ := args.number("In msg nelems")
	out, _ := args.number("Out msg nelems")
	if most := max(in, out); most > 0 && most < math.MaxInt64/8 {
		o.bytes = most * typeBytes[args.text("dtype")]
	}
	members, _ := args.number("Group size")
	o.members, o.group = int(min(max(0, members), mostMembers)), args.text("Process Group Name")
}

// mostMembers is the largest number of ranks of a collective.
const mostMembers = 1 << 20

var errNothing = errors.New("has no operations of a GPU (categories kernel, gpu_memcpy, gpu_memset with args.stream)")

// join sorts operations, and finds their launches and what they wait for.
func (r *rank) join() error {
	if len(r.ops) == 0 {
		return errNothing
	}
	r.pauses = r.host.pauses()
	r.measured = r.breakdown()
	for i := range r.ops {
		o := &r.ops[i]
		o.inGraph = r.graphs[o.call]
		launch, ok := r.calls[o.call]
		if o.launch = launch; !ok || launch > o.start {
			o.launch = o.start
		}
	}
	if err := r.apart(); err != nil {
		return err
	}
	slices.SortStableFunc(r.ops, func(a, b operation) int {
		return cmp.Or(cmp.Compare(a.launch, b.launch), cmp.Compare(a.start, b.start))
	})
	r.untangle()
	r.findStreams()
	r.findAfter()
	r.findWaits()
	r.findEvents()
	r.findArrivals()
	r.calls, r.waits, r.eventCalls, r.names, r.graphs, r.host = nil, nil, slices.Clip(r.eventCalls), nil, nil, hostTimes{}
	return nil
}

// findArrivals finds when the GPU had the launch of each operation. An operation that had nothing else to wait for when its call began
// started when its launch arrived: calls take some us, and so does the way to the GPU. The others may have had their launch after the usual
// time. Launches arrive in their order.
func (r *rank) findArrivals() {
	ends := map[int64]int64{}
	ready := make([]int64, len(r.ops)) // when an operation could start but for its launch
	var took []int64
	for i := range r.ops {
		o := &r.ops[i]
		end, ok := ends[o.stream]
		if ready[i] = end; !ok {
			ready[i] = math.MinInt64
		}
		for _, other := range o.needed() {
			ready[i] = max(ready[i], r.ops[other].end)
		}
		if ends[o.stream] = o.end; ready[i] <= o.launch && o.launch < o.start {
			took = append(took, o.start-o.launch)
		}
	}
	usual := int64(0)
	if len(took) > 0 {
		slices.Sort(took)
		usual = took[len(took)/2]
	}
	last := int64(math.MinInt64)
	for i := range r.ops {
		o := &r.ops[i]
		if o.arrives = o.start; ready[i] > o.launch {
			o.arrives = min(o.start, max(o.launch+usual, last))
		}
		last = max(last, o.arrives)
	}
	for i := len(r.ops) - 1; i >= 0; i-- { // of several streams the later ones may have started before
		last = min(last, r.ops[i].arrives)
		r.ops[i].arrives = last
	}
}

// apart returns an error if a trace lasts longer than a run can. It names the operation that is farthest from the others.
func (r *rank) apart() error {
	first := slices.MinFunc(r.ops, func(a, b operation) int { return cmp.Compare(a.launch, b.launch) })
	last := slices.MaxFunc(r.ops, func(a, b operation) int { return cmp.Compare(a.end, b.end) })
	if float64(last.end)-float64(first.launch) <= mostTraced {
		return nil
	}
	starts := make([]int64, len(r.ops))
	for i := range r.ops {
		starts[i] = r.ops[i].start
	}
	slices.Sort(starts)
	usual := starts[len(starts)/2]
	o := first
	if float64(last.end)-float64(usual) > float64(usual)-float64(first.launch) {
		o = last
	}
	return fmt.Errorf("the operation %.60q on stream %d is launched at %s us, starts at %s us and ends at %s us, while most are at about %s us: "+
		"that is longer than a run can take, 53 days", o.name, o.stream, micro(o.launch), micro(o.start), micro(o.end), micro(usual))
}

// mostTraced is the longest time of a trace, in ns.
const mostTraced = float64(machines.Longest / 4 / sim.Nanosecond)

// micro writes ns as us, as the profiler writes them.
func micro(ns int64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	return fmt.Sprintf("%s%d.%03d", sign, ns/1000, ns%1000)
}

// untangle makes the operations of a stream follow each other. If one starts before the previous
// one has ended, its start is moved to that end.
func (r *rank) untangle() {
	byStart := make([]int, len(r.ops))
	for i := range byStart {
		byStart[i] = i
	}
	slices.SortStableFunc(byStart, func(a, b int) int { return cmp.Compare(r.ops[a].start, r.ops[b].start) })
	ends := map[int64]int64{}
	for _, i := range byStart {
		o := &r.ops[i]
		if end, ok := ends[o.stream]; ok && o.start < end {
			o.start, o.end = end, max(end, o.end)
		}
		ends[o.stream] = o.end
	}
	// launches of a stream are in the order of its operations
	last := map[int64]int64{}
	for n := len(byStart) - 1; n >= 0; n-- {
		o := &r.ops[byStart[n]]
		if next, ok := last[o.stream]; ok && o.launch > next {
			o.launch = next
		}
		last[o.stream] = o.launch
	}
	slices.SortStableFunc(r.ops, func(a, b operation) int {
		return cmp.Or(cmp.Compare(a.launch, b.launch), cmp.Compare(a.start, b.start))
	})
}

// findStreams lists the streams. The stream with the longest kernel time comes first.
func (r *rank) findStreams() {
	busy := map[int64]int64{}
	for i := range r.ops {
		o := &r.ops[i]
		busy[o.stream] += 0
		if o.kind == kernel {
			busy[o.stream] += o.end - o.start
		}
	}
	for s := range busy {
		r.streams = append(r.streams, s)
	}
	slices.SortFunc(r.streams, func(a, b int64) int { return cmp.Or(cmp.Compare(busy[b], busy[a]), cmp.Compare(a, b)) })
}

// mostTries is how many operations are examined for having been waited for.
const mostTries = 64

// findAfter finds what operations wait for on other streams.
func (r *rank) findAfter() {
	type ended struct {
		at int64
		op int
	}
	var ends []ended
	before := make([]int64, len(r.ops)) // the end of the previous operation in its stream
	last := map[int64]int{}
	order := make([]int, len(r.ops))
	for i := range r.ops {
		ends, order[i] = append(ends, ended{r.ops[i].end, i}), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.ops[a].start, r.ops[b].start) })
	for _, i := range order {
		before[i] = math.MinInt64
		if n, ok := last[r.ops[i].stream]; ok {
			before[i] = r.ops[n].end
		}
		last[r.ops[i].stream] = i
	}
	slices.SortStableFunc(ends, func(a, b ended) int { return cmp.Compare(a.at, b.at) })
	for i := range r.ops {
		o := &r.ops[i]
		n, _ := slices.BinarySearchFunc(ends, o.start, func(e ended, at int64) int { return cmp.Compare(e.at, at+1) })
		for n, tries := n-1, 0; n >= 0 && tries < mostTries && ends[n].at > max(before[i], o.launch); n, tries = n-1, tries+1 {
			if by := ends[n].op; by < i && r.ops[by].stream != o.stream {
				o.after = by
				break
			}
		}
	}
}

// findWaits finds what the host waited for before launches.
func (r *rank) findWaits() {
	slices.SortFunc(r.waits, func(a, b span) int { return cmp.Compare(a.end, b.end) })
	byEnd := make([]int, len(r.ops))
	for i := range byEnd {
		byEnd[i] = i
	}
	slices.SortStableFunc(byEnd, func(a, b int) int { return cmp.Compare(r.ops[a].end, r.ops[b].end) })
	for _, w := range r.waits {
		next, _ := slices.BinarySearchFunc(r.ops, w.end, func(o operation, at int64) int { return cmp.Compare(o.launch, at) })
		if next == len(r.ops) {
			continue
		}
		n, _ := slices.BinarySearchFunc(byEnd, w.end, func(i int, at int64) int { return cmp.Compare(r.ops[i].end, at+1) })
		for n, tries := n-1, 0; n >= 0 && tries < mostTries && r.ops[byEnd[n]].end >= w.start; n, tries = n-1, tries+1 {
			if byEnd[n] < next {
				r.ops[next].wait = byEnd[n]
				break
			}
		}
	}
}
