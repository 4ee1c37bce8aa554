package nodes

import (
	"errors"
	"math"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// longer returns an instance with all times multiplied by 2^bits. A time that does not fit into a
// Time becomes Forever.
func (in *instance) longer(bits int) *instance {
	long := *in
	long.machine = in.machine.Clone()
	for _, p := range parts.Parameters(long.machine) {
		for _, t := range p.Times {
			*t = stretch(*t, bits)
		}
		for _, f := range p.Floats {
			*f = math.Ldexp(*f, bits)
		}
	}
	if rt := long.machine.Runtime; rt != nil {
		rt.Progress.Every = stretch(rt.Progress.Every, bits)
	}
	script := *in.script
	script.ops = make([][]programs.Op, len(in.script.ops))
	for r, ops := range in.script.ops {
		for _, op := range ops {
			if op.Kind == programs.OpCompute {
				op.Amount = int64(stretch(sim.Time(op.Amount), bits))
			}
			script.ops[r] = append(script.ops[r], op)
		}
	}
	long.script = &script
	return &long
}

func stretch(t sim.Time, bits int) sim.Time {
	if t > sim.Forever>>bits {
		return sim.Forever
	}
	return t << bits
}

// If all times of an instance are multiplied by 2^n, so are the run and every term of every
// ledger, or the run is refused because it is too long. There is no other result, however long
// the times are.
func TestLongRuns(t *testing.T) {
	var exact, refused int
	often(t, 20, func(t *rapid.T) {
		in := drawLibrary(t)
		if rapid.Bool().Draw(t, "LogGOPS") {
			in.machine.Runtime = nil
		}
		in.machine.Noise = nil
		in.shorten(t)
		want, wantErr := Run(in.machine, in.script, in.perNode, Options{})
		if wantErr != nil {
			return
		}
		by := rapid.IntRange(-4, 1).Draw(t, "bits") + in.edge()
		long := in.longer(by)
		got, err := Run(long.machine, long.script, long.perNode, Options{})
		var mistake *Mistake
		switch {
		case errors.As(err, &mistake):
			refused++
		case err != nil:
			t.Fatalf("%v2^%d times as long: %v", in, by, err)
		default:
			exact++
			in.sameTimes(t, want, got, by)
		}
	})
	if want := enough(100); exact < want || refused < want {
		t.Errorf("%d runs were long, %d too long; want %d of each", exact, refused, want)
	}
}

// shorten removes some of the times of a machine, so that bytes or computations are what makes a
// run too long.
func (in *instance) shorten(t *rapid.T) {
	away := rapid.IntRange(0, 3).Draw(t, "times taken away, of 3")
	for _, p := range parts.Parameters(in.machine) {
		for _, x := range p.Times {
			if rapid.IntRange(1, 3).Draw(t, "time") <= away {
				*x = 0
			}
		}
	}
}

// edge returns the number of bits by which the longest time of an instance can grow until it is
// nearly as long as a run can be.
func (in *instance) edge() int {
	longest := sim.Time(1)
	for _, p := range parts.Parameters(in.machine) {
		for _, x := range p.Times {
			longest = max(longest, *x)
		}
	}
	for _, ops := range in.script.ops {
		for _, op := range ops {
			if op.Kind == programs.OpCompute {
				longest = max(longest, sim.Time(op.Amount))
			}
		}
	}
	return 62 - bits.Len64(uint64(longest))
}

// sameTimes compares results whose times differ by a power of two.
func (in *instance) sameTimes(t *rapid.T, want, got *results.Result, bits int) {
	scaled := func(times []sim.Time) []sim.Time {
		var all []sim.Time
		for _, x := range times {
			all = append(all, x<<bits)
		}
		return all
	}
	if !reflect.DeepEqual(got.Finish, scaled(want.Finish)) || !reflect.DeepEqual(got.Hidden, scaled(want.Hidden)) {
		t.Fatalf("%v2^%d times as long: finish %v, hidden %v; want these times %v, %v", in, bits, got.Finish, got.Hidden, want.Finish,
			want.Hidden)
	}
	for r := range want.Ledgers {
		got, want := got.OfRank(r), want.OfRank(r)
		if !reflect.DeepEqual(got[:], scaled(want[:])) {
			t.Fatalf("%v2^%d times as long: ledger of rank %d %v, want these times %v", in, bits, r, got, want)
		}
	}
}

// Bytes are counted exactly, or refused.
func TestBytesDoNotWrap(t *testing.T) {
	free := &machines.Machine{Name: "free", Cores: 1, Processes: 1}
	slow := &machines.Machine{Name: "slow", Cores: 1, Processes: 1, Network: network.LogGOPS{Transfer: network.PerByte(4)}}
	for _, c := range []struct {
		name    string
		machine *machines.Machine
		bytes   []int64
		want    int64
		err     string
	}{
		{"as many as can be", free, []int64{math.MaxInt64 - 5, 5}, math.MaxInt64, ""},
		{"one more", free, []int64{math.MaxInt64 - 5, 6}, 0, "workload: the messages have more than 9223372036854775807 bytes together"},
		{"twice the most", free, []int64{math.MaxInt64, math.MaxInt64}, 0, "more than 9223372036854775807 bytes together"},
		{"the largest in half of the time of a run", slow, []int64{1 << 59}, 1 << 59, ""},
		{"a larger one", slow, []int64{1<<59 + 1000}, 0, "workload: rank 0 sends 576460752303424488 bytes, which may take longer " +
			"than a run can, 53 days; a message has at most 576460752303423488"},
	} {
		var ops []programs.Op
		for i, bytes := range c.bytes {
			ops = append(ops, programs.Op{Kind: programs.OpPut, Peer: 1, Amount: bytes, Request: int32(i)})
		}
		r, err := Run(c.machine, &script{1, [][]programs.Op{ops, nil}, 1}, 1, Options{})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		case c.err == "" && (err != nil || r.Bytes != c.want):
			t.Errorf("%s: %v, %+v; want %d bytes", c.name, err, r, c.want)
		}
	}
}

// Four times of 2^62 ps wrap around to 0: a job that takes four of them would take no time.
func TestTimesThatComeRoundAreRefused(t *testing.T) {
	m := &machines.Machine{Name: "slow", Cores: 1, Processes: 1,
		Network: network.LogGOPS{ReceiveOverhead: network.Cost{{Base: 1 << 62, PerByte: 1 << 60}}},
		Runtime: &machines.Runtime{Progress: machines.Progression{By: machines.Offload}, Matching: 1 << 62,
			Strided: machines.Strided{Unpack: 1 << 60}},
	}
	program := &script{1, [][]programs.Op{
		{{Kind: programs.OpSend, Strided: true, Peer: 1, Amount: 4, Request: 0}, {Kind: programs.OpWait}},
		{{Kind: programs.OpReceive, Peer: 0, Amount: 4, Request: 0}, {Kind: programs.OpWait}},
	}, 1}
	_, err := Run(m, program, 1, Options{})
	const want = "network.receive_overhead.time: the times of machine slow add up to more than 53 days, the longest run; this is the " +
		"longest of them, 4611686.018427387904s"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	m.Runtime.Matching, m.Network.ReceiveOverhead[0].Base = 0, machines.Longest
	var mistake *Mistake
	if _, err := Run(m, program, 1, Options{}); !errors.As(err, &mistake) || mistake.Key != "workload" {
		t.Errorf("without matching: %v, want a mistake in the workload", err)
	}
}

// The descriptors that a NIC has booked count in the run, even where no message waits for
// them: without RDMA and with any number of slots.
func TestInsertionsAreInTheRun(t *testing.T) {
	m := &machines.Machine{Name: "gaps", Cores: 1, Processes: 1, Network: network.LogGOPS{Gap: machines.Longest / 4 * 3},
		Copying: &machines.Copying{Buffer: 8, Chunk: 8}}
	var puts []programs.Op
	for i := range 3 {
		puts = append(puts, programs.Op{Kind: programs.OpPut, Peer: 1, Amount: 1, Request: int32(i)})
	}
	for _, critical := range []bool{false, true} {
		if _, err := Run(m, &script{1, [][]programs.Op{puts, nil}, 1}, 1, Options{Critical: critical}); err != tooLong {
			t.Errorf("critical path %v: %v, want %v", critical, err, tooLong)
		}
	}
}
