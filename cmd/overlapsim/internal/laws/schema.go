package laws

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios/files"
)

// schema checks scenarios by those parts of JSON Schema that the program's schema uses.
type schema struct {
	root    map[string]any
	regexps map[string]*regexp.Regexp
}

func scenarioSchema() (*schema, error) {
	text, err := files.Schema("scenario")
	if err != nil {
		return nil, err
	}
	s := &schema{regexps: map[string]*regexp.Regexp{}}
	return s, json.Unmarshal(text, &s.root)
}

// accepts returns the mistakes of a scenario by the schema.
func (s *schema) accepts(t *Tree) error {
	var value any
	if err := yaml.Unmarshal([]byte(t.yaml()), &value); err != nil {
		return err
	}
	return s.check(s.root, value, "")
}

func (s *schema) check(rules map[string]any, value any, path string) error {
	for _, word := range sortedKeys(rules) {
		if err := s.rule(rules, word, value, path); err != nil {
			return err
		}
	}
	return nil
}

// rule checks one word of a schema.
func (s *schema) rule(rules map[string]any, word string, value any, path string) error {
	refused := fmt.Errorf("the schema refuses %s by its %s: %q", path, word, fmt.Sprint(value))
	keys, isObject := value.(map[string]any)
	items, isList := value.([]any)
	switch rule := rules[word]; word {
	case "$ref":
		name := rule.(string)[len("#/definitions/"):]
		return s.check(s.root["definitions"].(map[string]any)[name].(map[string]any), value, path)
	case "anyOf", "oneOf", "allOf":
		return s.some(word, rule.([]any), value, path)
	case "enum":
		return unless(slices.ContainsFunc(rule.([]any), func(x any) bool { return reflect.DeepEqual(x, value) }), refused)
	case "const":
		return unless(reflect.DeepEqual(rule, value), refused)
	case "type":
		types, several := rule.([]any)
		if !several {
			types = []any{rule}
		}
		return unless(slices.ContainsFunc(types, func(t any) bool { return isType(t.(string), value) }), refused)
	case "pattern":
		text, ok := value.(string)
		return unless(!ok || s.matches(rule.(string), text), refused)
	case "required":
		return unless(!isObject || !slices.ContainsFunc(rule.([]any), func(k any) bool { return keys[k.(string)] == nil }), refused)
	case "minItems":
		return unless(!isList || len(items) >= int(rule.(float64)), refused)
	case "items":
		for i, item := range items {
			if err := s.check(rule.(map[string]any), item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case "properties":
		return s.keys(rules, keys, path)
	}
	return nil
}

func unless(right bool, err error) error {
	if right {
		return nil
	}
	return err
}

// some checks that one, or all, of several schemas accept a value.
func (s *schema) some(word string, all []any, value any, path string) (first error) {
	right := 0
	for _, rules := range all {
		if err := s.check(rules.(map[string]any), value, path); err == nil {
			right++
		} else if first == nil {
			first = err
		}
	}
	if word == "allOf" && right == len(all) || word == "anyOf" && right > 0 || word == "oneOf" && right == 1 {
		return nil
	}
	return first
}

// keys checks the values of the keys of an object, and that each key is known.
func (s *schema) keys(rules, keys map[string]any, path string) error {
	known, _ := rules["properties"].(map[string]any)
	patterns, _ := rules["patternProperties"].(map[string]any)
	for _, key := range sortedKeys(keys) {
		one, ok := known[key].(map[string]any)
		for _, pattern := range sortedKeys(patterns) {
			if !ok && s.matches(pattern, key) {
				one, ok = patterns[pattern].(map[string]any), true
			}
		}
		if !ok && rules["additionalProperties"] == false {
			return fmt.Errorf("the schema does not know %s.%s", path, key)
		}
		if ok {
			if err := s.check(one, keys[key], path+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *schema) matches(pattern, text string) bool {
	if s.regexps[pattern] == nil {
		s.regexps[pattern] = regexp.MustCompile(pattern)
	}
	return s.regexps[pattern].MatchString(text)
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
