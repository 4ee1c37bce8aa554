package parts

import (
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Number is a number of the machine that makes a part, alone or as a term of a sum.
type Number struct {
	Parameter int   // its index; a cost per byte has the next one
	Per       int64 // it counts once for this amount; 0: it is a cost by size
}

// By part.
var (
	numbers [math.MaxUint8 + 1][]Number
	keys    [math.MaxUint8 + 1]string
)

// Key returns the key of the number that alone makes a part, as machine files have it; "": there is
// no such number. A cost by size has further keys below it.
func Key(p results.Part) string { return keys[p] }

// Free makes the numbers zero that make the parts for which the function is true.
func Free(m *machines.Machine, free func(results.Part) bool) {
	Look(m, func(all []Parameter) {
		for part := range results.NumParts() {
			for _, n := range numbers[part] {
				if !free(part) {
					continue
				}
				if all[n.Parameter].clear(); n.Per == 0 {
					all[n.Parameter+1].clear()
				}
			}
		}
	})
}

// clear makes the numbers of a parameter zero.
func (p *Parameter) clear() {
	for _, t := range p.Times {
		*t = 0
	}
	for _, f := range p.Floats {
		*f = 0
	}
}

// Of returns the numbers that make a part: one, several times per byte, or none if it is made otherwise.
func Of(p results.Part) []Number { return numbers[p] }

// Price is what a part costs: a fixed time, ps for each byte, or a cost by size.
type Price struct {
	Time    sim.Time
	PerByte float64
	BySize  network.Cost
}

// Of returns the cost of bytes.
func (p *Price) Of(bytes int64) sim.Time {
	if p.BySize == nil {
		return sim.PerByte(bytes, p.PerByte)
	}
	return p.BySize.Of(bytes)
}

// Prices returns, by part, the prices of the parts that numbers of the machine make.
func Prices(m *machines.Machine) []Price {
	prices := make([]Price, results.NumParts())
	Look(m, func(all []Parameter) {
		for part, made := range numbers[:len(prices)] {
			for _, n := range made {
				prices[part].add(&all[n.Parameter])
			}
		}
	})
	return prices
}

// add adds what a parameter costs.
func (p *Price) add(of *Parameter) {
	p.BySize = of.BySize
	if len(of.Times) > 0 {
		p.Time = *of.Times[0]
	}
	if len(of.Floats) > 0 {
		p.PerByte += *of.Floats[0]
	}
}

// makes declares a part that a single number makes.
func makes(words string, term results.Term, key string, parameter int, per int64) results.Part {
	part := results.NewPart(words, term)
	numbers[part], keys[part] = []Number{{parameter, per}}, key
	return part
}

// sum declares that the numbers of two parts, each a time per byte, make a part together.
func sum(part, one, other results.Part) { numbers[part] = slices.Concat(numbers[one], numbers[other]) }

// each declares a part that costs a time for each unit of its amount.
func each[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) ps) results.Part {
	return makes(words, term, key, parameter(key, section, of), 1)
}

// halfEach declares a part that costs a time for every two units of its amount.
func halfEach[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) ps) results.Part {
	return makes(words, term, key, parameter(key, section, of), 2)
}

// perByte declares a part that costs a time for each byte.
func perByte[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) rate) results.Part {
	return makes(words, term, key, fills(1, section, func(s *S, all []Parameter) { all[0].float(key, results.SecondPerByte, of(s)) }), 1)
}

// bySize declares a part whose cost depends on the size.
func bySize[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) cost) results.Part {
	return ofCost(words, term, key, namesBySize(key), section, of)
}

// byRate declares a part whose cost depends on the size. Its key is the one for the cost per
// byte.
func byRate[S any](words string, term results.Term, key string, section func(*machine) *S, of func(*S) cost) results.Part {
	return ofCost(words, term, key, namesByRate(key), section, of)
}

func ofCost[S any](words string, term results.Term, key string, names costNames, section func(*machine) *S, of func(*S) cost) results.Part {
	return makes(words, term, key, fills(2, section, func(s *S, all []Parameter) { names.fill(of(s), &all[0], &all[1]) }), 0)
}

// parameter declares a time, and returns the index of its parameter.
func parameter[S any](key string, section func(*machine) *S, of func(*S) ps) int {
	return fills(1, section, func(s *S, all []Parameter) { all[0].time(key, of(s)) })
}
