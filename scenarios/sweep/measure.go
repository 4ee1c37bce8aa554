package sweep

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// measures are the dimensions that a level may have, recognised by its unit. Bandwidth
// comes before the gap per byte, which may be written as a bandwidth.
var measures = []keys.Dimension{
	keys.Number, keys.Time, keys.Bytes, keys.Bandwidth,
	keys.PerByte, keys.Rate, keys.Frequency,
}

// measure returns the dimension of the quantity in a text; false: the text is a word. A
// factor is a number.
func measure(text string) (keys.Dimension, bool) {
	text, _ = factorOf(text)
	for _, d := range measures {
		if _, err := keys.Parse(d, text); err == nil {
			return d, true
		}
	}
	return 0, false
}

// common returns the dimension that all texts share; false: there is none.
func common(texts []string) (keys.Dimension, bool) {
	if len(texts) == 0 {
		return 0, false
	}
	d, ok := measure(texts[0])
	for _, text := range texts[1:] {
		if other, known := measure(text); other != d || !known {
			return 0, false
		}
	}
	return d, ok
}

// unit names the unit in which number returns a quantity.
func unit(d keys.Dimension) string {
	return map[keys.Dimension]string{
		keys.Time: "s", keys.Bytes: "B", keys.Bandwidth: "B/s",
		keys.PerByte: "s/B", keys.Rate: "F/s", keys.Frequency: "Hz",
	}[d]
}

// number returns a quantity in seconds, bytes, flops; NaN if the text is none.
func number(d keys.Dimension, text string) float64 {
	text, _ = factorOf(text)
	units := int64(1)
	if d == keys.Time || d == keys.PerByte {
		units = int64(sim.Second)
	}
	value, err := keys.ParseIn(d, text, units)
	if err != nil {
		return math.NaN()
	}
	return value
}

// write returns the text of a quantity in base units. Times and sizes are rounded to whole
// base units.
func write(d keys.Dimension, value *big.Rat) string {
	f, _ := value.Float64()
	switch {
	case d == keys.Bytes:
		return keys.FormatBytes(round(value).Int64())
	case d == keys.Time:
		return writeTime(round(value))
	case d != keys.Number:
		return keys.Format(d, f)
	case value.IsInt() && math.Abs(f) < 1e15:
		return value.Num().String()
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// writeTime writes a time in ps in the unit that leaves one to three digits
// before the point.
func writeTime(ps *big.Int) string {
	size, name := int64(1), "ps"
	for _, larger := range []string{"ns", "us", "ms", "s"} {
		if new(big.Int).Abs(ps).Cmp(big.NewInt(1000*size)) < 0 {
			break
		}
		size, name = 1000*size, larger
	}
	text := new(big.Rat).SetFrac(ps, big.NewInt(size)).FloatString(12)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + name
}

// round returns the nearest integer; of two equally near, the one farther from zero.
func round(value *big.Rat) *big.Int {
	half := big.NewRat(int64(value.Sign()), 2)
	sum := half.Add(half, value)
	return new(big.Int).Quo(sum.Num(), sum.Denom())
}

// significant is the number of digits of a computed level that has no exact value, so
// that it is readable and the same on every machine.
const significant = 6

// shorten rounds to the significant digits.
func shorten(f float64) *big.Rat { return digits(f, significant) }

// digits rounds to a number of digits.
func digits(f float64, n int) *big.Rat {
	value, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', n-1, 64))
	return value
}
