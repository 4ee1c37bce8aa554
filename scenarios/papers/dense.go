package papers

import (
	_ "embed"
	"math"
	"sync"

	"go.yaml.in/yaml/v3"

	"overlapsim/network/calibrated"
	"overlapsim/workloads/dense"
)

// DenseFit is the result of the fit "cray", as in its result file: a machine for the
// models of package dense.
type DenseFit struct {
	Fit             string         `yaml:"fit"`
	Cells           int            `yaml:"cells"`
	RMS             float64        `yaml:"rms_points"` // of the residuals, points of peak
	Largest         float64        `yaml:"largest_points"`
	Parameters      []DenseValue   `yaml:"parameters"`
	Machine         DenseMachine   `yaml:"machine"`
	Residuals       []DenseCell    `yaml:"residuals"`
	CrossValidation []DenseLeftOut `yaml:"cross_validation"`
}

// DenseValue is a parameter and its standard error, from the curvature of the sum
// of squares.
type DenseValue struct {
	Name  string  `yaml:"name"`
	Value float64 `yaml:"value"`
	Error float64 `yaml:"error"`
}

// DenseCell is a cell that was used, percentages of peak.
type DenseCell struct {
	ID        string  `yaml:"id"`
	Published float64 `yaml:"published"`
	Computed  float64 `yaml:"computed"`
	Residual  float64 `yaml:"residual"`
}

// DenseLeftOut is the prediction of some cells by a fit without them.
type DenseLeftOut struct {
	Left    string  `yaml:"left_out"`
	Cells   int     `yaml:"cells"`
	RMS     float64 `yaml:"rms_points"`
	Largest float64 `yaml:"largest_points"`
}

// DenseMachine is a dense.Machine in a file.
type DenseMachine struct {
	Peak      float64          `yaml:"peak_per_thread"` // flop/s
	Threads   int              `yaml:"threads"`
	Layers    int              `yaml:"layers"`
	Latency   float64          `yaml:"latency_s"`
	Bandwidth float64          `yaml:"bandwidth"` // B/s
	Gemm      dense.Efficiency `yaml:"dgemm,flow"`
	Trsm      dense.Efficiency `yaml:"dtrsm,flow"`
	Potrf     dense.Efficiency `yaml:"dpotrf,flow"`
	Blocks    []DenseBlocks    `yaml:"blocks,flow"`
	Average   DenseFactors     `yaml:"c_avg"`
	Maximum   []DenseFactors   `yaml:"c_max"`
}

// DenseBlocks are the block sizes b of an algorithm on a number of processes, in 2D and in
// 2.5D. They do not depend on the size of the matrix.
type DenseBlocks struct {
	Algorithm  string `yaml:"algorithm"`
	Processes  int    `yaml:"processes"`
	Plain      int    `yaml:"plain"`
	Replicated int    `yaml:"replicated"`
}

// DenseFactors are calibration factors by distance; factors of C_max are for a number of
// processes.
type DenseFactors struct {
	Processes int       `yaml:"processes,omitempty"`
	Distances []int     `yaml:"distances,flow"`
	Factors   []float64 `yaml:"factors,flow"`
}

// Calibrated returns the machine with its factors as a calibrated fabric has them.
func (m *DenseMachine) Calibrated() (*dense.Machine, error) {
	var rows []calibrated.Row
	for _, f := range m.Maximum {
		rows = append(rows, calibrated.Row{Processes: f.Processes, Curve: calibrated.Curve{Distances: f.Distances, Factors: f.Factors}})
	}
	c, err := calibrated.New(calibrated.Curve{Distances: m.Average.Distances, Factors: m.Average.Factors}, rows, 2)
	if err != nil {
		return nil, err
	}
	return m.Model(c), nil
}

// Model returns the machine with given factors.
func (m *DenseMachine) Model(c dense.Contention) *dense.Machine {
	return &dense.Machine{
		Peak: m.Peak, Threads: m.Threads, Latency: m.Latency, PerByte: 1 / m.Bandwidth, Contention: c,
		Gemm: m.Gemm, Trsm: m.Trsm, Potrf: m.Potrf,
	}
}

// Marshal returns the text of the result file.
func (f *DenseFit) Marshal() ([]byte, error) {
	return marshalResult("fit-papers", f.Fit, f)
}

//go:embed densefits/cray.result.yaml
var hopperResult []byte

// readDenseFit reads a result file.
func readDenseFit(text []byte) (*DenseFit, error) {
	f := &DenseFit{}
	if err := yaml.Unmarshal(text, f); err != nil {
		return nil, err
	}
	_, err := f.Machine.Calibrated()
	return f, err
}

// hopper is the machine of the fit "cray". It is nil if there is none yet, as when the fit
// itself reads the paper.
var hopper = sync.OnceValues(func() (*dense.Machine, *DenseMachine) {
	f, err := readDenseFit(hopperResult)
	if err != nil {
		return nil, nil
	}
	m, err := f.Machine.Calibrated()
	if err != nil {
		panic("papers: densefits/cray.result.yaml: " + err.Error()) // it was read
	}
	return m, &f.Machine
})

// The models of package dense on Hopper, for expressions: the percentage of peak of a run
// on a number of cores.
func init() {
	for i := range dense.Algorithms {
		a := &dense.Algorithms[i]
		register(a.Name, 4, func(x ...float64) float64 {
			m, tables := hopper()
			if m == nil {
				return math.NaN()
			}
			return tables.Percent(m, a, dense.Variant{Replicated: x[2] != 0, Overlap: x[3] != 0}, int(x[1]), int(x[0]))
		})
	}
}

// Percent returns the percentage of peak of an n x n matrix on a number of cores, with
// the block sizes of the tables; NaN if the matrix does not fit the processes.
func (t *DenseMachine) Percent(m *dense.Machine, a *dense.Algorithm, v dense.Variant, n, cores int) float64 {
	p := cores / m.Threads
	g, err := dense.NewGrid(t.blocked(a, v, n, p), v, n, p, t.Layers)
	if err != nil {
		return math.NaN()
	}
	return m.Percent(a, n, p, m.Time(a, v, g))
}

// blocked is the algorithm with the blocks of the tables, if the tables have blocks for it.
func (t *DenseMachine) blocked(a *dense.Algorithm, v dense.Variant, n, p int) *dense.Algorithm {
	for _, b := range t.Blocks {
		if b.Algorithm != a.Name || b.Processes != p {
			continue
		}
		rows := b.Plain
		if v.Replicated {
			rows = b.Replicated
		}
		with := *a
		with.Blocks = a.BlocksOf(v, n, rows, p, t.Layers)
		return &with
	}
	return a
}
