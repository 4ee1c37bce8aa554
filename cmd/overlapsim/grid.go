package main

import (
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grid prints rows in columns: the first so many flush left, the others flush
// right.
func grid(w io.Writer, rows [][]string, left int) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if i < left {
				line.WriteString(cell + space)
			} else {
				line.WriteString(space + cell)
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

var timeUnits = []struct {
	name    string
	seconds float64
}{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}

// seconds writes a time with four digits in the unit that suits it.
func seconds(s float64) string {
	if s == 0 {
		return "0 s"
	}
	for _, u := range timeUnits {
		if math.Abs(s) >= 0.99995*u.seconds {
			return digits(s/u.seconds) + " " + u.name
		}
	}
	return digits(s/1e-12) + " ps"
}

// digits writes a number with four digits, or all before the point.
func digits(x float64) string {
	before := len(strconv.Itoa(int(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(0, 4-before), 64)
}

// percent writes a share of a whole.
func percent(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*part/whole, 'f', 1, 64) + " %"
}

// size writes a number of bytes with four digits in the unit that suits it.
func size(bytes int64) string {
	value, unit := float64(bytes), "B"
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, larger
	}
	if unit == "B" {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	return digits(value) + " " + unit
}

// count writes an integer in groups of three: 262,144.
func count(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
