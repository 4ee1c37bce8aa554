package keys

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"overlapsim/sim"
)

// Dimension is what a quantity measures.
type Dimension uint8

// The dimensions of the quantities in scenario and machine files. The value of a quantity
// is in the base unit given in brackets.
const (
	Count     Dimension = iota // a whole number of things
	Number                     // a number without a unit
	Time                       // [ps]
	Bytes                      // [B]
	PerByte                    // a gap per byte [ps/B], also written as a bandwidth
	Rate                       // [flop/s]
	Bandwidth                  // [B/s]
	Frequency                  // [Hz]
)

// unit is a name for a multiple of the base unit.
type unit struct {
	name string
	size int64
}

// dimension describes a Dimension: its name for people, an example, and its units from
// small to large.
type dimension struct {
	name    string
	example string
	units   []unit
}

var bandwidthUnits = []unit{
	{"B/s", 1}, {"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {"kB/s", 1e3},
	{"KiB/s", 1 << 10}, {"MiB/s", 1 << 20}, {"GiB/s", 1 << 30}, {"TiB/s", 1 << 40},
	{"kbit/s", 125}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6}, {"Tbit/s", 125e9},
}

var dimensions = [...]dimension{
	Count:  {"a whole number", "32", nil},
	Number: {"a number", "1.5", nil},
	Time: {"a time", "3us", []unit{
		{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12},
		{"µs", 1e6}, {"μs", 1e6}}},
	Bytes: {"a size", "64KiB", []unit{
		{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}},
	PerByte: {"a gap per byte or a bandwidth", "1.07ns/B or 937MB/s", []unit{
		{"ps/B", 1}, {"ns/B", 1e3}, {"us/B", 1e6}, {"µs/B", 1e6}, {"μs/B", 1e6}}},
	Rate: {"a rate", "2.4GF/s", []unit{
		{"F/s", 1}, {"MF/s", 1e6}, {"GF/s", 1e9}, {"TF/s", 1e12}, {"PF/s", 1e15},
		{"Flop/s", 1}, {"MFlop/s", 1e6}, {"GFlop/s", 1e9}, {"TFlop/s", 1e12}, {"PFlop/s", 1e15},
		{"flop/s", 1}, {"Mflop/s", 1e6}, {"Gflop/s", 1e9}, {"Tflop/s", 1e12}, {"Pflop/s", 1e15}}},
	Bandwidth: {"a bandwidth", "937MB/s", bandwidthUnits},
	Frequency: {"a frequency", "100Hz", []unit{
		{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}},
}

// String returns the dimension's name for people: "a time".
func (d Dimension) String() string { return dimensions[d].name }

// Dimensions returns all dimensions.
func Dimensions() (all []Dimension) {
	for d := range dimensions {
		all = append(all, Dimension(d))
	}
	return all
}

// Units returns the names of the units, nil for numbers.
func (d Dimension) Units() (names []string) {
	for _, u := range dimensions[d].units {
		names = append(names, u.name)
	}
	return names
}

// Example returns a quantity of the dimension: "3us".
func (d Dimension) Example() string { return dimensions[d].example }

// size returns how many base units the unit of this name is.
func (d Dimension) size(name string) (int64, bool) {
	if dimensions[d].units == nil {
		return 1, name == ""
	}
	for _, u := range dimensions[d].units {
		if u.name == name {
			return u.size, true
		}
	}
	return 0, false
}

// quantityForm is a number and its unit. The number is decimal. Its exponent is short, so
// that no text can ask for a number of a million digits.
var quantityForm = Pattern(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?) *([^0-9+\-. ].*)?$`)

// longest is the largest number of characters of a quantity.
const longest = 64

// Parse reads a quantity of the dimension exactly, in base units: a time in ps, a gap per
// byte in ps/B. If a gap per byte is wanted, a bandwidth is converted to its gap per
// byte.
func Parse(d Dimension, text string) (*big.Rat, error) {
	if quick, ok := plainly(d, text); ok && len(text) <= longest {
		return big.NewRat(quick.over, quick.under), nil
	}
	if d.refuses(text) {
		return nil, &misread{d, text}
	}
	return parse(d, text)
}

// ParseIn reads a quantity of the dimension as a multiple of some base units, rounded once to the
// nearest float64.
func ParseIn(d Dimension, text string, units int64) (float64, error) {
	if quick, ok := plainly(d, text); ok && len(text) <= longest {
		if under, ok := times(quick.under, units); ok {
			if value, ok := (plain{quick.over, under}).float(); ok {
				return value, nil
			}
		}
	}
	value, err := Parse(d, text)
	if err != nil {
		return 0, err
	}
	f, _ := value.Quo(value, new(big.Rat).SetInt64(units)).Float64()
	return f, nil
}

// parse does the same for every text.
func parse(d Dimension, text string) (*big.Rat, error) {
	form := quantityForm().FindStringSubmatch(text)
	if form == nil || len(text) > longest {
		return nil, &misread{d, text}
	}
	value, ok := new(big.Rat).SetString(form[1])
	if !ok {
		return nil, &misread{d, text}
	}
	name := form[2]
	if size, ok := d.size(name); ok {
		return value.Mul(value, new(big.Rat).SetInt64(size)), nil
	}
	if size, ok := Bandwidth.size(name); ok && d == PerByte {
		return gapPerByte(value.Mul(value, new(big.Rat).SetInt64(size)), text)
	}
	return nil, &misread{d, text}
}

// misread is the error of a text that is not a quantity of the dimension. It looks for its
// words when someone reads it: most who try a text only want to know whether it is one.
type misread struct {
	as   Dimension
	text string
}

func (m *misread) Error() string {
	words := fmt.Sprintf("must be %s such as %s, got %s", m.as, m.as.Example(), Quote(m.text))
	if strings.Contains(m.text, ",") && strings.Contains(m.text, "=") {
		return words + "; each setting needs its own --set"
	}
	if several := Several(m.text); several != "" && !slices.ContainsFunc(strings.Split(m.text, ","), m.as.refuses) {
		return words + "; " + several
	}
	switch parts := strings.Split(m.text, "x"); {
	case len(parts) > 1 && !slices.ContainsFunc(parts, Count.refuses):
		return words + "; several are a list: [" + strings.Join(parts, ", ") + "]"
	case strings.HasSuffix(m.text, "x") && !Number.refuses(parts[0]) || strings.HasPrefix(m.text, "/"):
		return words + "; a factor is written x0.5"
	}
	if form := quantityForm().FindStringSubmatch(m.text); form != nil && len(m.text) <= longest {
		words += m.as.complain(form[2])
	}
	return words
}

// gapPerByte returns the ps per byte of a bandwidth in B/s.
func gapPerByte(bandwidth *big.Rat, text string) (*big.Rat, error) {
	if bandwidth.Sign() <= 0 {
		return nil, fmt.Errorf("must be positive, got %s", text)
	}
	second := new(big.Rat).SetInt64(int64(sim.Second))
	return second.Quo(second, bandwidth), nil
}

// complain says what is wrong with the unit of a quantity.
func (d Dimension) complain(name string) string {
	switch {
	case name == "":
		return ", which has no unit"
	case strings.HasPrefix(name, ","):
		return "; a fraction begins with a point, such as 1.5"
	case dimensions[d].units == nil && slices.Contains(powers, name):
		return "; write all its digits, as " + name + " is a power of 1000 to some and of 1024 to others"
	case dimensions[d].units == nil:
		return ", which has a unit"
	}
	near := question(d.meant(name))
	for other := range dimensions {
		if _, ok := Dimension(other).size(name); ok {
			return strings.TrimSuffix(fmt.Sprintf(", which is %s; %s", dimensions[other].name, near), "; ")
		}
	}
	return fmt.Sprintf(" (unknown unit %s, %s)", Quote(name), cmp.Or(near, foreign[name], "the usual ones are "+strings.Join(d.usual(), ", ")))
}

// powers are prefixes that people write after a count.
var powers = []string{"k", "K", "m", "M", "Ki", "Mi"}

// foreign says what units are that are not read.
var foreign = map[string]string{
	"min": "a minute is 60s", "h": "an hour is 3600s", "hour": "an hour is 3600s", "d": "a day is 86400s", "GbE": "1GbE is 1Gbit/s",
	"GT/s": "GT/s times the lanes are Gbit/s, less what the encoding takes: 128 of 130 bits remain of PCIe 3.0 and later",
}

// spellings are how people write units: unchanged, b for bit, bps or Bps for a rate, a rate or a gap
// without what it is of, a size or a rate by its prefix alone, and words.
var spellings = sync.OnceValue(func() []*strings.Replacer {
	return []*strings.Replacer{
		strings.NewReplacer(), strings.NewReplacer("bit", "b"), strings.NewReplacer("bit/s", "bps", "B/s", "Bps"),
		strings.NewReplacer("bit/s", "b"), strings.NewReplacer("bit/s", "bits"), strings.NewReplacer("/s", ""), strings.NewReplacer("/B", ""),
		strings.NewReplacer("iB/s", "", "B/s", "", "bit/s", "", "iB", "", "B", ""), strings.NewReplacer("iB/s", "i", "iB", "i"),
		strings.NewReplacer("B", "byte"), strings.NewReplacer("B", "bytes"), strings.NewReplacer("op/s", "ops"), strings.NewReplacer("/s", "s"),
		strings.NewReplacer("s", ""), strings.NewReplacer("s", "sec"), strings.NewReplacer("s", "second"), strings.NewReplacer("s", "seconds"),
		strings.NewReplacer("ns", "nanoseconds", "us", "microseconds", "ms", "milliseconds"),
	}
})

// meant names the units that a wrong one may have meant: those that are written so up to upper and
// lower case, and if B and b may be the same too. Of units of one size it is the first.
func (d Dimension) meant(name string) (near []string) {
	for _, as := range []func(string) string{lowerAllBut, strings.ToLower} {
		sizes := map[int64]bool{}
		for _, u := range d.written() {
			if !sizes[u.size] && slices.ContainsFunc(spellings(), func(s *strings.Replacer) bool { return as(name) == as(s.Replace(u.name)) }) {
				near, sizes[u.size] = append(near, u.name), true
			}
		}
		if near != nil {
			return near
		}
	}
	return nil
}

// Misspelt is the complaint about the unit of a quantity of some dimension that is written in another way; "": it is not that.
func Misspelt(text string) string {
	form := quantityForm().FindStringSubmatch(text)
	if form == nil || form[2] == "" || slices.Contains(powers, form[2]) {
		return ""
	}
	for d := range dimensions {
		if near := Dimension(d).meant(form[2]); dimensions[d].units != nil && near != nil {
			return fmt.Sprintf("unknown unit %s, %s", Quote(form[2]), question(near))
		}
	}
	return ""
}

// lowerAllBut writes a unit in lower case, except for B.
func lowerAllBut(name string) string {
	return strings.Map(func(r rune) rune {
		if r == 'B' {
			return r
		}
		return unicode.ToLower(r)
	}, name)
}

// usual are the most common units.
func (d Dimension) usual() (names []string) {
	all := d.written()
	for _, u := range all[:min(5, len(all))] {
		names = append(names, u.name)
	}
	return names
}

// written are the units in which a quantity may be written, among the units of a bandwidth and a gap per byte
// the bandwidths first.
func (d Dimension) written() []unit {
	if d == PerByte {
		return slices.Concat(bandwidthUnits, dimensions[d].units)
	}
	return dimensions[d].units
}

// integer reads a quantity whose base unit cannot be divided.
func integer(d Dimension, text string) (int64, error) {
	if quick, ok := plainly(d, text); ok {
		if value, ok := quick.whole(); ok {
			return value, nil
		}
	}
	value, err := Parse(d, text)
	if err != nil {
		return 0, err
	}
	if !value.IsInt() {
		return 0, fraction{d, text}
	}
	if !value.Num().IsInt64() {
		return 0, fmt.Errorf("must be at most %s, got %s", d.largest(), text)
	}
	return value.Num().Int64(), nil
}

// fraction is the error for a quantity that is not a whole number.
type fraction struct {
	d    Dimension
	text string
}

func (f fraction) Error() string {
	return fmt.Sprintf("must be a whole number%s, got %s", f.d.of(), f.text)
}

// of names the indivisible unit.
func (d Dimension) of() string {
	switch d {
	case Time:
		return " of ps"
	case Bytes:
		return " of bytes"
	}
	return ""
}

// largest is the largest value that fits, in words.
func (d Dimension) largest() string {
	switch d {
	case Time:
		return "106 days"
	case Bytes:
		return "8 EiB"
	}
	return strconv.FormatInt(math.MaxInt64, 10)
}

// ParseFloat reads a quantity whose base unit can be divided, and rounds it
// once to the nearest float64.
func ParseFloat(d Dimension, text string) (float64, error) {
	if quick, ok := plainly(d, text); ok {
		if value, ok := quick.float(); ok {
			return value, nil // few digits are far from the limits below
		}
	}
	value, err := Parse(d, text)
	if err != nil {
		return 0, err
	}
	f, _ := value.Float64()
	if f == 0 && value.Sign() != 0 {
		return 0, fmt.Errorf("is too small: %s", text)
	}
	if math.IsInf(f, 0) {
		return 0, fmt.Errorf("is too large: %s", text)
	}
	if rate, ok := d.rate(f); ok && f > 0 && !rate.Positive() {
		return 0, fmt.Errorf("is a bandwidth beyond all numbers: %s", text)
	}
	return f, nil
}

// rate returns a value of the dimension as a bandwidth; ok is false if it is not one.
func (d Dimension) rate(value float64) (sim.Rate, bool) {
	switch d {
	case Bandwidth:
		return sim.Rate(value), true
	case PerByte:
		return sim.RateOfGap(value), true
	}
	return 0, false
}

// ParseTime reads a time such as 4.5us exactly. A part below 1 ps, or a value beyond the
// range of sim.Time, is an error.
func ParseTime(text string) (sim.Time, error) {
	ps, err := integer(Time, text)
	return sim.Time(ps), err
}

// ParseBytes reads a size such as 64KiB (2^16 bytes) or 64KB (64,000).
func ParseBytes(text string) (int64, error) { return integer(Bytes, text) }

// Format writes a value given in base units so that reading it gives the same value
// again. It uses the largest unit that needs no more digits than the base unit.
func Format(d Dimension, value float64) string {
	best := ""
	for _, u := range dimensions[d].units {
		text := strconv.FormatFloat(value/float64(u.size), 'f', -1, 64) + u.name
		back, err := ParseFloat(d, text)
		if err == nil && back == value && (best == "" || len(text) <= len(best)) {
			best = text
		}
	}
	if best == "" {
		return strconv.FormatFloat(value, 'g', -1, 64) + dimensions[d].base()
	}
	return best
}

// FormatBytes writes a size exactly, in the largest unit that divides it.
func FormatBytes(bytes int64) string {
	name, size := "B", int64(1)
	for _, u := range dimensions[Bytes].units {
		if bytes%u.size == 0 && u.size > size && bytes != 0 {
			name, size = u.name, u.size
		}
	}
	return strconv.FormatInt(bytes/size, 10) + name
}

// base names the base unit.
func (d dimension) base() string {
	if d.units == nil {
		return ""
	}
	return d.units[0].name
}

// Quote shows a user's text in a message: without quotes if it is clear, and shortened.
func Quote(text string) string {
	shown := text
	if len(shown) > longest {
		shown = shown[:longest] + "..."
	}
	if shown == "" || strings.ContainsFunc(shown, func(r rune) bool { return !strconv.IsPrint(r) || r == ' ' || r == '"' }) {
		return strconv.Quote(shown)
	}
	return shown
}

// Plural counts things: "1 machine", "3 machines".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Capital begins a text with a capital letter.
func Capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// word is the name of the dimension in a form for addresses.
func (d Dimension) word() string { return strings.ReplaceAll(dimensions[d].name, " ", "-") }
