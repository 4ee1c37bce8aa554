package goal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// TestRules compares the finish of small schedules with values calculated by hand, in ns,
// with L=2500 o=1500 g=1000 G=6 O=0 S=65535 unless changed.
func TestRules(t *testing.T) {
	const oneMessage = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n"
	const kG = 999 * 6
	for _, c := range []struct {
		name   string
		text   string
		change func(*Params)
		want   []int64
	}{
		{"calcs in turn", "num_ranks 1\nrank 0 {\ncalc 100\ncalc 50\n}\n", nil, []int64{150}},
		{"a dependency carries time to another CPU",
			"num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 1500 cpu 1\nb requires a\n}\n", nil, []int64{2500}},
		{"but a start is no end",
			"num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 1500 cpu 1\nb irequires a\n}\n", nil, []int64{1500}},
		{"eager message", oneMessage, nil, []int64{1500, 1500 + 2500 + 1500 + kG}},
		{"overhead per byte", oneMessage, func(p *Params) { p.OverheadPerByte = 2000 },
			[]int64{1500 + 999*2, 1500 + 2500 + 1500 + kG}},
		{"overhead per byte above gap per byte", oneMessage, func(p *Params) { p.OverheadPerByte = 9000 },
			[]int64{1500 + 999*9, 1500 + 2500 + 1500 + 999*9}},
		{"received by the NIC", oneMessage, func(p *Params) { p.ReceiveOverlap = true },
			[]int64{1500, 1500 + 2500 + kG + 1500}},
		{"rendezvous", oneMessage, func(p *Params) { p.Rendezvous = 999 },
			[]int64{1500 + 2*2500 + kG, 3*2500 + 2*1500 + kG}},
		{"rendezvous, received by the NIC", oneMessage, func(p *Params) { p.Rendezvous, p.ReceiveOverlap = 999, true },
			[]int64{1500 + 2*2500 + kG, 3*2500 + 2*1500 + kG}},
		{"the clearance waits for the receive",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\na: calc 100000\nb: recv 1000b from 0\nb requires a\n}\n",
			func(p *Params) { p.Rendezvous = 999 },
			[]int64{100000 + 2500 + kG, 100000 + 2*2500 + 1500 + kG}},
		{"a send behind a rendezvous requires its data gone",
			"num_ranks 2\nrank 0 {\na: send 1000b to 1\nb: calc 10\nb requires a\n}\nrank 1 {\nrecv 1000b from 0\n}\n",
			func(p *Params) { p.Rendezvous = 999 },
			[]int64{1500 + 2*2500 + kG + 10, 3*2500 + 2*1500 + kG}},
		{"a reception waits for the calc",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\ncalc 5000\nrecv 1000b from 0\n}\n",
			nil, []int64{1500, 5000 + 1500 + kG}},
		{"a reception by the NIC does not",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\ncalc 5000\nrecv 1000b from 0\n}\n",
			func(p *Params) { p.ReceiveOverlap = true }, []int64{1500, 4000 + kG + 1500}},
		{"bytes occupy the receiving CPU",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nr: recv 1000b from 0\na: calc 4000\nb: calc 6000\nb requires a\n}\n",
			nil, []int64{1500, 4000 + 6000 + 1500 + kG}},
		{"bytes do not occupy it behind the NIC",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nr: recv 1000b from 0\na: calc 4000\nb: calc 6000\nb requires a\n}\n",
			func(p *Params) { p.ReceiveOverlap = true }, []int64{1500, 4000 + 6000 + 1500}},
		{"a posted receive brings its CPU",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0 cpu 1\ncalc 10000\n}\n",
			nil, []int64{1500, 4000 + 1500 + kG}},
		{"an unexpected message takes CPU 0",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\na: calc 10000\nb: calc 20000 cpu 1\nc: recv 1000b from 0 cpu 1\nc requires b\n}\n",
			nil, []int64{1500, 20000}},
		{"the gap holds the second send",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\nsend 1b to 1\n}\nrank 1 {\nrecv 1000b from 0\nrecv 1b from 0\n}\n",
			nil, []int64{1000 + kG + 1500, 1500 + 2500 + 1500 + kG + 1500}},
		{"two NICs do not",
			"num_ranks 2\nrank 0 {\nsend 1000b to 1\nsend 1b to 1 nic 1\n}\nrank 1 {\nrecv 1000b from 0\nrecv 1b from 0\n}\n",
			nil, []int64{3000, 1500 + 2500 + 1500 + kG + 1500}},
		{"no bytes are as one", "num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n", nil, []int64{1500, 5500}},
		{"a message to itself", "num_ranks 1\nrank 0 {\nsend 1b to 0\nrecv 1b from 0\n}\n", nil, []int64{5500}},
		{"a shorter message fits", "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n", nil, []int64{1500, 5500}},
		{"file order at equal times", "num_ranks 2\nrank 0 {\ncalc 100\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n", nil,
			[]int64{1600, 5600}},
		{"nothing to do", "num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n", nil, []int64{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := peer.Params()
			if c.change != nil {
				c.change(&p)
			}
			r := must.Get(Run(mustRead(t, c.text), p))(t)
			var want []sim.Time
			for _, ns := range c.want {
				want = append(want, sim.Time(ns)*sim.Nanosecond)
			}
			if !slices.Equal(r.Finish, want) {
				t.Errorf("finish %v, want %v", r.Finish, want)
			}
		})
	}
}

// TestRoundsOncePerMessage: k·G of 3 bytes at 1000.4 ps is 2000.8 ps, not two
// times 1000.
func TestRoundsOncePerMessage(t *testing.T) {
	p := Params{GapPerByte: 1000.4, Rendezvous: 100}
	r, err := Run(mustRead(t, "num_ranks 2\nrank 0 {\nsend 3b to 1\n}\nrank 1 {\nrecv 3b from 0\n}\n"), p)
	if err != nil || r.Finish[1] != 2001 {
		t.Errorf("finish %v, %v; want 2001 ps", r.Finish, err)
	}
}

// TestLedgerSums: on every rank the terms sum to the time of its CPUs, and they are the
// values calculated by hand.
func TestLedgerSums(t *testing.T) {
	p := peer.Params()
	p.OverheadPerByte = 2000
	r := must.Get(Run(mustRead(t, "num_ranks 2\nrank 0 {\na: calc 10 cpu 1\nb: send 1000b to 1\nb requires a\n}\nrank 1 {\nrecv "+
		"1000b from 0\ncalc 7\n}\n"), p))(t)
	ns := func(n sim.Time) sim.Total { return sim.TotalOf(n * sim.Nanosecond) }
	want := []Ledger{
		{Compute: ns(10), Overhead: ns(1500 + 1998), Wait: ns(3508*2 - 10 - 3498)},
		{Compute: ns(7), Overhead: ns(1500 + 1998), Transfer: ns(5994 - 1998), Wait: ns(2*11504 - 7 - 7494)},
	}
	if got := r.Ledgers(); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestRunMistakes(t *testing.T) {
	one := "num_ranks 2\nrank 0 {\n\nsend 5000b to 1\n}\nrank 1 {\nrecv 100b from 0\n}\n"
	for _, c := range []struct {
		text, want string
		p          Params
	}{
		{one, "rank 0, line 4: a message of 5000 bytes is too long for the receive of 100 bytes of rank 1, line 7", eager},
		{one, "latency L: want 0s to 1000000s, got -1ps", Params{Latency: -1}},
		{one, "gap per byte G: want 0 ps or more, got NaN", Params{GapPerByte: nan}},
		{"num_ranks 1\nrank 0 {\ncalc 18446744073709551615\n}\n",
			"rank 0, line 3: a calc of 18446744073709551615 ns is longer than 1000000s", eager},
		{"num_ranks 1\nrank 0 {\nsend 18446744073709551615b to 0\n}\n",
			"rank 0, line 3: 18446744073709551615 bytes take longer than 1000000s", Params{GapPerByte: 1}},
		{"num_ranks 1\nrank 0 {\n" + strings.Repeat("calc 1000000000000000\n", 5) + "l: calc 1000000000000000\nm: calc 1\nm requires l\n}\n",
			"the run lasts longer than 4000000s", eager},
		{"num_ranks 1\nrank 0 {\ncalc 1000000000000000\ncalc 1000000000000000\ncalc 1000000000000000\ncalc 1000000000000000\ncalc " +
			"1000000000000000\ncalc 1\n}\n",
			"the run lasts longer than 4000000s", eager},
	} {
		must.Refuse(Run(mustRead(t, c.text), c.p))(t, c.want)
	}
}

var nan = func() float64 { z := 0.0; return z / z }()

// TestManyWaiting makes a hundred thousand operations of each kind wait for the same CPU
// and NIC; it would not end in quadratic time.
func TestManyWaiting(t *testing.T) {
	must.Long(t)
	const n = 100_000
	a := NewAssembler(2)
	for r := range uint32(2) {
		for i := range uint32(n) {
			a.Send(1000, 1-r, i)
			a.Calc(10)
		}
		for i := range uint32(n) {
			a.Recv(1000, 1-r, n-1-i)
		}
		a.EndRank()
	}
	s := must.Get(a.Schedule())(t)
	c := must.Get(RunCompat(s, peer))(t)
	r := must.Get(Run(s, peer.Params()))(t)
	if c.Events != 8*n || r.Events != 8*n {
		t.Errorf("%d and %d events, want %d", c.Events, r.Events, 8*n)
	}
	// The sends and calcs of a rank use its CPU, and so do the receptions.
	least := uint64(n * (1500 + 10 + 1500 + 999*6))
	if last, _ := c.Makespan(); last < least {
		t.Errorf("finish %d, want at least %d", last, least)
	}
}

func ExampleRun() {
	s, err := Dissemination(1024, 8)
	if err != nil {
		panic(err)
	}
	r, err := Run(s, Params{
		Latency: 2500 * sim.Nanosecond, Overhead: 1500 * sim.Nanosecond, Gap: 1000 * sim.Nanosecond,
		GapPerByte: 6000, Rendezvous: 65535,
	})
	if err != nil {
		panic(err)
	}
	last, _ := r.Makespan()
	fmt.Println(last, r.Messages)
	// Output: 55.42us 10240
}
