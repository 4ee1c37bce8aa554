package laws

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// traceName is the file of a time-independent trace next to the scenario.
const traceName = "calls.ti"

// recorded draws a workload that is a trace: its messages are sent and received in one order
// on all ranks, so that it ends.
func (d *draw) recorded() *Tree {
	w := mapping()
	w.put("name", scalar("trace"))
	w.put("file", scalar(traceName))
	w.put("flop_rate", scalar("1e9"))
	d.maybe(w, "compute_factor", 0.2, func() *Tree { return scalar(one(d, []string{"0.5", "2"})) })
	for _, key := range []string{"library", "wall_time"} {
		d.maybe(w, key, 0.08, func() *Tree { return d.value(find(d.tables.workloads["trace"], key)) })
	}
	d.maybe(w, "kernels", 0.1, func() *Tree { return scalar("fft:" + one(d, []string{"100", "4096"}) + ":1e9") })
	d.files[traceName] = d.calls()
	return w
}

// calls draws a trace.
func (d *draw) calls() string {
	lines := make([]strings.Builder, 1+d.IntN(6))
	for rank := range lines {
		fmt.Fprintf(&lines[rank], "%d init\n", rank)
	}
	for tag := range 1 + d.IntN(16) {
		from, to := d.IntN(len(lines)), d.IntN(len(lines))
		bytes := one(d, []int{0, 1, 100, 3000, 200000})
		switch {
		case d.chance(0.2):
			call := one(d, []string{"barrier", fmt.Sprintf("allreduce %d 1000", bytes), fmt.Sprintf("bcast %d", bytes), "alltoall 100 100"})
			for rank := range lines {
				fmt.Fprintf(&lines[rank], "%d %s\n", rank, call)
			}
		case from == to:
			fmt.Fprintf(&lines[from], "%d compute %d\n", from, one(d, []int{0, 300, 5000, 80000}))
		default:
			fmt.Fprintf(&lines[from], "%d %s %d %d %d\n", from, one(d, []string{"send", "isend"}), to, tag, bytes)
			fmt.Fprintf(&lines[to], "%d irecv %d %d %d\n", to, from, tag, bytes)
			if d.chance(0.6) {
				fmt.Fprintf(&lines[to], "%d wait %d %[1]d %[3]d\n", to, from, tag)
			}
		}
	}
	text := ""
	for rank := range lines {
		text += lines[rank].String() + fmt.Sprintf("%d waitall\n", rank)
	}
	return text
}

// counted matches the flops of a trace.
var counted = regexp.MustCompile(`(compute|allreduce \d+) (\d+)`)

// slowCalls returns a trace that computes factor times as much.
func slowCalls(text string, factor int64) string {
	return counted.ReplaceAllStringFunc(text, func(call string) string {
		at := strings.LastIndexByte(call, ' ') + 1
		flops, _ := strconv.ParseInt(call[at:], 10, 64)
		return fmt.Sprint(call[:at], flops*factor)
	})
}
