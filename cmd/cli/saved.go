package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"overlapsim/scenarios"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads/inputs"
)

// compared is an argument of compare: a scenario, or a file with the results of earlier runs.
type compared struct {
	name  string
	saved []*outcomes.RunRecord // nil: a scenario
}

// mostSaved is the largest size of a file with results: twice the size of a million ranks with
// --per-rank.
const mostSaved = 512 << 20

// comparedRuns are the arguments of compare, in their order.
type comparedRuns []compared

// compared reads the arguments of compare, in their order.
func (r *runner) compared(args []string) (all comparedRuns, err error) {
	for _, name := range args {
		if err := own(r.command, name); err != nil {
			return nil, err
		}
		saved, err := readSaved(name)
		if err != nil {
			return nil, err
		}
		all = append(all, compared{name, saved})
	}
	return all, nil
}

// again prints saved results again. They are not run, so that neither settings nor a choice of runs nor files fit them.
func (r *runner) again(c *call, name string, saved []*outcomes.RunRecord, changed bool) error {
	if changed || *r.htmlFile != "" || *r.trace != "" || *r.pictures.file != "" || *r.links || *r.gradient || *r.perRank || *r.host {
		return &usageError{r.command, name + " is what run --json printed: it is printed again, as text or with --json, and cannot be changed"}
	}
	var made []outcome
	var names []string
	for _, record := range saved {
		made, names = append(made, outcome{record: record}), append(names, record.Scenario)
	}
	return r.present(c, &scenarios.Study{Name: name, Title: strings.Join(names, ", ") + " (saved)"}, made)
}

// readSaved reads results that run --json printed; nil if a file holds something else.
func readSaved(name string) ([]*outcomes.RunRecord, error) {
	if !maySave(name) {
		return nil, nil
	}
	text, err := disk.Read(name, mostSaved)
	if err != nil {
		return nil, unreadable(name, err)
	}
	records, ok, err := outcomes.Saved(text)
	if !ok {
		return nil, nil
	}
	if _, _, trace, _ := files.OfInput(name, nil); err != nil && trace {
		return nil, nil // a list of events is JSON too
	}
	if err != nil {
		return nil, &inputError{fmt.Sprintf("%s: is not a result of run --json: %s", name, err)}
	}
	return records, nil
}

// maySave tells whether a file begins like the results of runs, so that large schedules and traces are not read whole.
func maySave(name string) bool {
	begin := bytes.TrimSpace(inputs.Begin(name))
	return len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') &&
		(bytes.Contains(begin, []byte(`"makespan_s"`)) || bytes.Contains(begin, []byte(`"schema_version"`)) || len(begin) < longestOther)
}

// longestOther is the size up to which any JSON is read, to say what is wrong with it.
const longestOther = 4 << 10

// names are the scenarios among the arguments.
func (all comparedRuns) names() (names []string) {
	for _, a := range all {
		if a.saved == nil {
			names = append(names, a.name)
		}
	}
	return names
}

// savedAt are saved results, and the run before which they come.
type savedAt struct {
	before  int
	records []*outcomes.RunRecord
}

// place gives the saved results their places among the runs, names that no other run has,
// and the study its title. counts says how many runs each scenario has.
func (all comparedRuns) place(r *runner, study *scenarios.Study, counts []int) {
	taken, several := map[string]bool{}, map[string]int{}
	for _, name := range study.Names() {
		taken[name] = true
	}
	for _, a := range all {
		for _, record := range a.saved {
			several[record.Scenario]++
		}
	}
	for name, n := range several {
		taken[name] = taken[name] || n > 1 // so that each says its file
	}
	before := 0
	var titles []string
	for _, a := range all {
		titles = append(titles, a.name)
		if a.saved == nil {
			before, counts = before+counts[0], counts[1:]
			continue
		}
		for _, record := range a.saved {
			record.Scenario = free(record.Scenario, all.file(a), len(a.saved) == 1, taken)
			taken[record.Scenario] = true
		}
		r.saved = append(r.saved, savedAt{before, a.saved})
	}
	if len(r.saved) > 0 {
		study.Title = "Comparison of " + strings.Join(titles, ", ")
	}
}

// file names the file of an argument: without its folder, if that tells it apart from the other arguments.
func (all comparedRuns) file(a compared) string {
	base := filepath.Base(a.name)
	for _, other := range all {
		if other.name != a.name && filepath.Base(other.name) == base {
			return a.name
		}
	}
	return base
}

// free returns a name that no other run has: its own, or its file if that has no other run, or both, and then with a number.
func free(name, file string, alone bool, taken map[string]bool) string {
	switch {
	case !taken[name]:
		return name
	case alone:
		name = file
	default:
		name += " of " + file
	}
	found := name
	for i := 2; taken[found]; i++ {
		found = fmt.Sprintf("%s (%d)", name, i)
	}
	return found
}

// savedRuns is the number of saved results.
func (r *runner) savedRuns() (n int) {
	for _, s := range r.saved {
		n += len(s.records)
	}
	return n
}

// among puts the saved results into their places among the runs.
func (r *runner) among(made []outcome) (all []outcome) {
	at := 0
	for _, s := range r.saved {
		all, at = append(all, made[at:s.before]...), s.before
		for _, record := range s.records {
			all = append(all, outcome{record: record})
		}
	}
	return append(all, made[at:]...)
}
