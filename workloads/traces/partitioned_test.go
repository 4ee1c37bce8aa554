package traces

import (
	"math/rand/v2"
	"slices"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// inPartitions is a message of 4 partitions of 300 bytes, twice: one is ready before the receiver starts, and looks for
// them in halves.
func inPartitions() *Memory {
	var send, receive []Call
	for range 2 {
		send = append(send, Call{Kind: Psend, Peer: 1, Tag: 5, Bytes: 300, Among: 4, Request: 7},
			Call{Kind: Pready, Request: 7, Tag: 2, Among: 1, Before: 100 * sim.Microsecond},
			Call{Kind: Pready, Request: 7, Tag: 0, Among: 2, Before: 50 * sim.Microsecond},
			Call{Kind: Pready, Request: 7, Tag: 3, Among: 1, Before: 50 * sim.Microsecond},
			Call{Kind: Wait, Requests: []int32{7}})
		receive = append(receive, Call{Kind: Precv, Peer: 0, Tag: 5, Bytes: 600, Among: 2, Request: 1, Before: 120 * sim.Microsecond},
			Call{Kind: Parrived, Request: 1, Tag: 0, Tries: 3},
			Call{Kind: Wait, Requests: []int32{1}, Before: 10 * sim.Microsecond})
	}
	return &Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}}, Ranks: [][]Call{send, receive}}
}

// A library that sends each partition does what a program does that sends four messages. One that sends them whole does so when
// all are ready and the receiver has started.
func TestPartitions(t *testing.T) {
	var send, receive []Call
	for range 2 {
		for i, part := range []int32{2, 0, 1, 3} {
			send = append(send, Call{Kind: Isend, Peer: 1, Tag: 10 + part, Bytes: 300, Request: int32(i),
				Before: [...]sim.Time{100, 50, 0, 50}[i] * sim.Microsecond})
			receive = append(receive, Call{Kind: Irecv, Peer: 0, Tag: 10 + int32(i), Bytes: 300, Request: int32(i),
				Before: [...]sim.Time{120, 0, 0, 0}[i] * sim.Microsecond})
		}
		send = append(send, Call{Kind: Wait, Requests: []int32{0, 1, 2, 3}})
		receive = append(receive, Call{Kind: Wait, Requests: []int32{0, 1}},
			Call{Kind: Wait, Requests: []int32{2, 3}, Before: 10 * sim.Microsecond})
	}
	same := &Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}}, Ranks: [][]Call{send, receive}}
	for _, threshold := range []int64{0, 100} {
		got, want := run(t, program(t, inPartitions(), Options{}), threshold), run(t, program(t, same, Options{}), threshold)
		if !slices.Equal(got.Finish, want.Finish) {
			t.Errorf("threshold %d: ranks end at %v, with four messages at %v", threshold, got.Finish, want.Finish)
		}
	}
	once := inPartitions()
	once.Ranks = [][]Call{once.Ranks[0][:5], once.Ranks[1][:3]}
	// All are ready at 200 us. The sender takes the receiver's message, 1 us, and sends, 1 us; 1.2 us in the NIC, 5 us on
	// the way, 1 us to receive; then 10 us of computation.
	want := []sim.Time{202 * sim.Microsecond, 219*sim.Microsecond + 200*sim.Nanosecond}
	if got := run(t, program(t, once, Options{Partitioned: machines.WholeMessage}), 0); !slices.Equal(got.Finish, want) {
		t.Errorf("whole: ranks end at %v, want %v", got.Finish, want)
	}
}

// Misuse is named with rank and call.
func TestPartitionsThatDoNotFit(t *testing.T) {
	for want, change := range map[string]func(m *Memory){
		"rank 0, call 4: wait completes request 7, of which 1 partitions are not ready":  func(m *Memory) { m.Ranks[0][3].Kind = Barrier },
		"rank 0, call 2: pready: 4 partitions of request 7 from number 0 on, where 3":    func(m *Memory) { m.Ranks[0][2].Among = 4 },
		"rank 0, call 2: pready: 1 partitions of request 7 from number 2 on, where 3":    func(m *Memory) { m.Ranks[0][2].Tag, m.Ranks[0][2].Among = 2, 1 },
		"rank 0, call 3: pready: 1 partitions of request 7 from number 4 on, where 1":    func(m *Memory) { m.Ranks[0][3].Tag = 4 },
		"rank 1, call 1: parrived of request 2, which is not a precv in use":             func(m *Memory) { m.Ranks[1][1].Request = 2 },
		"rank 0 sends 1200 bytes in partitions with tag 5 to rank 1, which receives 800": func(m *Memory) { m.Ranks[1][0].Bytes, m.Ranks[1][3].Bytes = 400, 400 },
		"rank 1, call 1: parrived: partition 2 of request 1, which has 2":                func(m *Memory) { m.Ranks[1][1].Tag = 2 },
		"rank 1, call 1: parrived: partition -1 of request 1, which has 2":               func(m *Memory) { m.Ranks[1][1].Tag = -1 },
		"rank 0, call 8: ends with request 7, of which 1 partitions are not ready":       func(m *Memory) { m.Ranks[0] = m.Ranks[0][:8] },
		"rank 0, call 5: psend: 2 partitions of 300 bytes, and others before":            func(m *Memory) { m.Ranks[0][5].Among = 2 },
		"rank 0, call 5: sends message 2 with tag 5 to rank 1, which receives 1":         func(m *Memory) { m.Ranks[1] = m.Ranks[1][:3] },
	} {
		m := inPartitions()
		change(m)
		must.Refuse(Look(m))(t, want)
	}
}

// A phase has the messages in partitions that start in it at both ends and become ready in it. Where it ends between messages, its run is that
// of a program of these messages.
func TestPhaseOfPartitions(t *testing.T) {
	const perSend, perReceive, times = 5, 3, 6 // calls of a message
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := &Memory{Head: Header{Ranks: 2, Comms: []Comm{{}}, Phases: []string{"0", "1"}}, Ranks: make([][]Call, 2)}
		only := &Memory{Head: m.Head, Ranks: make([][]Call, 2)}
		for range times / 2 {
			more := inPartitions()
			for rank := range m.Ranks {
				m.Ranks[rank] = append(m.Ranks[rank], more.Ranks[rank]...)
			}
		}
		whole, each := seed%2 == 0, []int{perSend, perReceive}
		var taken [times]uint8
		for rank, calls := range m.Ranks {
			for i := range calls {
				n := i / each[rank]
				if calls[i].Phase = uint8(r.IntN(8) / 3 % 2); whole {
					calls[i].Phase = uint8(seed>>1>>n) & 1
				}
				if i%each[rank] == 0 && rank == 0 {
					taken[n] = 1
				}
				if k := calls[i].Kind; k == Psend || k == Pready || k == Precv {
					taken[n] &= calls[i].Phase
				}
				if calls[i].Phase == 1 {
					only.Ranks[rank] = append(only.Ranks[rank], calls[i])
				}
			}
		}
		x, left := cutOut(t, Cut{Phase: "1"}, m), uint8(0)
		got := run(t, program(t, x, Options{Partitioned: machines.Partitioning(seed % 3 % 2)}), 0)
		for _, c := range must.Get(calls(t, x, 0))(t) {
			if c.Kind == Psend && c.Peer != Nobody {
				left++
			}
		}
		want := uint8(0)
		for _, is := range taken {
			want += is
		}
		if left != want {
			t.Fatalf("seed %d: %d messages are in the phase, want %d", seed, left, want)
		}
		if whole && left > 0 {
			if same := run(t, program(t, only, Options{Partitioned: machines.Partitioning(seed % 3 % 2)}), 0); !slices.Equal(got.Finish, same.Finish) {
				t.Fatalf("seed %d: ranks end at %v, by themselves at %v", seed, got.Finish, same.Finish)
			}
		}
	}
}
