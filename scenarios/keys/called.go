package keys

import (
	"slices"
	"strings"
)

// others are words that people of the field use, bare, and what is called so here: the words of MPI and
// of batch systems, the letters of LogGOPS and of the postal model, short forms.
var others = [...]struct{ words, names string }{
	{"procs nprocs nproc np n numprocs tasks ntasks nranks worldsize commsize gpus ngpus numgpus", "ranks"},
	{"ppn rankspernode procspernode taskspernode npernode", "processes_per_node"},
	{"numnodes nnodes hosts", "nodes"},
	{"ncores corespernode cpus", "cores"},
	{"bw throughput linerate linkrate", "bandwidth"},
	{"lat alpha l", "latency"},
	{"flops gflops floprate rate", "peak rates"},
	{"explain why", "run"},
	{"beta", "gap_per_byte bandwidth"},
	{"g", "gap gap_per_byte"},
	{"overhead o", "send_overhead receive_overhead"},
	{"os", "send_overhead"},
	{"or", "receive_overhead"},
	{"s", "rendezvous_threshold"},
	{"eager eagerlimit eagerthreshold rndv rndvthreshold rendezvous", "rendezvous_threshold rendezvous.threshold"},
	{"size msgsize messagesize msglen msgbytes nbytes", "bytes"},
	{"iters steps niter niters reps repetitions loops count", "iterations repeat"},
	{"comptime computation computetime", "compute"},
	{"mpi library lib mpilibrary", "runtime"},
	{"type", "kind name"},
	{"period interval", "every rate"},
	{"every frequency", "rate"},
	{"duration", "length"},
	{"name", "title"},
	{"dimensions shape", "dims"},
	{"placement rankmapping taskmapping mapby", "mapping"},
	{"bcast broadcast reduce allreduce allgather alltoall gather scatter reducescatter scan", "collective"},
	{"bcast", "broadcast"},
	{"cg hpcg conjugategradient krylov", "halo-beside-collective"},
	{"stencil stencil2d stencil3d jacobi laplace haloexchange nearestneighbor nearestneighbour", "halo"},
	{"llama llama2 llama3 llama31 llm languagemodel pretraining llama38b gpt gpt2 gpt3 bert mistral mixtral moe deepseek qwen", "training-step train-fsdp-or-tp"},
	{"resnet imagenet", "train-buckets"},
	{"model", "layers hidden heads"},
	{"dtype datatype", "precision"},
	{"tensor tensorparallel tpsize", "tp"},
	{"pipeline pipelineparallel ppsize stages", "pp"},
	{"moe mixtureofexperts numexperts", "experts"},
	{"mbs microbatchsize perdevicebatchsize localbatchsize", "micro_batch"},
	{"gbs globalbatchsize batchsize batch", "global_batch"},
	{"bs", "micro_batch global_batch"},
	{"vocab vocabsize", "vocabulary"},
	{"messagerate msgrate injectionrate", "gap"},
	{"hoplatency switchlatency routerlatency", "links.latency"},
	{"rails nrails numrails numnics nnics", "nics nics.number number"},
	{"ucxrndvthresh rndvthresh", "rendezvous rendezvous_threshold"},
	{"incast manytoone", "gather"},
	{"permutation bitreversal", "shift"},
	{"cudagraphs cudagraph graphs graph host", "host gpu_kernels.launch"},
	{"contention contended congestion congested", "flow"},
	{"vpp virtualpipeline virtualstages interleave interleaved", "chunks"},
	{"tpcommoverlap asynctensorparallel asynctp", "async_tp"},
	{"gradientaccumulation gradientaccumulationsteps gradaccum accumulationsteps accumulation", "global_batch micro_batch"},
	{"activationcheckpointing gradientcheckpointing checkpointing", "recompute"},
	{"seqlen seqlength sequencelength contextlength maxseqlen", "sequence"},
	{"oversubscription oversubscribed oversub blocking", "taper"},
	{"nvlinkdomain nvldomain nvldomainsize nvlink", "domain"},
	{"straggler stragglers slowrank slowranks slownode slow", "slow"},
	{"imbalance loadimbalance unevenness", "noise slow jitter"},
	{"p2p pt2pt latencytest", "round-trip flood"},
	{"matmul", "summa cannon gemm-collective"},
	{"diff", "compare"},
	{"simulate sim exec start", "run"},
	{"sensitivity derivatives elasticity elasticities", "gradient"},
	{"bench", "overlap"},
	{"ls machines", "list"},
	{"describe info cat", "show"},
	{"convert dump", "export"},
	{"n param config option parameter", "--set"},
	{"over range values grid", "--vary"},
	{"vary", "--over"},
	{"output out o csv", "--html --json --goal"},
	{"plot svg pdf png", "--figure"},
	{"timeline", "--html --trace"},
}

// called returns what a word of others is called here.
func called(word string) (names []string) {
	for _, o := range others {
		if slices.Contains(strings.Fields(o.words), word) {
			names = append(names, strings.Fields(o.names)...)
		}
	}
	return names
}

// Operation returns the choice that a word is in other letters, with MPI_ or MPI_I before it, or by another name; "": none.
func Operation(word string, choices []string) string {
	word = strings.TrimPrefix(bare(word), "mpi")
	other := strings.TrimPrefix(word, "i")
	for _, name := range slices.Concat([]string{word, other}, called(word), called(other)) {
		for _, choice := range choices {
			if bare(choice) == name {
				return choice
			}
		}
	}
	return ""
}

// Immediate tells whether a word for an operation is its non-blocking form: MPI_Iallreduce, or ibcast.
func Immediate(word, operation string) bool {
	other, prefixed := strings.CutPrefix(strings.TrimPrefix(bare(word), "mpi"), "i")
	return prefixed && (other == bare(operation) || slices.Contains(called(other), operation))
}

// CalledHere returns the choices that are what others call a word, with or without MPI_ before it.
func CalledHere(word string, choices []string) []string {
	names := append(slices.Clone(called(bare(word))), called(strings.TrimPrefix(bare(word), "mpi"))...)
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(choices, name) })
	slices.Sort(names)
	return slices.Compact(names)
}
