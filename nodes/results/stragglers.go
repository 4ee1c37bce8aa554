package results

import (
	"math"
	"slices"
)

// Stragglers is what slow workers cost a training job, found from its traced operations by running
// them again with other times. Slow-downs are ratios of mean times of steps.
type Stragglers struct {
	Slowdown       float64            `json:"slowdown"`        // without launch delays, over all operations equal
	LaunchSlowdown float64            `json:"launch_slowdown"` // as traced, over without launch delays
	Steps          []StragglerStep    `json:"steps"`
	ByRank         map[int]float64    `json:"by_rank"`             // data-parallel rank: if only it has its own times, over all equal
	ByStage        map[int]float64    `json:"by_stage"`            // the same of a pipeline stage
	ByKind         map[string]float64 `json:"by_kind"`             // the same of a kind of operations
	Variation      *Variation         `json:"variation,omitempty"` // of computation, if the job has several ranks, micro-batches and steps
	Sizes          *JobSizes          `json:"sizes,omitempty"`     // of the job, if a file next to its table has them
}

// Variation is how much the time of computation varies: standard deviations, as parts of it.
type Variation struct {
	MicroBatch float64 `json:"micro_batch"` // common to all passes of a micro-batch on all stages
	GPU        float64 `json:"gpu"`         // common to what a GPU computes in a step
	Step       float64 `json:"step"`        // common to all GPUs in a step
	Rest       float64 `json:"rest"`        // of each pass alone
}

// JobSizes are how a training job is spread over GPUs; 0: not given.
type JobSizes struct {
	World            int `json:"world_size"` // GPUs
	DataParallel     int `json:"dp"`
	Stages           int `json:"pp"`
	TensorParallel   int `json:"tp,omitempty"`
	SequenceParallel int `json:"dsp,omitempty"` // GPUs that split sequences
	Chunks           int `json:"vpp,omitempty"` // of the model in a stage
}

// StragglerStep is the time of a step, in seconds: as traced, without launch delays, and with every
// operation as long as its kind is on average.
type StragglerStep struct {
	Step            int64   `json:"step"`
	Traced          float64 `json:"traced_s"`
	WithoutLaunches float64 `json:"without_launches_s"`
	Equal           float64 `json:"equal_s"`
}

// Within is the time that a part of the steps does not exceed: the smallest such time.
func (s *Stragglers) Within(part float64, of func(*StragglerStep) float64) float64 {
	times := make([]float64, len(s.Steps))
	for i := range s.Steps {
		times[i] = of(&s.Steps[i])
	}
	slices.Sort(times)
	return times[max(1, int(math.Ceil(part*float64(len(times)))))-1]
}
