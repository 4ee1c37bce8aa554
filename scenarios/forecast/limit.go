package forecast

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// Limit is how much memory a run may use, and what says so.
type Limit struct {
	Bytes int64 // 0: not known
	From  string
}

// Memory returns the smallest of the memory that is available, the limits of the control
// groups of this process, and the limits of its shell.
func Memory() Limit {
	least := Limit{math.MaxInt64, ""}
	for _, l := range append(groups("/sys/fs/cgroup", "/proc/self/cgroup"), available("/proc/meminfo"), ulimit()) {
		if l.Bytes > 0 && l.Bytes < least.Bytes {
			least = l
		}
	}
	if least.From == "" {
		return Limit{}
	}
	return least
}

// available is the memory that is available without swapping, and the swap that is free.
func available(file string) Limit {
	fields := numbered(file)
	if fields["MemAvailable:"] == 0 {
		return Limit{}
	}
	return Limit{(fields["MemAvailable:"] + fields["SwapFree:"]) << 10, "available on this system"}
}

// numbered reads lines of a name and a number.
func numbered(file string) map[string]int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	fields := map[string]int64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) >= 2 {
			fields[words[0]], _ = strconv.ParseInt(words[1], 10, 64)
		}
	}
	return fields
}

// groups are the limits of the control groups that a process is in, of both versions.
func groups(mounted, membership string) (all []Limit) {
	text, err := os.ReadFile(membership)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, file := mounted, "memory.max"
		if parts[1] == "memory" {
			root, file = path.Join(mounted, "memory"), "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			all = append(all, group(path.Join(root, at, file)))
			if at == "/" {
				break
			}
		}
	}
	return all
}

// group reads the limit of one control group: "max" is none.
func group(file string) Limit {
	text, _ := os.ReadFile(file)
	most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || most >= 1<<60 {
		return Limit{}
	}
	return Limit{most, "the limit of the control group"}
}
