package files

import (
	"bytes"
	"fmt"
	"testing"

	"overlapsim/sim/must"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// validator checks texts by a schema that the program prints.
type validator struct {
	t     *testing.T
	rules *jsonschema.Schema
}

func newValidator(t *testing.T, kind string) *validator {
	text := must.Get(Schema(kind))(t)
	parsed := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource(kind, parsed))
	rules := must.Get(c.Compile(kind))(t)
	return &validator{t, rules}
}

// accepts tells whether a YAML text is valid.
func (v *validator) accepts(text []byte) bool {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		v.t.Fatal(err)
	}
	return v.rules.Validate(byText(value)) == nil
}

// byText makes texts of keys that are numbers, as an editor that knows JSON does.
func byText(value any) any {
	switch all := value.(type) {
	case map[any]any:
		texts := map[string]any{}
		for key, one := range all {
			texts[fmt.Sprint(key)] = byText(one)
		}
		return texts
	case map[string]any:
		for key, one := range all {
			all[key] = byText(one)
		}
	case []any:
		for i, one := range all {
			all[i] = byText(one)
		}
	}
	return value
}

// The whole library is valid by the schemas.
func TestSchemaAcceptsLibrary(t *testing.T) {
	for kind, folder := range map[string]string{"scenario": scenarioFolder, "machine": machineFolder, "runtime": runtimeFolder} {
		v := newValidator(t, kind)
		for _, name := range names(folder) {
			text, _ := library(folder, name)
			if !v.accepts(text) {
				t.Errorf("the schema refuses %s %s", kind, name)
			}
		}
	}
}

// Mistakes of a single key are mistakes by the schema too. Each of these texts has one
// mistake.
func TestSchemaRefuses(t *testing.T) {
	v := newValidator(t, "scenario")
	right := func(latency, workload, more string) []byte {
		return fmt.Appendf(nil, "machine: {base: jacquard, network: {latency: %s}}\nworkload: {name: ft-pencils, %s}\nranks: 32\n%s\n",
			latency, workload, more)
	}
	for _, c := range []struct {
		latency, workload, more string
		want                    bool
	}{
		{"3us", "rows: 32", "", true},
		{"x0.5", "rows: 32", "fabric: {kind: ideal}", true},
		{"{value: 3us, origin: chosen, source: here}", "rows: 32", "", true},
		{"3us", "rows: 32", "runs: [{name: a, workload.rows: 64}]", true},
		{"3", "rows: 32", "", false},
		{"3KB", "rows: 32", "", false},
		{"{value: 3us, origin: guessed, source: here}", "rows: 32", "", false},
		{"3us", "row: 32", "", false},
		{"3us", "rows: many", "", false},
		{"3us", "rows: 32", "fabrik: {kind: ideal}", false},
		{"3us", "rows: 32", "fabric: {kind: ideel}", false},
		{"3us", "rows: 32", "runs: []", false},
		{"3us", "rows: 32", "runs: [{workload.rows: 64}]", false},
	} {
		text := right(c.latency, c.workload, c.more)
		if got := v.accepts(text); got != c.want {
			t.Errorf("accepted: %v\n%s", got, text)
		}
		if _, err := loadText(string(text), nil); (err == nil) != c.want {
			t.Errorf("the program says %v\n%s", err, text)
		}
	}
}

// A runtime with an unknown key, or with a time without a unit, is no runtime by the schema.
func TestRuntimeSchemaRefuses(t *testing.T) {
	v := newValidator(t, "runtime")
	for text, want := range map[string]bool{
		"{base: mvapich2-2.2, matching: 1us}": true, "{base: mvapich2-2.2, matching: 1}": false, "{base: mvapich2-2.2, matchin: 1us}": false, "[]": false,
	} {
		if v.accepts([]byte(text)) != want {
			t.Errorf("%s: accepted is not %v", text, want)
		}
	}
}

func TestNoSuchSchema(t *testing.T) {
	if _, err := Schema("paper"); err == nil || err.Error() != "there is no schema of paper; there is one of scenario, machine, runtime" {
		t.Errorf("got %v", err)
	}
}
