package laws

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// scheduleName is the file of a schedule next to the scenario.
const scheduleName = "operations.goal"

// schedule draws a GOAL schedule that ends: an operation requires only operations before
// it, and messages are sent and received in one order on all ranks.
func (d *draw) schedule() string {
	ranks := make([]strings.Builder, 1+d.IntN(8))
	labels := make([]int, len(ranks))
	add := func(rank int, operation string) {
		labels[rank]++
		fmt.Fprintf(&ranks[rank], "l%d: %s\n", labels[rank], operation)
		if before := labels[rank] - 1; before > 0 && d.chance(0.6) {
			fmt.Fprintf(&ranks[rank], "l%d %s l%d\n", labels[rank], one(d, []string{"requires", "requires", "irequires"}), 1+d.IntN(before))
		}
	}
	for tag := range 1 + d.IntN(16) {
		from := d.IntN(len(ranks))
		to := (from + 1 + d.IntN(len(ranks))) % len(ranks)
		if from == to || d.chance(0.4) {
			add(from, fmt.Sprintf("calc %d", one(d, []int{0, 1, 300, 5000, 80000})))
			continue
		}
		bytes := one(d, []int{0, 1, 100, 3000, 200000})
		add(from, fmt.Sprintf("send %db to %d tag %d", bytes, to, tag))
		add(to, fmt.Sprintf("recv %db from %d tag %d", bytes, from, tag))
	}
	text := fmt.Sprintf("num_ranks %d\n", len(ranks))
	for rank := range ranks {
		text += fmt.Sprintf("rank %d {\n%s}\n", rank, ranks[rank].String())
	}
	return text
}

// calculation matches an operation that computes, in ns.
var calculation = regexp.MustCompile(`calc (\d+)`)

// slowSchedule returns a schedule that computes factor times as long.
func slowSchedule(text string, factor int64) string {
	return calculation.ReplaceAllStringFunc(text, func(operation string) string {
		ns, _ := strconv.ParseInt(strings.TrimPrefix(operation, "calc "), 10, 64)
		return fmt.Sprintf("calc %d", ns*factor)
	})
}
