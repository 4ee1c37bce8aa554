package nodes

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/programs"
	"overlapsim/sim/must"
)

// firstScheduleTag keeps the messages of schedules apart from others; wildcards may take them all the
// same.
const firstScheduleTag = 10

// start makes all ranks start a schedule. In each round random ranks send to others, and each waits
// for its messages, some of them rounds later.
func (w *author) start(a action) {
	random := rand.New(rand.NewPCG(uint64(a.time), uint64(a.bytes)<<8|uint64(a.rank)<<4|uint64(a.tag)))
	n, tag := len(w.ops), firstScheduleTag+w.schedules
	w.schedules++
	rounds, open := make([][]programs.Op, n), make([][]int32, n)
	for r := range w.ops {
		w.add(r, programs.Op{Kind: programs.OpStart, Request: w.request(r)})
	}
	post := func(r int, op programs.Op) {
		op.Tag, op.Request = tag, w.next[r]
		w.next[r]++
		open[r] = append(open[r], op.Request)
		rounds[r] = append(rounds[r], op)
	}
	compute := func(r int) {
		if random.IntN(3) == 0 {
			rounds[r] = append(rounds[r], programs.Op{Kind: programs.OpCompute, Phase: 2, Amount: 1 + int64(a.time)*random.Int64N(4)/4})
		}
	}
	for range 1 + random.IntN(3) {
		for range random.IntN(n + 2) {
			from, to := random.IntN(n), random.IntN(n)
			compute(to)
			post(to, programs.Op{Kind: programs.OpReceive, Peer: int32(from)})
			compute(from)
			post(from, programs.Op{Kind: programs.OpSend, Peer: int32(to), Amount: int64(random.IntN(a.bytes + 1))})
		}
		for r := range w.ops {
			held := random.IntN(8) == 0 && len(open[r]) > 1
			for i, request := range open[r] {
				if held && i == 0 {
					continue
				}
				rounds[r] = append(rounds[r], programs.Op{Kind: programs.OpWait, Request: request})
			}
			if open[r] = open[r][:min(len(open[r]), 1)]; !held {
				open[r] = nil
			}
		}
	}
	for r := range w.ops {
		for _, request := range open[r] {
			rounds[r] = append(rounds[r], programs.Op{Kind: programs.OpWait, Request: request})
		}
		compute(r)
		w.ops[r] = append(w.ops[r], append(rounds[r], programs.Op{Kind: programs.OpStarted})...)
	}
}

const withSchedules = numActions + 1 // actions

// drawSchedules draws an instance with schedules, on any machine.
func drawSchedules(t *rapid.T) *instance {
	switch rapid.IntRange(0, 4).Draw(t, "kind of machine") {
	case 0:
		return drawActions(t, false, withSchedules)
	case 1:
		return drawActions(t, true, withSchedules)
	case 2:
		return drawWithBackground(t, withSchedules)
	}
	return drawWithLibrary(t, withSchedules)
}

// Programs with schedules keep the invariants of runs on contended and calibrated fabrics too, every
// time has a cause, and a live process takes the time of a compiled one.
func TestSchedulesEverywhere(t *testing.T) {
	calibration := testCalibration(t)
	often(t, 4, func(t *rapid.T) {
		in := drawSchedules(t)
		o := Options{Timeline: true, Calls: true, Background: in.background, Cores: 4}
		switch rapid.IntRange(0, 2).Draw(t, "fabric") {
		case 1:
			o.Fabric = newAlone(&in.machine.Network)
		case 2:
			o.Calibration = calibration
		}
		want, wantErr := Run(in.machine, in.script, in.perNode, o)
		if wantErr == nil && o.Calibration == nil {
			in.conserves(t, want)
		}
		if wantErr != nil && !known[engineOutcome(nil, wantErr).failure] {
			t.Fatalf("%v%v", in, wantErr)
		}
		o.Timeline, o.Calls, o.Critical = false, false, true
		explained, err := Run(in.machine, in.script, in.perNode, o)
		if err == nil && (explained.Makespan() != want.Makespan() || explained.Events != want.Events) ||
			(err == nil) != (wantErr == nil) {
			t.Fatalf("%vexplained: %v", in, err)
		}
		o.Critical = false
		got, err := RunLive(in.machine, len(in.script.ops), in.script.Phases(), func(p *Process) {
			perform(p, in.script.ops[p.Rank()])
		}, in.perNode, o)
		if want != nil {
			want.Timeline = nil
		}
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%vlive: %+v, %v\ncompiled: %+v", in, got, err, want)
		}
	})
}

func TestReferenceSchedules(t *testing.T) {
	must.Long(t)
	compare(t, 25, drawSchedules)
}
