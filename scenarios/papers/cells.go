package papers

import (
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// cellName is what a table says of each of its cells, for the record: by key a
// text, the setting of the cell's run with that path, or a text for each variant.
type cellName map[string]struct {
	text, setting string
	variants      map[string]string
}

// readCell reads {key: text, key: {setting: path}, key: {VARIANT: text, ...}}.
func (t *tableReader) readCell(n *yaml.Node, path string) {
	t.name = cellName{}
	t.entries(n, path, func(key, v *yaml.Node, path string) {
		entry := t.name[key.Value]
		if v.Kind == yaml.MappingNode {
			entry.variants = map[string]string{}
			t.entries(v, path, func(key, v *yaml.Node, path string) {
				var text string
				t.text(&text)(v, path)
				entry.variants[key.Value] = text
			})
			entry.setting = entry.variants["setting"]
		} else {
			t.text(&entry.text)(v, path)
		}
		t.name[key.Value] = entry
	})
}

// checkName complains about variants and settings that the experiment does not have.
func (t *tableReader) checkName(e *Experiment, table *yaml.Node, path string) {
	for _, key := range slices.Sorted(maps.Keys(t.name)) {
		entry := t.name[key]
		inside := join(path, key)
		if entry.setting != "" {
			if i := slices.IndexFunc(e.runs, func(r *Run) bool { return r.Value(entry.setting) == "" }); i >= 0 {
				t.complain(table, inside, "no setting %s in some cells", entry.setting)
			}
			continue
		}
		for _, variant := range slices.Sorted(maps.Keys(entry.variants)) {
			if e.variant(variant) < 0 {
				t.complain(table, inside, "unknown variant%s", meant(variant, e.variantNames()))
			}
		}
		for _, v := range e.Variants {
			if _, given := entry.variants[v.Name]; entry.variants != nil && !given {
				t.complain(table, inside, "has no text for the variant %s", v.Name)
			}
		}
	}
}

// of returns the name of one cell: numbers where they are some.
func (n cellName) of(variant string, run *Run) map[string]any {
	if n == nil {
		return nil
	}
	name := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(n)) {
		entry := n[key]
		switch {
		case entry.setting != "":
			name[key] = numberOrText(run.Value(entry.setting))
		case entry.variants != nil:
			name[key] = entry.variants[variant]
		default:
			name[key] = numberOrText(entry.text)
		}
	}
	return name
}

func numberOrText(text string) any {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	return text
}
