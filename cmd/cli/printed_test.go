package cli

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// figureIn finds a number with a fraction and its unit.
var figureIn = regexp.MustCompile(`([-+]?[0-9][0-9,]*\.[0-9]+(?:e[-+]?[0-9]+)?)(?:[ \x{a0}]((?:[mµnp]?s|%)(?: per Gflop/s)?|Gflop/s))?`)

var units = map[string]float64{"": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12, "%": 0.01, "Gflop/s": 1e9,
	"s per Gflop/s": 1e-9, "ms per Gflop/s": 1e-12, "µs per Gflop/s": 1e-15, "ns per Gflop/s": 1e-18, "ps per Gflop/s": 1e-21}

// Numbers that a command prints are in its JSON: each number with a fraction in the text is a
// rounded number of JSON. A percentage may also be the change by a factor, or a part of a
// makespan or a result, and for run one of the two ratios that docs/reference/output.md defines.
func TestPrintedIsInJSON(t *testing.T) {
	must.Long(t)
	for _, command := range []string{
		"run fig22-initiation --gradient --no-advice", "run ft-slabs-jacquard --set ranks=8 --set workload.rows=64",
		"compare fig20-computation fig21-transfer",
		"gradient fig22-initiation", "gradient ft-pencils-jacquard --set ranks=8 --set workload.rows=64", "gradient gpu-waves --run beside",
		"optimize ft-granularity --over workload.granularity --set workload.rows=64", "overlap --machine william --runtime mvapich2-2.2",
		"potential overlap-fig7", "reproduce mpi", "validate bgp-put-local", "calibrate --machine jacquard",
	} {
		args := strings.Fields(command)
		text, errs, _ := callMain(args...)
		printed, _, _ := callMain(append(args, "--json")...)
		var value any
		if err := json.Unmarshal([]byte(printed), &value); err != nil {
			t.Errorf("%s: %v\n%s", command, err, errs)
			continue
		}
		has := &has{}
		has.collect("", value)
		for line := range strings.Lines(text) {
			for _, m := range figureIn.FindAllStringSubmatch(line, -1) {
				if !has.number(m[1], m[2]) && !strings.Contains(printed, m[1]) {
					t.Errorf("%s --json has no %s of %q", command, m[0], strings.TrimSpace(line))
				}
			}
		}
	}
}

// has is the content of a JSON value.
type has struct{ all, wholes []float64 }

func (h *has) collect(name string, value any) {
	switch v := value.(type) {
	case float64:
		h.all = append(h.all, v)
		if whole := []string{"makespan_s", "result"}; slices.Contains(whole, name) && !slices.Contains(h.wholes, v) {
			h.wholes = append(h.wholes, v)
		}
	case []any:
		for _, one := range v {
			h.collect(name, one)
		}
	case map[string]any:
		makespan, _ := v["makespan_s"].(float64)
		bound, _ := v["bound_s"].(float64)
		h.all = append(h.all, makespan/bound)
		for name, one := range v {
			h.collect(name, one)
		}
	}
}

// number tells whether a number of the text stands for one in JSON.
func (h *has) number(text, unit string) bool {
	text = strings.ReplaceAll(text, ",", "")
	digits, exponent, _ := strings.Cut(text, "e")
	_, fraction, _ := strings.Cut(digits, ".")
	of, _ := strconv.Atoi(exponent)
	want, _ := strconv.ParseFloat(text, 64)
	want, near := math.Abs(want)*units[unit], 0.5001*math.Pow10(of-len(fraction))*units[unit]
	is := func(v float64) bool { return math.Abs(math.Abs(v)-want) <= near }
	return slices.ContainsFunc(h.all, func(v float64) bool {
		return is(v) || unit == "%" && (is(v-1) || slices.ContainsFunc(h.wholes, func(whole float64) bool { return is(v/whole) || is(v/whole-1) }))
	})
}
