package files

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// assumeRates gives the machine assumed rates of the standard kernels that the workload asks for
// and the machine does not have; the run says which. It returns false if err has other reasons
// too, or none. A recorded program has the times of its own machine, so nothing is assumed.
func (f *scenarioFile) assumeRates(err error) bool {
	var missing []string
	for _, one := range keys.Unjoin(err) {
		var unrated *machines.Unrated
		if !errors.As(one, &unrated) {
			return false
		}
		missing = append(missing, unrated.Kernel)
	}
	if _, filed := f.Workload.(workloads.Filed); filed || missing == nil {
		return false
	}
	own := *f.Machine
	own.Machine = f.Machine.Machine.Clone()
	if own.Kernels == nil {
		own.Kernels = map[string]machines.Kernel{}
	}
	for _, name := range missing {
		kernel, ok := machines.Assumed(name)
		if !ok {
			return false
		}
		own.Kernels[name] = kernel
		f.Assumed = append(f.Assumed, assumption(f.Machine.Name, name, kernel))
	}
	f.Machine = &own
	return true
}

// assumption says which rate is assumed, and how to give another one.
func assumption(machine, name string, k machines.Kernel) string {
	rate, is := k.Rate[0].Rate, "GF/s"
	if k.Bytes {
		is = "GB/s"
	}
	text := fmt.Sprintf("%g%s", rate/1e9, is)
	return fmt.Sprintf("assumed: %s at %s on each core, as %s has no rate for it: --set machine.kernels.%[1]s.rates=%[2]s gives one",
		name, text, machine)
}
