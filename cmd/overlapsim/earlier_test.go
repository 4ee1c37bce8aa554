package main

import (
	"encoding/json"
	"os"
	"testing"
)

// What an earlier version measured runs: factors of a fabric, and a machine of calibrate.
func TestEarlierCalibrations(t *testing.T) {
	for _, name := range []string{"on-factors.yaml", "on-machine.yaml"} {
		if _, errs, status := callMain("run", "testdata/earlier/"+name, "--json"); status != done {
			t.Errorf("%s: status %d, %s", name, status, errs)
		}
	}
}

// Every field of a result that an earlier version wrote is in those of this one, and is of
// the same kind.
func TestEarlierResult(t *testing.T) {
	text, err := os.ReadFile("testdata/earlier/run.json")
	if err != nil {
		t.Fatal(err)
	}
	out, errs, status := callMain("run", "fig22-initiation", "--no-advice", "--json")
	if status != done {
		t.Fatal(errs)
	}
	var earlier, now any
	if err := json.Unmarshal(text, &earlier); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &now); err != nil {
		t.Fatal(err)
	}
	keeps(t, "run", earlier, now)
}

// keeps checks that all of an earlier value is in one of now.
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
