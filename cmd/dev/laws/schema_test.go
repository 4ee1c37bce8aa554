package laws

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"overlapsim/scenarios/files"
)

// schema checks scenarios by the JSON Schema that the program prints.
type schema struct{ rules *jsonschema.Schema }

func scenarioSchema() (schema, error) {
	text, err := files.Schema("scenario")
	if err != nil {
		return schema{}, err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return schema{}, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", parsed); err != nil {
		return schema{}, err
	}
	rules, err := c.Compile("scenario.json")
	return schema{rules}, err
}

// accepts returns the mistakes of a scenario by the schema.
func (s schema) accepts(t *Tree) error {
	var value any
	if err := yaml.Unmarshal([]byte(t.yaml()), &value); err != nil {
		return err
	}
	return s.rules.Validate(value)
}
