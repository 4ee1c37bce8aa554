package laws

import (
	"maps"
	"math/big"
	"strings"

	"overlapsim/scenarios/keys"
)

// measures are the quantities that involve time, and how they change when every time is
// multiplied by a factor. A unit belongs to one of them.
var measures = []struct {
	is      keys.Dimension
	inverse bool
	unit    string
}{
	{keys.Time, false, "ps"}, {keys.Bandwidth, true, "B/s"}, {keys.PerByte, false, "ps/B"},
	{keys.Rate, true, "F/s"}, {keys.Frequency, true, "Hz"},
}

// longestQuantity is the largest number of characters of a quantity.
const longestQuantity = 60

// slower returns the text of a quantity when every time is multiplied by a factor; false
// if it does not involve time, or the result cannot be written.
func slower(text string, factor *big.Rat) (string, bool) {
	for _, m := range measures {
		value, err := keys.Parse(m.is, text)
		if err != nil {
			continue
		}
		if m.inverse {
			value.Quo(value, factor)
		} else {
			value.Mul(value, factor)
		}
		return decimal(value, m.unit)
	}
	return "", false
}

// decimal writes a number exactly.
func decimal(value *big.Rat, unit string) (string, bool) {
	digits, exact := value.FloatPrec()
	text := value.FloatString(digits) + unit
	return text, exact && len(text) <= longestQuantity
}

// timed calls f for every quantity of a tree that involves time, with its path.
func (t *Tree) timed(path string, f func(path string, t *Tree)) {
	if t.form == scalarForm {
		if _, ok := slower(t.text, big.NewRat(1, 1)); ok {
			f(path, t)
		}
		return
	}
	for i, name := range t.names() {
		t.values[i].timed(strings.TrimPrefix(path+"."+name, "."), f)
	}
}

// slow multiplies every time of a spelled case by a factor; false if some quantity cannot
// be written then.
func (c Case) slow(factor int64) (Case, bool) {
	by, all := big.NewRat(factor, 1), true
	c = c.clone()
	c.Files = maps.Clone(c.Files)
	if schedule, ok := c.Files[scheduleName]; ok {
		c.Files[scheduleName] = slowSchedule(schedule, factor)
	}
	if trace, ok := c.Files[traceName]; ok {
		c.Files[traceName] = slowCalls(trace, factor)
	}
	for _, part := range []string{"machine", "workload"} {
		c.Scenario.at(part).timed(part, func(_ string, t *Tree) {
			text, ok := slower(t.text, by)
			t.text, all = text, all && ok
		})
	}
	return c, all
}
