package files

import (
	"overlapsim/network"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// LinksOfNIC is the bandwidth of links that messages share and whose machine gives them none: that of its NIC. 0: it gives one, or messages
// share no links.
func (s *Scenario) LinksOfNIC() sim.Rate {
	if wired(network.LinkBandwidth)(&ran{Scenario: s}) != "" {
		return 0
	}
	return s.linksOfNIC(&s.Machine.wiring)
}

// linksOfNIC is LinksOfNIC of other wiring, whether messages share the links or not.
func (s *Scenario) linksOfNIC(w *wiring) sim.Rate {
	if given, _ := w.value(network.LinkBandwidth); given.Target().Len() > 0 {
		return 0
	}
	if rate := s.Whole().Machine.rateOfNIC(s.Place.Fabric != nil); rate.Positive() {
		return rate
	}
	return 0
}

// rateOfNIC is the bandwidth of a NIC of processes, or of GPUs.
func (m *Machine) rateOfNIC(ofGPUs bool) sim.Rate {
	nic := m.Network
	if ofGPUs {
		nic = nicOf(m.GPUs)
	}
	return nic.OfLinks()
}

// Both is the parameter of NICs and links that are equally fast, as a cost: each may hide what the other one does.
const (
	Both    = OfLinks + " and " + OfNICs
	OfNICs  = "network.gap_per_byte"
	OfLinks = network.LinkBandwidth
)

// InBoth tells whether a parameter is one of the two.
func InBoth(parameter string) bool { return parameter == OfNICs || parameter == OfLinks }

// EquallyFast tells whether messages share links that are as fast as NICs.
func (s *Scenario) EquallyFast() bool {
	if s.Program == nil || wired(network.LinkBandwidth)(&ran{Scenario: s}) != "" {
		return false
	}
	given, _ := s.Machine.wiring.value(network.LinkBandwidth)
	rates, _ := given.To.(*[]sim.Rate)
	return rates == nil || len(*rates) == 0 || len(*rates) == 1 && (*rates)[0] == s.Machine.Network.OfLinks()
}

// Injection is the most that a NIC sends, all its messages together, where messages share it; 0: the machine does not give it.
func (s *Scenario) Injection() sim.Rate {
	row, _ := s.Machine.wiring.value(network.LinkInjection)
	return sim.Rate(row.Target().Float())
}

// Scaled returns the scenario with a parameter multiplied by the factor. The program
// stays the same, except for the time that its computation takes. Links whose bandwidth is that of the NIC keep it when
// that of the NIC changes.
func (s *Scenario) Scaled(parameter string, factor float64) (*Scenario, error) {
	if parameter == Both {
		links, err := s.Scaled(OfLinks, 1/factor)
		if err != nil {
			return nil, err
		}
		return links.Scaled(OfNICs, factor)
	}
	scaled, machine := *s, *s.Machine
	scaled.Machine, scaled.Workload = &machine, nil
	if rate := s.LinksOfNIC(); rate > 0 {
		machine.wiring = machine.wiring.with(network.LinkBandwidth, &[]sim.Rate{rate})
	}
	wiring, ok := machine.wiring.scaled(parameter, factor)
	if machine.wiring = wiring; !ok {
		m, err := parts.Scaled(s.Machine.Machine, parameter, factor)
		if err != nil {
			return nil, err
		}
		machine.Machine = m
	}
	scaled.Program = programs.Rescaled(s.Machine.Machine, s.Program, parameter, factor)
	var err error
	if s.Contention != nil {
		scaled.Contention, err = s.contended(&machine.wiring, machine.Machine)
	}
	return &scaled, err
}
