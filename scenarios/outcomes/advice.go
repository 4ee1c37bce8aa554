package outcomes

import (
	"strings"

	"overlapsim/scenarios/shell"
)

// Advice holds the changes that would shorten a scenario, found by re-runs, as plain
// data.
type Advice struct {
	Runs    int      `json:"runs"`           // re-runs that were compared
	Changes []Change `json:"changes"`        // changes that help, in the order to read them
	None    string   `json:"none,omitempty"` // why there are none
}

// Change is a change to a scenario that makes it shorter, as a re-run with it shows.
type Change struct {
	Change   string   `json:"change"`     // in words
	Of       string   `json:"of"`         // "software", or "machine" if it needs another machine
	Set      []string `json:"set"`        // path=value, as for --set
	Makespan float64  `json:"makespan_s"` // of the re-run
	Gain     float64  `json:"gain"`       // the fraction of the makespan that is saved
}

// Flags writes the change as command-line flags, quoted for a shell.
func (c *Change) Flags() string { return Flags(c.Set) }

// Flags writes settings as command-line flags, quoted for a shell.
func Flags(settings []string) string {
	var flags []string
	for _, set := range settings {
		flags = append(flags, "--set "+shell.Quote(set))
	}
	return strings.Join(flags, " ")
}
