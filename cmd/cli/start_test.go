package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every command makes the variables of all packages before it begins. Tables and patterns that few
// commands need are therefore made when they are first used.
func TestStart(t *testing.T) {
	const mostBytes, mostAllocations = 160_000, 2_500
	c := program(t, t.TempDir(), "help")
	c.Env = append(c.Environ(), "GODEBUG=inittrace=1")
	var told bytes.Buffer
	c.Stderr = &told
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	total, largest := [2]int{}, ""
	most := 0
	for _, line := range regexp.MustCompile(`init (overlapsim/\S+) .* (\d+) bytes, (\d+) allocs`).FindAllStringSubmatch(told.String(), -1) {
		if strings.HasPrefix(line[1], "overlapsim/cmd/") { // of tests
			continue
		}
		size, _ := strconv.Atoi(line[2])
		times, _ := strconv.Atoi(line[3])
		total[0], total[1] = total[0]+size, total[1]+times
		if size > most {
			most, largest = size, fmt.Sprintf("%s, with %d bytes", line[1], size)
		}
	}
	if total[1] == 0 || total[0] > mostBytes || total[1] > mostAllocations {
		t.Errorf("packages allocate %d bytes, %d times, when the program starts; at most %d and %d. The largest is %s",
			total[0], total[1], mostBytes, mostAllocations, largest)
	}
	t.Logf("%d bytes, %d times; the largest is %s", total[0], total[1], largest)
}
