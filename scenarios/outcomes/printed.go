package outcomes

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// schemaVersion is the version of the fields of what is printed as JSON. It grows when a field
// goes away or changes its meaning, not when one is added.
const schemaVersion = 4

// JSON returns an object as it is printed: indented, the version of its fields first.
func JSON(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, fmt.Appendf(nil, `{"schema_version":%d,%s`, schemaVersion, text[1:]), "", "  ")
	return append(out.Bytes(), '\n'), err
}

// Printed is what run --json and compare --json print, of one run as of several: all runs, and
// the fields of the first one.
type Printed struct {
	*RunRecord
	Sentence string       `json:"sentence,omitempty"` // of several runs: which is best, and why the others are not
	Notes    []string     `json:"notes,omitempty"`    // of several runs: whether they compare
	Runs     []*RunRecord `json:"runs"`
}

// NewPrinted returns what is printed of at least one run.
func NewPrinted(runs []*RunRecord, sentence string) *Printed {
	var compared []Compared
	for _, r := range runs {
		compared = append(compared, r.Compared())
	}
	return &Printed{first(runs[0]), sentence, Comparable(compared), runs}
}

// first returns a run as it stands before the runs: without its large lists, which are written once.
func first(r *RunRecord) *RunRecord {
	short := *r
	short.ByRank, short.Traffic = nil, nil
	return &short
}
