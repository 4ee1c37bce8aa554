package calibrate

import (
	"fmt"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/files"
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

// The sizes of the experiments.
const (
	long    = 10 * sim.Second // long enough for any message to arrive, as far as it can before the receive
	window  = 64              // messages between two answers, as in the OSU micro-benchmarks
	several = 10              // messages one after the other, as in netgauge
	answer  = 4               // bytes
)

// simulate returns a quantity on a machine.
func simulate(m *machines.Machine, q Quantity, bytes int64) (sim.Time, error) {
	return simulateOn(m, q, bytes, nodes.Options{})
}

// simulateOn is simulate with options.
func simulateOn(m *machines.Machine, q Quantity, bytes int64, o nodes.Options) (sim.Time, error) {
	finish, err := runOn(m, experiments[q](bytes), o)
	if err != nil {
		return 0, err
	}
	switch q {
	case LateReceive:
		return finish[1] - long, nil
	case OneWay:
		return finish[0] / 2, nil
	case Stream, BothStreams:
		return finish[0] / window, nil
	case Successive:
		one, err := runOn(m, inTurn(1, bytes), o)
		return (finish[0] - one[0]) / (several - 1), err
	}
	return finish[0], nil
}

// experiments are the programs of the measurements.
var experiments = [numQuantities]func(bytes int64) pair{
	SendCPU: func(bytes int64) pair {
		return pair{
			func(do *programs.Ops) { do.Isend(1, bytes, 0, 0) },
			func(do *programs.Ops) { do.Recv(0, bytes, 0) },
		}
	},
	LateReceive: lateReceive,
	OneWay:      func(bytes int64) pair { return inTurn(1, bytes) },
	Successive:  func(bytes int64) pair { return inTurn(several, bytes) },
	Stream: func(bytes int64) pair {
		return pair{
			func(do *programs.Ops) { sends(do, 1, bytes, window); waits(do, window); do.Recv(1, answer, 1) },
			func(do *programs.Ops) { receives(do, 0, bytes, window); waits(do, window); do.Send(0, answer, 1) },
		}
	},
	BothStreams: func(bytes int64) pair {
		return pair{
			func(do *programs.Ops) { both(do, 1, bytes, window); do.Recv(1, answer, 1) },
			func(do *programs.Ops) { both(do, 0, bytes, window); do.Send(0, answer, 1) },
		}
	},
	PingPing: func(bytes int64) pair { return exchange(bytes, 1) },
	Exchange: func(bytes int64) pair { return exchange(bytes, 2) },
}

// lateReceive is a receive of a message that the library has already noticed, in a call
// before the receive, because a library with unexpected messages needs such a call. Its
// time is the time of the computation, of the library's work in the call, and of the receive.
func lateReceive(bytes int64) pair {
	return pair{
		func(do *programs.Ops) { do.Send(1, bytes, 0) },
		func(do *programs.Ops) {
			do.Compute(machines.Task{Time: long}, 1)
			do.Test(0)
			do.Recv(0, bytes, 0)
		},
	}
}

// inTurn sends messages and then one back.
func inTurn(messages int, bytes int64) pair {
	return pair{
		func(do *programs.Ops) { each(messages, func(int) { do.Send(1, bytes, 0) }); do.Recv(1, bytes, 0) },
		func(do *programs.Ops) { each(messages, func(int) { do.Recv(0, bytes, 0) }); do.Send(0, bytes, 0) },
	}
}

func exchange(bytes int64, messages int) pair {
	return pair{
		func(do *programs.Ops) { both(do, 1, bytes, messages) },
		func(do *programs.Ops) { both(do, 0, bytes, messages) },
	}
}

func each(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

func sends(do *programs.Ops, to int, bytes int64, messages int) {
	each(messages, func(i int) { do.Isend(to, bytes, 0, i) })
}

func receives(do *programs.Ops, from int, bytes int64, messages int) {
	each(messages, func(i int) { do.Irecv(from, bytes, 0, i) })
}

func waits(do *programs.Ops, requests int) { each(requests, do.Wait) }

// both receives and sends messages at once.
func both(do *programs.Ops, other int, bytes int64, messages int) {
	receives(do, other, bytes, messages)
	each(messages, func(i int) { do.Isend(other, bytes, 0, messages+i) })
	waits(do, 2*messages)
}

// crowd is a program of several pairs, the first half of the ranks with messages to the others.
type crowd struct {
	pairs, messages int
	bytes           int64
}

func (c crowd) Ranks() int     { return 2 * c.pairs }
func (crowd) Phases() []string { return []string{"all"} }

// Step implements programs.Program.
func (c crowd) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	if rank < c.pairs {
		sends(do, rank+c.pairs, c.bytes, c.messages)
	} else {
		receives(do, rank-c.pairs, c.bytes, c.messages)
	}
	waits(do, c.messages)
	return true
}

// crowded is the time in seconds from message to message of several pairs at once, each with cores of its own: what more messages take longer.
func crowded(m *machines.Machine, pairs int, bytes int64) (float64, error) {
	wide := *m
	wide.Cores = max(m.Cores, pairs)
	var took [2]float64
	for i := range took {
		r, err := nodes.Run(&wide, crowd{pairs, (i + 1) * several, bytes}, pairs, nodes.Options{})
		if err != nil {
			return 0, err
		}
		took[i] = r.Makespan().Seconds()
	}
	return (took[1] - took[0]) / float64(several*pairs), nil
}

// runOn returns the time at which each rank ended.
func runOn(m *machines.Machine, p pair, o nodes.Options) (finish [2]sim.Time, err error) {
	r, err := nodes.Run(m, p, 1, o)
	if err != nil {
		return finish, err
	}
	return [2]sim.Time(r.Finish), nil
}

// Measure simulates the measurements of a machine that make its parameters, so that the result of a calibration can be
// compared with the truth: behind its token bucket, if it has one.
func Measure(m *files.Machine) (*Data, error) {
	bucket, err := m.Behind(2)
	if err != nil {
		return nil, err
	}
	d, err := measure(m.Machine, nodes.Options{Fabric: bucket}, manySizes(), SendCPU, LateReceive, OneWay)
	if err != nil || bucket == nil {
		return d, err
	}
	var given []string
	for _, f := range m.Facts {
		if key, ok := strings.CutPrefix(f.Path, "bucket."); ok {
			given = append(given, key+": "+f.Value)
		}
	}
	return d, d.Behind("{" + strings.Join(given, ", ") + "}")
}

func manySizes() (sizes []int64) {
	for size := 1.0; size < 1<<20; size *= 1.07 {
		sizes = append(sizes, int64(size))
	}
	return sizes
}

// measure simulates some quantities at some sizes.
func measure(m *machines.Machine, o nodes.Options, sizes []int64, which ...Quantity) (*Data, error) {
	d := newData([]string{m.Name + " (simulated)"})
	for _, q := range which {
		for _, size := range sizes {
			t, err := simulateOn(m, q, size, o)
			if err != nil {
				return nil, fmt.Errorf("%s of %d B: %w", q, size, err)
			}
			d.Samples[q][size] = []float64{t.Seconds()}
		}
		d.Sources[q] = d.Files
	}
	return d, nil
}
