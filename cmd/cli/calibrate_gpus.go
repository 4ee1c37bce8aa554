package cli

import (
	"fmt"
	"io"

	"overlapsim/scenarios/calibrate"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// calibrateGPUs fits the gpu_calibration of a machine, writes the machine, and prints the fit.
func calibrateGPUs(c *call, data *calibrate.Data, machine string, asJSON bool, out string) error {
	f, err := data.FitGPUs(machine)
	if err != nil {
		return &inputError{err.Error()}
	}
	if err := output(out).write(func(w io.Writer) error { _, err := w.Write(f.Text); return err }); err != nil {
		return err
	}
	return c.show(asJSON, f, func(p *printer) { p.fitOfGPUs(f) })
}

// fitOfGPUs prints the parameters of a fit, and its errors.
func (p *printer) fitOfGPUs(f *calibrate.GPUFit) {
	p.print("%s of %d GPUs, on the hardware of %s\n\nParameters of gpu_calibration\n", keys.Capital(f.Operation), f.GPUs, f.Machine)
	rows := [][]string{{"  parameter", "value", "low", "high", "low to high"}}
	for _, parameter := range f.Parameters {
		write := func(x float64) string {
			if parameter.Unit == "B/s" {
				return calibrate.Bandwidth(x)
			}
			return report.Seconds(x)
		}
		rows = append(rows, []string{"  " + parameter.Name, write(parameter.Value), write(parameter.Low), write(parameter.High), "95 %"})
	}
	p.grid(rows, 1)
	p.print("\nFitted against measured, relative errors over sizes\n")
	rows = [][]string{{"  as NCCL does it", "sizes", "median"}}
	for _, part := range f.Parts {
		rows = append(rows, []string{"  " + part.Algorithm, fmt.Sprint(part.Sizes), report.Percent(part.Median, 1)})
	}
	p.grid(rows, 1)
}
