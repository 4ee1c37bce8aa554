package sweep

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// Values returns the path and the values that "path=items" stands for, with items as in
// --vary. A range without a number of values stands for all its whole numbers, if its ends
// are whole and there are at most wanted numbers. Otherwise it stands for at most wanted
// values, about evenly spaced; the spacing is logarithmic if the ends differ by a factor of 20 or
// more. Those between the ends are round: of three digits, or sizes of six binary digits. Mistakes are returned in words.
func Values(text string, wanted int) (path string, values []string, wrong []string) {
	f, wrong := parseFactor(text)
	if len(wrong) > 0 {
		return f.Path, nil, wrong
	}
	if f.Range != nil {
		_, list, _ := strings.Cut(strings.ReplaceAll(text, "..", " "), "=")
		f.Levels = f.Range.spread(wanted, strings.Contains(list, "."))
	}
	if len(f.Levels) < 2 {
		wrong = append(wrong, "has only one value; there is nothing to choose from")
	}
	return f.Path, f.Levels, wrong
}

// spread returns values over the whole range. Point tells whether an end was written with
// a decimal point.
func (r *Range) spread(wanted int, point bool) (values []string) {
	d, _ := common([]string{r.From, r.To})
	from, _ := keys.Parse(d, r.From)
	to, _ := keys.Parse(d, r.To)
	a, _ := from.Float64()
	b, _ := to.Float64()
	r.Log = r.Log || spread([]float64{a, b})
	if d == keys.Number && !r.Factor && !point && from.IsInt() && to.IsInt() {
		r.Whole = true
		width := new(big.Rat).Sub(to, from)
		if width.Abs(width).Cmp(big.NewRat(int64(wanted), 1)) < 0 {
			r.Log, wanted = false, int(width.Num().Int64())+1
		}
	}
	short := func(f float64) *big.Rat { return digits(f, 3) }
	switch {
	case r.Whole:
		short = shorten
	case d == keys.Bytes:
		short = binary
	}
	for i := range wanted {
		if value := r.near(float64(i)/float64(wanted-1), short); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// binary rounds to six binary digits: 33KiB, and not 33001B.
func binary(f float64) *big.Rat {
	part, exponent := math.Frexp(f)
	return new(big.Rat).SetFloat64(math.Ldexp(math.Round(part*64), exponent-6))
}

// Quantity returns the quantity in a text as a number, in seconds, bytes, flop/s or
// without a unit; false: it is a word. The factor x2 is the number 2.
func Quantity(text string) (value float64, unitName string, ok bool) {
	d, ok := measure(text)
	if !ok {
		return 0, "", false
	}
	return number(d, text), unit(d), true
}

// multiples turns a range of factors, x0.5..x2, into one of numbers.
func multiples(item string) (numbers string, ok bool) {
	if !strings.HasPrefix(item, "x") || !strings.Contains(item, "..x") || !isRange(item[1:]) {
		return item, false
	}
	return strings.Replace(item[1:], "..x", "..", 1), true
}

// factorOf returns the number that a text multiplies by.
func factorOf(text string) (number string, ok bool) {
	if _, ok := keys.IsFactor(text); !ok {
		return text, false
	}
	return text[1:], true
}
