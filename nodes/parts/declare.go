package parts

import (
	"math"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Number is the number of the machine that makes a part by itself.
type Number struct {
	Parameter int   // its index; that of a cost per byte is the next one
	Per       int64 // it counts once for so much of the amount; 0: it is a cost by size
}

var numbers [math.MaxUint8 + 1]*Number // by part

// Of returns the number that makes a part by itself; nil: there is none.
func Of(p results.Part) *Number { return numbers[p] }

// Price is what a part costs: once, for each byte in ps, or by size.
type Price struct {
	Time    sim.Time
	PerByte float64
	BySize  network.Cost
}

// Prices returns the prices of the parts that one number of the machine makes, by part.
func Prices(m *machines.Machine) []Price {
	prices := make([]Price, results.NumParts())
	Look(m, func(all []Parameter) {
		for part, n := range numbers[:len(prices)] {
			if n != nil {
				prices[part] = all[n.Parameter].price()
			}
		}
	})
	return prices
}

// price returns what a part costs that the parameter makes.
func (p *Parameter) price() Price {
	price := Price{BySize: p.BySize}
	if len(p.Times) > 0 {
		price.Time = *p.Times[0]
	}
	if len(p.Floats) > 0 {
		price.PerByte = *p.Floats[0]
	}
	return price
}

// makes declares a part that a number makes by itself.
func makes(words string, term results.Term, parameter int, per int64) results.Part {
	part := results.NewPart(words, term)
	numbers[part] = &Number{parameter, per}
	return part
}

// each declares a part that a time makes, as often as the amount says.
func each[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) ps) results.Part {
	return makes(words, term, parameter(key, section, of), 1)
}

// halfEach declares a part that a time makes, half as often as the amount says.
func halfEach[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) ps) results.Part {
	return makes(words, term, parameter(key, section, of), 2)
}

// perByte declares a part that each byte makes.
func perByte[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) rate) results.Part {
	return makes(words, term, fills(1, section, func(s *S, all []Parameter) { all[0].float(key, results.SecondPerByte, of(s)) }), 1)
}

// bySize declares a part that is a cost by size.
func bySize[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) cost) results.Part {
	return ofCost(words, term, namesBySize(key), section, of)
}

// byRate declares a part that is a cost by size, whose key is that of what it has per byte.
func byRate[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) cost) results.Part {
	return ofCost(words, term, namesByRate(key), section, of)
}

func ofCost[S any](words string, term results.Term, names costNames, section func(*machine) *S, of func(*S) cost) results.Part {
	return makes(words, term, fills(2, section, func(s *S, all []Parameter) { names.fill(of(s), &all[0], &all[1]) }), 0)
}

// parameter declares a time, and returns the index of its parameter.
func parameter[S any](key string, section func(*machine) *S, of func(*S) ps) int {
	return fills(1, section, func(s *S, all []Parameter) { all[0].time(key, of(s)) })
}
