package workloads

import (
	"errors"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/workloads/goal"
	"overlapsim/workloads/inputs"
)

// A schedule in the Group Operation Assembly Language, written by LogGOPSim, its
// successors or overlapsim export, run on the machine of a scenario.
func init() {
	Register(Kind{"goal", "a GOAL schedule: what each rank sends, receives and computes, and what requires what",
		func() Workload { return &goalSchedule{} }})
}

// Filed is a workload that is read from a file.
type Filed interface {
	Workload
	// Open reads the file. Its path is the value of the parameter that Filename names.
	// Errors in the file name their own places.
	Open(path string) error
	// Filename returns no key if the workload needs no file.
	Filename() (key, name string)
}

// Sized is a workload that determines its number of ranks itself.
type Sized interface {
	Workload
	Ranks() int
}

// Scheduled is a workload that already is a schedule.
type Scheduled interface {
	Workload
	Schedule() *goal.Schedule
}

type goalSchedule struct {
	File     string `key:"file" unit:"text" doc:"the schedule, text or binary, next to the scenario"`
	schedule *goal.Schedule
}

// Filename implements Filed.
func (w *goalSchedule) Filename() (key, name string) { return "file", w.File }

// Open implements Filed.
func (w *goalSchedule) Open(path string) error {
	f, err := inputs.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := goal.Read(f, path)
	if err != nil {
		return err
	}
	w.schedule = s
	return s.Processes().Mistakes(path)
}

// Ranks implements Sized.
func (w *goalSchedule) Ranks() int { return w.schedule.Ranks() }

// Schedule implements Scheduled.
func (w *goalSchedule) Schedule() *goal.Schedule { return w.schedule }

// Program implements Workload.
func (w *goalSchedule) Program(*machines.Machine, int) (programs.Program, error) {
	if w.schedule == nil {
		return nil, errors.New("the schedule has not been opened")
	}
	return w.schedule.Processes(), nil
}

// Metrics implements Workload: a schedule has no result except its time.
func (w *goalSchedule) Metrics(*machines.Machine, *results.Result) (m Metrics) { return m }
