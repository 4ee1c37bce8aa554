package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Dash is written where there is no value.
const Dash = "–"

var timeUnits = []struct {
	seconds float64
	name    string
}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {1e-12, "ps"}}

// Seconds writes a resulting time in the unit that leaves one to three digits before the
// point, with four significant digits, so that the digits of a column line up: "4.500
// µs", "-1.234 ms". NaN is a dash.
func Seconds(s float64) string { return duration(s, Ratio) }

// Change writes the difference of two resulting times with its sign: "+4.500 µs", "-1.234
// ms"; no difference is "0 s".
func Change(s float64) string {
	if text := Seconds(s); s > 0 && text != "0 s" {
		return "+" + text
	}
	return Seconds(s)
}

func duration(s float64, write func(float64) string) string {
	for _, u := range timeUnits {
		// 0.99995 prints as 1.000 with four digits: it belongs to this unit.
		if math.Abs(s) >= 0.99995*u.seconds {
			return write(s/u.seconds) + " " + u.name
		}
	}
	switch {
	case math.IsNaN(s):
		return Dash
	case math.Abs(s) < leastTime:
		return "0 s"
	}
	return write(s/1e-12) + " ps"
}

// Flat is the part by which the makespan may be above the least one, where its curve counts as flat.
const Flat = 0.05

// leastTime is the shortest time that is not 0: a mean of picoseconds over a million ranks.
// Smaller values come from rounding.
const leastTime = 1e-18

// Ratio writes a resulting number with four significant digits: "1.000".
func Ratio(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(math.Abs(x), 'e', 3, 64), 64)
	if !(rounded >= 1e-3 && rounded < 1e7) {
		return Significant(x)
	}
	return strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(math.Log10(rounded)))), 64)
}

// Significant writes x with four significant digits and no trailing zeros.
func Significant(x float64) string { return digits(x, 4) }

// digits writes x with n significant digits and no trailing zeros.
func digits(x float64, n int) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if a := math.Abs(x); a < 1e-3 || a >= 1e7 {
		return strconv.FormatFloat(x, 'g', n, 64)
	}
	after := max(0, n-1-int(math.Floor(math.Log10(math.Abs(x)))))
	s := strconv.FormatFloat(x, 'f', after, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Count writes an integer with commas: "262,144".
func Count[T int | int64 | uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bytes writes a size in binary units: "64 KiB", "1.5 MiB", "100 B".
func Bytes(x float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	for len(units) > 1 && x >= 1024 {
		x, units = x/1024, units[1:]
	}
	return Significant(x) + " " + units[0]
}

// Percent writes a share: "12.3 %"; a dash if the whole is 0.
func Percent(part, whole float64) string {
	if whole == 0 {
		return Dash
	}
	return strconv.FormatFloat(100*part/whole, 'f', 1, 64) + " %"
}

// unitAfter finds the space between a number and its unit.
var unitAfter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([0-9]) (%|(?:x|s|ms|µs|ns|ps|B|KiB|MiB|GiB|TiB)\b)`)
})

// kept is a text in which a number and its unit stay on a line.
func kept(text string) string { return unitAfter().ReplaceAllString(text, "${1}\u00a0${2}") }

// resulting writes a resulting value as Quantity does, with four digits, or as a whole
// number.
func resulting(v float64, unit string) string {
	switch {
	case unit == "s":
		return Seconds(v)
	case unit == "%" && !math.IsNaN(v):
		return Percent(v, 100)
	case unit == "" && v == math.Trunc(v) && math.Abs(v) < 1e15:
		return Count(int64(v))
	case unit == "" && !math.IsNaN(v):
		return Ratio(v)
	}
	return Quantity(v, unit)
}

// thousands writes a number with the prefix of a unit: 937e6 as "937 M".
func thousands(v float64) string {
	prefixes, i := []string{"", "k", "M", "G", "T", "P"}, 0
	for ; math.Abs(v) >= 1000 && i < len(prefixes)-1; i++ {
		v /= 1000
	}
	return Significant(v) + " " + prefixes[i]
}

// Quantity writes a value of a file or an axis in its unit, without trailing zeros: "s", "B" and "B/s" are scaled, "yes"
// makes it yes or no (0), any other unit follows the number. NaN is a dash.
func Quantity(v float64, unit string) string {
	switch {
	case math.IsNaN(v):
		return Dash
	case unit == "s":
		return duration(v, Significant)
	case unit == "B":
		return Bytes(v)
	case unit == "B/s":
		return thousands(v) + unit
	case unit == "yes":
		return map[bool]string{true: "yes", false: "no"}[v != 0]
	case unit == "":
		return Significant(v)
	}
	return Significant(v) + " " + unit
}
