package parts

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"overlapsim/network"
	"overlapsim/nodes/cores"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Parameter is a number of a machine with respect to which the makespan has a derivative.
// Where it depends on the size of messages or problems it is several numbers, which
// change together.
type Parameter struct {
	Name   string // its key in machine files
	Unit   results.Unit
	Times  []*sim.Time
	Floats []*float64 // rates, factors, and costs in ps per byte
	Given  float64    // the value, if it has no numbers of the machine

	BySize network.Cost // that it has per message; nil: it is no cost by size
}

// The rows fill in the parameters of a machine.
var (
	fillers []func(m *machines.Machine, all []Parameter)
	known   int // how many parameters they fill in
)

// fills declares parameters of a section of the machine, and returns the index of the first.
func fills[S any](count int, section func(*machine) *S, fill func(s *S, all []Parameter)) (first int) {
	first = known
	known += count
	fillers = append(fillers, func(m *machines.Machine, all []Parameter) {
		if s := section(m); s != nil {
			fill(s, all[first:])
		}
	})
	return first
}

// Rates is the index of a kernel's rates. Those of kernels come after all others.
func Rates(kernel int) int { return known + 2*kernel }

// Demand is the index of how much memory bandwidth a kernel asks for.
func Demand(kernel int) int { return known + 2*kernel + 1 }

// SlowDown is the index of how many times longer one profile takes beside another.
func SlowDown(a, b cores.Profile) int { return slowDowns + int(cores.SlowDown(a, b)) }

// Parameters returns the parameters of a machine, by index; zero: the machine has no such number.
func Parameters(m *machines.Machine) []Parameter { return fillIn(m, nil) }

// lent are slices of parameters that Look fills.
var lent = sync.Pool{New: func() any { return new([]Parameter) }}

// Look shows what Parameters returns to see, which keeps none of it. There are many, so that
// small runs would do little else than make them.
func Look(m *machines.Machine, see func(all []Parameter)) {
	all := lent.Get().(*[]Parameter)
	*all = fillIn(m, *all)
	see(*all)
	clear(*all)
	lent.Put(all)
}

// fillIn returns the parameters of a machine, in a slice of zeros if it is long enough.
func fillIn(m *machines.Machine, all []Parameter) []Parameter {
	kernels := m.KernelNames()
	n := Rates(len(kernels))
	all = slices.Grow(all[:0], n)[:n]
	for _, fill := range fillers {
		fill(m, all)
	}
	for number, name := range kernels {
		k := m.Kernels[name]
		all[Rates(number)] = ofRates("kernels."+name+".rates", unitOf(&k), k.Rate)
		all[Demand(number)] = ofRates("kernels."+name+".demand", results.BytePerSecond, k.Demand)
	}
	return all
}

func bandwidthOf(s *sharing, all []Parameter) {
	if s.Bandwidth > 0 {
		all[0] = Parameter{Name: "memory.bandwidth", Unit: results.BytePerSecond, Floats: []*float64{&s.Bandwidth}}
	}
}

func slowDownsOf(s *sharing, all []Parameter) {
	for a := range cores.NumProfiles {
		for b := range cores.NumProfiles {
			if f := &s.SlowDown[a][b]; *f > 0 {
				name := "smt.slow_down." + a.String() + "." + b.String()
				all[cores.SlowDown(a, b)] = Parameter{Name: name, Unit: results.Factor, Floats: []*float64{f}}
			}
		}
	}
}

func ofTime(name string, t *sim.Time) Parameter {
	return Parameter{Name: name, Unit: results.Second, Times: []*sim.Time{t}}
}

func ofFloat(name string, f *float64) Parameter {
	return Parameter{Name: name, Unit: results.SecondPerByte, Floats: []*float64{f}}
}

// ofCost returns what a cost has per message, and per byte, with the names of their keys.
func ofCost(name string, c network.Cost) (base, perByte Parameter) {
	base.BySize, base.Name, perByte.Name, perByte.Unit = c, name, name+".per_byte", results.SecondPerByte
	for i := range c {
		base.Times = append(base.Times, &c[i].Base)
		if c[i].PerByte != 0 {
			perByte.Floats = append(perByte.Floats, &c[i].PerByte)
			base.Name = name + ".time"
		}
	}
	return base, perByte
}

// ofRate returns the same of a cost whose key is that of what it has per byte.
func ofRate(name string, c network.Cost) (base, perByte Parameter) {
	base, perByte = ofCost(name, c)
	base.Name, perByte.Name = name+".time", name
	return base, perByte
}

func ofGap(p *loggops, all []Parameter) { all[0], all[1] = ofRate("network.gap_per_byte", p.Transfer) }

func ofRates(name string, unit results.Unit, rates []machines.RatePoint) Parameter {
	if len(rates) == 0 {
		return Parameter{}
	}
	p := Parameter{Name: name, Unit: unit}
	for i := range rates {
		p.Floats = append(p.Floats, &rates[i].Rate)
	}
	return p
}

// Value returns the parameter in its unit; NaN if it is several numbers that differ.
func (p *Parameter) Value() float64 {
	if p.Given != 0 {
		return p.Given
	}
	value := math.NaN()
	add := func(v float64, first bool) {
		if first {
			value = v
		} else if v != value {
			value = math.NaN()
		}
	}
	for i, t := range p.Times {
		add(t.Seconds(), i == 0)
	}
	for i, f := range p.Floats {
		v := *f
		if p.Unit == results.SecondPerByte {
			v *= sim.Time(1).Seconds()
		}
		add(v, i == 0)
	}
	return value
}

// Scaled returns a copy of a machine in which the numbers of a parameter are multiplied
// by factor.
func Scaled(m *machines.Machine, name string, factor float64) (*machines.Machine, error) {
	scaled := m.Clone()
	all := Parameters(scaled)
	i := slices.IndexFunc(all, func(p Parameter) bool { return p.Name == name })
	if i < 0 || factor < 0 {
		return nil, fmt.Errorf("machine %s has no parameter %s, or it cannot be multiplied by %g", m.Name, name, factor)
	}
	for _, t := range all[i].Times {
		*t = sim.Time(math.Round(float64(*t) * factor))
	}
	for _, f := range all[i].Floats {
		if *f *= factor; all[i].Unit == results.Factor {
			*f = max(1, *f) // no sibling makes others faster
		}
	}
	return scaled, nil
}

// unitOf returns the unit of a kernel's speed.
func unitOf(k *machines.Kernel) results.Unit {
	if k.Bytes {
		return results.BytePerSecond
	}
	return results.FlopPerSecond
}
