package keys

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Nearest returns the choice that a mistyped word most likely meant, or "" if none is
// near. A near choice differs by at most one mistake in three letters, or is the only one
// that starts with the word. Of equally near choices the first wins. Upper case and what
// stands between parts of a word are no mistakes.
func Nearest(word string, choices []string) string {
	if near := nearest(word, choices); near != nil {
		return near[0]
	}
	if some := prefixed(word, choices); len(word) <= longest && len(some) == 1 {
		return some[0]
	}
	return ""
}

// nearest returns the choices that differ least from a word, if by few mistakes.
func nearest(word string, choices []string) (best []string) {
	if len(word) > longest {
		return nil
	}
	least := max(1, len(word)/3)
	for _, choice := range choices {
		switch d := distance(bare(word), bare(choice)); {
		case d < least || d == least && best == nil:
			best, least = []string{choice}, d
		case d == least && !slices.Contains(best, choice):
			best = append(best, choice)
		}
	}
	return best
}

// between is what may stand between parts of a word.
var between = strings.NewReplacer("-", "", "_", "", " ", "")

// bare returns the letters of a word, in lower case.
func bare(word string) string { return between.Replace(strings.ToLower(word)) }

// prefixed returns the choices that start with a word of two letters or more.
func prefixed(word string, choices []string) (found []string) {
	for _, choice := range choices {
		if len(bare(word)) > 1 && strings.HasPrefix(bare(choice), bare(word)) {
			found = append(found, choice)
		}
	}
	return found
}

// parted returns the choices of which a word is some of several parts, as h100 of dgx-h100, those that begin with it first.
func parted(word string, choices []string) (begin []string) {
	var rest []string
	parts := partsOf(word)
	for _, choice := range choices {
		for has := partsOf(choice); len(parts) > 0 && len(has) >= len(parts); has = has[1:] {
			if !slices.Equal(has[:len(parts)], parts) {
				continue
			}
			if len(has) == len(partsOf(choice)) {
				begin = append(begin, choice)
			} else {
				rest = append(rest, choice)
			}
			break
		}
	}
	return append(begin, rest...)
}

// versioned is a name with a version, and maybe a variant of it: openmpi-4.1-shm.
var versioned = Pattern(`^(\D\S*?)-(\d+(?:\.(?:\d+|x))*)(-\S*)?$`)

// versionOf returns what is before a version and after it, in lower case, and the numbers of the version; none: there is no version.
func versionOf(name string) (of, variant string, numbers []int) {
	m := versioned().FindStringSubmatch(strings.ToLower(name))
	if m == nil {
		return "", "", nil
	}
	for _, n := range strings.Split(m[2], ".") {
		number, _ := strconv.Atoi(n) // x is 0
		numbers = append(numbers, number)
	}
	return m[1], m[3], numbers
}

// newest returns the choices without those of which there is a later version, or the same one with the variant that is meant.
func newest(choices []string, meant string) []string {
	latest, has := map[string][]int{}, map[string]bool{}
	for _, choice := range choices {
		of, variant, version := versionOf(choice)
		switch c := slices.Compare(version, latest[of]); {
		case c > 0:
			latest[of], has[of] = version, variant == meant
		case c == 0:
			has[of] = has[of] || variant == meant
		}
	}
	return slices.DeleteFunc(slices.Clone(choices), func(choice string) bool {
		of, variant, version := versionOf(choice)
		return slices.Compare(version, latest[of]) < 0 || has[of] && variant != meant
	})
}

// otherVersions returns the choices that have the name of a word with a version, and as many of its first numbers as one of them has:
// openmpi-5 of openmpi-5.0.3. If none has its variant, those nearest to the word are meant.
func otherVersions(word string, choices []string) (found []string) {
	of, variant, version := versionOf(word)
	for n := len(version); of != "" && n >= 0 && found == nil; n-- {
		for _, choice := range choices {
			if name, _, has := versionOf(choice); name == of && len(has) >= n && slices.Equal(has[:n], version[:n]) {
				found = append(found, choice)
			}
		}
	}
	found = newest(found, variant)
	if near := nearest(word, found); near != nil {
		return near
	}
	return found
}

// sharing returns the choices that have most parts of a word of several parts, in any order, as hdr-infiniband of infiniband-hdr:
// at most a dozen; those that others call as a part, if none has one.
func sharing(word string, choices []string) (found []string) {
	parts := partsOf(word)
	if len(parts) < 2 {
		return nil
	}
	most := 1
	for _, choice := range choices {
		has := partsOf(choice)
		n := 0
		for _, part := range parts {
			if len(part) > 1 && slices.Contains(has, part) {
				n++
			}
		}
		if n > most {
			most, found = n, nil
		}
		if n == most {
			found = append(found, choice)
		}
	}
	if len(found) > mostNamed {
		return nil
	}
	for _, part := range parts {
		if found == nil {
			found = CalledHere(part, choices)
		}
	}
	return found
}

func partsOf(word string) []string {
	return strings.FieldsFunc(strings.ToLower(word), func(r rune) bool { return strings.ContainsRune("-_ /", r) })
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

// meantBy returns the choices that a user may have meant by the word: those that others call so, or at
// most a dozen of which it is a part, or other versions, or the nearest one, unless several are equally near,
// or else at most a dozen that start with it, or that have parts of it. Of several versions the newest is meant.
func meantBy(word string, choices []string) []string {
	if here := CalledHere(word, choices); len(here) > 0 {
		return here
	}
	if some := newest(parted(word, choices), ""); len(some) > 0 && len(some) <= mostNamed {
		return some
	}
	if some := otherVersions(word, choices); len(some) > 0 && len(some) <= mostNamed {
		return some
	}
	near := newest(nearest(word, choices), "")
	if some := newest(prefixed(word, choices), ""); len(near) != 1 && len(some) > 0 && len(some) <= mostNamed {
		return some
	}
	if len(near) == 0 {
		return sharing(word, choices)
	}
	return near[:1]
}

// mostSaid is the largest number of choices that are named because their descriptions say a word.
const mostSaid = 4

// said returns the choices, a few, whose descriptions have a word, or several of what it says.
func said(word string, choices []string, of func(choice string) string) (found []string) {
	for _, choice := range choices {
		words := strings.FieldsFunc(of(choice), notOfWord)
		if slices.ContainsFunc(words, func(w string) bool { return bare(w) == bare(word) || bare(w) == bare(word)+"s" }) {
			found = append(found, choice)
		}
	}
	if len(found) > mostSaid {
		return nil
	}
	return found
}

func notOfWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

// DidYouMean begins what names a choice that may have been meant.
const DidYouMean = "did you mean "

// question asks whether one of some choices was meant; "" if there are none.
func question(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return DidYouMean + strings.Join(near, " or ") + "?"
}

// Several says of a text that is a list of values without more that runs have one value; "": it is no such list.
func Several(text string) string {
	if parts := strings.Split(text, ","); len(parts) < 2 || slices.Contains(parts, "") || strings.ContainsAny(text, "=:{}[]") {
		return ""
	}
	return "several values are for sweep --vary"
}

// InsteadOf is Instead with a description of each choice, which may have the word.
func InsteadOf(word string, choices []string, of func(choice string) string) string {
	return cmp.Or(Several(word), question(meantBy(word, choices)), question(said(word, choices, of)), Instead(word, choices))
}

// Instead names the choices that may have been meant, or all choices.
func Instead(word string, choices []string) string {
	if near := cmp.Or(Several(word), question(meantBy(word, choices))); near != "" {
		return near
	}
	all := slices.Sorted(slices.Values(choices))
	for i, choice := range all {
		if strings.Contains(choice, ",") {
			all[i] = strconv.Quote(choice)
		}
	}
	if len(all) == 1 {
		return "there is only " + all[0]
	}
	if more := len(all) - mostNamed; more > 1 {
		return fmt.Sprintf("there are %s and %d more", strings.Join(all[:mostNamed], ", "), more)
	}
	return "there are " + strings.Join(all, ", ")
}
