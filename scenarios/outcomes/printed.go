package outcomes

// Printed is what run --json and compare --json print, of one run as of several: all runs, and
// the fields of the first one.
type Printed struct {
	*Record
	Runs []*Record `json:"runs"`
}

// NewPrinted returns what is printed of at least one run.
func NewPrinted(runs []*Record) *Printed {
	first := *runs[0]
	first.Version = SchemaVersion
	return &Printed{&first, runs}
}
