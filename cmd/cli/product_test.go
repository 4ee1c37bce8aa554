package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/limited"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/traces"
)

var wholeProduct = flag.Bool("product", false, "run every workload on every machine, library, fabric and topology; else "+
	"enough of them that every two meet; and compare ten times as many schedules")

var everyForm = flag.Bool("every-form", false, "let every form of a workload meet everything; else one "+
	"does, and the others what is drawn; and of many pairs a third meets")

// smallTable is a step of two data-parallel ranks.
const smallTable = "dp_rank,stage,step,optype,start_ts,duration,seq_id\n0,0,5,forward-compute,0,2,0\n0,0,5,optimizer,2,1,0\n" +
	"1,0,5,forward-compute,0,3,0\n1,0,5,optimizer,3,1,0\n"

// smallWorkloads are the workloads with parameters that are quick: those of
// messages once with small and once with large ones. Ranks follow a bar.
var smallWorkloads = map[string][]string{
	"advection-asym":     {"x: 8, y: 8, steps: 4, grid: 2x1 | 4", "x: 8, y: 6, z: 4, steps: 4, tile: 3 | 8"},
	"advection-ovrlp":    {"x: 8, y: 8, steps: 4 | 4"},
	"advection-std":      {"x: 400, y: 400, z: 40, steps: 5, tile: 2 | 2"},
	"allreduce-doubling": {"bytes: 100B | 4", "bytes: 1MiB | 4"},
	"alltoall-linear":    {"bytes: 100B, repeat: 2 | 3", "bytes: 1MiB | 4"},
	"cannon":             {"size: 64 | 4", "size: 512, layers: 2, overlap: true | 8"},
	"cholesky":           {"size: 64 | 4", "size: 1024, overlap: true | 8"},
	"collective": {"bytes: 100B | 5", "operation: alltoall, algorithm: pairwise, block: 100KiB, repeat: 2 | 4",
		"operation: broadcast, algorithm: chain, bytes: 32KiB, segment: 16KiB, root: 1 | 4"},
	"contention-diagonal":     {"operations: 3, bytes: 1KiB |", "operations: 2, op: get, percent: 50 |"},
	"contention-displacement": {"operations: 3, bytes: 1KiB, displacement: [1, 0, 1] |", "operations: 3, displacement: [1, 1, 0] | 8"},
	"dense-best":              {"size: 1024 | 4"},
	"ddp":                     {"model: resnet50, alone: 9ms | 2", "model: resnext50_32x4d, alone: 20ms, bucket: 1MiB, spread: 0.1 | 16"},
	"dissemination":           {"bytes: 1B | 5", "bytes: 1MiB | 4"},
	"goal":                    {"file: small.goal |"},
	"expert-exchange":         {"tokens: 100 | 8", "direction: combine, kernel: direct, precision: fp8, token_domains: 2 | 16"},
	"flood-links": {"x: 4, y: 1, z: 1, links: 2, messages: 3, call: put | 4",
		"x: 4, y: 2, z: 1, links: 2, messages: 3, call: mpi, bytes: 1MiB | 8",
		"x: 4, y: 1, z: 1, links: 1, messages: 3, window: 0, call: get | 4"},
	"ft-exchange": {"rows: 8, row_length: 64 | 4"},
	"ft-overlap":  {"rows: 16, row_length: 64, messages: 8 | 4", "rows: 16, row_length: 64, granularity: 3 | 4"},
	"ft-pencils":  {"rows: 8, row_length: 64 | 4"},
	"ft-slabs":    {"rows: 8, row_length: 4096 | 4"},
	"gemm-collective": {"rows: 512, columns: 1024, depth: 512 | 4", "rows: 512, columns: 1024, depth: 512, experts: 8, ep: 2 | 4",
		"rows: 512, columns: 1024, depth: 512, operation: all-reduce, how: pieces | 8",
		"rows: 512, columns: 1024, depth: 512, operation: reduce-scatter, how: fused, alone: 90us, pieces: 8 | 4"},
	"halo-gpus":       {"cells: 16, steps: 2 | 8", "cells: 64, steps: 2, by: staged, overlap: true | 16", "cells: 32, by: nccl, steps: 2, pack: none | 4"},
	"gradient-update": {"numbers: 1000 | 8", "numbers: 1000000, optimizer: adam, fused: true, algorithm: ring, gradient_bytes: 2 | 16"},
	"gpu-collective": {"bytes: 1KiB | 8", "bytes: 1GiB, operation: all-to-all, channels: 4 | 16",
		"bytes: 3B, operation: send-receive | 2", "bytes: 64MiB, operation: all-gather, protocol: LL, by: messages, skew: 9us | 4"},
	"transformer": {
		"layers: 2, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, tp: 2, pp: 2, recompute: full, global_batch: 8, schedule: gpipe | 8",
		"layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, layout: tp2-pp2-mb1, global_batch: 8, schedule: zero-bubble | 8",
		"layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, tp: 2, sequence_parallel: true, bucket: 1MiB | 4",
		"layers: 2, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, tp: 2, slow: 1.5, slow_gpu: 3, jitter: 0.1, steps: 3 | 4",
		"layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, tp: 2, sequence_parallel: true, async_tp: true, zero: 3, prefetch: 2, " +
			"batch_first: true, micro_batch: 2 | 8",
		"layers: 2, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, experts: 16, expert_ffn: 64, ep: 4, capacity: 1.5, flash: true, cp: 2, " +
			"global_batch: 8 | 8",
		"layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 512, pp: 2, schedule: dualpipe, global_batch: 16, bucket: 1MiB, experts: 4, " +
			"ep: 2 | 4",
		"layers: 2, hidden: 256, heads: 8, head_size: 16, sequence: 128, vocabulary: 512, experts: 16, top_k: 4, ep: 8, ep_overlap: true, " +
			"global_batch: 32, context_by: all-to-all, cp: 2 | 8"},
	"chakra-trace":    {"file: small.et |", "file: small.et, compute: 0.5, host: 2 |"},
	"straggler-trace": {"file: small.table |", "file: small.table, equal: true |"},
	"gpu-trace":       {"file: small.json |", "file: small.json, compute: 0.5, collectives: machine |"},
	"graph": {"operations: [{name: a, time: 20us, blocks: 200, bytes: 3MB}, {name: b, stream: comm, collective: all-reduce, bytes: 1MiB, after: [a]}, " +
		"{name: c, time: 30us, host_after: [b]}] | 4",
		"streams: [{name: compute}, {name: comm, priority: 1}], repeat: 2, operations: [{name: a, time: 20us, blocks: 100, gpus: [1, 2]}, " +
			"{name: b, stream: comm, collective: send-receive, bytes: 1MiB, gpus: [0, 1]}, {name: c, collective: all-gather, group: 2, " +
			"apart: 2, time: 9us, channels: 3}] | 4"},
	"halo-beside-collective": {"others: 2, face: 100B, iterations: 2, bytes: 200B | 4",
		"others: 4, face: 1MiB, iterations: 2, operation: allreduce, bytes: 1MiB, repeat: 2 | 6"},
	"halo": {"bytes: 100B, iterations: 2, compute: 10us | 4", "bytes: 1MiB, pieces: 3, iterations: 2, compute: 1ms | 8",
		"bytes: 100B, iterations: 2, compute: 10us, reduce: 100KB | 6"},
	"nas-ft-packed":    {"nx: 32, ny: 32, nz: 32 | 4", "nx: 32, ny: 32, nz: 32, library: upc, round: 1 | 4"},
	"nas-ft-pencils":   {"nx: 16, ny: 16, nz: 16 | 4", "nx: 16, ny: 16, nz: 16, library: mpi, strided: false | 4"},
	"nas-ft-slabs":     {"nx: 32, ny: 32, nz: 32 | 4", "nx: 64, ny: 64, nz: 64, library: mpi, strided: false | 4"},
	"osu-nbc":          {"bytes: 100B | 5", "operation: alltoall, block: 100KiB, library: openmpi-libnbc, setup: 1us | 4"},
	"overhead-gap":     {"puts: 4, compute: 10us | 3", "puts: 3, bytes: 1MiB | 2"},
	"overlap-both":     {"| 2", "bytes: 100B | 2"},
	"overlap-cpu":      {"| 2", "bytes: 100B | 2"},
	"overlap-load":     {"| 2", "bytes: 100B | 2"},
	"overlap-receiver": {"| 2", "bytes: 100B | 2"},
	"overlap-sender":   {"| 2", "bytes: 100B | 2"},
	"overlap-strided":  {"| 2", "bytes: 100B | 2"},
	"round-trip":       {"call: put, repeat: 2 | 2", "call: get, bytes: 1MiB, repeat: 2 | 3", "call: mpi, bytes: 1MiB, repeat: 2 | 2"},
	"saturation": {"partners: one-way, bytes: 1MiB, repeat: 2 | 4", "partners: different, bytes: 100B, repeat: 2 | 6",
		"partners: all, bytes: 100KB, repeat: 2 | 4"},
	"shift":            {"bytes: 100B, repeat: 2 | 4", "bytes: 1MiB, distance: 2, repeat: 2, synchronised: true | 5"},
	"spmv-bulk-gather": {"dimension: 1024 | 4"},
	"spmv-gather":      {"dimension: 4096, nonzero_ratio: 0.01, prefetch: 2 | 4"},
	"spmv-scatter":     {"dimension: 1048576, prefetch: 4 | 4"},
	"summa":            {"size: 64 | 4", "size: 512, overlap: true | 8"},
	"token-ring":       {"bytes: 1B, repeat: 2 | 4", "bytes: 1MiB | 4"},
	"trace":            {"file: small.trace |", "file: plain.trace, compute_factor: 0.1, library: openmpi-4, wall_time: true |"},
	"trsm":             {"size: 64 | 4", "size: 1024, overlap: true, blocks: 2 | 8"},
}

// smallSchedule is a ring of 4 ranks that compute meanwhile, and tell the first one.
func smallSchedule() string {
	text := "num_ranks 4\n"
	for rank := range 4 {
		text += fmt.Sprintf("rank %d {\nr: recv 2000b from %d\ns: send 2000b to %d\nc: calc 3000\nc irequires s\n", rank, (rank+3)%4, (rank+1)%4)
		if rank == 0 {
			text += "a: recv 8b from -1 tag 7\nb: recv 8b from -1 tag 7\nd: recv 8b from -1 tag 7\n}\n"
		} else {
			text += "t: send 8b to 0 tag 7\nt requires r\nt requires c\n}\n"
		}
	}
	return text
}

// smallChakra is metadata, a kernel of 7 us and a collective of 5 us after it: messages with their lengths before them.
const smallChakra = "\x05\x0a\x030.4" +
	"\x09\x08\x01\x12\x01k\x18\x04\x38\x07" +
	"\x0c\x08\x02\x12\x01c\x18\x07\x2a\x01\x01\x38\x05"

// smallKineto is a kernel, and a collective after it.
const smallKineto = `[
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 0, "dur": 2, "args": {"correlation": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 3, "dur": 2, "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 5, "dur": 41, "args": {"stream": 7, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce_RING_LL_Sum_float", "ts": 51, "dur": 30, "args": {"stream": 9, "correlation": 2,
 "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "Float", "Group size": 2, "Process Group Name": "0"}}]`

// smallTrace is an exchange around a ring of 4 ranks, a collective next to it if it is to be
// started, and some that all wait for.
func smallTrace(start bool) *traces.Memory {
	m := &traces.Memory{Head: traces.Header{Ranks: 4, Comms: []traces.Comm{{}, {Ranks: []int32{2, 0, 3}}}, Phases: []string{"ring", "sums"}}}
	for rank := range int32(4) {
		next, last := (rank+1)%4, (rank+3)%4
		waited := []int32{1}
		if start {
			waited = []int32{2, 1}
		}
		calls := []traces.Call{
			{Kind: traces.Irecv, Peer: last, Tag: 3, Bytes: 20000, Before: sim.Time(rank) * sim.Microsecond},
			{Kind: traces.Isend, Peer: next, Tag: 3, Bytes: 20000, Request: 1},
			{Kind: traces.Allreduce, Bytes: 8, Start: start, Request: 2},
			{Kind: traces.WaitAny, Requests: []int32{0}, Among: 3, Before: 5 * sim.Microsecond, Away: sim.Microsecond},
			{Kind: traces.Wait, Requests: waited},
			{Kind: traces.Alltoall, Bytes: 4000, Phase: 1, Before: sim.Microsecond},
		}
		if rank != 1 {
			calls = append(calls, traces.Call{Kind: traces.Broadcast, Comm: 1, Peer: 3, Bytes: 100_000, Phase: 1})
		}
		m.Ranks = append(m.Ranks, append(calls, traces.Call{Kind: traces.End, Phase: 1, Before: sim.Microsecond}))
	}
	return m
}

// inFolder lets a test work in its own folder, with the files of workloads that have
// one.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	var started, plain bytes.Buffer
	must.Do(t, errors.Join(traces.Write(&started, smallTrace(true)), traces.Write(&plain, smallTrace(false))))
	for name, text := range map[string][]byte{
		"small.goal": []byte(smallSchedule()), "small.trace": started.Bytes(), "plain.trace": plain.Bytes(), "small.json": []byte(smallKineto),
		"small.et": []byte(smallChakra), "small.table": []byte(smallTable),
	} {
		must.Do(t, os.WriteFile(name, text, 0o666))
	}
}

// productFactor is one of the things of a scenario that are combined.
type productFactor struct {
	name   string
	levels []string // lines of YAML
}

// workloadLevels are the small workloads: programs, experiments on the packet fabric, and
// workloads on GPUs.
func workloadLevels(t *testing.T) (programs, bare, onGPUs productFactor) {
	t.Helper()
	programs.name, bare.name, onGPUs.name = "workload", "workload", "workload"
	for _, name := range workloads.Names() {
		small, ok := smallWorkloads[name]
		if !ok {
			t.Errorf("the workload %s has no small parameters here", name)
		}
		kind, _ := workloads.Lookup(name)
		to := &programs
		switch kind.New().(type) {
		case experiments.Experiment:
			to = &bare
		case experiments.OnGPUs:
			to = &onGPUs
		}
		for _, one := range small {
			to.levels = append(to.levels, workloadText(name, one))
		}
	}
	return programs, bare, onGPUs
}

// machineFor returns a machine that a workload runs on: the usual one, or one with GPUs.
func machineFor(name, usual string) string {
	kind, _ := workloads.Lookup(name)
	if _, onGPUs := kind.New().(experiments.OnGPUs); onGPUs {
		return "dgx-h100"
	}
	return usual
}

// workloadText writes a small workload, "keys | ranks".
func workloadText(name, small string) string {
	keys, ranks, _ := strings.Cut(small, "|")
	text := strings.TrimSuffix("workload: {name: "+name+", "+strings.TrimSpace(keys), ", ") + "}\n"
	if ranks = strings.TrimSpace(ranks); ranks != "" {
		text += "ranks: " + ranks + "\n"
	}
	return text
}

// machineLevels are the machines, as they are and with a rate for every kernel, and
// the libraries.
func machineLevels() (on, kernels, libraries productFactor) {
	on.name, libraries = "machine", productFactor{"library", []string{"", "  runtime: none\n"}}
	for _, name := range files.Machines() {
		on.levels = append(on.levels, "machine: "+name+"\n")
	}
	for _, name := range files.Runtimes() {
		libraries.levels = append(libraries.levels, "  runtime: "+name+"\n")
	}
	return on, productFactor{"kernels", []string{"changes:\n  title: as it is\n", allKernels()}}, libraries
}

// allKernels gives a machine a peak and a rate for every kernel.
func allKernels() string {
	text := "changes:\n  peak: 10GF/s\n"
	for _, k := range machines.StandardKernels {
		unit := "GF/s"
		if k.Bytes {
			unit = "GB/s"
		}
		text += "  kernels." + k.Name + ".rates: 1" + unit + "\n"
	}
	return text
}

// routers is a small packet fabric.
func routers() string { return smallFabric("packet", "") }

// smallFabric writes the first small example of a fabric, and more keys next to it.
func smallFabric(name, more string) string {
	kind, _ := fabrics.Lookup(name)
	return kindText("fabric", name, kind.Examples[0]+more)
}

// fabricLevels and topologyLevels are the small examples of all kinds, and what a
// scenario has that says nothing.
func fabricLevels(t *testing.T) productFactor {
	f := productFactor{"fabric", []string{""}}
	for _, k := range fabrics.Kinds() {
		f.add(t, k.Name, k.Examples)
	}
	return f
}

func topologyLevels(t *testing.T) productFactor {
	f := productFactor{"topology", []string{""}}
	for _, k := range topology.Kinds() {
		f.add(t, k.Name, k.Examples)
	}
	return f
}

// add adds the examples of a kind.
func (f *productFactor) add(t *testing.T, name string, examples []string) {
	t.Helper()
	if len(examples) == 0 {
		t.Errorf("the %s %s has no small examples", f.name, name)
	}
	for _, example := range examples {
		f.levels = append(f.levels, kindText(f.name, name, example))
	}
}

var (
	placeLevels = productFactor{"place", []string{"", "processes_per_node: 1\n", "processes_per_node: 1\nmapping: random\n",
		"processes_per_node: 2\nmapping: cyclic\n"}}
	// The first is the cheapest by far: advice runs a scenario again, up to 30 times.
	howLevels = productFactor{"how", []string{"run --json --no-advice", "run", "run --json --gradient --no-advice"}}
)

// combination chooses a level of each factor.
type combination []int

// file writes a combination as a scenario.
func (c combination) file(factors []productFactor) string {
	var text strings.Builder
	for i, f := range factors[:len(factors)-1] {
		text.WriteString(f.levels[c[i]])
	}
	return text.String()
}

// meetings count how often two levels met in vain: of factors i and j < i. Once
// they have run together, or met in vain so often, they need not meet again.
type meetings map[[4]int]int

const inVain = 2

func (m meetings) fresh(c combination) (n int) {
	c.pairs(func(pair [4]int) {
		if m[pair] < inVain {
			n++
		}
	})
	return n
}

func (m meetings) note(c combination, ran bool) {
	c.pairs(func(pair [4]int) {
		if m[pair]++; ran {
			m[pair] = inVain
		}
	})
}

func (c combination) pairs(do func(pair [4]int)) {
	for i := range c {
		for j := range i {
			do([4]int{i, c[i], j, c[j]})
		}
	}
}

// drawn is from how many random combinations the one is chosen in which most levels
// have not met.
const drawn = 30

// usual is how often the first level of the last factor is drawn: all but one in usual
// times.
const usual = 8

// drawnFrom draws a level of each factor, the last one mostly the first, which is the
// cheapest.
func drawnFrom(factors []productFactor, random *rand.Rand) combination {
	c := make(combination, len(factors))
	for k, f := range factors {
		c[k] = random.IntN(len(f.levels))
	}
	if random.IntN(usual) > 0 {
		c[len(c)-1] = 0
	}
	return c
}

// furtherForms are the small workloads but one of each name: forms that need not meet everything.
func furtherForms() map[string]bool {
	further := map[string]bool{}
	if *everyForm {
		return further
	}
	for k, name := range workloads.Names() {
		forms := smallWorkloads[name]
		for i, form := range forms {
			further[workloadText(name, form)] = i != (k+limited.Turn())%len(forms)
		}
	}
	return further
}

// manyPairs of the levels of two factors are so many that without -every-form a third of them must meet.
const manyPairs = 1000

// due tells whether levels a of f and b of g must meet.
func due(f, g productFactor, a, b int) bool {
	return *everyForm || len(f.levels)*len(g.levels) < manyPairs || (a+b+limited.Turn())%3 == 0
}

// pairs lets every two levels of any two factors meet that are due, but the further ones only as they are drawn.
func pairs(factors []productFactor, further map[string]bool, runs func(combination) bool) {
	met := meetings{}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() combination { return drawnFrom(factors, random) }
	meet := func(i, a, j, b int) {
		var best combination
		for range drawn {
			c := draw()
			if c[i], c[j] = a, b; best == nil || met.fresh(c) > met.fresh(best) {
				best = c
			}
		}
		met.note(best, runs(best))
	}
	for i := range factors {
		for j := range i {
			for a := range factors[i].levels {
				for b, level := range factors[j].levels {
					for !further[level] && due(factors[i], factors[j], a, b) && met[[4]int{i, a, j, b}] < inVain {
						meet(i, a, j, b)
					}
				}
			}
		}
	}
}

// all lets every level of the factors meet, but for the last ones, which take turns.
func all(factors []productFactor, turns int, runs func(combination) bool) {
	c := make(combination, len(factors))
	free := len(factors) - turns
	for n := 0; ; n++ {
		rest := n
		for i := free; i < len(c); i++ {
			c[i] = rest % len(factors[i].levels)
			rest /= len(factors[i].levels)
		}
		runs(slices.Clone(c))
		i := 0
		for i < free && c[i] == len(factors[i].levels)-1 {
			c[i] = 0
			i++
		}
		if i == free {
			return
		}
		c[i]++
	}
}

// refusal is a line that says where a mistake is, in which key or flag, and what it is.
var refusal = regexp.MustCompile(`^(\S+\.yaml:\d+:\d+: [a-z_0-9-]+(\.[a-z_0-9-]+|\[\d+\])*: .{10,}` +
	`|--set [a-z_0-9.-]+=\S+: .{10,}|--machines \S+: .{10,}|overlapsim [a-z]+: --[a-z-]+( \S+)?: .{10,}|See 'overlapsim help [a-z]+'\.)$`)

// misbehaves runs the program and says what is wrong with how it behaves, ""
// if nothing is. A refusal counts as such.
func misbehaves(args ...string) (wrong string, refused bool) {
	defer func() {
		if bug := recover(); bug != nil {
			wrong = fmt.Sprintf("panics: %v", bug)
		}
	}()
	out, errs, status := callMain(args...)
	switch status {
	case done:
		if out == "" {
			return "prints nothing", false
		}
		if slices.Contains(args, "--json") {
			if what := impossible(out); what != "" {
				return "prints what cannot be: " + what, false
			}
		}
		if regexp.MustCompile(`\b(NaN|[+-]Inf)\b`).MatchString(out) {
			return "prints what is no number: " + out, false
		}
		return "", false
	case wrongInput:
		for _, line := range strings.Split(strings.TrimSpace(errs), "\n") {
			if !refusal.MatchString(line) {
				return "is refused without place, key and reason: " + errs, false
			}
		}
		return "", true
	}
	return fmt.Sprintf("status %d: %s", status, errs), false
}

const wrongInput = wrong

// trial runs combinations and counts what came of them.
type trial struct {
	*testing.T
	factors []productFactor
	ran     map[string]int // by level
	runs    int
	refused int
}

// run tells whether a combination ran; a refusal is no failure.
func (t *trial) run(c combination) bool {
	text := c.file(t.factors)
	must.Do(t, os.WriteFile("s.yaml", []byte(text), 0o666))
	last := len(t.factors) - 1
	how := strings.Fields(t.factors[last].levels[c[last]])
	wrong, refused := misbehaves(slices.Insert(how, 1, "s.yaml")...)
	if wrong != "" {
		t.Errorf("%s with\n%s%s", how, text, wrong)
	}
	if refused {
		t.refused++
		return false
	}
	t.runs++
	for i, f := range t.factors {
		t.ran[f.name+": "+f.levels[c[i]]]++
	}
	return true
}

// check wants each level of some factors to have run at least once.
func (t *trial) check(factors ...productFactor) {
	t.Logf("%d ran, %d were refused", t.runs, t.refused)
	for _, f := range factors {
		for i, level := range f.levels {
			if t.ran[f.name+": "+level] == 0 && !t.insist(f, i) {
				t.Errorf("nothing ran with %s", level)
			}
		}
	}
}

// tries is how often a level is tried of which nothing has run.
const tries = 200

// insist draws combinations with a level until one of them runs.
func (t *trial) insist(f productFactor, level int) bool {
	random := rand.New(rand.NewPCG(5, uint64(level)))
	k := slices.IndexFunc(t.factors, func(g productFactor) bool { return g.name == f.name })
	for range tries {
		c := drawnFrom(t.factors, random)
		if c[k] = level; t.run(c) {
			return true
		}
	}
	return false
}

// Every workload runs on every machine, with every library, on every fabric and
// topology, or is refused with file, line, column, key and reason.
func TestEveryWorkloadEverywhere(t *testing.T) {
	must.Long(t)
	inFolder(t)
	work, experiments, onGPUs := workloadLevels(t)
	on, kernels, libraries := machineLevels()
	programs := &trial{T: t, ran: map[string]int{}, factors: []productFactor{work, on, kernels, libraries, fabricLevels(t),
		topologyLevels(t), placeLevels, howLevels}}
	torus := productFactor{"topology", []string{kindText("topology", "torus", "dims: [2, 2, 2]"),
		kindText("topology", "torus", "dims: [4, 2, 3], wrap: false")}}
	packet := productFactor{"fabric", []string{routers(), smallFabric("packet", ", routing: dynamic, get_routing: dynamic")}}
	fabric := &trial{T: t, ran: map[string]int{}, factors: []productFactor{experiments, on, kernels, {"library", libraries.levels[:3]},
		packet, torus, {"place", placeLevels.levels[1:2]}, {"how", howLevels.levels[:2]}}}
	gpus := &trial{T: t, ran: map[string]int{}, factors: []productFactor{onGPUs, on, {"place", placeLevels.levels[:2]},
		{"how", howLevels.levels[:2]}}}
	for _, x := range []*trial{programs, fabric, gpus} {
		if *wholeProduct {
			all(x.factors, 2, x.run)
		} else {
			pairs(x.factors, furtherForms(), x.run)
		}
	}
	programs.check(programs.factors...)
	gpus.check(onGPUs)
	fabric.check(experiments, packet, torus) // other machines have their own routers, or links that differ
}
