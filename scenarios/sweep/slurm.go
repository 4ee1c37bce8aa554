package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Slurm runs points as job arrays of a Slurm cluster. The directory and the program must be
// on a file system that the nodes share. No accounting database is needed: the results show
// which points are done, and squeue shows which tasks still run.
type Slurm struct {
	Program string        // path of overlapsim
	Jobs    int           // tasks at a time; 0: as many as Slurm starts
	Task    time.Duration // shortest time of a task
	Poll    time.Duration // time between two checks
	Local   *Local        // runs the point that is measured
}

// Run implements Engine. When the context ends, the job goes on; the next Run
// follows it.
func (s *Slurm) Run(ctx context.Context, d *Dir, points []int, report func(Status)) error {
	if _, err := s.ask(ctx, "sbatch", "--version"); err != nil {
		return err
	}
	for {
		job, err := s.alive(ctx, d)
		if err != nil {
			return err
		}
		if job == nil {
			if job, err = s.submit(ctx, d, points, report); err != nil {
				return err
			}
		}
		if err := s.follow(ctx, d, job, report); err != nil {
			return err
		}
		before := len(points)
		if points, err = d.Missing(); err != nil || len(points) == 0 {
			return err
		}
		if len(points) >= before && !job.found {
			return s.stuck(ctx, d, job, len(points))
		}
	}
}

// job is a submission.
type job struct {
	number int    // of the submission in the directory, from 1
	id     string // Slurm's; "": no job was needed
	found  bool   // submitted by an earlier process
}

func (d *Dir) submission(number int, steps ...string) string {
	return d.file(append([]string{"slurm", strconv.Itoa(number)}, steps...)...)
}

// alive returns the last submission if Slurm still has tasks of it, or nil.
func (s *Slurm) alive(ctx context.Context, d *Dir) (*job, error) {
	number := d.submissions()
	id, err := os.ReadFile(d.submission(number, "job"))
	if err != nil {
		return nil, nil
	}
	j := &job{number, strings.TrimSpace(string(id)), true}
	if tasks, err := s.tasks(ctx, j); err != nil || len(tasks) == 0 {
		return nil, err
	}
	return j, nil
}

// submissions returns the number of the last submission, 0 before the first.
func (d *Dir) submissions() int {
	n := 0
	for {
		if _, err := os.Stat(d.submission(n + 1)); err != nil {
			return n
		}
		n++
	}
}

// follow waits until all points have results or Slurm has no more tasks of the
// job.
func (s *Slurm) follow(ctx context.Context, d *Dir, j *job, report func(Status)) error {
	if j.id == "" {
		return nil
	}
	began, first := time.Now(), -1
	for {
		tasks, err := s.tasks(ctx, j)
		if err != nil {
			return err
		}
		done, err := d.count()
		if err != nil {
			return err
		}
		if first < 0 {
			first = done
		}
		status := Status{Done: done, Total: len(d.Plan.Points), Tasks: "Slurm job " + j.id + ": " + countStates(tasks)}
		status.Left = rate(done-first, status.Total-done, time.Since(began))
		report(status)
		if done == status.Total || len(tasks) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(s.Poll):
		}
	}
}

// rate returns the time left if the remaining points are as fast as those that are done.
// The number of points done is random, and so is their rate.
func rate(done, rest int, took time.Duration) Left {
	if done < fewest || rest < 1 {
		return Left{}
	}
	middle := took.Seconds() * float64(rest) / float64(done)
	spread := 2 / math.Sqrt(float64(done))
	return Left{seconds(middle * max(0, 1-spread)), seconds(middle * (1 + spread))}
}

// stuck says why a job ended without any result.
func (s *Slurm) stuck(ctx context.Context, d *Dir, j *job, missing int) error {
	text := fmt.Sprintf("Slurm job %s ended, and %d points have no result", j.id, missing)
	if how := s.ended(ctx, j); how != "" {
		text += "; its tasks ended as " + how
	}
	logs, _ := filepath.Glob(d.submission(j.number, "task-*.log"))
	for _, log := range logs {
		if said, err := os.ReadFile(log); err == nil && len(strings.TrimSpace(string(said))) > 0 {
			all := strings.Split(strings.TrimSpace(string(said)), "\n")
			return fmt.Errorf("%s; the last line of %s is: %s", text, log, all[len(all)-1])
		}
	}
	return errors.New(text)
}
