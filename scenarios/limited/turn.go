package limited

import (
	"fmt"
	"os"
	"strconv"
)

// turns is the number of runs after which every long part of a test has had its turn.
const turns = 4

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

// HasTurn tells whether the i-th long part of a test runs: a fourth of them do in each run that has a TURN, and all in one that has none.
func HasTurn(i int) bool { return os.Getenv("TURN") == "" || i%turns == Turn()%turns }
