package calibrate

import (
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// pair is a program of two ranks, one step each.
type pair [2]func(do *programs.Ops)

func (pair) Ranks() int       { return 2 }
func (pair) Phases() []string { return []string{"all"} }

// Step implements programs.Program.
func (p pair) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	p[rank](do)
	return true
}

// long is enough time for any message to arrive, as far as it can before the receive.
const long = 10 * sim.Second

// simulate returns a quantity on a machine.
func simulate(m *machines.Machine, q Quantity, bytes int64) (sim.Time, error) {
	finish, err := run(m, experiments[q](bytes))
	switch q {
	case LateReceive:
		return finish[1] - long, err
	case OneWay:
		return finish[0] / 2, err
	}
	return finish[0], err
}

// experiments are the programs of the measurements.
var experiments = [numQuantities]func(bytes int64) pair{
	SendCPU: func(bytes int64) pair {
		return pair{
			func(do *programs.Ops) { do.Isend(1, bytes, 0, 0) },
			func(do *programs.Ops) { do.Recv(0, bytes, 0) },
		}
	},
	LateReceive: func(bytes int64) pair {
		return pair{
			func(do *programs.Ops) { do.Send(1, bytes, 0) },
			func(do *programs.Ops) { do.Compute(machines.Task{Time: long}, 1); do.Recv(0, bytes, 0) },
		}
	},
	OneWay: func(bytes int64) pair {
		return pair{
			func(do *programs.Ops) { do.Send(1, bytes, 0); do.Recv(1, bytes, 0) },
			func(do *programs.Ops) { do.Recv(0, bytes, 0); do.Send(0, bytes, 0) },
		}
	},
}

// run returns the time at which each rank ended.
func run(m *machines.Machine, p pair) (finish [2]sim.Time, err error) {
	r, err := nodes.Run(m, p, 1, nodes.Options{})
	if err != nil {
		return finish, err
	}
	return [2]sim.Time(r.Finish), nil
}

// Measure simulates the measurements of a machine, so that the result of a calibration
// can be compared with the truth.
func Measure(m *machines.Machine) (*Data, error) {
	d := &Data{Files: []string{m.Name + " (simulated)"}}
	for q := range d.Samples {
		d.Samples[q] = Samples{}
		for size := 1.0; size < 1<<20; size *= 1.07 {
			t, err := simulate(m, Quantity(q), int64(size))
			if err != nil {
				return nil, err
			}
			d.Samples[q][int64(size)] = []float64{t.Seconds()}
		}
	}
	return d, nil
}
