package sweep

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// submit measures how long a point takes, unless that is known, cuts the points into
// chunks, and submits a task for each.
func (s *Slurm) submit(ctx context.Context, d *Dir, points []int, report func(Status)) (*job, error) {
	took, rest, err := s.measure(ctx, d, points, report)
	if err != nil || len(rest) == 0 {
		return &job{}, err
	}
	most, err := s.mostTasks(ctx)
	if err != nil {
		return nil, err
	}
	j := &job{number: d.submissions() + 1}
	folder := filepath.Join("slurm", strconv.Itoa(j.number))
	if err := d.root.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	chunks := chunk(rest, perTask(took, s.Task, len(rest), most))
	if err := disk.StoreIn(d.root, filepath.Join(folder, "chunks"), []byte(lines(chunks))); err != nil {
		return nil, err
	}
	if err := disk.StoreIn(d.root, filepath.Join(folder, "job.sh"), []byte(s.script(j.number, len(chunks)))); err != nil {
		return nil, err
	}
	out, err := s.ask(ctx, "sbatch", "--parsable", "--chdir="+d.Path, d.submission(j.number, "job.sh"))
	if err != nil {
		return nil, err
	}
	j.id, _, _ = strings.Cut(strings.TrimSpace(out), ";")
	return j, disk.StoreIn(d.root, filepath.Join(folder, "job"), []byte(j.id+"\n"))
}

// measure returns the mean time in seconds of the points that ran so far. If
// there are none it runs the first one here.
func (s *Slurm) measure(ctx context.Context, d *Dir, points []int, report func(Status)) (took float64, rest []int, err error) {
	h, err := d.history()
	if err != nil {
		return 0, nil, err
	}
	if took, ok := h.mean(); ok {
		return took, points, nil
	}
	report(Status{Done: len(d.Plan.Points) - len(points), Total: len(d.Plan.Points), Tasks: "measuring a point"})
	if err := s.Local.Run(ctx, d, points[:1], func(Status) {}); err != nil {
		return 0, nil, err
	}
	if h, err = d.history(); err != nil {
		return 0, nil, err
	}
	took, _ = h.mean()
	return took, points[1:], nil
}

// perTask returns how many of n points a task runs, so that it lasts long enough and the
// array has no more tasks than Slurm allows.
func perTask(seconds float64, least time.Duration, n, most int) int {
	size := float64(n)
	if seconds > 0 {
		size = math.Ceil(least.Seconds() / seconds)
	}
	return int(max(1, min(float64(n), size), math.Ceil(float64(n)/float64(most))))
}

// chunk cuts points into parts of about the same size, none larger than size.
func chunk(points []int, size int) (chunks [][]int) {
	n := (len(points) + size - 1) / size
	for i := range n {
		chunks = append(chunks, points[i*len(points)/n:(i+1)*len(points)/n])
	}
	return chunks
}

func lines(chunks [][]int) string {
	var text strings.Builder
	for _, c := range chunks {
		for i, point := range c {
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(strconv.Itoa(point))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// Chunk returns the points of a task of a submission, without those that have
// a result.
func (d *Dir) Chunk(submission, task int) ([]int, error) {
	text, err := d.root.ReadFile(filepath.Join("slurm", strconv.Itoa(submission), "chunks"))
	if err != nil {
		return nil, err
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	if task < 0 || task >= len(all) {
		return nil, fmt.Errorf("submission %d has %d tasks, there is no task %d", submission, len(all), task)
	}
	points, err := d.Plan.numbers(all[task])
	if err != nil {
		return nil, fmt.Errorf("submission %d, task %d: %w", submission, task, err)
	}
	return slices.DeleteFunc(points, d.done), nil
}

// script is the job script. Other options of a site (a partition, an account, a time
// limit) go into sbatch's own variables, SBATCH_PARTITION and so on.
func (s *Slurm) script(submission, tasks int) string {
	limit := ""
	if s.Jobs > 0 {
		limit = fmt.Sprintf("%%%d", s.Jobs)
	}
	return fmt.Sprintf(`#!/bin/sh
#SBATCH --job-name=overlapsim-sweep
#SBATCH --array=0-%d%s
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output=slurm/%d/task-%%a.log
#SBATCH --open-mode=append
exec %s sweep . --jobs 1 --chunk "%d:$SLURM_ARRAY_TASK_ID"
`, tasks-1, limit, submission, keys.ForShell(s.Program), submission)
}
