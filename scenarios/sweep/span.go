package sweep

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// span is a range as written:
//
//	FROM..TO:N     N values, evenly spaced, both ends included
//	FROM..TO:Nlog  N values, each the same factor after the one before
//	FROM..TO+STEP  FROM, FROM+STEP, ... as far as TO
//	FROM..TO*N     FROM, FROM*N, ... as far as TO
//	FROM..TO       continuous, for a Latin hypercube
//	FROM..TO:log   the same, evenly in the logarithm
type span struct {
	text     string
	is       keys.Dimension
	from, to *big.Rat // in base units
	n        int      // values; 0: given by step or factor
	log      bool
	step     *big.Rat // in base units
	factor   *big.Rat

	fromText, toText string // as written
}

const spanForms = "FROM..TO:N, FROM..TO:Nlog, FROM..TO+STEP or FROM..TO*FACTOR"

// isRange tells whether an item is meant as a range: it begins like a number and has two
// points. A path such as ../mine.yaml is not a range.
func isRange(item string) bool {
	return strings.Contains(item, "..") && strings.ContainsAny(item[:1], "+-.0123456789") && !strings.HasPrefix(item, "..")
}

const quantity = `[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)? *[^0-9+*:.]*`

var (
	spanForm  = keys.Pattern(`^(` + quantity + `)\.\.(` + quantity + `)(?:([:*+])(.*))?$`)
	countForm = keys.Pattern(`^([0-9]*)(log)?$`)
)

func parseSpan(text string) (*span, error) {
	if strings.Contains(text, "...") {
		return nil, fmt.Errorf("%s has three points; a range has two, and a number a digit before its point: %s", text,
			strings.Replace(text, "...", "..", 1))
	}
	form := spanForm().FindStringSubmatch(text)
	if form == nil {
		return nil, fmt.Errorf("%s is not a range; write %s", text, spanForms)
	}
	r := &span{text: text}
	if err := r.ends(strings.TrimSpace(form[1]), strings.TrimSpace(form[2])); err != nil {
		return nil, err
	}
	if err := r.spacing(form[3], strings.TrimSpace(form[4])); err != nil {
		return nil, err
	}
	if r.log && (r.from.Sign() <= 0 || r.to.Sign() <= 0) {
		return nil, fmt.Errorf("%s: a logarithmic range has positive ends", text)
	}
	return r, nil
}

// ends reads both ends; the one with a unit determines the dimension.
func (r *span) ends(from, to string) error {
	for _, end := range []string{from, to} {
		if d, ok := measure(end); ok && d != keys.Number {
			r.is = d
			break
		} else if ok {
			r.is = d
		}
	}
	for _, end := range []string{from, to} {
		if _, err := keys.ParseFloat(r.is, end); err != nil {
			if wrong := keys.Misspelt(end); wrong != "" && r.is == keys.Count {
				return fmt.Errorf("%s: %s", r.text, wrong)
			}
			return fmt.Errorf("%s: %w", r.text, err)
		}
	}
	r.fromText, r.toText = from, to
	r.from, _ = keys.Parse(r.is, from)
	r.to, _ = keys.Parse(r.is, to)
	if r.from.Cmp(r.to) == 0 {
		return fmt.Errorf("%s begins where it ends", r.text)
	}
	return nil
}

// spacing reads the text after the ends.
func (r *span) spacing(sign, text string) error {
	switch sign {
	case ":":
		return r.count(text)
	case "+":
		return r.stepped(text)
	case "*":
		return r.multiplied(text)
	}
	return nil
}

func (r *span) count(text string) error {
	form := countForm().FindStringSubmatch(text)
	if form == nil || text == "" {
		return fmt.Errorf("%s: the number of values must be a whole number, as in :5 or :5log, got %s", r.text, text)
	}
	r.log = form[2] != ""
	if form[1] == "" {
		return nil
	}
	n, err := strconv.Atoi(form[1])
	if err != nil || n < 2 || n > mostLevels {
		return fmt.Errorf("%s: the number of values must be 2 to %d, got %s", r.text, mostLevels, form[1])
	}
	r.n = n
	return nil
}

func (r *span) stepped(text string) (err error) {
	if r.step, err = keys.Parse(r.is, text); err != nil {
		return fmt.Errorf("%s: the step %w", r.text, err)
	}
	if r.step.Sign() <= 0 || r.from.Cmp(r.to) > 0 {
		return fmt.Errorf("%s: the step must be positive and the range ascend", r.text)
	}
	return nil
}

func (r *span) multiplied(text string) (err error) {
	if r.factor, err = keys.Parse(keys.Number, text); err != nil {
		return fmt.Errorf("%s: the factor %w", r.text, err)
	}
	if r.factor.Cmp(big.NewRat(1, 1)) <= 0 || r.from.Sign() <= 0 || r.from.Cmp(r.to) > 0 {
		return fmt.Errorf("%s: the factor must be larger than 1 and the range positive and ascend", r.text)
	}
	return nil
}

// continuous tells whether the range does not list its values.
func (r *span) continuous() bool { return r.n == 0 && r.step == nil && r.factor == nil }

// levels returns the values of the range as texts.
func (r *span) levels() ([]string, error) {
	var values []*big.Rat
	for i := range r.n {
		values = append(values, r.at(i))
	}
	for i := 0; r.n == 0; i++ {
		value := r.next(i, values)
		if value.Cmp(r.to) > 0 {
			break
		}
		if len(values) == mostLevels {
			return nil, fmt.Errorf("%s has more than %d values", r.text, mostLevels)
		}
		values = append(values, value)
	}
	var levels []string
	for _, value := range values {
		levels = append(levels, r.write(value))
	}
	return levels, nil
}

// write returns the text of a value. The ends are written as given. Rates in between are
// written in the unit of the first end that suits them, so that GB/s stay GB/s.
func (r *span) write(value *big.Rat) string {
	if r.is == keys.Time || r.is == keys.Bytes || r.is == keys.Number {
		return write(r.is, value)
	}
	ends := []string{r.fromText, r.toText}
	for _, end := range ends {
		if exact, err := keys.Parse(r.is, end); err == nil && value.Cmp(exact) == 0 {
			return end
		}
	}
	for _, end := range ends {
		if text, ok := as(r.is, value, strings.TrimLeft(end, "+-.0123456789eE ")); ok {
			return text
		}
	}
	return write(r.is, value)
}

// as writes a quantity in a unit. It returns false if that needs more digits than are
// computed, or gives a fraction of the unit.
func as(d keys.Dimension, value *big.Rat, unit string) (text string, ok bool) {
	one, err := keys.Parse(d, "1"+unit)
	if err != nil {
		return "", false
	}
	number, _ := new(big.Rat).Quo(value, one).Float64()
	text = strconv.FormatFloat(number, 'g', significant, 64) + unit
	back, err := keys.Parse(d, text)
	return text, err == nil && number >= 1 && back.Cmp(value) == 0
}

// next returns the i-th value by step or factor. Powers of a factor that is not whole
// would have more and more digits.
func (r *span) next(i int, before []*big.Rat) *big.Rat {
	switch {
	case i == 0:
		return r.from
	case r.step != nil:
		return new(big.Rat).Add(before[i-1], r.step)
	case r.factor.IsInt():
		return new(big.Rat).Mul(before[i-1], r.factor)
	}
	from, _ := r.from.Float64()
	factor, _ := r.factor.Float64()
	value := from * math.Pow(factor, float64(i))
	if math.IsInf(value, 1) {
		return new(big.Rat).Add(r.to, r.to) // any number beyond the end
	}
	return r.shorten(value)
}

// shorten rounds a computed value to the significant digits, in the unit in which it is written.
func (r *span) shorten(value float64) *big.Rat {
	unit := strings.TrimLeft(r.fromText, "+-.0123456789eE ")
	one, err := keys.Parse(r.is, "1"+unit)
	if err != nil || r.is == keys.Time || r.is == keys.Bytes {
		return shorten(value)
	}
	size, _ := one.Float64()
	return one.Mul(one, shorten(value/size))
}

// at returns the i-th of n values.
func (r *span) at(i int) *big.Rat {
	switch i {
	case 0:
		return r.from
	case r.n - 1:
		return r.to
	}
	part := big.NewRat(int64(i), int64(r.n-1))
	if r.log {
		f, _ := part.Float64()
		return r.shorten(between(r.from, r.to, f, true))
	}
	width := new(big.Rat).Sub(r.to, r.from)
	return part.Add(part.Mul(part, width), r.from)
}

// between returns the value at a part (0 to 1) of the way from one end to the other.
func between(from, to *big.Rat, part float64, log bool) float64 {
	a, _ := from.Float64()
	b, _ := to.Float64()
	if log {
		return math.Pow(a, 1-part) * math.Pow(b, part)
	}
	return float64(a*(1-part)) + float64(b*part)
}
