package results

// Traced is what was measured in traces of GPUs, without any simulation: interval arithmetic on
// what ran, as Holistic Trace Analysis (Meta) defines it. Times are in seconds.
type Traced struct {
	Ranks []TracedRank `json:"ranks"`
	World int          `json:"world_size,omitempty"` // ranks of the job, if the traces say it
	// Absent are the first ranks of the job without a trace.
	Absent  []int          `json:"missing_ranks,omitempty"`
	Missing int            `json:"missing,omitempty"` // how many they are
	Kernels []TracedKernel `json:"kernels"`           // of all ranks, the longest in all first
	Skew    *Skew          `json:"skew,omitempty"`    // of collectives that several ranks traced
	// Steps is how many steps each trace has by the marks of the profiler, or by calls of the optimizer; 0: that is not known, or they differ.
	Steps int `json:"steps,omitempty"`
	// Elapsed is the time from the first launch to the last end, with the clocks of ranks set by their collectives.
	Elapsed float64 `json:"elapsed_s"`
	// Simulated is the time of the unchanged replay, and Error how much longer it is, as a share; nil: the replay is changed.
	Simulated *float64 `json:"simulated_s,omitempty"`
	Error     *float64 `json:"simulated_error,omitempty"`
}

// TracedRank is what the GPU of a rank did. Kernels of NCCL are communication, copies and fills
// are memory, and all other kernels are computation; the times of each are of merged intervals.
type TracedRank struct {
	Rank          int     `json:"rank"`
	File          string  `json:"file"`
	Communication float64 `json:"communication_s"`
	Computation   float64 `json:"computation_s"`
	Overlapped    float64 `json:"overlapped_s"` // both at once
	Exposed       float64 `json:"exposed_s"`    // communication alone: communication less what computation overlaps
	Memory        float64 `json:"memory_s"`     // copies and fills
	Idle          float64 `json:"idle_s"`       // nothing runs
	// LaunchBound is the part of Idle that ends with an operation whose launch began after all before it had ended.
	LaunchBound float64 `json:"launch_bound_s"`
	// Unexplained is the rest of Idle: the operation that ended it had been launched, and nothing of the GPU kept it waiting.
	Unexplained float64 `json:"unexplained_s"`
	// HostPaused is the part of LaunchBound in which the host launched nothing, such as while it waited for data.
	HostPaused float64 `json:"host_paused_s"`
	Operations int     `json:"operations"`          // of the GPU
	InGraphs   int     `json:"in_graphs,omitempty"` // of them launched as parts of CUDA graphs
	Span       float64 `json:"span_s"`              // from the first start to the last end
	// Waited is the part of Communication in which a collective waited for another rank to begin it; nil: not known.
	Waited *float64 `json:"waited_s,omitempty"`
	Last   int      `json:"last,omitempty"` // how many collectives it was the last one to begin
}

// Sum is the sum over the ranks of what their GPUs did.
func (t *Traced) Sum() (sum TracedRank) {
	for _, r := range t.Ranks {
		sum.Communication += r.Communication
		sum.Computation += r.Computation
		sum.Overlapped += r.Overlapped
		sum.Exposed += r.Exposed
		sum.Memory += r.Memory
		sum.Idle += r.Idle
		sum.LaunchBound += r.LaunchBound
		sum.HostPaused += r.HostPaused
		sum.Unexplained += r.Unexplained
		sum.Operations += r.Operations
		sum.InGraphs += r.InGraphs
		sum.Span += r.Span
	}
	return sum
}

// TracedKernel is what kernels of a name took in all ranks.
type TracedKernel struct {
	Name       string  `json:"name"`
	Kind       string  `json:"kind"` // of the replay: kernel, copy, fill, collective
	Collective string  `json:"collective,omitempty"`
	Count      int     `json:"count"`
	Bytes      int64   `json:"bytes,omitempty"` // of their largest buffers, if known
	Time       float64 `json:"time_s"`          // the sum
}

// Skew is how far apart ranks began the collectives that they did together.
type Skew struct {
	Collectives int     `json:"collectives"`
	Most        int     `json:"most_collectives"` // of a rank, with those that have no counterpart on another one
	Mean        float64 `json:"mean_s"`           // from the first to the last one
	Largest     float64 `json:"largest_s"`
}
