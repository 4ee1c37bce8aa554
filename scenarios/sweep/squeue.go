package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// countStates writes how many tasks are in each state: "3 running, 12 pending".
func countStates(tasks []string) string {
	count := map[string]int{}
	var names []string
	for _, state := range tasks {
		if count[state]++; count[state] == 1 {
			names = append(names, state)
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", count[name], strings.ToLower(name))
	}
	if len(names) == 0 {
		return "ended"
	}
	return strings.Join(names, ", ")
}

// tasks returns the states of the tasks of a job that have not ended. It asks for the jobs
// of this user, because Slurm fails when asked for a job that it has forgotten.
func (s *Slurm) tasks(ctx context.Context, id string) ([]string, error) {
	out, err := s.patiently(ctx, "squeue", "--noheader", "--array", "--me", "--format=%F %T")
	var states []string
	for line := range strings.Lines(out) {
		if of, state, _ := strings.Cut(strings.TrimSpace(line), " "); of == id {
			states = append(states, state)
		}
	}
	return states, err
}

// mostTasks returns the largest number of tasks of an array: its indices must be below
// MaxArraySize.
func (s *Slurm) mostTasks(ctx context.Context) (int, error) {
	text, err := s.config(ctx, "MaxArraySize")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		n = 1001
	}
	return n, nil
}

// config returns a value of Slurm's configuration, "" if it has none.
func (s *Slurm) config(ctx context.Context, key string) (string, error) {
	out, err := s.patiently(ctx, "scontrol", "show", "config")
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value), nil
		}
	}
	return "", err
}

// tries is how often a command of Slurm is tried: its controller may be unavailable for a
// while.
const tries = 5

func (s *Slurm) patiently(ctx context.Context, name string, args ...string) (out string, err error) {
	for i := range tries {
		out, err = s.ask(ctx, name, args...)
		if err == nil || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.Poll << i):
		}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// ask runs a command of Slurm and returns what it prints.
func (s *Slurm) ask(ctx context.Context, name string, args ...string) (string, error) {
	var complaint strings.Builder
	command := exec.CommandContext(ctx, name, args...)
	command.Stderr = &complaint
	out, err := command.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no Slurm here: %s is not installed", name)
	case err != nil && complaint.Len() > 0:
		return "", fmt.Errorf("%s: %s", name, strings.TrimSpace(complaint.String()))
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(out), nil
}

// ended returns the states in which tasks of a job ended, from the file of the job
// completion plug-in; "" if there is no such file, or it cannot be read.
func (s *Slurm) ended(ctx context.Context, id string) string {
	path, err := s.config(ctx, "JobCompLoc")
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var states []string
	for line := range strings.Lines(string(text)) {
		fields := map[string]string{}
		for _, field := range strings.Fields(line) {
			key, value, _ := strings.Cut(field, "=")
			fields[key] = value
		}
		if fields["ArrayJobId"] == id {
			states = append(states, fields["JobState"])
		}
	}
	return countStates(states)
}
