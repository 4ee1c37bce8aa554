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

// Parameter is a number of a machine by which the makespan has a derivative. If it depends on the
// size of messages or problems, it is several numbers that change together.
type Parameter struct {
	Name   string // its key in machine files
	Unit   results.Unit
	Times  []*sim.Time
	Floats []*float64 // rates, factors, and costs in ps per byte
	Given  float64    // the value, if the machine holds no numbers for it

	BySize network.Cost // the cost per message to which it belongs; nil: it is no cost by size
}

// Functions that fill in the parameters of a machine.
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

// Rates is the index of a kernel's rates. The parameters of kernels come after all others.
func Rates(kernel int) int { return known + 2*kernel }

// Demand is the index of a kernel's demand for memory bandwidth.
func Demand(kernel int) int { return known + 2*kernel + 1 }

// SlowDown is the index of the factor by which one profile slows another down.
func SlowDown(a, b cores.Profile) int { return slowDowns + int(cores.SlowDown(a, b)) }

// Parameters returns the parameters of a machine, by index. It is zero where the machine has no
// such number.
func Parameters(m *machines.Machine) []Parameter {
	kernels := m.KernelNames()
	all := make([]Parameter, Rates(len(kernels)))
	fillIn(m, all)
	for number, name := range kernels {
		k := m.Kernels[name]
		all[Rates(number)] = ofRates("kernels."+name+".rates", unitOf(&k), k.Rate)
		all[Demand(number)] = ofRates("kernels."+name+".demand", results.BytePerSecond, k.Demand)
	}
	return all
}

// lent holds slices of parameters for Look.
var lent = sync.Pool{New: func() any { return new(make([]Parameter, known)) }}

// Look passes to see what Parameters returns, up to the kernels. The function must not keep it.
// Look allocates nothing, because allocations would dominate small runs.
func Look(m *machines.Machine, see func(all []Parameter)) {
	all := lent.Get().(*[]Parameter)
	fillIn(m, *all)
	see(*all)
	for i := range *all {
		(*all)[i].empty()
	}
	lent.Put(all)
}

// empty makes a parameter zero, but keeps its memory.
func (p *Parameter) empty() {
	if p.Name == "" {
		return
	}
	clear(p.Times)
	clear(p.Floats)
	*p = Parameter{Times: p.Times[:0], Floats: p.Floats[:0]}
}

// fillIn fills in the parameters of a machine, except for its kernels'.
func fillIn(m *machines.Machine, all []Parameter) {
	for _, fill := range fillers {
		fill(m, all)
	}
}

func bandwidthOf(s *sharing, all []Parameter) {
	if s.Bandwidth > 0 {
		all[0].float("memory.bandwidth", results.BytePerSecond, &s.Bandwidth)
	}
}

// slowDownNames are the keys of slow-downs, by profile and by the sibling's profile.
var slowDownNames = func() (names [cores.NumProfiles][cores.NumProfiles]string) {
	for a := range cores.NumProfiles {
		for b := range cores.NumProfiles {
			names[a][b] = "smt.slow_down." + a.String() + "." + b.String()
		}
	}
	return names
}()

func slowDownsOf(s *sharing, all []Parameter) {
	for a := range cores.NumProfiles {
		for b := range cores.NumProfiles {
			if f := &s.SlowDown[a][b]; *f > 0 {
				all[cores.SlowDown(a, b)].float(slowDownNames[a][b], results.Factor, f)
			}
		}
	}
}

func (p *Parameter) time(name string, t *sim.Time) {
	p.Name, p.Unit, p.Times = name, results.Second, append(p.Times, t)
}

func (p *Parameter) float(name string, unit results.Unit, f *float64) {
	p.Name, p.Unit, p.Floats = name, unit, append(p.Floats, f)
}

// costNames are the keys of a cost per message and per byte.
type costNames struct {
	alone   string // of the cost per message, if there is none per byte
	base    string
	perByte string
}

// namesBySize returns the keys of a cost.
func namesBySize(key string) costNames { return costNames{key, key + ".time", key + ".per_byte"} }

// namesByRate returns the keys of a cost whose own key is the one for its cost per byte.
func namesByRate(key string) costNames { return costNames{key + ".time", key + ".time", key} }

// fill fills in the parameters of a cost per message and per byte.
func (n *costNames) fill(c network.Cost, base, perByte *Parameter) {
	base.BySize, base.Name, perByte.Name, perByte.Unit = c, n.alone, n.perByte, results.SecondPerByte
	for i := range c {
		base.Times = append(base.Times, &c[i].Base)
		if c[i].PerByte != 0 {
			perByte.Floats = append(perByte.Floats, &c[i].PerByte)
			base.Name = n.base
		}
	}
}

var gapNames = namesByRate("network.gap_per_byte")

func ofGap(p *loggops, all []Parameter) { gapNames.fill(p.Transfer, &all[0], &all[1]) }

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
			*f = max(1, *f) // a slow-down is never below 1
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
