package papers

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

//go:embed fits/*.yaml
var fitFiles embed.FS

// fits returns the names of the fits of this package, sorted.
func fits() (names []string) {
	entries, err := fitFiles.ReadDir("fits")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".result.yaml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// loadFit returns a fit and its result.
func loadFit(name string) (*Fit, *FitResult, error) {
	text, err := fitFiles.ReadFile("fits/" + name + ".yaml")
	if err != nil {
		return nil, nil, err
	}
	f, err := ReadFit("fits/"+name+".yaml", text)
	if err != nil {
		return nil, nil, err
	}
	text, err = fitFiles.ReadFile("fits/" + name + ".result.yaml")
	if err != nil {
		return nil, nil, err
	}
	r, err := readFitResult(text)
	return f, r, err
}

// fitRow is what the page says about a fit.
type fitRow struct {
	name             string
	parameters       int
	numbers, margins int
	rms              float64 // of the numbers, in units of their tolerances
	constant, line   float64 // the same of a trivial baseline; NaN: there is none
	undetermined     []string
}

// writeFits writes the table of all fits.
func writeFits(b *strings.Builder, recorded []*Recorded) error {
	b.WriteString(`
## Fits

Free parameters against data. A margin is a bound, or a statement without a number: it is satisfied or not, and says little. The residuals
of the numbers are root mean squares of their distance from what is published over the published value. A baseline knows the same numbers:
the constant is their geometric mean, one for each unit; the line is a power law, of cores for each column of a table. The data do not
determine directions along which all residuals move by less than a quarter of their scale for one standard deviation of the prior.

| fit | parameters | numbers | margins | fit | constant | line | what the data do not determine |
|---|---|---|---|---|---|---|---|
`)
	rows, err := fitRows(recorded)
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %s | %s | %s | %s |\n", r.name, r.parameters, r.numbers, r.margins, part(r.rms), part(r.constant),
			part(r.line), strings.Join(r.undetermined, "; "))
	}
	return err
}

// part writes a ratio in percent.
func part(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}

func fitRows(recorded []*Recorded) (rows []fitRow, err error) {
	directions := map[string][]Direction{}
	for _, r := range recorded {
		for fit, d := range r.Fits {
			directions[fit] = d
		}
	}
	for _, name := range fits() {
		f, result, err := loadFit(name)
		if err != nil {
			return nil, err
		}
		if result.Directions == nil {
			result.Directions = directions[name]
		}
		rows = append(rows, f.row(result))
	}
	dense, err := readDenseFit(hopperResult)
	if err != nil {
		return nil, err
	}
	row, err := dense.row()
	return append(rows, row), err
}

// row describes a fit of a few claims.
func (f *Fit) row(result *FitResult) fitRow {
	r := fitRow{name: f.Name, parameters: len(f.Parameters), line: math.NaN()}
	logs := map[string][]float64{} // of published numbers, by unit
	var squares []float64
	for i := range f.Terms {
		if f.Terms[i].Margin || f.Terms[i].Claim.Judged != Value {
			r.margins++
			continue
		}
		r.numbers++
		published := f.Terms[i].Claim.Published
		squares = append(squares, math.Pow(result.Claims[i].Simulated/published-1, 2))
		logs[f.Terms[i].Claim.Unit] = append(logs[f.Terms[i].Claim.Unit], math.Log(published))
	}
	r.rms, r.constant = rms(squares), constantError(logs)
	for _, d := range result.Directions {
		if d.Singular < 0.25 {
			r.undetermined = append(r.undetermined, d.String())
		}
	}
	return r
}

// rms is the root of a mean of squares, NaN if there are none.
func rms(squares []float64) float64 { return math.Sqrt(stat.Mean(squares, nil)) }

// constantError is the error of a constant for each group.
func constantError(logs map[string][]float64) float64 {
	var squares []float64
	for _, unit := range slices.Sorted(maps.Keys(logs)) {
		mean := stat.Mean(logs[unit], nil)
		for _, y := range logs[unit] {
			squares = append(squares, math.Pow(math.Exp(mean-y)-1, 2))
		}
	}
	return rms(squares)
}

// String names the larger components: 0.7 fft - 0.6 copy.
func (d Direction) String() string {
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(d.Along)) {
		parts = append(parts, fmt.Sprintf("%+.2g %s", d.Along[path], path))
	}
	if d.Singular < 1e-9 { // all that is left is rounding
		return strings.Join(parts, " ") + " (singular value 0)"
	}
	return strings.Join(parts, " ") + fmt.Sprintf(" (singular value %.2g)", d.Singular)
}

// row describes the fit of the tables of dense linear algebra.
func (f *DenseFit) row() (fitRow, error) {
	r := fitRow{name: f.Fit, parameters: len(f.Parameters), numbers: f.Cells}
	p, err := Load("cray")
	if err != nil {
		return r, err
	}
	var squares []float64
	columns := map[string][]float64{}
	cores := map[string][]float64{}
	for _, c := range f.Residuals {
		squares = append(squares, math.Pow(c.Residual/c.Published, 2))
		claim := p.Claim(c.ID)
		if claim == nil {
			return r, fmt.Errorf("the fit %s used %s, which is no claim", f.Fit, c.ID)
		}
		column := fmt.Sprint(claim.Cell["table"], claim.Cell["variant"], claim.Cell["n"])
		columns[column] = append(columns[column], math.Log(c.Published))
		cores[column] = append(cores[column], math.Log(float64(claim.Cell["cores"].(int64))))
	}
	r.rms, r.constant, r.line = rms(squares), constantError(columns), lineError(cores, columns)
	unknown := 0
	for _, v := range f.Parameters {
		if v.Error > math.Abs(v.Value)/2 {
			unknown++
		}
	}
	r.undetermined = []string{fmt.Sprintf("%d parameters have a standard error of more than half of their value", unknown)}
	return r, nil
}

// lineError is the error of a power law for each group.
func lineError(xs, ys map[string][]float64) float64 {
	var squares []float64
	for _, group := range slices.Sorted(maps.Keys(ys)) {
		a, slope := stat.LinearRegression(xs[group], ys[group], nil, false)
		for i, y := range ys[group] {
			squares = append(squares, math.Pow(math.Exp(a+slope*xs[group][i]-y)-1, 2))
		}
	}
	return rms(squares)
}

// unit is the logarithm of the factor by which a parameter may be off according to its
// prior; without a prior the factor is 2.
func (p *Parameter) unit() float64 {
	if p.Prior == nil {
		return math.Log(2)
	}
	return math.Log(p.Prior.Factor)
}

// step is the step of the differences in units of the priors. It is not small, because
// simulated times are not smooth: processes wait for each other in different orders.
const step = 0.5

// Jacobian returns the derivatives of the residuals of the claims by the parameters, in
// units of their priors.
func (f *Fit) Jacobian(values []float64, runner Runner) (*mat.Dense, error) {
	jacobian := mat.NewDense(len(f.Terms), len(f.Parameters), nil)
	here, err := f.Residuals(values, runner)
	if err != nil {
		return nil, err
	}
	for i := range f.Parameters {
		moved := slices.Clone(values)
		moved[i] *= math.Exp(step * f.Parameters[i].unit())
		r, err := f.Residuals(moved, runner)
		if err != nil {
			return nil, err
		}
		for t := range f.Terms {
			jacobian.Set(t, i, (r.Terms[t]-here.Terms[t])/step)
		}
	}
	return jacobian, nil
}

// Values returns the values that a fit found.
func (r *FitResult) Values(f *Fit) ([]float64, error) {
	values := make([]float64, len(f.Parameters))
	for i, p := range r.Parameters {
		x, err := strconv.ParseFloat(strings.TrimSuffix(p.Value, f.Parameters[i].Unit), 64)
		if err != nil {
			return nil, err
		}
		values[i] = x
	}
	return values, nil
}

// readFitResult reads a result file.
func readFitResult(text []byte) (*FitResult, error) {
	r := &FitResult{}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	return r, d.Decode(r)
}
