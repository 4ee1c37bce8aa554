package results

// Scaled says how a run was scaled from a measurement of the same model on other GPUs. Times are in seconds.
type Scaled struct {
	Ranks  int    `json:"measured_ranks"`
	Layout string `json:"measured_layout,omitempty"` // "": of a trace that is replayed
	// Assumed tells that no key says which layout was measured: it is that of the settings up to the measurement.
	Assumed bool `json:"measured_layout_assumed,omitempty"`
	// Batch is the number of sequences of the measured step, and BatchAs what it is taken from if no key says it.
	Batch   int64  `json:"measured_batch,omitempty"` // 0: of a trace that is replayed
	BatchAs string `json:"measured_batch_assumed,omitempty"`
	To      string `json:"to"` // what runs
	// Machine is the machine that was measured, on which kernels were fitted; "": they were not fitted.
	Machine string `json:"measured_machine,omitempty"`
	// Step is the measured time of a step there, and Simulated the time of that step here, with kernels as measured; nil: kernels
	// were measured, not the step.
	Step      *float64     `json:"measured_step_s,omitempty"`
	Simulated *float64     `json:"simulated_step_s,omitempty"`
	Parts     []ScaledPart `json:"parts"`
}

// ScaledPart is a part of a step: from measurement or from the model alone.
type ScaledPart struct {
	Name string `json:"name"`
	By   string `json:"by"` // measured, or model
	// Measured and Model are what a GPU spends on the part in the measured step; nil: not known.
	Measured *float64 `json:"measured_s,omitempty"`
	Model    *float64 `json:"model_s,omitempty"`
	// Factor is by how much kernels take longer than the model says, there and here; 0: the model is taken as it is.
	Factor float64 `json:"factor,omitempty"`
	// Longer is what the part takes longer here than there; nil: not known apart.
	Longer *float64 `json:"longer_s,omitempty"`
	Why    string   `json:"why,omitempty"`
}

// The ways of scaling.
const (
	ByMeasurement = "measured"
	ByModel       = "model"
)
