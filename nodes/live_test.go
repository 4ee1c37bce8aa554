package nodes

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// perform does the operations of a program by calls.
func perform(p *Process, ops []programs.Op) {
	for i := 0; i < len(ops); i++ {
		op := &ops[i]
		peer, tag, request := int(op.Peer), int(op.Tag), int(op.Request)
		switch op.Kind {
		case programs.OpStart:
			n := slices.IndexFunc(ops[i:], func(op programs.Op) bool { return op.Kind == programs.OpStarted })
			p.Start(func(do *programs.Ops) { do.Add(ops[i+1 : i+n]...) }, request)
			i += n
		case programs.OpCompute:
			p.Compute(machines.Task{Time: sim.Time(op.Amount), ByLibrary: op.ByLibrary()}, 1)
		case programs.OpPut:
			p.Put(peer, op.Amount, request)
		case programs.OpGet:
			p.Get(peer, op.Amount, request)
		case programs.OpSignal:
			p.Signal(peer, op.Amount, tag, request)
		case programs.OpTest:
			p.Test(request)
		case programs.OpSend:
			if op.Strided {
				p.IsendStrided(peer, op.Amount, tag, request)
			} else {
				p.Isend(peer, op.Amount, tag, request)
			}
		case programs.OpReceive:
			p.Irecv(peer, op.Amount, tag, request)
		case programs.OpWait:
			p.Wait(request)
		case programs.OpBarrier:
			p.Barrier()
		case programs.OpPhase:
			p.Phase(int(op.Phase))
		}
	}
}

// A live process takes the time of the compiled program that does the same.
func TestLiveIsCompiled(t *testing.T) {
	often(t, 5, func(t *rapid.T) {
		in := drawInstance(t, rapid.Bool().Draw(t, "copying"))
		want, wantErr := Run(in.machine, in.script, in.perNode, Options{})
		got, err := RunLive(in.machine, len(in.script.ops), in.script.Phases(), func(p *Process) {
			perform(p, in.script.ops[p.Rank()])
		}, in.perNode, Options{})
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%vlive: %v, compiled: %v", in, err, wantErr)
		}
		if err == nil && (!reflect.DeepEqual(got.Finish, want.Finish) || !reflect.DeepEqual(got.Ledgers, want.Ledgers)) {
			t.Fatalf("%vlive: %v\ncompiled: %v", in, got.Ledgers, want.Ledgers)
		}
	})
}

// Two runs are the same. A timeline changes nothing, and neither do the steps that a
// program is cut into.
func TestRunsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, rapid.Bool().Draw(t, "copying"))
		want, wantErr := Run(in.machine, in.script, in.perNode, Options{})
		in.script.atOnce = rapid.IntRange(1, 50).Draw(t, "other steps")
		got, err := Run(in.machine, in.script, in.perNode, Options{Timeline: true})
		if err != nil || wantErr != nil {
			if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
				t.Fatalf("%v%v, %v", in, err, wantErr)
			}
			return
		}
		got.Timeline = nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v%+v\n%+v", in, got, want)
		}
	})
}
