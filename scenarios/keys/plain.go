package keys

import (
	"math/bits"
	"strings"

	"overlapsim/sim"
)

// plain is a quantity in base units as a fraction of whole numbers.
type plain struct{ over, under int64 }

// mostPlain is the largest number of digits of a plain quantity.
const mostPlain = 15

// plainly reads a quantity that is written with few digits, without a sign and without an
// exponent, as almost all are: parse is exact for all, and slow. ok is false for every
// other text, whether parse can read it or not.
func plainly(d Dimension, text string) (value plain, ok bool) {
	number := text[:len(text)-len(strings.TrimLeft(text, "0123456789."))]
	whole, part, point := strings.Cut(number, ".")
	if whole == "" || point && part == "" || len(whole)+len(part) > mostPlain {
		return plain{}, false
	}
	value.under = 1
	for range len(part) {
		value.under *= 10
	}
	name := strings.TrimLeft(text[len(number):], " ")
	if size, known := d.size(name); known {
		value.over, ok = times(digits(whole+part), size)
		return value, ok
	}
	size, known := Bandwidth.size(name)
	if !known || d != PerByte {
		return plain{}, false
	}
	bandwidth, ok := times(digits(whole+part), size)
	over, fits := times(int64(sim.Second), value.under)
	return plain{over, bandwidth}, ok && fits && bandwidth > 0
}

// refuses tells of some texts, without looking closely, that they are no quantities of the
// dimension: those that do not begin as a number does, and numbers without an exponent whose unit is
// of another dimension.
func (d Dimension) refuses(text string) bool {
	number := strings.TrimLeft(text, "+-.")
	rest := strings.TrimLeft(number, "0123456789.")
	if len(rest) == len(number) {
		return true
	}
	name := strings.TrimLeft(rest, " ")
	_, known := d.size(name)
	_, bandwidth := Bandwidth.size(name)
	return !known && !(bandwidth && d == PerByte) && !strings.HasPrefix(rest, "e") && !strings.HasPrefix(rest, "E")
}

// digits returns the number that at most mostPlain digits make; -1: they are no digits.
func digits(text string) (n int64) {
	for _, c := range []byte(text) {
		if c == '.' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// times multiplies two numbers that are not negative. ok is false if one is, or if the
// product does not fit.
func times(a, b int64) (product int64, ok bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), a >= 0 && b >= 0 && high == 0 && low < 1<<63
}

// whole returns the value if it is a whole number.
func (p plain) whole() (int64, bool) { return p.over / p.under, p.over%p.under == 0 }

// float returns the value, rounded once; ok is false if it would be rounded before.
func (p plain) float() (value float64, ok bool) {
	const exact = 1 << 53
	return float64(p.over) / float64(p.under), p.over <= exact && p.under <= exact
}
