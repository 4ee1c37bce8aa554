package gputrace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/inputs"
	"overlapsim/workloads/training"
)

// A trace of the PyTorch profiler.
func init() {
	workloads.Register(workloads.Kind{Name: "gpu-trace",
		Title: "a trace of the PyTorch profiler (Kineto), or an export of Nsight Systems, replayed on the streams of its GPUs",
		New: func() workloads.Workload {
			return &replay{Compute: 1, Communication: 1, Host: 1, Pauses: 1, Unexplained: 1, Collectives: measured}
		}})
}

// Choices of the times of collectives.
const (
	measured  = "measured"
	byMachine = "machine"
)

type replay struct {
	experiments.NoProgram
	training.Buckets
	File          string  `key:"file" unit:"text" doc:"the trace next to the scenario, JSON or gzipped, or an export of Nsight Systems in SQLite; with commas, with * or as a folder several, one of each rank"`
	Compute       float64 `key:"compute" unit:"number" in:"not negative" doc:"factor on the times that kernels, copies and fills have in the trace"`
	Communication float64 `key:"communication" unit:"number" in:"not negative" doc:"factor on the times of collectives"`
	Host          float64 `key:"host" unit:"number" in:"not negative" doc:"factor on the time between launches of the host, without its pauses, and on their way to the GPU; 0: launches take no time"`
	Pauses        float64 `key:"pauses" unit:"number" in:"not negative" doc:"factor on pauses of hosts, in which they launch nothing (waits for a data loader; 5 ms or longer without a call or an operation of PyTorch)"`
	Unexplained   float64 `key:"unexplained" unit:"number" in:"not negative" doc:"factor on waits that nothing in the trace explains, as of a kernel that was launched and had nothing else to wait for"`
	Collectives   string  `key:"collectives" unit:"text" choices:"measured,machine" doc:"take what the trace says, or what the machine gives for their bytes"`
	Bucket        int64   `key:"bucket" unit:"bytes" in:"not negative" doc:"gradients that are summed up together; 0: as in the trace"`

	GPUs int64 `key:"gpus" unit:"count" doc:"GPUs of the job, each with the work of a traced one: collectives of all GPUs of the traced job take longer by what the machine needs more for so many; 0: as in the trace"`

	ranks  []*rank
	device string // name of the GPU that the first trace describes; "": none does
	alone  string // how many collectives each rank has, if none is matched with one of another; "": some are
}

// Filename implements workloads.Filed.
func (w *replay) Filename() (key, name string) { return "file", w.File }

// Description implements workloads.Recorded.
func (w *replay) Description() (kind, instead string) {
	return "transformer", "a trace keeps its model and its layout: " + described +
		"; workload.gpus=64 runs more replicas without that if the trace has the bytes of its collectives"
}

// described is how to run what was traced in another way.
const described = "describe the model and the layout that you ask for, and give the trace as traced (docs/howto/scale-a-measurement.md)"

// Others implements workloads.Recorded.
func (w *replay) Others(m *machines.Machine, ranks int) string {
	more := *w
	if more.GPUs = int64(ranks); m == nil || m.GPUs == nil || more.checkGPUs(m.GPUs) != nil {
		return described
	}
	return fmt.Sprintf("--set workload.gpus=%d runs its job on so many GPUs", ranks)
}

// mostRanks is the largest number of traces that are read together.
const mostRanks = 1024

// Open implements workloads.Filed.
func (w *replay) Open(path string) (err error) {
	files, err := experiments.OpenTraces(path, mostRanks, Begins, func(name string) ([]*rank, error) {
		if w.device == "" {
			w.device = Device(name, inputs.Begin(name))
		}
		return readFile(name)
	})
	w.ranks = slices.Concat(files...)
	if len(w.ranks) > mostRanks {
		return fmt.Errorf("%s has %d GPUs, the most is %d", path, len(w.ranks), mostRanks)
	}
	numbered := map[int]string{}
	for _, r := range w.ranks {
		if r.number >= 0 && numbered[r.number] != "" {
			return fmt.Errorf("%s and %s are both traces of rank %d; give one of each, or compare them: overlapsim compare A B", numbered[r.number], r.file, r.number)
		}
		numbered[r.number] = r.file
	}
	slices.SortStableFunc(w.ranks, func(a, b *rank) int { return cmp.Compare(a.number, b.number) })
	w.place()
	if err != nil {
		return err
	}
	return w.together()
}

// together returns an error if traces cannot be of one run, and counts the collectives of ranks that have none in common.
func (w *replay) together() error {
	var counts []string
	first := w.ranks[0]
	for _, r := range w.ranks {
		if r.world != first.world && r.world > 0 && first.world > 0 {
			return fmt.Errorf("%s is of a job of %d GPUs, %s of one of %d; give the traces of one job", first.file, first.world, r.file, r.world)
		}
		n := 0
		for i := range r.ops {
			if o := &r.ops[i]; o.kind == collective && o.members != 1 {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%s has %d", r.file, n))
		}
	}
	for _, m := range meetings(w.ranks) {
		if len(m.members) > 1 {
			return nil
		}
	}
	for _, r := range w.ranks[1:] {
		if r.ops[0].launch > first.last() || r.last() < first.ops[0].launch {
			return fmt.Errorf("%s and %s have no collective in common and were not traced at the same time: they are not of one run; run each alone",
				first.file, r.file)
		}
	}
	if len(counts) > 1 {
		w.alone = strings.Join(counts[:min(len(counts), mostCounts)], ", ")
	}
	return nil
}

// mostCounts is how many ranks are named with their numbers of collectives.
const mostCounts = 8

// last is when the last operation ends.
func (r *rank) last() (last int64) {
	for i := range r.ops {
		last = max(last, r.ops[i].end)
	}
	return last
}

// place finds the GPUs of each group of ranks.
func (w *replay) place() {
	type group struct {
		name    string
		members int
	}
	of := map[group][]int{}
	each := func(visit func(i int, g group, o *operation)) {
		for i, r := range w.ranks {
			for n := range r.ops {
				if o := &r.ops[n]; o.kind == collective && r.number == i {
					visit(i, group{o.group, o.members}, o)
				}
			}
		}
	}
	each(func(i int, g group, _ *operation) {
		if all := of[g]; len(all) == 0 || all[len(all)-1] != i {
			of[g] = append(all, i)
		}
	})
	each(func(_ int, g group, o *operation) {
		if len(of[g]) == g.members {
			o.gpus = of[g]
		}
	})
}

// Ranks implements workloads.Sized.
func (w *replay) Ranks() int { return len(w.ranks) }

// CheckGPUs implements experiments.OnGPUs.
func (w *replay) CheckGPUs(m *machines.Machine, p experiments.Place) error {
	wrong := experiments.WrongFactors(experiments.Factor{Key: "compute", By: w.Compute}, experiments.Factor{Key: "communication", By: w.Communication},
		experiments.Factor{Key: "host", By: w.Host}, experiments.Factor{Key: "pauses", By: w.Pauses},
		experiments.Factor{Key: "unexplained", By: w.Unexplained})
	if w.ranks == nil {
		return errors.Join(append(wrong, experiments.NotOpened())...)
	}
	if err := experiments.TooLong(w.longest()); err != nil {
		wrong = append(wrong, &workloads.KeyError{Key: "file", Message: err.Error() + w.farthest()})
	}
	if w.Collectives == byMachine {
		if err := w.sizes(m.GPUs, p); err != nil {
			wrong = append(wrong, &workloads.KeyError{Key: "collectives", Message: err.Error()})
		}
	}
	if err := w.checkGPUs(m.GPUs); err != nil {
		wrong = append(wrong, &workloads.KeyError{Key: "gpus", Message: err.Error()})
	}
	if err := w.checkBuckets(m.GPUs); err != nil {
		wrong = append(wrong, &workloads.KeyError{Key: "bucket", Message: err.Error()})
	}
	return errors.Join(wrong...)
}

// unchanged tells whether the replay should take as long as the trace.
func (w *replay) unchanged() bool {
	return w.Compute == 1 && w.Communication == 1 && w.Host == 1 && w.Pauses == 1 && w.Unexplained == 1 && w.Collectives == measured && w.Bucket == 0 &&
		w.GPUs == 0
}

// OwnTimes implements workloads.OwnTimes.
func (w *replay) OwnTimes() string {
	if w.Collectives == byMachine || w.Bucket > 0 || w.GPUs > 0 {
		return ""
	}
	return "a trace is replayed with its own times; workload.collectives=machine takes those of collectives from the machine, " +
		"workload.communication is a factor on them"
}

// Described implements experiments.Described.
func (w *replay) Described(*machines.Machine, experiments.Place) []string {
	if w.GPUs == 0 {
		return nil
	}
	return []string{fmt.Sprintf("traced on %d GPUs, in a job of %d", w.world(), w.GPUs)}
}

// checkBuckets returns an error if there are no buckets of the size asked for.
func (w *replay) checkBuckets(m *gpus.Machine) error {
	if w.Bucket <= 0 {
		return nil
	}
	return newPlan(w.ranks, meetings(w.ranks), w.Bucket).check(m, w.Bucket)
}

// longest is an upper bound on the time of a replay, in seconds.
func (w *replay) longest() (sum float64) {
	factor := max(1, w.Compute, w.Communication, w.Host, w.Pauses, w.Unexplained)
	for _, r := range w.ranks {
		first, last := r.ops[0].launch, r.ops[0].end
		for i := range r.ops {
			o := &r.ops[i]
			first, last = min(first, o.launch), max(last, o.end)
			sum += float64(o.end-o.start) * 1e-9 * factor
		}
		sum += float64(last-first) * 1e-9 * factor
	}
	return sum
}

// farthest names the operation that takes longest, and the trace that has it.
func (w *replay) farthest() string {
	var longest operation
	file := ""
	for _, r := range w.ranks {
		for i := range r.ops {
			if o := &r.ops[i]; o.end-o.start >= longest.end-longest.start {
				longest, file = *o, r.file
			}
		}
	}
	return fmt.Sprintf("; %.60q of %s alone takes %.3g s (dur, in microseconds)", longest.name, file, float64(longest.end-longest.start)*1e-9)
}

// sizes returns an error if collectives lack what the machine's times need.
func (w *replay) sizes(m *gpus.Machine, p experiments.Place) error {
	lacking, elsewhere, all := 0, 0, 0
	for _, r := range w.ranks {
		for i := range r.ops {
			if o := &r.ops[i]; o.kind == collective {
				all++
				if _, err := costOf(m, o, o.bytes); err != nil {
					lacking++
				}
				if o.gpus == nil {
					elsewhere++
				}
			}
		}
	}
	if lacking > 0 {
		return fmt.Errorf("%d of %d collectives have no operation, bytes or group that the machine knows a time for; use %s", lacking,
			all, measured)
	}
	if elsewhere > 0 && p.Fabric != nil {
		return fmt.Errorf("on a fabric needs traces of all ranks, 0 to the last: %d of %d collectives have GPUs without one", elsewhere, all)
	}
	return nil
}

// Closed implements experiments.Closed.
func (w *replay) Closed() string {
	switch {
	case w.Collectives == measured:
		return "collectives have the times of the trace; on a fabric give workload.collectives=machine"
	case w.GPUs > 0:
		return "GPUs that workload.gpus adds to the trace have no place on it"
	}
	return ""
}

// costOf is the time of a collective on a machine if it has this number of bytes.
func costOf(m *gpus.Machine, o *operation, bytes int64) (gpus.Cost, error) {
	op := operationOf(o)
	if op == nil || o.bytes == 0 || o.members < 2 {
		return gpus.Cost{}, errors.New("the trace does not say its operation, bytes or group (PyTorch writes them from 2.2 on)")
	}
	return groupOf(m, o).Time(op, bytes)
}

// beyond is that of the first collective which has one, of those with times of the machine.
func (w *replay) beyond(m *gpus.Machine) string {
	for _, r := range w.ranks {
		for i := range r.ops {
			o := r.ops[i]
			if w.spans(&o) {
				o.members = int(w.GPUs)
			}
			if c, _ := costOf(m, &o, o.bytes); o.kind == collective && c.Beyond != "" && w.OwnTimes() == "" {
				return c.Beyond
			}
		}
	}
	return ""
}

// groupOf are the GPUs of a collective; the first ones of the machine if the trace does not say which.
func groupOf(m *gpus.Machine, o *operation) *gpus.Communicator {
	if len(o.gpus) == o.members {
		return &gpus.Communicator{Machine: m, Members: o.gpus}
	}
	return gpus.First(m, o.members, m.Node.GPUs)
}

// changes returns the changes that the keys ask for.
func (w *replay) changes(m *gpus.Machine, p experiments.Place) changes {
	return changes{flows: func(o *operation, bytes int64) []streams.Flow {
		c, _ := costOf(m, o, bytes)
		return p.Flows(&c, groupOf(m, o), w.Communication)
	}, grown: w.grown(m), compute: w.Compute, communication: w.Communication, host: w.Host, pauses: w.Pauses, unexplained: w.Unexplained,
		machine: w.Collectives == byMachine, bucket: w.Bucket, join: m.Kernels.Join,
		time: func(o *operation, bytes int64) (latency, all float64) {
			if w.spans(o) {
				grown := *o
				grown.members = int(w.GPUs)
				o = &grown
			}
			c, _ := costOf(m, o, bytes) // CheckGPUs has tried this already
			return c.Before().Seconds() * 1e9, c.Total().Seconds() * 1e9
		}}
}

// RunGPUs implements experiments.OnGPUs. The phases are kinds of operations. Each holds what the
// busiest stream of each GPU spends on the operations, or on waiting for them.
func (w *replay) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	g := write(w.ranks, w.changes(m.GPUs, place))
	run, err := place.Run(&g.graph)
	if err != nil {
		return nil, err
	}
	r := training.Result(run, kindNames, place)
	r.Bytes, r.Beyond = w.bytes(), w.beyond(m.GPUs)
	r.Traced = traced(w.ranks, g.of)
	r.Scaled = w.scaled(m.GPUs)
	if w.unchanged() && place.Without == 0 {
		simulated := r.Makespan().Seconds()
		r.Traced.Simulated, r.Traced.Error = &simulated, new(simulated/r.Traced.Elapsed-1)
	}
	pauses(r, run)
	for i := range r.Critical {
		if p := &r.Critical[i]; p.Amount == int64(between) && p.Part == results.PartCompute {
			p.Part = pause
		}
	}
	for _, phases := range r.Ledgers {
		l := &phases[between] // a pause is not computation
		l[results.Overhead], l[results.Compute] = l[results.Overhead]+l[results.Compute], 0
	}
	if r.Timeline != nil {
		for _, lane := range r.Timeline.Lanes {
			for i := range lane.Spans {
				if s := &lane.Spans[i]; s.Phase == uint8(between) && s.Term == results.Compute {
					s.Term = results.Overhead
				}
			}
		}
	}
	return r, nil
}

// pauses makes the time that nothing in a trace explains a separate part, apart from what
// streams compute.
func pauses(r *results.Result, run *streams.Result) {
	for i := range r.Streams {
		s := &r.Streams[i]
		var t sim.Time
		for n, kinds := range run.Ledgers[s.GPU] {
			if run.StreamName(s.GPU, n) == s.Name {
				t = kinds[between][streams.Compute]
			}
		}
		s.Parts[streams.Compute].Time -= t
		s.Parts = slices.Insert(s.Parts, int(streams.Compute)+1, results.StreamPart{Name: pause.String(), Time: t})
	}
}

// pause is time that nothing in a trace explains, on a stream and on a critical path.
var pause = results.NewPart("unexplained", results.Overhead)

// bytes is the number of bytes that collectives of known sizes send.
func (w *replay) bytes() int64 {
	sum := 0.0
	for _, r := range w.ranks {
		for i := range r.ops {
			if o := &r.ops[i]; o.kind == collective && o.members > 1 && o.bytes > 0 && !o.received {
				if op := operationOf(o); op != nil {
					members := o.members
					if w.spans(o) {
						members = int(w.GPUs)
					}
					sum += float64(o.bytes) * op.Bus(members)
				}
			}
		}
	}
	return int64(min(sum, experiments.MostSent))
}

// operationOf returns the operation of a collective; nil if it is not known.
func operationOf(o *operation) *gpus.Operation {
	i := slices.IndexFunc(gpus.Operations, func(op *gpus.Operation) bool { return op.Name == o.collective })
	if i < 0 {
		return nil
	}
	return gpus.Operations[i]
}

// Metrics are the time from the first launch to the last end and, by kind, how long operations run on a GPU: of a step, if the traces say
// how many they have.
func (w *replay) Metrics(_ *machines.Machine, r *results.Result) workloads.Metrics {
	return experiments.Running(r, max(1, r.Traced.Steps), int(between))
}

// Load implements experiments.OnStreams. A pause may lie between two operations of a stream.
func (w *replay) Load(*machines.Machine, experiments.Place) experiments.Load {
	l := experiments.Load{Kinds: len(kindNames), Key: "file"}
	for _, r := range w.ranks {
		l.Operations += 2 * float64(len(r.ops))
		l.Streams += float64(len(r.streams))
	}
	return l
}
