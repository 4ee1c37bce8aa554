// Package live is the simulator inside a report: what the page carries of a run, the controls by which a reader
// changes it, and the runs with the changes. It is compiled to WebAssembly (cmd/live), so it imports nothing that only
// commands need; a test lists that.
package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// Start is what a page carries of its run.
type Start struct {
	Source   files.Source      `json:"source"`
	Folder   string            `json:"folder,omitempty"` // from which relative names of files lead
	Files    map[string][]byte `json:"files,omitempty"`  // that the run reads, by their whole names
	Command  string            `json:"command"`          // that makes the run
	Makespan int64             `json:"makespan,string"`  // of the run, in picoseconds
	Path     bool              `json:"path"`             // its timeline has the critical path
	Controls []Control         `json:"controls"`
	Causes   []string          `json:"causes"` // that may be taken away
	Paths    []string          `json:"paths"`  // that --set accepts
}

// NewStart returns what the page of an outcome carries; of a playground, with a choice of patterns.
func NewStart(o *outcomes.Outcome, s *scenarios.Scenario, a *outcomes.Answer, command string, playground bool) *Start {
	start := &Start{Source: o.Source, Command: command, Makespan: int64(o.Result.Makespan()), Path: len(o.Result.Critical) > 0,
		Controls: controls(o, s), Causes: causes(a), Paths: paths(o)}
	if playground {
		start.Controls = append(patterns(o, s), start.Controls...)
	}
	return start
}

// paths are those that --set accepts for a run.
func paths(o *outcomes.Outcome) (all []string) {
	for _, c := range files.Choices(o.Kind) {
		all = append(all, c.Path)
	}
	return all
}

// causes are those whose absence an answer tried, the one that saves most first.
func causes(a *outcomes.Answer) (names []string) {
	names = []string{}
	if a == nil {
		return names
	}
	for _, c := range a.Without {
		if len(c.Set) == 1 && c.Set[0] == "without="+c.Cause {
			names = append(names, c.Cause)
		}
	}
	return names
}

// request asks for a run.
type request struct {
	Settings []string `json:"settings"` // path=value, in addition to the settings of the run
	Answer   bool     `json:"answer"`   // why it takes as long, too, by re-runs
	Controls bool     `json:"controls"` // the controls of the program, too, as it has another pattern
}

// reply is what a page shows of a run.
type reply struct {
	Error    string           `json:"error,omitempty"`    // as the command says it
	Makespan int64            `json:"makespan,string"`    // in picoseconds
	Messages uint64           `json:"messages"`           // that were simulated
	Command  string           `json:"command"`            // that gives the same
	Notes    []string         `json:"notes,omitempty"`    // on keys without effect
	Moving   *report.Moving   `json:"moving,omitempty"`   // what the page draws again
	Controls []Control        `json:"controls,omitempty"` // of the program
	Paths    []string         `json:"paths,omitempty"`    // that --set accepts then
	Answer   *outcomes.Answer `json:"answer,omitempty"`   // as --json prints it
}

// Simulator runs the scenario of a page with changes. Requests come one after the other.
type Simulator struct {
	start    Start
	base     *scenarios.Scenario
	Begins   func(seconds float64) // told how long a run will take about, before it begins; nil: nobody is
	settings []string              // of the last run
	last     *outcomes.Outcome
	pathed   bool // the last run has its critical path, if it is to have one
	timeline bytes.Buffer
}

// New returns the simulator of a page. The text is a [Start] in JSON.
func New(text []byte) (*Simulator, error) {
	s := &Simulator{}
	if err := json.Unmarshal(text, &s.start); err != nil {
		return nil, err
	}
	base, err := s.start.Source.Read()
	if err != nil {
		return nil, err
	}
	s.base = &scenarios.Scenario{Scenario: base}
	return s, nil
}

// Reply runs what a text asks for, and says it in another one. The timeline is in the form of pages, not packed; nil:
// there is none, or it is the one before. It is valid until the next reply.
func (s *Simulator) Reply(text []byte) (said []byte, timeline []byte) {
	var asked request
	r := &reply{}
	err := json.Unmarshal(text, &asked)
	if err == nil {
		timeline, err = s.reply(asked, r)
	}
	if err != nil {
		r = &reply{Error: err.Error()}
	}
	if said, err = json.Marshal(r); err != nil {
		said, _ = json.Marshal(reply{Error: err.Error()}) // a text
	}
	return said, timeline
}

func (s *Simulator) reply(asked request, r *reply) (timeline []byte, err error) {
	if s.last == nil || !slices.Equal(s.settings, asked.Settings) || asked.Answer && s.start.Path && !s.pathed {
		if timeline, err = s.run(asked.Settings, asked.Answer && s.start.Path); err != nil {
			return nil, err
		}
	}
	o := s.last
	r.Makespan, r.Messages = int64(o.Result.Makespan()), o.Result.Messages
	r.Command = s.command()
	for _, n := range o.NoEffect() {
		if slices.ContainsFunc(asked.Settings, func(set string) bool {
			return strings.HasPrefix(set, n.Key+"=") || strings.HasPrefix(set, pattern+"=") && strings.HasPrefix(n.Key, "workload.")
		}) {
			r.Notes = append(r.Notes, "no effect here: "+n.String())
		}
	}
	if asked.Controls {
		r.Controls, r.Paths = fitting(ofProgram(o), &scenarios.Scenario{Scenario: o.Scenario}), paths(o)
	}
	run := report.Of(o)
	switch {
	case asked.Answer && o.Result.Work() > answer.MostEvents:
		r.Answer = answer.TooLong(o, false)
	case asked.Answer:
		scenario := scenarios.Scenario{Scenario: o.Scenario}
		r.Answer = answer.For(o, scenario.With, answer.Whole, func(string, float64) {})
	}
	run.Answer = r.Answer
	r.Moving = report.MovingOf(&run, r.Command)
	return timeline, nil
}

// run runs the scenario with settings. The critical path costs a third of the time, so it comes with the answer.
func (s *Simulator) run(settings []string, pathed bool) (timeline []byte, err error) {
	s.last = nil
	scenario, err := s.base.With(settings)
	if err != nil {
		return nil, err
	}
	o := nodes.Options{Timeline: scenario.Timed(), Critical: pathed && scenario.Pathed()}
	if err := scenario.Fits(o); err != nil {
		return nil, err
	}
	if effort := scenario.Effort(o).Seconds; effort > 0 && s.Begins != nil {
		s.Begins(slower * effort)
	}
	outcome, err := scenario.Run(o)
	if err != nil {
		return nil, err
	}
	if outcome.Result.Makespan() <= 0 {
		return nil, errors.New("the run takes no time")
	}
	s.last, s.settings, s.pathed = outcome, settings, pathed
	if outcome.Result.Timeline == nil {
		return nil, nil
	}
	s.timeline.Reset()
	if err := report.EncodeTimeline(&s.timeline, outcome.Result); err != nil {
		return nil, fmt.Errorf("the timeline: %w", err)
	}
	return s.timeline.Bytes(), nil
}

// slower is how much longer a run takes in a browser than as a program, about.
const slower = 4

// command is the command that gives the last run.
func (s *Simulator) command() string {
	if flags := keys.Flags(s.settings); flags != "" {
		return s.start.Command + " " + flags
	}
	return s.start.Command
}
