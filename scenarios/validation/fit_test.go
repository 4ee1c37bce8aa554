package validation

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/fit"
	"overlapsim/sim/must"
)

const exchanges = `title: Exchanges
scenario:
  machine: loggp
  fabric: {kind: flow}
  ranks: 2
  processes_per_node: 1
  workload: {name: saturation, partners: same, repeat: 1}
paths:
  workload.bytes: {column: bytes, unit: B}
  workload.partners: {column: mode}
measured: {column: us, unit: us}
predicted: {path: metrics.operation_s}
baseline: {line: bytes}
fit:
  where: {use: ["yes"]}
  parameters:
    wire: {path: machine.network.bandwidth, unit: MB/s, bounds: [10, 100000]}
    pair: {path: machine.links.exchange, unit: MB/s, bounds: [10, 100000], start: 30000}
    node: {path: machine.links.duplex, unit: MB/s, bounds: [10, 100000], start: 40000}
`

// made is a folder with the set and rows that a machine gives.
func made(t *testing.T, rows string) (set *Set, file string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"set.yaml": exchanges, "rows.csv": rows} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	set = must.Get(Load(filepath.Join(folder, "set.yaml")))(t)
	return set, filepath.Join(folder, "rows.csv")
}

// TestFitComesBack makes rows of a machine and fits its parameters to some of them. With
// two nodes the limit of a node and that of a pair cannot be told apart: only the smaller
// one counts, and the fit says that it does not know the other.
func TestFitComesBack(t *testing.T) {
	rows := "mode,bytes,us,use\n"
	for _, bytes := range []float64{1e6, 3e6, 1e7} {
		rows += fmt.Sprintf("one-way,%.0f,%g,yes\nsame,%.0f,%g,yes\nsame,%.0f,99,no\n", bytes, 6+bytes/2000, bytes, 6+bytes/1500, bytes)
	}
	set, file := made(t, rows)
	r := validate(t, Request{Set: set, Rows: file, FitRows: file})
	found := map[string]float64{}
	for _, p := range r.Fit.Parameters {
		x := must.Get(strconv.ParseFloat(strings.TrimSuffix(p.Value, "MB/s"), 64))(t)
		found[p.Name] = x
	}
	if wire, both := found["wire"], min(found["pair"], found["node"]); math.Abs(wire/2000-1) > 0.01 || math.Abs(both/3000-1) > 0.01 {
		t.Errorf("found %v, want 2000 MB/s one way, and 3000 both ways", found)
	}
	if r.Fit.Rows != 6 || r.Fit.LeftOut != 3 || r.Scored != 3 || r.Fit.Median > 0.01 {
		t.Errorf("%+v, %d rows scored", r.Fit, r.Scored)
	}
	if len(r.Fit.Unknown) != 1 {
		t.Errorf("not determined: %q", r.Fit.Unknown)
	}
}

// A fit of entries of lists finds them, and the machine that it writes has them. A path that
// is refused is an error, and not a search without end.
func TestFitOfEntries(t *testing.T) {
	const rows = "mode,bytes,us,use\nsame,1000000,223.8,yes\nsame,2000000,423.8,yes\n"
	set, file := made(t, rows)
	set.fit.parameters = []parameter{
		{fit.Parameter{Low: 1, High: 50, Unit: "GB/s"}, "wire", []string{"machine.network.bandwidth.1.per_byte"}, 7}}
	r := validate(t, Request{Set: set, Rows: file, FitRows: file, Machine: "lumi-pico"})
	text, err := r.MachineFile("found.yaml", file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := files.ReadMachine("found.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if rate := 1000 / m.Network.Transfer[1].PerByte; math.Abs(rate/5-1) > 0.1 {
		t.Errorf("%g GB/s, want about 5, in\n%s", rate, text)
	}
	set.fit.parameters[0].paths = []string{"machine.network.bandwidth.7.per_byte"}
	_, err = Run(Request{Set: set, Rows: file, FitRows: file, Machine: "lumi-pico", Runner: Here, Done: func(int, int) {},
		Tried: func(int) {}})
	if err == nil || !strings.Contains(err.Error(), "network.bandwidth has no entry 7; it has 2, from 0") {
		t.Errorf("a path that is not there: %v", err)
	}
}

// A fit uses no more rows than the set allows, and some that it allows must be there.
func TestFitRules(t *testing.T) {
	set, file := made(t, "mode,bytes,us,use\nsame,8,10,no\nsame,16,10,no\n")
	refused := func(want string) {
		t.Helper()
		_, err := Run(Request{Set: set, Rows: file, FitRows: file, Runner: Here, Done: func(int, int) {}, Tried: func(int) {}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refused("has no row that a fit of set may use: rows of use yes")
	for _, text := range []string{"1e-307", "5e-324", "1e-51", "1e51", "1e308", "-1e300"} {
		set, file = made(t, "mode,bytes,us,use\nsame,8,10,yes\nsame,16,"+text+",yes\n")
		refused("rows.csv:3:9: us: must be 1e-50 to 1e+50, so that errors and their squares are finite, got " + text)
	}
	set, file = made(t, "mode,bytes,us,use\nsame,8,10,no\nsame,16,10,no\n")
	set.fit.where, set.fit.most, set.anyAlso = nil, 1, true
	refused("has 2 rows that a fit may use; a fit of set may use 1")
}
