package papers

import (
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

var (
	// numbered finds "Figures 12, 13 and 16", "Table II" in the place of a claim.
	numbered = keys.Pattern(`(Figure|Table)s? ([0-9IVX]+[a-d]?(?:(?:, | and | to )[0-9IVX]+[a-d]?)*)`)
	// listed finds the numbers in such a list, and the words between them.
	listed = keys.Pattern(`[0-9IVX]+[a-d]?|to`)
	// romans are the numbers of tables.
	romans = map[string]int{"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
	// prefixes begin the names of figures.
	prefixes = map[string]string{"Figure": "fig", "Table": "table"}
)

// mentions tells whether a place in a paper names a figure: Figure 7c names fig7c, Figure 7
// all its parts.
func mentions(place, name string) bool {
	for _, found := range numbered().FindAllStringSubmatch(place, -1) {
		rest, of := strings.CutPrefix(name, prefixes[found[1]])
		if of && inList(found[2], rest) {
			return true
		}
	}
	return false
}

// inList tells whether a list of numbers, such as "5, 7c and 9 to 12", has one of a figure.
func inList(list, figure string) bool {
	number, _ := strconv.Atoi(strings.TrimRight(figure, "abcd"))
	from, span := 0, false
	for _, word := range listed().FindAllString(list, -1) {
		if word == "to" {
			span = true
			continue
		}
		if word == figure || word == strconv.Itoa(number) || romans[word] == number {
			return true
		}
		n, _ := strconv.Atoi(word)
		if span && from < number && number < n {
			return true
		}
		from, span = n, false
	}
	return false
}
