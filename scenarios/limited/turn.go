package limited

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// turns is the number of runs after which every long part of a test has had its turn.
const turns = 12

// heavy are the parts of tests that take more than ten seconds of processor time, with these seconds, the heaviest first.
var heavy = []struct {
	part    string
	seconds float64
}{
	{"paper bgp", 125}, {"paper smt", 124}, {"claim pencils-gain-nothing", 67}, {"paper probes", 66}, {"paper cray", 65},
	{"data set torchtitan-pp", 50}, {"study placement", 45}, {"data set mlperf-llama", 38}, {"changes not tried", 28}, {"study balance", 27},
	{"data set calculon", 25}, {"study granularity", 23}, {"study background", 20}, {"data set pico-fugaku-large", 19},
	{"data set megatron", 14}, {"study rdma", 13},
}

// turnOf gives each heavy part a turn: that in which the heavier ones take least.
var turnOf = func() map[string]int {
	of, takes := map[string]int{}, make([]float64, turns)
	for _, h := range heavy {
		least := slices.Index(takes, slices.Min(takes))
		of[h.part] = least
		takes[least] += h.seconds
	}
	return of
}()

// Turn is the number of the run of the tests, TURN in the environment: .ci/run sets it to the number of commits. It is 0 without.
func Turn() int {
	text := os.Getenv("TURN")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		panic(fmt.Sprintf("TURN=%s must be a whole number such as 7", text))
	}
	return n
}

// HasTurn tells whether the i-th long part of a test runs: a twelfth of them do in each run that has a TURN, and all in one that has none.
func HasTurn(i int) bool { return os.Getenv("TURN") == "" || i%turns == Turn()%turns }

// HeavyTurn is HasTurn for a part with a name. Heavy parts are spread over the turns by what they take.
func HeavyTurn(i int, part string) bool {
	if turn, heavy := turnOf[part]; heavy {
		i = turn
	}
	return HasTurn(i)
}
