package papers

import (
	"maps"
	"math"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

const description = `
fit: probes
paper: probes
seed: 1
starts: 2
evaluations: 10
parameters:
  - {machine: jacquard, path: network.gap, unit: us, bounds: [0.1, 10], prior: {value: 1, factor: 2, source: a guess}}
  - {machine: bassi, path: network.send_overhead, also: [network.receive_overhead], unit: ns, bounds: [1, 5000]}
  - {machine: bassi, path: copying.buffer, unit: B, bounds: [1000, 2000000], whole: true}
claims:
  - {id: pencils-worst-opteron, metric: "fig4.P[0].total_s - fig4.E[0].total_s"}
  - {id: opteron-share, scale: 0.5}
`

// fitOf reads a description, with the claims of the paper's file replaced by those that
// the description uses.
func fitOf(t *testing.T, text string) *Fit {
	t.Helper()
	f, err := ReadFit("fits/test.yaml", []byte(text))
	if err != nil && !strings.Contains(err.Error(), "used_in_fit") {
		t.Fatal(err)
	}
	return f
}

// us reads a setting in us or ns, in us.
func us(t *testing.T, text string) float64 {
	t.Helper()
	ps := must.Get(keys.ParseTime(text))(t)
	return ps.Seconds() * 1e6
}

// Residuals follow their definitions, and parameters change only the runs on their own
// machine.
func TestResiduals(t *testing.T) {
	f := fitOf(t, description)
	runner := func(r *Run) (map[string]float64, error) {
		x := 1.0
		switch gap, send := r.Value("machine.network.gap"), r.Value("machine.network.send_overhead"); {
		case r.Value("machine") == "bassi":
			if gap != "" || send != "2000ns" || r.Value("machine.network.receive_overhead") != "2000ns" ||
				r.Value("machine.copying.buffer") != "65536B" {
				t.Errorf("on bassi: %v", r.Settings)
			}
			x = us(t, send)
		case r.Value("workload.name") == "ft-pencils":
			x = us(t, gap)
		}
		return map[string]float64{"total_s": x}, nil
	}
	r := must.Get(f.Residuals([]float64{4, 2000, 65536.4}, runner))(t)
	for _, test := range []struct {
		name      string
		got, want []float64
	}{
		{"simulated", r.Simulated, []float64{4 - 1, 1.0 / 2}},
		{"terms", r.Terms, []float64{(3 - 0.1) / 0.025, (0.5 - 0.6) / 0.5}}, // tolerance of the claim; own scale
		{"priors", r.Priors, []float64{2, 0, 0}},                            // 4 is 1 times 2 squared
	} {
		if !slices.EqualFunc(test.got, test.want, close) {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
	if sum := r.Sum(); math.Abs(sum-(116*116+0.2*0.2+4)) > 1e-6 {
		t.Errorf("the sum of squares is %g", sum)
	}
}

func TestTermResiduals(t *testing.T) {
	tests := []struct {
		term Term
		x    float64
		want float64
	}{
		{Term{Claim: &Claim{Judged: Value, Published: 1}, Scale: 0.5}, 2, 2},
		{Term{Claim: &Claim{Judged: Value, Published: 1}, Scale: 0.5}, 0, -2},
		{Term{Claim: &Claim{Judged: Least, Published: 1}, Scale: 0.5}, 2, 0},
		{Term{Claim: &Claim{Judged: Least, Published: 1}, Scale: 0.5}, 0, 2},
		{Term{Claim: &Claim{Judged: Most, Published: 1}, Scale: 0.5}, 2, 2},
		{Term{Claim: &Claim{Judged: Most, Published: 1}, Scale: 0.5}, 0, 0},
		{Term{Claim: &Claim{Judged: Truth}, Margin: true, Scale: 0.5}, 2, 0},
		{Term{Claim: &Claim{Judged: Truth}, Margin: true, Scale: 0.5}, -2, 4},
	}
	for _, test := range tests {
		if got := test.term.residual(test.x); got != test.want {
			t.Errorf("%+v at %g: got %g, want %g", test.term, test.x, got, test.want)
		}
	}
}

func TestFitMistakes(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{"fit: probes\n", "", "fit: is missing"},
		{"paper: probes", "paper: prodes", "did you mean probes?"},
		{"starts: 2", "starts: 0", "starts: must be positive, got 0"},
		{"bounds: [1, 5000]", "bounds: [5000, 1]", "parameters[1].bounds: must be two positive numbers"},
		{"bounds: [1, 5000]", "bounds: [0, 1]", "parameters[1].bounds: must be two positive numbers"},
		{"factor: 2", "factor: 1", "parameters[0].prior: needs a positive value and a factor above 1"},
		{"starts: 2", "least_squares: true\nstarts: 2", "parameters[1].prior: must be given"},
		{"whole: true", "whole: yes", "parameters[2].whole: must be true or false"},
		{"scale: 0.5", "scale: -1", "claims[1].scale: must be given, and positive"},
		{"id: opteron-share", "id: opteron", "claims[1].id: no claim of the paper is called opteron"},
		{"id: opteron-share, scale: 0.5", "id: init-dominates-opteron", "claims[1].margin: must be given"},
		{"id: opteron-share, scale: 0.5", "id: bulk-same-opteron", "bulk-same-opteron is used here, but not marked used_in_fit: probes"},
		{"fig4.E[0].total_s", "fig4.F[0].total_s", "fig4.F: unknown variant"},
		{"fig4.E[0].total_s", "fig4.E.total_s", "is 8 numbers"},
	}
	for _, test := range tests {
		_, err := ReadFit("fits/test.yaml", []byte(strings.Replace(description, test.old, test.new, 1)))
		if _, ok := err.(keys.Problems); !ok || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.new, err, test.want)
		}
	}
	must.Refuse(ReadFit("fits/test.yaml", []byte(description)))(t, "not used here, but marked used_in_fit: ")
}

func TestFitResult(t *testing.T) {
	f := fitOf(t, description)
	r := &Residuals{Simulated: []float64{0.11111, 0.6}, Terms: []float64{0.4444, 0}, Priors: []float64{-1, 0, 0}}
	tried := []Tried{
		{[]float64{0.5, 3, 2000}, r.Sum() + 0.9},
		{[]float64{0.4, 5000, 2000}, r.Sum() + 1.1}, // too bad to count
		{[]float64{0.6, 7, 1999}, r.Sum() + 1},
	}
	result := f.Result([]float64{0.5, 4990, 1500}, r, tried, 42)
	text := must.Get(result.Marshal())(t)
	back := must.Get(readFitResult(text))(t)
	if !reflect.DeepEqual(back, result) {
		t.Errorf("got\n%+v\nwant\n%+v", back, result)
	}
	want := []FittedValue{
		{Machine: "jacquard", Path: "network.gap", Value: "0.5us", From: "0.5us", To: "0.6us"},
		{Machine: "bassi", Path: "network.send_overhead", Also: []string{"network.receive_overhead"}, Value: "4990ns", From: "3ns",
			To: "4990ns", Note: "on a bound: 1ns to 5000ns"},
		{Machine: "bassi", Path: "copying.buffer", Value: "1500B", From: "1500B", To: "2000B"},
	}
	if !reflect.DeepEqual(back.Parameters, want) {
		t.Errorf("got %+v, want %+v", back.Parameters, want)
	}
	if c := back.Claims[0]; c.Simulated != 0.111 || c.Residual != 0.444 || *c.Published != 0.1 {
		t.Errorf("got %+v", c)
	}
}

// eachFit calls f with every fit of the folder and its result.
func eachFit(t *testing.T, do func(f *Fit, result *FitResult)) {
	t.Helper()
	found := must.Get(os.ReadDir("fits"))(t)
	for _, e := range found {
		name, _ := strings.CutSuffix(e.Name(), ".yaml")
		if strings.HasSuffix(name, ".result") {
			continue
		}
		text := must.Get(os.ReadFile("fits/" + e.Name()))(t)
		f := must.Get(ReadFit("fits/"+e.Name(), text))(t)
		if f.Name != name {
			t.Errorf("%s holds the fit %s", e.Name(), f.Name)
		}
		text = must.Get(os.ReadFile("fits/" + name + ".result.yaml"))(t)
		result := must.Get(readFitResult(text))(t)
		do(f, result)
	}
}

// longFits are run again only with -every-claim, in the turns of their papers.
var longFits = []string{"bgp", "probes", "smt"}

// A fit gives again what its result file has.
func TestFitsAreCurrent(t *testing.T) {
	eachFit(t, func(f *Fit, result *FitResult) {
		if slices.Contains(longFits, f.Name) && !(*everyClaim && turnOf(f.Name)) {
			return
		}
		rerun := "run 'go run ./cmd/dev/fit-papers " + f.Name + "', or this test with -update to keep the values and simulate the claims again"
		if len(result.Parameters) != len(f.Parameters) || len(result.Claims) != len(f.Terms) {
			t.Fatalf("the result of the fit %s is of another description; %s", f.Name, rerun)
		}
		values := make([]float64, len(f.Parameters))
		for i, p := range result.Parameters {
			x, err := strconv.ParseFloat(strings.TrimSuffix(p.Value, f.Parameters[i].Unit), 64)
			if err != nil {
				t.Fatalf("%s %s: %v; %s", p.Machine, p.Path, err, rerun)
			}
			values[i] = x
		}
		r := must.Get(f.Residuals(values, once.fitted))(t)
		if *update {
			again(t, f, result, r)
			return
		}
		for i, c := range result.Claims {
			if got := Significant(r.Simulated[i]); got != c.Simulated {
				t.Errorf("fit %s: %s gives %g, the result file says %g; %s", f.Name, c.ID, got, c.Simulated, rerun)
			}
		}
	})
}

// again writes what the claims of a fit are with the values that were found earlier.
func again(t *testing.T, f *Fit, result *FitResult, r *Residuals) {
	t.Helper()
	claims := f.claims(r)
	if slices.EqualFunc(claims, result.Claims, func(a, b FittedClaim) bool { return a.Simulated == b.Simulated }) {
		return
	}
	t.Logf("fit %s: sum of squares %g, before %g", f.Name, Significant(r.Sum()), result.Sum)
	result.Since, result.Sum, result.Claims = "the rules of the engine changed; the values, their ranges and directions are those found before",
		Significant(r.Sum()), claims
	text, err := result.Marshal()
	if err == nil {
		err = os.WriteFile("fits/"+f.Name+".result.yaml", text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// otherFits have code and their own tests.
var otherFits = []string{
	"fit packet",  // docs/validation/bluegene-packets.md; TestIntrepidIsTheFittedTorus in scenarios/files
	"fit cray",    // fit/cray.go; TestHopperModelsIsTheFit
	"fit backlog", // cmd/dev/fit-backlog, with a test there
	"measured: ",  // overlapsim calibrate; TestMeasured in scenarios/calibrate
	"validate ",   // overlapsim validate; TestMachinesAreFitted, TestGPUNumbersAreFitted and TestKernelsAreFitted in scenarios/validation
}

// All numbers of the machine library that are said to come from a fit are results of that
// fit. Values that a machine has from its base are checked in the base.
func TestFittedNumbers(t *testing.T) {
	stated := map[string]string{} // by machine, path and fit
	for _, name := range files.Machines() {
		m := must.Get(files.LoadMachine(name))(t)
		for _, fact := range m.Facts {
			own := fact.Place.File == "machines/"+name+".yaml"
			elsewhere := slices.ContainsFunc(otherFits, func(fit string) bool { return strings.HasPrefix(fact.Source, fit) })
			if fact.Origin == "fitted" && own && !elsewhere {
				stated[name+" "+asSet(fact.Path)+": "+fact.Source] = fact.Value
			}
		}
	}
	eachFit(t, func(f *Fit, result *FitResult) {
		for _, p := range result.Parameters {
			for _, path := range append([]string{p.Path}, p.Also...) {
				key := p.Machine + " " + path + ": fit " + f.Name
				if !sameQuantity(stated[key], p.Value) {
					t.Errorf("%s found %s, the machine's file says %q", key, p.Value, stated[key])
				}
				delete(stated, key)
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(stated)) {
		t.Errorf("%s: is said to be fitted, but no fit found it", key)
	}
}

// asSet writes the path of a fact as it is set: entries of a list as rates.0.
func asSet(path string) string {
	return strings.NewReplacer("[", ".", "]", "").Replace(path)
}

// sameQuantity tells whether two texts are the same quantity.
func sameQuantity(a, b string) bool {
	for d := keys.Count; d <= keys.Frequency; d++ {
		x, errX := keys.Parse(d, a)
		y, errY := keys.Parse(d, b)
		if errX == nil && errY == nil {
			return x.Cmp(y) == 0
		}
	}
	return false
}

func TestSameQuantity(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{{"1.5us", "1500ns", true}, {"2MiB", "2097152B", true}, {"1us", "1ns", false}, {"64", "64", true}, {"1us", "1B", false}, {"1us", "",
		false}} {
		if got := sameQuantity(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: got %v", test.a, test.b, got)
		}
	}
}

func TestSignificant(t *testing.T) {
	for _, x := range []float64{1.23456, -0.00098765, 98765, 0, 1e-300} {
		got := Significant(x)
		if want, _ := new(big.Float).SetString(strconv.FormatFloat(x, 'g', 3, 64)); want.Cmp(big.NewFloat(got)) != 0 &&
			math.Abs(got/x-1) > 0.005 {
			t.Errorf("%g: got %g", x, got)
		}
	}
}
