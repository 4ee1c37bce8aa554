package validation

import (
	"fmt"
	"math/big"
	"strings"

	"overlapsim/scenarios/keys"
)

// unit is a unit of a figure: its dimension, and its size in the unit of JSON: seconds, bytes,
// bytes per second, flop per second, hertz.
type unit struct {
	name string
	is   keys.Dimension
	size float64
}

// measures are the dimensions of figures.
var measures = []keys.Dimension{keys.Number, keys.Time, keys.Bytes, keys.Bandwidth, keys.PerByte, keys.Rate, keys.Frequency}

// unitOf returns the unit of a name; "" and "%" are units of plain numbers.
func unitOf(name string) (unit, error) {
	if name == "%" {
		return unit{name, keys.Number, 0.01}, nil
	}
	var all []string
	for _, d := range measures {
		all = append(all, d.Units()...)
		value, err := keys.Parse(d, "1"+name)
		if err != nil {
			continue
		}
		if d == keys.Time || d == keys.PerByte { // ps
			value.Quo(value, big.NewRat(1e12, 1))
		}
		size, _ := value.Float64()
		return unit{name, d, size}, nil
	}
	if near := keys.Nearest(name, all); near != "" {
		return unit{}, fmt.Errorf("unknown unit %s, did you mean %s?", keys.Quote(name), near)
	}
	return unit{}, fmt.Errorf("unknown unit %s; units are %s, and %% for hundredths", keys.Quote(name), strings.Join(all, " "))
}
