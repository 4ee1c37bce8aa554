package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// Slurm runs points as job arrays of a Slurm cluster. The directory and the program must be
// on a file system that the nodes share. No accounting database is needed: the results show
// which points are done, and squeue shows which tasks still run.
type Slurm struct {
	Program string        // path of overlapsim
	Version string        // of the program
	Jobs    int           // tasks at a time; 0: as many as Slurm starts
	Task    time.Duration // shortest time of a task
	Poll    time.Duration // time between two checks
}

// Files of a directory: the id of the last job, and the script of all of them.
const (
	jobFile    = "slurm/job"
	scriptFile = "slurm/job.sh"
)

// Run implements Engine. When the context ends, the job continues; the next Run
// follows it.
func (s *Slurm) Run(ctx context.Context, d *Dir, report func(Status)) error {
	if _, err := s.ask(ctx, "sbatch", "--version"); err != nil {
		return err
	}
	points, err := d.left(Part{})
	for err == nil && len(points) > 0 {
		job, found, err := s.job(ctx, d, points, report)
		if err == nil {
			err = s.follow(ctx, d, job, report)
		}
		if err != nil {
			return err
		}
		before := len(points) - 1 // without the one that was measured
		if points, err = d.Missing(); err != nil {
			return err
		}
		if len(points) >= max(1, before) && !found {
			return s.stuck(ctx, d, job, len(points))
		}
	}
	return err
}

// job returns the job that was submitted last, if Slurm still has tasks of it; then found is set. Otherwise it submits
// one.
func (s *Slurm) job(ctx context.Context, d *Dir, points []int, report func(Status)) (id string, found bool, err error) {
	text, err := d.root.ReadFile(jobFile)
	if err == nil {
		id = strings.TrimSpace(string(text))
		if tasks, err := s.tasks(ctx, id); err != nil || len(tasks) > 0 {
			return id, true, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", false, err
	}
	id, err = s.submit(ctx, d, points, report)
	return id, false, err
}

// submit runs a point here, to measure how long one takes, and submits tasks for the others. There is no job, with the
// id "", if there are no others.
func (s *Slurm) submit(ctx context.Context, d *Dir, points []int, report func(Status)) (id string, err error) {
	status, err := d.status()
	if err != nil {
		return "", err
	}
	status.Tasks = "measuring a point"
	report(status)
	took, err := d.runOne(ctx, s.Version, points)
	if err != nil || len(points) == 1 {
		return "", err
	}
	most, err := s.mostTasks(ctx)
	if err != nil {
		return "", err
	}
	if err := d.root.MkdirAll(filepath.Dir(scriptFile), 0o777); err != nil {
		return "", err
	}
	if err := disk.StoreIn(d.root, scriptFile, []byte(s.script())); err != nil {
		return "", err
	}
	array := fmt.Sprintf("--array=0-%d", tasksFor(len(points)-1, took, s.Task, most)-1)
	if s.Jobs > 0 {
		array += fmt.Sprintf("%%%d", s.Jobs)
	}
	out, err := s.ask(ctx, "sbatch", "--parsable", "--chdir="+d.Path, array, d.file(scriptFile))
	if err != nil {
		return "", err
	}
	id, _, _ = strings.Cut(strings.TrimSpace(out), ";")
	return id, disk.StoreIn(d.root, jobFile, []byte(id+"\n"))
}

// runOne runs one of the points in this process, and returns how long that took. When the context ends, the point is
// left alone.
func (d *Dir) runOne(ctx context.Context, program string, points []int) (time.Duration, error) {
	w, err := d.worker(program, nil)
	if err != nil {
		return 0, err
	}
	var began time.Time
	ended := make(chan error, 1)
	go func() {
		mine := false
		for i := 0; err == nil && !mine && i < len(points); i++ {
			began = time.Now()
			mine, err = w.run(points[i])
		}
		ended <- err
	}()
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case err := <-ended:
		return time.Since(began), err
	}
}

// tasksFor returns how many tasks run n points, so that each lasts long enough and the
// array has no more tasks than Slurm allows.
func tasksFor(n int, each, least time.Duration, most int) int {
	points := math.Ceil(least.Seconds() / max(each.Seconds(), 1e-9)) // of a task
	return max(1, min(int(math.Ceil(float64(n)/points)), most))
}

// script is the job script, the same for all arrays: each task runs its part of the points that have no result. Other
// options of a site (a partition, an account, a time limit) go into sbatch's own variables, SBATCH_PARTITION and so on.
func (s *Slurm) script() string {
	return fmt.Sprintf(`#!/bin/sh
#SBATCH --job-name=overlapsim-sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output=slurm/%%A-task-%%a.log
#SBATCH --open-mode=append
exec %s sweep . --jobs 1 --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
`, keys.ForShell(s.Program))
}

// follow reports what is done until all points have results or Slurm has no more tasks of
// the job.
func (s *Slurm) follow(ctx context.Context, d *Dir, id string, report func(Status)) error {
	for id != "" {
		tasks, err := s.tasks(ctx, id)
		if err != nil {
			return err
		}
		status, err := d.status()
		if err != nil {
			return err
		}
		status.Tasks = "Slurm job " + id + ": " + countStates(tasks)
		report(status)
		if status.Done == status.Total || len(tasks) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(s.Poll):
		}
	}
	return nil
}

// stuck says why a job ended without any result.
func (s *Slurm) stuck(ctx context.Context, d *Dir, id string, missing int) error {
	text := fmt.Sprintf("Slurm job %s ended, and %d points have no result", id, missing)
	if how := s.ended(ctx, id); how != "" {
		text += "; its tasks ended as " + how
	}
	logs, _ := filepath.Glob(d.file("slurm", id+"-task-*.log"))
	for _, log := range logs {
		if said, err := os.ReadFile(log); err == nil && len(strings.TrimSpace(string(said))) > 0 {
			all := slices.Collect(strings.Lines(strings.TrimSpace(string(said))))
			return fmt.Errorf("%s; the last line of %s is: %s", text, log, all[len(all)-1])
		}
	}
	return errors.New(text)
}
