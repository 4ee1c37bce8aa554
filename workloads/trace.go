package workloads

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/workloads/collectives"
	"overlapsim/workloads/traces"
)

// A recorded MPI program, run on the machine of a scenario.
func init() {
	Register(Kind{"trace", "a recorded MPI program: what each rank called, and how long it computed in between",
		func() Workload { return &traceWorkload{ComputeFactor: 1} }})
}

type traceWorkload struct {
	File          string  `key:"file" unit:"text" doc:"the trace, next to the scenario"`
	ComputeFactor float64 `key:"compute_factor" unit:"number" doc:"factor on the times of computation"`
	PhaseFactors  string  `key:"phase_factors" unit:"text" doc:"further factors for phases of the trace, such as solve=0.5, output=2"`
	Kernels       string  `key:"kernels" unit:"text" doc:"computation as kernel:size:rate when recorded: solve=spmv:1e6:3e9, fft:4096:1e9"`
	Library       string  `key:"library" unit:"text" doc:"the library whose choice of algorithms collectives use; if omitted: the library of the machine's runtime"`
	Started       string  `key:"nonblocking" unit:"text" doc:"the same for non-blocking collectives; if omitted: what that library takes for them"`
	FlopRate      float64 `key:"flop_rate" unit:"number" doc:"flops per second of a rank, for traces that count them instead of time"`
	WallTime      bool    `key:"wall_time" unit:"flag" doc:"computation is wall time between calls instead of CPU time"`
	Phase         string  `key:"phase" unit:"text" doc:"only the calls of this phase (MPI_Pcontrol) run; loop: the part of the trace that repeats itself"`
	Median        bool    `key:"median" unit:"flag" doc:"each computation of the loop takes the median of its repetitions: the noise of the recording goes"`
	Incomplete    bool    `key:"incomplete" unit:"flag" doc:"run although functions are missing; synchronous sends are ordinary ones"`
	away          float64 // of the whole trace
	survey        *traces.Survey
	unblocked     bool
	part          *traces.CutOut // nil: the whole trace runs as it was recorded
}

// Filename implements Filed.
func (w *traceWorkload) Filename() (key, name string) { return "file", w.File }

// Open implements Filed.
func (w *traceWorkload) Open(path string) error {
	if w.FlopRate != 0 && !(w.FlopRate > 0 && w.FlopRate <= maxFlopRate) {
		return &KeyError{"flop_rate", fmt.Sprintf("must be above 0 and at most %g, got %g", float64(maxFlopRate), w.FlopRate)}
	}
	t, err := traces.Open(path, traces.Reading{FlopRate: w.FlopRate})
	if errors.Is(err, traces.ErrFlopRate) {
		return &KeyError{"flop_rate", "is missing: " + err.Error()}
	}
	if err != nil {
		return err
	}
	var placed *traces.Problem
	if w.survey, err = traces.Look(t); err != nil && !errors.As(err, &placed) { // of ranks that do not fit together
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err == nil {
		w.away = w.survey.Away()
	}
	if err != nil || w.Phase == "" && !w.Median {
		return err
	}
	return w.cut(t)
}

// cut takes a part of a trace instead of the whole.
func (w *traceWorkload) cut(t traces.Trace) (err error) {
	key := "phase"
	if w.Phase == "" {
		key = "median"
	}
	if w.part, err = (traces.Cut{Phase: w.Phase, Median: w.Median}).New(t); err == nil {
		w.survey, err = traces.Look(w.part)
	}
	if err != nil {
		return &KeyError{key, err.Error()}
	}
	return nil
}

// Remarks implements Remarked.
func (w *traceWorkload) Remarks(*machines.Machine, int) []string {
	if w.part == nil {
		return nil
	}
	return w.part.Remarks()
}

// Away implements Paused.
func (w *traceWorkload) Away() float64 { return w.away }

// Ranks implements Sized.
func (w *traceWorkload) Ranks() int { return w.survey.Header().Ranks }

// Unblock implements Unblocked.
func (w *traceWorkload) Unblock() { w.unblocked = true }

// ByLibrary implements Chosen.
func (w *traceWorkload) ByLibrary() bool { return w.Library == "" }

// Program implements Workload.
func (w *traceWorkload) Program(m *machines.Machine, _ int) (programs.Program, error) {
	if w.survey == nil {
		return nil, errors.New("the trace has not been opened")
	}
	phases, err := w.phases()
	if !(w.ComputeFactor > 0 && w.ComputeFactor <= maxFactor) {
		err = errors.Join(err, &KeyError{"compute_factor", fmt.Sprintf("must be above 0 and at most %g, got %g", maxFactor, w.ComputeFactor)})
	}
	like, unknown := w.kernels(m)
	blocking, started, wrong := w.libraries(m)
	wrong = errors.Join(unknown, wrong)
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	p, err := w.survey.Program(traces.Options{
		Compute: w.ComputeFactor, Phases: phases, Kernels: like, Wall: w.WallTime, Incomplete: w.Incomplete, Blocking: blocking, Started: started,
		Unblocked: w.unblocked, Partitioned: partitioningOf(m),
		Group: func(bytes int64) collectives.Group {
			return collectives.Group{Levels: []int{max(1, m.Processes)}, Offload: switchesOf(m),
				Combine: taskOf(m, "combine", bytes), Copy: taskOf(m, "copy", bytes), Touch: taskOf(m, "touch", bytes)}
		},
	})
	if err != nil {
		return nil, &KeyError{"file", err.Error()}
	}
	return p, nil
}

// partitioningOf is how the machine's library sends messages in partitions.
func partitioningOf(m *machines.Machine) machines.Partitioning {
	if m.Runtime == nil {
		return machines.EachPartition
	}
	return m.Runtime.Partitioned
}

// The largest factor on computation, and the largest number of flops per second.
const (
	maxFactor   = 1e6
	maxFlopRate = 1e18
)

// phases are the factors of the phases by their names.
func (w *traceWorkload) phases() (map[string]float64, error) {
	factors := map[string]float64{}
	if strings.TrimSpace(w.PhaseFactors) == "" {
		return factors, nil
	}
	for one := range strings.SplitSeq(w.PhaseFactors, ",") {
		name, value, _ := strings.Cut(one, "=")
		factor, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(factor >= 0 && factor <= maxFactor) {
			return nil, &KeyError{"phase_factors", fmt.Sprintf("must be a list such as solve=0.5, output=2, got %q", one)}
		}
		factors[strings.TrimSpace(name)] = factor
	}
	return factors, nil
}

// kernels are what computation is, by the names of phases: as much longer as the machine is slower
// than what it was recorded on.
func (w *traceWorkload) kernels(m *machines.Machine) (map[string]traces.Kernel, error) {
	all := map[string]traces.Kernel{}
	if strings.TrimSpace(w.Kernels) == "" {
		return all, nil
	}
	for one := range strings.SplitSeq(w.Kernels, ",") {
		phase, text, ok := strings.Cut(one, "=")
		if !ok {
			phase, text = "", one
		}
		parts := strings.Split(strings.TrimSpace(text), ":")
		n, rate, err := sizeAndRate(parts)
		if err != nil {
			return nil, &KeyError{"kernels", fmt.Sprintf("must be a list of kernel:size:rate, such as solve=spmv:1e6:3e9, got %q", one)}
		}
		task, err := m.Task(parts[0], n)
		if err != nil {
			return nil, &KeyError{"kernels", err.Error()}
		}
		if task.Time <= 0 {
			return nil, &KeyError{"kernels", fmt.Sprintf("%s of size %g takes no time on the machine", parts[0], n)}
		}
		all[strings.TrimSpace(phase)] = traces.Kernel{Like: task, Factor: task.Time.Seconds() * rate / task.Work}
	}
	return all, nil
}

// sizeAndRate are the numbers of kernel:size:rate.
func sizeAndRate(parts []string) (n, rate float64, err error) {
	if len(parts) != 3 {
		return 0, 0, errors.New("not three parts")
	}
	n, err = strconv.ParseFloat(parts[1], 64)
	rate, also := strconv.ParseFloat(parts[2], 64)
	if err = errors.Join(err, also); err == nil && !(n > 0 && n <= maxFlopRate && rate > 0 && rate <= maxFlopRate) {
		err = errors.New("not positive")
	}
	return n, rate, err
}

// libraries are whose choices the collectives' algorithms are.
func (w *traceWorkload) libraries(m *machines.Machine) (blocking, started *collectives.Library, err error) {
	keys := collectiveKeys{Library: w.Library}
	if blocking, err = keys.library(m); err != nil {
		return nil, nil, err
	}
	name := w.Started
	if name == "" {
		name = blocking.Nonblocking()
	}
	if started = collectives.LibraryNamed(name); started == nil {
		return nil, nil, &KeyError{"nonblocking",
			fmt.Sprintf("no table of choices is called %q; use one of %s", name, strings.Join(collectives.Libraries(), ", "))}
	}
	return blocking, started, nil
}

// Metrics implements Workload: how the recorded tests were run.
func (w *traceWorkload) Metrics(*machines.Machine, *results.Result) (m Metrics) {
	if tests, polls := w.survey.Tests(); tests+polls > 0 {
		m.Add("tests", float64(tests))
		m.Add("tests_as_waits", float64(polls))
	}
	if w.part != nil && w.part.Repetitions() > 0 {
		m.Add("repetitions", float64(w.part.Repetitions()))
	}
	return m
}
