package keys

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the choice that a mistyped word most likely meant, or "" if none is
// near. A near choice differs by at most one mistake in three letters, or is the only one
// that starts with the word. Of equally near choices the first wins.
func Nearest(word string, choices []string) string {
	if len(word) > longest {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, choice := range choices {
		if d := distance(strings.ToLower(word), strings.ToLower(choice)); d < least {
			best, least = choice, d
		}
	}
	if some := prefixed(word, choices); best == "" && len(some) == 1 {
		return some[0]
	}
	return best
}

// prefixed returns the choices that start with a word of two letters or more.
func prefixed(word string, choices []string) (found []string) {
	for _, choice := range choices {
		if len(word) > 1 && strings.HasPrefix(choice, word) {
			found = append(found, choice)
		}
	}
	return found
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to get from a to b (optimal string alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// mostNamed is the largest number of choices that a message names.
const mostNamed = 12

// Near returns the choices that a user may have meant by the word: the nearest choice, or
// at most a dozen that start with it.
func Near(word string, choices []string) []string {
	if near := Nearest(word, choices); near != "" {
		return []string{near}
	}
	if some := prefixed(word, choices); len(some) <= mostNamed {
		return some
	}
	return nil
}

// Instead names the choices that may have been meant, or all choices.
func Instead(word string, choices []string) string {
	if near := Near(word, choices); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	all := slices.Sorted(slices.Values(choices))
	if len(all) == 1 {
		return "there is only " + all[0]
	}
	if more := len(all) - mostNamed; more > 1 {
		return fmt.Sprintf("there are %s and %d more", strings.Join(all[:mostNamed], ", "), more)
	}
	return "there are " + strings.Join(all, ", ")
}
