package live

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/gradient"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads"
)

// Control changes a key of the scenario: a slider, or a choice among names.
type Control struct {
	Path  string `json:"path"` // of --set
	Doc   string `json:"doc"`
	Words bool   `json:"words"` // its stops are names
	Stops []Stop `json:"stops"`
	At    int    `json:"at"` // the stop of the run as it is
}

// Stop is a value of a control.
type Stop struct {
	Value string `json:"value"` // as in a setting
	Shown string `json:"shown"` // with its unit
}

// mostOfMachine and mostOfProgram are the largest numbers of controls.
const mostOfMachine, mostOfProgram = 5, 8

// controls are the controls of the parameters of the machine on which the makespan depends most, then the controls of
// the numbers and the choices of the program.
func controls(o *outcomes.Outcome, s *scenarios.Scenario) []Control {
	all := []Control{}
	for _, c := range ofMachine(o) {
		if len(all) < mostOfMachine && loads(s, c) {
			all = append(all, c)
		}
	}
	return append(all, fitting(slices.Concat(ofMachines(o), ofProgram(o)), s)...)
}

// fitting are the first of some controls of the program, those that change something.
func fitting(some []Control, s *scenarios.Scenario) (all []Control) {
	for _, c := range some {
		if len(all) < mostOfProgram && loads(s, c) {
			all = append(all, c)
		}
	}
	return all
}

// patterns is the choice among the workloads that can replace the scenario's workload.
func patterns(o *outcomes.Outcome, s *scenarios.Scenario) []Control {
	var names []string
	for _, name := range workloads.Names() {
		if _, err := s.With([]string{pattern + "=" + name}); err == nil {
			names = append(names, name)
		}
	}
	if c, ok := (Control{Path: pattern, Doc: "what the ranks do"}).ofWords(names, o.Kind); ok {
		return []Control{c}
	}
	return nil
}

// pattern is the key for what the ranks do.
const pattern = "workload.name"

// loads tells whether the scenario can be read with a stop other than the value of the run.
func loads(s *scenarios.Scenario, c Control) bool {
	for i, stop := range c.Stops {
		if i == c.At {
			continue
		}
		if _, err := s.With([]string{c.Path + "=" + stop.Value}); err == nil {
			return true
		}
	}
	return false
}

// factors are the stops of a parameter: tenths of powers of ten around what it is.
var factors = []string{"0.1", "0.125", "0.16", "0.2", "0.25", "0.3", "0.4", "0.5", "0.6", "0.8", "1", "1.25", "1.6", "2", "2.5", "3", "4",
	"5", "6", "8", "10"}

// ofMachine are the parameters with a derivative, the largest elasticity first; where a run has none, what the machine states
// of its GPUs.
func ofMachine(o *outcomes.Outcome) (all []Control) {
	slopes := slices.Clone(o.Result.Slopes)
	slices.SortStableFunc(slopes, func(a, b results.Slope) int { return -cmp.Compare(math.Abs(a.Elasticity), math.Abs(b.Elasticity)) })
	for _, slope := range slopes {
		if math.Abs(slope.Elasticity) < 1e-4 || !(slope.Value > 0 || math.IsNaN(slope.Value)) {
			continue
		}
		c := Control{Path: "machine." + slope.Parameter}
		for i, by := range factors {
			if by == "1" {
				c.At = i
			}
			scaled, stop := slope, Stop{Value: "x" + by, Shown: "x" + by}
			if x, _ := strconv.ParseFloat(by, 64); !math.IsNaN(slope.Value) {
				scaled.Value *= x
				stop.Shown = gradient.Value(scaled)
			}
			c.Stops = append(c.Stops, stop)
		}
		all = append(all, c)
	}
	if all == nil && o.Result.On == results.GPUs {
		return ofGPUs(o)
	}
	return all
}

// ofMachines are the choice of another machine, if the run's is built in, and the choice of who makes progress.
func ofMachines(o *outcomes.Outcome) (all []Control) {
	machine := Control{Path: "machine", Doc: "another built-in machine"}
	if c, ok := machine.ofWords(files.Machines(), o.Machine.Name); ok {
		all = append(all, c)
	}
	if o.Machine.Runtime == nil {
		return all
	}
	for _, choice := range files.Choices(o.Kind) {
		if choice.Path != progress {
			continue
		}
		c := Control{Path: progress, Doc: "who makes progress"}
		if c, ok := c.ofWords(choice.Values, choice.Values[o.Machine.Runtime.Progress.By]); ok {
			all = append(all, c)
		}
	}
	return all
}

// progress is the key for who makes progress.
const progress = "machine.runtime.progress.by"

// ofGPUs are the quantities that a machine states of its GPUs and their links.
func ofGPUs(o *outcomes.Outcome) (all []Control) {
	for _, f := range o.Machine.Facts {
		path := strings.TrimPrefix(f.Path, "machine.")
		if !f.Quantity || !strings.HasPrefix(path, "gpu") || strings.Contains(path, "[") {
			continue
		}
		c := Control{Path: "machine." + path}
		for i, by := range factors {
			if by == "1" {
				c.At = i
			}
			c.Stops = append(c.Stops, Stop{Value: "x" + by, Shown: "x" + by + " of " + f.Value})
		}
		all = append(all, c)
	}
	return all
}

// ofProgram are the numbers and the choices of a run's workload, with its processes, and with who makes progress.
func ofProgram(o *outcomes.Outcome) (all []Control) {
	rows := []keys.Row{{Path: "ranks", To: &o.Ranks, Is: keys.Count}, {Path: "processes_per_node", To: &o.Processes, Is: keys.Count}}
	for _, r := range files.WorkloadRows(o.Workload) {
		r.Path = "workload." + r.Path
		rows = append(rows, r)
	}
	for _, r := range rows {
		if c, ok := ofRow(r); ok {
			all = append(all, c)
		}
	}
	return all
}

// ofRow is the control of a key; false: it is neither a whole number nor a choice.
func ofRow(r keys.Row) (c Control, ok bool) {
	c = Control{Path: r.Path, Doc: r.Doc}
	switch to := r.To.(type) {
	case *int:
		return c.ofWhole(int64(*to), r)
	case *int64:
		return c.ofWhole(*to, r)
	case *bool:
		return c.ofWords([]string{"false", "true"}, strconv.FormatBool(*to))
	case *string:
		return c.ofWords(r.Choices, *to)
	case keys.Choice:
		if i := reflect.ValueOf(r.Target().Interface()); i.CanUint() && int(i.Uint()) < len(r.Choices) {
			return c.ofWords(r.Choices, r.Choices[i.Uint()])
		}
	}
	return c, false
}

// octaves is how often a number is doubled and halved.
const octaves = 5

// ofWhole has powers of two around a number, and multiples of it.
func (c Control) ofWhole(n int64, r keys.Row) (Control, bool) {
	if n < 1 || n > 1<<40 || r.Most > 0 && n > r.Most {
		return c, false
	}
	values := []int64{n}
	for i := range octaves {
		values = append(values, n<<(i+1), n>>(i+1))
	}
	values = slices.DeleteFunc(values, func(v int64) bool { return v < 1 || r.Most > 0 && v > r.Most })
	slices.Sort(values)
	values = slices.Compact(values)
	for i, v := range values {
		stop := Stop{Value: strconv.FormatInt(v, 10), Shown: strconv.FormatInt(v, 10)}
		if r.Is == keys.Bytes {
			stop.Value = keys.FormatBytes(v)
			stop.Shown = stop.Value
		}
		if v == n {
			c.At = i
		}
		c.Stops = append(c.Stops, stop)
	}
	return c, len(c.Stops) > 1
}

// ofWords has names.
func (c Control) ofWords(names []string, now string) (Control, bool) {
	c.Words, c.At = true, slices.Index(names, now)
	for _, name := range names {
		c.Stops = append(c.Stops, Stop{Value: name, Shown: name})
	}
	return c, len(names) > 1 && c.At >= 0
}
