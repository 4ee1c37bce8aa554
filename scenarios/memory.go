package scenarios

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
)

// rankBytes is the memory that a run needs for each rank at the very least:
// its state, its ledger and its part of the result.
const rankBytes = 1 << 10

// manyRanks is from how many ranks on it is worth asking the system for memory.
const manyRanks = 1 << 14

// checkMemory complains if so many ranks need more memory than there is. Zero
// bytes available means that nobody knows.
func checkMemory(ranks int, available int64, at Place, problems *Problems) {
	if need := int64(ranks) * rankBytes; available > 0 && need > available {
		problems.add(at, "ranks", "%d need at least %.4g GiB of memory, and %.4g GiB are available; ask for fewer",
			ranks, float64(need)/(1<<30), float64(available)/(1<<30))
	}
}

// availableMemory returns the bytes that can be had without swapping, 0 where
// the system does not tell (it does on Linux).
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
