package sweep

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// Factor is a path that is varied, and its levels or its range.
type Factor struct {
	Path   string   `json:"path"`
	Levels []string `json:"levels,omitempty"`
	Range  *Range   `json:"range,omitempty"`
	spaced bool     // some levels are computed, and may need rounding
}

// Range is a continuous range that a Latin hypercube samples.
type Range struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Log    bool   `json:"log,omitempty"`
	Whole  bool   `json:"whole,omitempty"`  // of whole numbers
	Factor bool   `json:"factor,omitempty"` // of factors: x0.5 to x2
}

// The largest numbers of levels and points of a sweep.
const (
	mostLevels = 100_000
	mostPoints = 1_000_000
)

// parseFactor reads "path=item,item,...", where an item is a value or a range.
func parseFactor(text string) (Factor, []string) {
	path, list, ok := strings.Cut(text, "=")
	path = strings.TrimSpace(path)
	switch {
	case !ok:
		return Factor{}, []string{"must be path=values, such as ranks=8,16,32 or machine.network.latency=1us..5us:5"}
	case path == "":
		return Factor{}, []string{"has no path before the ="}
	}
	f := Factor{Path: path}
	var wrong []string
	for _, item := range splitList(list) {
		if err := f.add(strings.TrimSpace(item)); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	return f, append(wrong, f.check()...)
}

// add appends the levels of an item.
func (f *Factor) add(item string) error {
	if item == "" {
		return fmt.Errorf("has an empty value")
	}
	item, factor := multiples(item)
	if !isRange(item) {
		f.Levels = append(f.Levels, item)
		return nil
	}
	r, err := parseSpan(item)
	if err != nil {
		return err
	}
	if r.continuous() {
		if f.Range != nil {
			return fmt.Errorf("has two ranges without a number of values; one is enough")
		}
		f.Range = &Range{From: r.write(r.from), To: r.write(r.to), Log: r.log, Factor: factor}
		return nil
	}
	levels, err := r.levels()
	for i := range levels {
		if factor {
			levels[i] = "x" + levels[i]
		}
	}
	f.Levels, f.spaced = append(f.Levels, levels...), true
	return err
}

// check finds levels that do not fit together.
func (f *Factor) check() (wrong []string) {
	if f.Range != nil && len(f.Levels) > 0 {
		wrong = append(wrong, "mixes values and a range without a number of values")
	}
	if len(f.Levels) > mostLevels {
		return append(wrong, fmt.Sprintf("has %d values; at most %d", len(f.Levels), mostLevels))
	}
	if mixed := f.checkFactors(); mixed != nil {
		return append(wrong, mixed...)
	}
	wrong = append(wrong, f.checkUnits()...)
	seen := map[string]bool{}
	for _, level := range f.Levels {
		if seen[level] {
			wrong = append(wrong, "has a value twice: "+level)
		}
		seen[level] = true
	}
	return wrong
}

// checkUnits reports values that do not have the dimension of the first one with a unit.
func (f *Factor) checkUnits() (wrong []string) {
	at := slices.IndexFunc(f.Levels, func(level string) bool {
		d, ok := measure(level)
		return ok && d != keys.Number
	})
	if at < 0 {
		return nil
	}
	d, _ := measure(f.Levels[at])
	for _, level := range f.Levels {
		if other, ok := measure(level); ok && other == d {
			continue
		}
		if _, err := keys.Parse(d, level); err != nil {
			wrong = append(wrong, err.Error())
		} else {
			wrong = append(wrong, fmt.Sprintf("mixes %s and %s; write both in the same way", f.Levels[at], level))
		}
	}
	return wrong
}

// checkFactors reports values mixed with factors.
func (f *Factor) checkFactors() []string {
	first := map[bool]string{}
	for _, level := range f.Levels {
		_, is := factorOf(level)
		if first[is] == "" {
			first[is] = level
		}
	}
	if first[true] == "" || first[false] == "" {
		return nil
	}
	return []string{fmt.Sprintf("mixes %s, which multiplies, and %s, which does not; the value as it is is x1", first[true], first[false])}
}

// wholeLevels rounds the levels to whole numbers and drops duplicates.
func (f *Factor) wholeLevels() {
	var kept []string
	seen := map[string]bool{}
	for _, level := range f.Levels {
		if value, err := keys.Parse(keys.Number, level); err == nil {
			level = round(value).String()
		}
		if !seen[level] {
			seen[level] = true
			kept = append(kept, level)
		}
	}
	f.Levels = kept
	if f.Range != nil {
		f.Range.Whole = true
	}
}

// fractional returns a computed value of the factor that has no unit and is not whole;
// false if there is none.
func (f *Factor) fractional() (string, bool) {
	if f.Range != nil && f.Range.Factor {
		return "", false
	}
	if f.Range != nil {
		_, isNumber := keys.Parse(keys.Number, f.Range.From)
		return f.Range.From + ".5", isNumber == nil && !strings.ContainsAny(f.Range.From, ".eE")
	}
	if !f.spaced {
		return "", false
	}
	for _, level := range f.Levels {
		if value, err := keys.Parse(keys.Number, level); err == nil && !value.IsInt() {
			return level, true
		}
	}
	return "", false
}

// splitList splits at the commas outside brackets.
func splitList(text string) (items []string) {
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, text[start:i])
				start = i + 1
			}
		}
	}
	return append(items, text[start:])
}
