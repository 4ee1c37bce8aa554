package files

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"overlapsim/scenarios/keys"
)

// rankBytes is the least memory in bytes that a run needs for each rank: its state, its
// ledger and its part of the result.
const rankBytes = 1 << 10

// manyRanks is the number of ranks from which the available memory is checked.
const manyRanks = 1 << 14

// checkMemory reports a problem if the ranks need more memory than is available.
// available is 0 if it is not known.
func checkMemory(ranks int, available int64, at keys.Place, problems *keys.Problems) {
	if need := int64(ranks) * rankBytes; available > 0 && need > available {
		problems.Add(at, "ranks", "%d need at least %.4g GiB of memory, and %.4g GiB are available; ask for fewer",
			ranks, float64(need)/(1<<30), float64(available)/(1<<30))
	}
}

// availableMemory returns the bytes available without swapping, or 0 if the system does
// not tell (on Linux it does).
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) >= 2 && string(fields[0]) == "MemAvailable:" {
			kib, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			return kib << 10
		}
	}
	return 0
}
