package papers

import (
	"maps"
	"slices"
	"strconv"

	"overlapsim/scenarios/keys"
)

// cellName describes the cells of a table, for the record. For each key it has a text,
// the path of a setting of the cell's run, or a text for each variant.
type cellName map[string]struct {
	text, setting string
	variants      map[string]string
}

// readCell reads {key: text, key: {setting: path}, key: {VARIANT: text, ...}}.
func readCell(t keys.Tree) cellName {
	name := cellName{}
	for key, v := range t.Entries() {
		entry := name[key]
		if v.IsMapping() {
			entry.variants = map[string]string{}
			for variant, text := range v.Entries() {
				entry.variants[variant] = text.Text()
			}
			entry.setting = entry.variants["setting"]
		} else {
			entry.text = v.Text()
		}
		name[key] = entry
	}
	return name
}

// check reports variants and settings that the experiment does not have.
func (n cellName) check(e *Experiment, t keys.Tree) {
	for key, v := range t.Entries() {
		entry := n[key]
		if entry.setting != "" {
			if slices.ContainsFunc(e.runs, func(r *Run) bool { return r.Value(entry.setting) == "" }) {
				v.Complain("no setting %s in some cells", entry.setting)
			}
			continue
		}
		for _, variant := range slices.Sorted(maps.Keys(entry.variants)) {
			if e.variant(variant) < 0 {
				v.Complain("unknown variant%s", meant(variant, e.variantNames()))
			}
		}
		for _, variant := range e.Variants {
			if _, given := entry.variants[variant.Name]; entry.variants != nil && !given {
				v.Complain("has no text for the variant %s", variant.Name)
			}
		}
	}
}

// of returns the description of one cell. Texts that are numbers become numbers, and sizes
// become bytes.
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
	if bytes, err := keys.ParseBytes(text); err == nil {
		return bytes
	}
	return text
}
