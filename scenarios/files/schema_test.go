package files

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// validator checks a value against the parts of JSON Schema that the schemas use. The
// test fails on a part that it does not know.
type validator struct {
	t    *testing.T
	root map[string]any
}

func newValidator(t *testing.T, kind string) *validator {
	text, err := Schema(kind)
	if err != nil {
		t.Fatal(err)
	}
	v := &validator{t: t}
	if err := json.Unmarshal(text, &v.root); err != nil {
		t.Fatal(err)
	}
	return v
}

// accepts tells whether a YAML text is valid.
func (v *validator) accepts(text []byte) bool {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		v.t.Fatal(err)
	}
	return v.valid(v.root, value)
}

func (v *validator) valid(schema map[string]any, value any) bool {
	for word, rule := range schema {
		if !v.follows(schema, word, rule, value) {
			return false
		}
	}
	return true
}

func (v *validator) follows(schema map[string]any, word string, rule, value any) bool {
	keys, isObject := value.(map[string]any)
	items, isList := value.([]any)
	switch word {
	case "$schema", "title", "definitions", "description", "examples", "properties", "patternProperties":
		return word != "properties" && word != "patternProperties" || v.keys(schema, keys)
	case "$ref":
		name := rule.(string)[len("#/definitions/"):]
		return v.valid(v.root["definitions"].(map[string]any)[name].(map[string]any), value)
	case "anyOf", "oneOf", "allOf":
		right := 0
		for _, one := range rule.([]any) {
			if v.valid(one.(map[string]any), value) {
				right++
			}
		}
		return word == "anyOf" && right > 0 || word == "oneOf" && right == 1 || word == "allOf" && right == len(rule.([]any))
	case "enum":
		return slices.ContainsFunc(rule.([]any), func(x any) bool { return reflect.DeepEqual(x, value) })
	case "const":
		return reflect.DeepEqual(rule, value)
	case "type":
		types, several := rule.([]any)
		if !several {
			types = []any{rule}
		}
		return slices.ContainsFunc(types, func(t any) bool { return isType(t.(string), value) })
	case "pattern":
		text, ok := value.(string)
		return !ok || regexp.MustCompile(rule.(string)).MatchString(text)
	case "required":
		return !isObject || !slices.ContainsFunc(rule.([]any), func(k any) bool { return keys[k.(string)] == nil })
	case "items":
		return !isList || !slices.ContainsFunc(items, func(item any) bool { return !v.valid(rule.(map[string]any), item) })
	case "minItems":
		return !isList || len(items) >= int(rule.(float64))
	case "additionalProperties":
		return rule == false // with the keys
	}
	v.t.Fatalf("the schema uses %s", word)
	return false
}

// keys checks the values of the keys of an object, and that each key is known.
func (v *validator) keys(schema, keys map[string]any) bool {
	known, _ := schema["properties"].(map[string]any)
	patterns, _ := schema["patternProperties"].(map[string]any)
	for key, value := range keys {
		one, ok := known[key].(map[string]any)
		for pattern, rule := range patterns {
			if !ok && regexp.MustCompile(pattern).MatchString(key) {
				one, ok = rule.(map[string]any), true
			}
		}
		if !ok && schema["additionalProperties"] == false || ok && !v.valid(one, value) {
			return false
		}
	}
	return true
}

func isType(name string, value any) bool {
	switch value.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case int:
		return name == "integer" || name == "number"
	case float64:
		return name == "number"
	}
	return false
}

// The whole library is valid by the schemas.
func TestSchemaAcceptsLibrary(t *testing.T) {
	for kind, folder := range map[string]string{"scenario": scenarioFolder, "machine": machineFolder} {
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

func TestNoSuchSchema(t *testing.T) {
	if _, err := Schema("paper"); err == nil || err.Error() != "there is no schema of a paper; there is one of scenario, machine" {
		t.Errorf("got %v", err)
	}
}
