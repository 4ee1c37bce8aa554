package scenarios

import "strings"

// Advice is what re-runs of a scenario found that would shorten it, as plain data.
type Advice struct {
	Runs    int      `json:"runs"`           // re-runs that were compared
	Changes []Change `json:"changes"`        // that help, as they are to be read
	None    string   `json:"none,omitempty"` // why there are none
}

// Change is a change to a scenario that makes it shorter, as a re-run of it shows.
type Change struct {
	Change   string   `json:"change"`     // in words
	Of       string   `json:"of"`         // "software", or "machine" if another one is needed
	Set      []string `json:"set"`        // path=value, as for --set
	Makespan float64  `json:"makespan_s"` // of the re-run
	Gain     float64  `json:"gain"`       // the part of the makespan that is gone
}

// Flags writes the change as flags of a command, as a shell reads them.
func (c *Change) Flags() string {
	var flags []string
	for _, set := range c.Set {
		if strings.ContainsAny(set, " {}[]") {
			set = "'" + set + "'"
		}
		flags = append(flags, "--set "+set)
	}
	return strings.Join(flags, " ")
}
