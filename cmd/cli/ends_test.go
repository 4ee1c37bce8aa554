package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// ends are values of a parameter at the ends of what there is.
func ends(row keys.Row) []string {
	switch to := row.To.(type) {
	case *bool:
		return []string{"true", "false"}
	case *string:
		return []string{"x", "get", "mpi", *to}
	case *float64:
		return []string{"0", "1", "-1", "0.5", "1e-308", "1e308"}
	}
	switch row.Is {
	case keys.Bytes:
		return []string{"0B", "1B", "1GiB", "9223372036854775807B"}
	case keys.Time:
		return []string{"0s", "1ps", "4000000s", "9000000s"}
	}
	return []string{"0", "1", "2", "3", "2147483647", "9223372036854775807"}
}

// impossible says what in a record cannot be.
func impossible(out string) string {
	var record struct {
		Bytes                                int64
		Makespan_s, Communicating_s, Bound_s float64
		In_flight_while_computing_s          float64
		Ledger                               map[string]float64
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		return err.Error()
	}
	for name, t := range record.Ledger {
		if t < 0 {
			return fmt.Sprintf("%s is %g", name, t)
		}
	}
	if r := &record; r.Bytes < 0 || r.Makespan_s < 0 || r.Communicating_s < 0 || r.In_flight_while_computing_s < 0 || r.Bound_s < 0 {
		return fmt.Sprintf("%+v", record)
	}
	return ""
}

// writeSmall writes a small workload on a machine that has all that it needs to
// s.yaml.
func writeSmall(t *testing.T, name, small string) (text string) {
	t.Helper()
	usual := "loggp"
	if name == "advection-asym" { // whose ranks are threads of a process
		usual = "intrepid"
	}
	text = "machine: " + machineFor(name, usual) + "\n" + allKernels() + workloadText(name, small)
	if strings.HasPrefix(name, "contention") {
		text += routers() + "topology: {kind: torus, dims: [2, 2, 2]}\n"
	}
	if err := os.WriteFile("s.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return text
}

// With each of its parameters at the ends every workload runs, or is refused at the
// parameter. The forms of a workload take turns.
func TestParametersAtTheirEnds(t *testing.T) {
	must.Long(t)
	inFolder(t)
	once := [][]string{{"run", "--json", "--no-advice"}, {"run", "--json", "--gradient", "--no-advice"}, {"export", "--goal", "s.goal"}}
	again := append(slices.Clip(once), []string{"run"}) // with its answer, which are dozens of runs
	n := 0
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		forms := smallWorkloads[name]
		for form, small := range forms {
			text := writeSmall(t, name, small)
			for r, row := range files.WorkloadRows(kind.New()) {
				for v, value := range ends(row) {
					if value == "" || !*everyForm && (r+v+limited.Turn())%len(forms) != form {
						continue // omitted, or another form's turn
					}
					if long := len(value) > 9 || value == "1GiB"; long && (row.Times || strings.HasPrefix(name, "contention")) {
						continue
					}
					n++
					commands := again
					if value == "1GiB" { // in segments it takes a second
						commands = once
					}
					args := slices.Concat(commands[n%len(commands)], []string{"s.yaml", "--set", "workload." + row.Path + "=" + value})
					if wrong, _ := misbehaves(args...); wrong != "" {
						t.Errorf("%v of\n%s%s", args, text, wrong)
					}
				}
			}
		}
	}
	t.Logf("%d values", n)
}

// strange are values that any key or group may be given by mistake.
var strange = []string{"none", "x0", "x2", "{}", "[]", "~"}

// Every key and group of a scenario, of its machine, of the library and of each workload takes each strange value, or refuses it at its
// place.
func TestStrangeValues(t *testing.T) {
	must.Long(t)
	inFolder(t)
	run := []string{"run", "s.yaml", "--json", "--no-advice"}
	values, ran := 0, 0
	give := func(workload, prefix string, rows []keys.Row) {
		text := writeSmall(t, workload, smallWorkloads[workload][0])
		if wrong, refused := misbehaves(run...); wrong != "" || refused {
			t.Errorf("%s does not run as it is: %s", text, wrong)
		}
		paths := map[string]bool{}
		for _, row := range rows {
			for path := prefix + row.Path; path != ""; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
				paths[path] = true
			}
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			for _, value := range strange {
				args := append(slices.Clip(run), "--set", path+"="+value)
				wrong, refused := misbehaves(args...)
				if wrong != "" {
					t.Errorf("%v of\n%s%s", args, text, wrong)
				}
				if values++; !refused {
					ran++
				}
			}
		}
	}
	tables := files.Tables()
	for _, workload := range []string{"halo", "contention-diagonal", "transformer"} { // of processes, behind a packet fabric, on GPUs
		give(workload, "", tables.Scenario)
		give(workload, "machine.", tables.Machine)
		give(workload, "machine.runtime.", tables.Runtime)
	}
	for _, workload := range workloads.Names() {
		kind, _ := workloads.Lookup(workload)
		give(workload, "workload.", files.WorkloadRows(kind.New()))
	}
	t.Logf("%d values, %d of them run", values, ran)
}

// Every command that takes a scenario takes every workload, or refuses it at its
// place. The forms of a workload take turns.
func TestCommandsTakeEveryWorkload(t *testing.T) {
	must.Long(t)
	inFolder(t)
	for _, name := range workloads.Names() {
		forms := smallWorkloads[name]
		for form, small := range forms {
			text := writeSmall(t, name, small)
			for n, args := range [][]string{
				{"gradient", "s.yaml"}, {"gradient", "s.yaml", "--json", "--set", "machine.network.latency=0s"},
				{"compare", "s.yaml", "--machines", "loggp,jacquard"}, {"compare", "s.yaml", "fig22-initiation", "--gradient"},
				{"optimize", "s.yaml", "--over", "machine.network.latency=1us,5us,20us"}, {"export", "s.yaml", "--goal", "s.goal"},
				{"run", "s.yaml", "--html", "s.html"}, {"run", "s.yaml", "--gradient", "--html", "s.html", "--trace", "s.json", "--figure", "s.svg"},
			} {
				if !*everyForm && (n+limited.Turn())%len(forms) != form {
					continue // another form's turn
				}
				if wrong, _ := misbehaves(args...); wrong != "" {
					t.Errorf("%v of\n%s%s", args, text, wrong)
				}
			}
		}
	}
}
