package sweep

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"overlapsim/scenarios/disk"
)

// attempts is the log of one process: when it began and finished which point. Only
// estimates of time, and people who look at it, use the log. The line of a point's beginning is
// written before the point runs, that of its end together with the next line.
type attempts struct {
	file  *os.File
	lines []byte // that are not written yet
}

// openAttempts opens the log of this process and records the program's version.
func (d *Dir) openAttempts(program string) (*attempts, error) {
	if err := d.root.MkdirAll("attempts", 0o777); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(filepath.Join("attempts", disk.Process+".log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	a := &attempts{file: f}
	a.note("program %s", program)
	return a, a.write()
}

// note adds a line to those that are not written yet.
func (a *attempts) note(format string, args ...any) {
	a.lines = time.Now().UTC().AppendFormat(a.lines, "2006-01-02T15:04:05.000Z ")
	a.lines = append(fmt.Appendf(a.lines, format, args...), '\n')
}

// write writes the lines in one write, so that each is complete or missing.
func (a *attempts) write() error {
	if len(a.lines) == 0 {
		return nil
	}
	_, err := a.file.Write(a.lines)
	a.lines = a.lines[:0]
	return err
}

func (a *attempts) begin(point int) error {
	a.note("begin %d", point)
	return a.write()
}

func (a *attempts) end(point int, took time.Duration) {
	a.note("end %d after %.6f s", point, took.Seconds())
}

// history is the contents of the logs of all processes.
type history struct {
	begun, ended map[int]int // how often, by point
	seconds      float64     // in all, of points that ended
	programs     []string    // that took part
}

// mean returns the mean time in seconds of the points that ended; false if
// none has.
func (h *history) mean() (float64, bool) {
	n := 0
	for _, times := range h.ended {
		n += times
	}
	return h.seconds / float64(max(1, n)), n > 0
}

// history reads the logs. A line that was cut short is left out.
func (d *Dir) history() (*history, error) {
	logs, err := filepath.Glob(d.file("attempts", "*.log"))
	if err != nil {
		return nil, err
	}
	h := &history{begun: map[int]int{}, ended: map[int]int{}}
	seen := map[string]bool{}
	for _, name := range logs {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if program, ok := h.line(lines.Text()); ok && !seen[program] {
				seen[program] = true
				h.programs = append(h.programs, program)
			}
		}
		f.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// line processes a line, and returns the program that it names, if any.
func (h *history) line(text string) (program string, ok bool) {
	_, text, _ = strings.Cut(text, " ")
	if number, ok := strings.CutPrefix(text, "begin "); ok {
		if point, err := strconv.Atoi(number); err == nil {
			h.begun[point]++
		}
	} else if number, ok := strings.CutPrefix(text, "end "); ok {
		number, took, _ := strings.Cut(strings.TrimSuffix(number, " s"), " after ")
		point, err := strconv.Atoi(number)
		seconds, err2 := strconv.ParseFloat(took, 64)
		if err == nil && err2 == nil {
			h.ended[point]++
			h.seconds += seconds
		}
	}
	return strings.CutPrefix(text, "program ")
}

// Programs returns the versions of the program that ran points of the sweep.
func (d *Dir) Programs() ([]string, error) {
	h, err := d.history()
	if err != nil {
		return nil, err
	}
	return h.programs, nil
}
