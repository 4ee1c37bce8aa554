package calibrate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"overlapsim/nodes/gpus"
	"overlapsim/scenarios/files"
)

// GPUFit is the gpu_calibration of a machine, fitted to a collective operation of its GPUs.
type GPUFit struct {
	Machine    string      `json:"machine"` // whose hardware it is
	Operation  string      `json:"operation"`
	GPUs       int         `json:"gpus"`
	Parameters []Parameter `json:"parameters"`
	Rows       []GPURow    `json:"rows"`
	Parts      []GPUPart   `json:"parts"`
	Text       []byte      `json:"-"` // the machine file
	group      *gpus.Communicator
	op         *gpus.Operation
}

// GPURow is a size, in seconds.
type GPURow struct {
	Bytes    int64   `json:"bytes"`
	Measured float64 `json:"measured_s"`
	Fitted   float64 `json:"fitted_s"`
	How      string  `json:"how"` // the algorithm and protocol that NCCL takes
}

// GPUPart says how well an algorithm was fitted.
type GPUPart struct {
	Algorithm string  `json:"algorithm"`
	Sizes     int     `json:"sizes"`
	Median    float64 `json:"median"` // relative error
}

// gpuPart is an algorithm whose numbers are fitted, with its keys of gpu_calibration.
type gpuPart struct {
	algorithm              *gpus.Algorithm
	start, step, bandwidth string
}

var gpuParts = []gpuPart{
	{gpus.Ring, "start", "step", "ring"},
	{gpus.NVLS, "switch_start", "switch_step", "in_switch"},
}

// FitGPUs fits the calibration of a machine's GPUs to a collective operation inside a domain: for each algorithm the sizes at
// which NCCL takes it with protocol Simple.
func (d *Data) FitGPUs(name string) (*GPUFit, error) {
	m, err := files.LoadMachine(name)
	if err != nil {
		return nil, err
	}
	f, err := d.gpuFit(m)
	if err != nil {
		return nil, err
	}
	points := d.medians()[Collective]
	used := map[*gpus.Algorithm][]Point{}
	for _, p := range points {
		cost, err := f.group.Time(f.op, p.Bytes)
		if err != nil {
			return nil, err
		}
		if cost.Algorithm != nil && cost.Protocol == gpus.Simple {
			used[cost.Algorithm] = append(used[cost.Algorithm], p)
		}
	}
	for _, part := range gpuParts {
		if err := f.fit(part, used[part.algorithm], d.says(Collective)); err != nil {
			return nil, err
		}
	}
	if f.Parameters == nil {
		return nil, fmt.Errorf("%s: no algorithm has the %d sizes of protocol Simple that a fit needs; measure up to 1 GiB", d.where(Collective),
			leastSizes)
	}
	f.write(d, m)
	return f, f.compare(points)
}

// gpuFit finds the group and the operation of the measurements.
func (d *Data) gpuFit(m *files.Machine) (*GPUFit, error) {
	if m.GPUs == nil {
		return nil, fmt.Errorf("--gpus %s: has no GPUs (gpu)", m.Name)
	}
	if len(d.GPUs) == 0 {
		return nil, fmt.Errorf("--gpus %s: the files hold no collectives of GPUs, as nccl-tests prints them", m.Name)
	}
	r := ringOf(&d.GPUs[0])
	called := strings.ReplaceAll(strings.ReplaceAll(d.GPUs[0].Name, "_", "-"), "alltoall", "all-to-all")
	f := &GPUFit{Machine: m.Name, Operation: called, GPUs: r.gpus}
	for _, op := range gpus.Operations {
		if op.Name == called || called == "nccl-tests" && op == gpus.AllReduce && r.steps == 2*float64(r.gpus-1) {
			f.op, f.Operation = op, op.Name
		}
	}
	if f.op == nil {
		return nil, fmt.Errorf("%s: no fit is known for %s; run all_reduce_perf, all_gather_perf or reduce_scatter_perf",
			d.where(Collective), called)
	}
	m.GPUs.Fit.SwitchGPUs = r.gpus
	f.group = gpus.First(m.GPUs, r.gpus, m.GPUs.Node.GPUs)
	if domains, _ := f.group.Domains(); domains > 1 {
		return nil, fmt.Errorf("%s: %d GPUs of %s are in %d domains; a fit needs the GPUs of one", d.where(Collective), r.gpus, m.Name, domains)
	}
	return f, nil
}

// leastSizes is the smallest number of sizes to fit three numbers: two more than three.
const leastSizes = 5

// fit finds start, step and bandwidth by least squares of relative errors. The time is
// linear in start, step and the inverse of the bandwidth.
func (f *GPUFit) fit(part gpuPart, points []Point, source string) error {
	if len(points) < leastSizes {
		return nil
	}
	a, y := mat.NewDense(len(points), 3, nil), mat.NewVecDense(len(points), nil)
	for i, p := range points {
		steps, moved, err := f.group.Terms(f.op, part.algorithm, p.Bytes)
		if err != nil {
			return err
		}
		a.SetRow(i, []float64{1 / p.Seconds, steps / p.Seconds, moved / p.Seconds})
		y.SetVec(i, 1)
	}
	x, half, err := leastSquares(a, y)
	if err != nil {
		return fmt.Errorf("%s: the sizes do not determine %s, %s and %s: %w", source, part.start, part.step, part.bandwidth, err)
	}
	add := func(name, unit string, value, low, high float64) {
		f.Parameters = append(f.Parameters, Parameter{Name: name, Unit: unit, Value: value, Low: low, High: high, Kind: measured.String(),
			Source: fmt.Sprintf("%s: %s, %d sizes", source, part.algorithm, len(points))})
	}
	add(part.start, "s", x[0], max(0, x[0]-half[0]), x[0]+half[0])
	add(part.step, "s", x[1], max(0, x[1]-half[1]), x[1]+half[1])
	fastest := math.Inf(1)
	if x[2] > half[2] {
		fastest = 1 / (x[2] - half[2])
	}
	add(part.bandwidth, "B/s", 1/x[2], 1/(x[2]+half[2]), fastest)
	return nil
}

// leastSquares solves a x = y without negative x, and returns half of the 95 % intervals.
func leastSquares(a *mat.Dense, y *mat.VecDense) (x, half []float64, err error) {
	rows, columns := a.Dims()
	scale := make([]float64, columns) // of seconds, and of bytes: they differ by ten orders
	for i := range columns {
		scale[i] = mat.Norm(a.ColView(i), 2)
	}
	a.Apply(func(_, j int, v float64) float64 { return v / scale[j] }, a)
	var normal, inverse mat.Dense
	normal.Mul(a.T(), a)
	if err := inverse.Inverse(&normal); err != nil {
		return nil, nil, errors.New("they are too large or too alike; measure all from 1 MiB to 1 GiB")
	}
	var right, solved, left mat.VecDense
	right.MulVec(a.T(), y)
	solved.MulVec(&inverse, &right)
	left.MulVec(a, &solved)
	left.SubVec(y, &left)
	free := float64(rows - columns)
	variance := mat.Dot(&left, &left) / free
	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile(0.975)
	for i := range columns {
		x = append(x, max(0, solved.AtVec(i)/scale[i]))
		half = append(half, quantile*math.Sqrt(variance*inverse.At(i, i))/scale[i])
	}
	if x[columns-1] == 0 {
		return nil, nil, fmt.Errorf("larger sizes are not slower")
	}
	return x, half, nil
}

// write writes the machine file: the machine with these numbers in its calibration.
func (f *GPUFit) write(d *Data, m *files.Machine) {
	w := &writer{}
	w.line("# Written by 'overlapsim calibrate --gpus'; running it again on the same measurements gives the same file.")
	w.line("title: %q", m.Title+", calibrated from "+d.source())
	w.line("base: %s", m.Name)
	w.line("gpu_calibration.rows: %q", fmt.Sprintf("%s, %s of %d GPUs", d.source(), f.Operation, f.GPUs))
	for _, p := range f.Parameters {
		value := duration(p.Value)
		if p.Unit == "B/s" {
			value = Bandwidth(p.Value)
		}
		w.line("gpu_calibration.%s: {value: %s, origin: %s, source: %q}", p.Name, value, measured.origin(), says(measured, p.Source))
	}
	if m.GPUs.Fit.InSwitch > 0 {
		w.line("gpu_calibration.switch_gpus: %d", f.GPUs)
	}
	f.Text = w.Bytes()
}

// Bandwidth writes a bandwidth in GB/s.
func Bandwidth(x float64) string {
	if math.IsInf(x, 1) {
		return "no limit"
	}
	return strconv.FormatFloat(x/1e9, 'f', 2, 64) + "GB/s"
}

// compare gives the fitted time of each size, with the machine that was written.
func (f *GPUFit) compare(points []Point) error {
	m, err := files.ReadMachine("calibrated.yaml", f.Text)
	if err != nil {
		return err
	}
	group := gpus.First(m.GPUs, f.GPUs, m.GPUs.Node.GPUs)
	errs := map[string][]float64{}
	for _, p := range points {
		cost, err := group.Time(f.op, p.Bytes)
		if err != nil {
			return err
		}
		row := GPURow{Bytes: p.Bytes, Measured: p.Seconds, Fitted: cost.Total().Seconds(), How: "nothing to do"}
		if cost.Algorithm != nil {
			row.How = cost.Algorithm.Name + " " + cost.Protocol.Name
		}
		f.Rows = append(f.Rows, row)
		errs[row.How] = append(errs[row.How], math.Abs(row.Fitted/row.Measured-1))
	}
	for _, r := range f.Rows {
		if all, ok := errs[r.How]; ok {
			f.Parts = append(f.Parts, GPUPart{r.How, len(all), median(all)})
			delete(errs, r.How)
		}
	}
	return nil
}
