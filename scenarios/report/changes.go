package report

import (
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
)

// changeGroup is a list of changes to a run, each with what it saves, the best first.
type changeGroup struct {
	Title   string
	Changes []changeView
}

type changeView struct {
	Name, Price, Saves, Makespan string
	Width                        float64 // of its bar: per cent of the makespan that it saves
	Flags                        string
	Command                      string // that runs it; "": not known
	Waits                        string // numbers of the terms whose longest wait it may shorten, for the script; "": none
}

// waitsOf are the terms in which a rank may be because of a cause.
var waitsOf = map[string][]results.Term{
	"links":           {results.Contention},
	"bandwidth":       {results.Transfer, results.NICStall, results.Contention},
	"progress":        {results.Progress, results.NICStall, results.Transfer, results.Latency},
	"imbalance":       {results.Partner, results.BarrierTime, results.Idle},
	"slow GPU":        {results.Partner, results.Idle},
	"jitter":          {results.Partner, results.Idle},
	"overhead":        {results.Overhead},
	"latency":         {results.Latency},
	"stalls":          {results.NICStall},
	"gap":             {results.NICStall, results.Transfer},
	"interference":    {results.Interference},
	"noise":           {results.Interference, results.Partner},
	"synchronisation": {results.BarrierTime},
	"launches":        {results.Overhead},
	"collectives":     {results.Transfer, results.Latency, results.NICStall, results.Contention},
	"bubbles":         {results.Partner, results.Idle},
}

// WaitsOf returns the terms in which a rank may be because of a cause, or of two with "and" between them.
func WaitsOf(cause string) (terms []results.Term) {
	for _, one := range strings.Split(cause, " and ") {
		terms = append(terms, waitsOf[one]...)
	}
	return terms
}

func waitNumbers(cause string) string {
	var numbers []string
	for _, t := range WaitsOf(cause) {
		numbers = append(numbers, strconv.Itoa(int(t)))
	}
	return strings.Join(numbers, ",")
}

// changeOf shows a change of an answer; the command is the page's.
func changeOf(c *outcomes.Change, name, command string) changeView {
	v := changeView{Name: name, Price: c.Price, Saves: Saving(c), Makespan: Seconds(c.Makespan), Flags: c.Flags()}
	v.Width = 100 * min(1, max(0, c.Saves))
	if command != "" {
		v.Command = command + " " + v.Flags
	}
	return v
}

// whyOf shows the causes of an answer whose absence saves something.
func whyOf(a *outcomes.Answer, command string) (all []changeView) {
	for _, c := range costly(a) {
		v := changeOf(c, c.Cause, command)
		v.Waits = waitNumbers(c.Cause)
		all = append(all, v)
	}
	return all
}

// helpOf shows the changes of an answer that help, changes of the program apart from changes of the machine.
func helpOf(a *outcomes.Answer, command string) (groups []changeGroup) {
	if a == nil {
		return nil
	}
	for i := range a.Help {
		c := &a.Help[i]
		if n := len(groups); n == 0 || groups[n-1].Title != c.Of {
			groups = append(groups, changeGroup{Title: c.Of})
		}
		g := &groups[len(groups)-1]
		g.Changes = append(g.Changes, changeOf(c, c.Change, command))
	}
	return groups
}
