package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Measurements of an earlier version still run: factors of a fabric, and a machine of calibrate.
func TestEarlierCalibrations(t *testing.T) {
	for _, name := range []string{"on-factors.yaml", "on-machine.yaml"} {
		if _, errs, status := callMain("run", "testdata/earlier/"+name, "--json"); status != done {
			t.Errorf("%s: status %d, %s", name, status, errs)
		}
	}
}

// Every field of a run that an earlier version wrote is a field of this version, of the same
// kind; and compare reads it.
func TestEarlierResult(t *testing.T) {
	out, errs, status := callMain("run", "fig22-initiation", "--no-advice", "--json", "--per-rank", "--gradient")
	if status != done {
		t.Fatal(errs)
	}
	now := firstRun(t, []byte(out))
	for _, name := range []string{"testdata/earlier/run-1.json", "testdata/earlier/run-2.json", "testdata/earlier/run-3.json"} {
		text := must.Get(os.ReadFile(name))(t)
		was := firstRun(t, text)
		for _, renamed := range []string{"hidden_s", "exposed_s"} { // docs/reference/output.md
			delete(was.(map[string]any), renamed)
		}
		keeps(t, name, was, now)
		if out, errs, status := callMain("compare", name, "fig22-initiation"); status != done || !strings.Contains(out, filepath.Base(name)+" ") {
			t.Errorf("%s: status %d, %s%s", name, status, out, errs)
		}
	}
}

// firstRun is the first run of a printed result; version 1 printed only one.
func firstRun(t *testing.T, text []byte) any {
	t.Helper()
	var printed map[string]any
	must.Do(t, json.Unmarshal(text, &printed))
	if runs, ok := printed["runs"].([]any); ok && len(runs) > 0 {
		return runs[0]
	}
	return printed
}

// A recorded program of an earlier version runs.
func TestEarlierTrace(t *testing.T) {
	if _, errs, status := callMain("run", "testdata/earlier/recorded.trace", "--machine", "jacquard", "--json"); status != done {
		t.Errorf("status %d, %s", status, errs)
	}
}

// A data set of an earlier version, with its rows, is read.
func TestEarlierDataSet(t *testing.T) {
	if out, errs, status := callMain("validate", "testdata/earlier/set.yaml"); status != done || !strings.Contains(out, "2 rows") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

// keeps checks that a present value has all of an earlier one.
func keeps(t *testing.T, at string, earlier, now any) {
	t.Helper()
	same := false
	switch earlier := earlier.(type) {
	case map[string]any:
		var fields map[string]any
		fields, same = now.(map[string]any)
		for name, value := range earlier {
			keeps(t, at+"."+name, value, fields[name])
		}
	case []any:
		var items []any
		if items, same = now.([]any); same && len(earlier) > 0 && len(items) > 0 {
			keeps(t, at+"[0]", earlier[0], items[0])
		}
	case string:
		_, same = now.(string)
	case float64:
		_, same = now.(float64)
	case bool:
		_, same = now.(bool)
	case nil:
		same = true
	}
	if !same {
		t.Errorf("%s was %v, is %v", at, earlier, now)
	}
}
