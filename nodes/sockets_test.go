package nodes

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// puts is a program in which each rank of the first node puts bytes to the rank of the same
// number on the second one, and waits.
func puts(perNode int, bytes int32) *script {
	ops := make([][]programs.Op, 2*perNode)
	for r := range perNode {
		ops[r] = []programs.Op{{Kind: programs.OpPut, Peer: int32(r + perNode), Amount: int64(bytes)}, {Kind: programs.OpWait}}
	}
	return &script{1, ops, 1}
}

// end runs puts and returns when the last one is known to be delivered.
func endOfPuts(t rapid.TB, m machines.Machine, perNode int, bytes int32, o Options) sim.Time {
	t.Helper()
	r := must.Get(Run(&m, puts(perNode, bytes), perNode, o))(t)
	return r.Makespan()
}

// Messages of processes, each on its own NIC, take as long as one alone. On one NIC they
// come one after the other. Parts on all NICs take the time of one over their number.
func TestNICs(t *testing.T) {
	const bytes, latency, each = 6000, 700, 3
	one := machines.Machine{Name: "m", Cores: 8, Processes: 8, Network: network.LogGOPS{Latency: latency, Transfer: network.PerByte(each)}}
	with := func(n machines.NICs) machines.Machine {
		m := one
		m.NICs = &n
		return m
	}
	for _, c := range []struct {
		name    string
		machine machines.Machine
		perNode int
		rounds  sim.Time // times of a message in a NIC, of 6
	}{
		{"one NIC, one process", one, 1, 6},
		{"one NIC of a list of one", with(machines.NICs{Number: 1, Use: machines.Striped}), 1, 6},
		{"one process on one of four NICs", with(machines.NICs{Number: 4, Use: machines.RoundRobin}), 1, 6},
		{"one NIC, six processes", one, 6, 36},
		{"six of two NICs, in blocks", with(machines.NICs{Number: 2}), 6, 18},
		{"six on two NICs in turn", with(machines.NICs{Number: 2, Use: machines.RoundRobin}), 6, 18},
		{"six of eight cores beside two NICs: four and two", with(machines.NICs{Number: 2, Use: machines.Nearest}), 6, 24},
		{"one process on three NICs together", with(machines.NICs{Number: 3, Use: machines.Striped}), 1, 2},
		{"six processes on three NICs together", with(machines.NICs{Number: 3, Use: machines.Striped}), 6, 12},
	} {
		want := c.rounds*bytes*each/6 + 2*latency
		for name, o := range map[string]Options{"ideal": {}, "contended": {Fabric: newAlone(&one.Network)}} {
			if got := endOfPuts(t, c.machine, c.perNode, bytes, o); got != want {
				t.Errorf("%s, %s: %d, want %d", c.name, name, got, want)
			}
		}
	}
}

// The way to a NIC on another socket is paid at each end, and there and back.
func TestFarNICs(t *testing.T) {
	const bytes, latency, far = 10, 700, 90
	for _, c := range []struct {
		sockets machines.Sockets
		nics    machines.NICs
		perNode int
		ends    sim.Time // far ones of the last message
	}{
		{machines.Sockets{Number: 2}, machines.NICs{Number: 1}, 1, 0},
		{machines.Sockets{Number: 2}, machines.NICs{Number: 1}, 8, 2},
		{machines.Sockets{Number: 2, Cyclic: true}, machines.NICs{Number: 1}, 2, 2},
		{machines.Sockets{Number: 2, Cyclic: true}, machines.NICs{Number: 2, Use: machines.Nearest}, 2, 0},
		{machines.Sockets{Number: 2}, machines.NICs{Number: 2, Use: machines.Striped}, 1, 2},
		{machines.Sockets{Number: 1}, machines.NICs{Number: 2, Use: machines.Striped}, 1, 0},
	} {
		c.nics.Far = far
		m := machines.Machine{Name: "m", Cores: 8, Processes: 8, Network: network.LogGOPS{Latency: latency}, Sockets: &c.sockets, NICs: &c.nics}
		want := 2 * (latency + c.ends*far)
		for name, o := range map[string]Options{"ideal": {}, "contended": {Fabric: newAlone(&m.Network)}} {
			if got := endOfPuts(t, m, c.perNode, bytes, o); got != want {
				t.Errorf("%+v %+v, %s: %d, want %d", c.sockets, c.nics, name, got, want)
			}
		}
	}
}

// The cost of a message inside a node depends on its size, and on whether it stays on a socket.
func TestAcrossSockets(t *testing.T) {
	in := &machines.IntraNode{Latency: 30, Copy: network.Cost{{PerByte: 2}, {From: 100, PerByte: 3}},
		Across: &machines.Across{Latency: 50, Copy: network.Cost{{PerByte: 4}, {From: 100, PerByte: 7}}}}
	for _, c := range []struct {
		cyclic bool
		bytes  int32
		want   sim.Time
	}{{false, 10, 50}, {false, 100, 330}, {true, 10, 90}, {true, 100, 750}} {
		m := machines.Machine{Name: "m", Cores: 4, Processes: 4, IntraNode: in, Sockets: &machines.Sockets{Number: 2, Cyclic: c.cyclic}}
		p := &script{1, [][]programs.Op{{{Kind: programs.OpPut, Peer: 1, Amount: int64(c.bytes)}, {Kind: programs.OpWait}}, nil}, 1}
		if r, err := Run(&m, p, 2, Options{}); err != nil || r.Makespan() != c.want {
			t.Errorf("cyclic %v, %d bytes: %v, %v, want %v", c.cyclic, c.bytes, r.Makespan(), err, c.want)
		}
	}
}

// Every core belongs to one process of a full node, and every NIC has as many processes as
// every other one.
func TestSeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sockets, each, nics := rapid.IntRange(1, 4).Draw(t, "sockets"), rapid.IntRange(1, 6).Draw(t, "cores"), rapid.IntRange(1, 4).Draw(t, "NICs")
		m := machines.Machine{Cores: sockets * each * nics, Sockets: &machines.Sockets{Number: sockets, Cyclic: rapid.Bool().Draw(t, "cyclic")},
			NICs: &machines.NICs{Number: nics, Use: machines.Use(rapid.IntRange(0, 2).Draw(t, "use"))}}
		taken, users, seated := map[int]bool{}, map[int]int{}, map[int]int{}
		for p := range m.Cores {
			taken[m.Core(p)] = true
			users[m.NIC(p, m.Cores)]++
			seated[m.Socket(m.Core(p))]++
		}
		for nic := range nics {
			if users[nic] != m.Cores/nics {
				t.Fatalf("%+v: users %v", m.NICs, users)
			}
		}
		if len(taken) != m.Cores || len(seated) != sockets || seated[sockets-1] != m.Cores/sockets {
			t.Fatalf("%+v: cores %v, sockets %v", m.Sockets, taken, seated)
		}
	})
}

// A message in parts arrives with its last part: that part's links, its latency and the messages
// that share its links count. Slopes agree with runs with a little more of each number.
func TestPartsThatContend(t *testing.T) {
	ring := must.Get(topology.NewTorus(topology.Grid{Sizes: []int{16}}))(t)
	ops := [][]programs.Op{{put(1, 6000, 0), wait(0)}, {}, {put(3, 2000, 0), wait(0)}, {}}
	run := func(at [8]int, bandwidth sim.Rate, latency, hop sim.Time) *results.Result {
		m := machines.Machine{Name: "m", Cores: 1, Processes: 1, NICs: &machines.NICs{Number: 2, Use: machines.Striped},
			Network: network.LogGOPS{Latency: latency, Transfer: network.PerByte(300)}}
		fabric := func(k *sim.Kernel, s network.Sink) (network.Contended, error) {
			return flow.New(k, s, ring, flow.Params{Capacity: []sim.Rate{bandwidth}, Latency: latency, HopLatency: hop})
		}
		r, err := Run(&m, &script{1, ops, 1}, 1, Options{Fabric: fabric, Critical: true, Point: func(node, nic int) int { return at[2*node+nic] }})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const bandwidth, latency, hop = 2.5e9, 700_000, 30_000
	for _, at := range [][8]int{
		{0, 4, 1, 6, 5, 12, 7, 13}, // the second part of the first message has two links, one of them shared
		{4, 0, 6, 1, 12, 5, 13, 7}, // the first part has
		{0, 4, 3, 6, 5, 12, 7, 13}, // the second part leaves last and arrives last, though the first has a longer way
	} {
		result := run(at, bandwidth, latency, hop)
		change := func(b sim.Rate, l, h sim.Time) float64 {
			return (run(at, b, l, h).Makespan() - result.Makespan()).Seconds()
		}
		for _, c := range []struct {
			parameter string
			by, makes float64
		}{
			{"links.bandwidth", 2.5e4, change(bandwidth+2.5e4, latency, hop)},
			{"network.latency", 1e-9, change(bandwidth, latency+1000, hop)},
			{"links.latency", 1e-9, change(bandwidth, latency, hop+1000)},
		} {
			i := slices.IndexFunc(result.Slopes, func(s results.Slope) bool { return s.Parameter == c.parameter })
			if i < 0 || math.Abs(result.Slopes[i].Derivative*c.by-c.makes) > 1e-3*math.Abs(c.makes)+1e-12 {
				t.Errorf("points %v: %s: slopes %+v, the makespan changes by %v for %v", at, c.parameter, result.Slopes, c.makes, c.by)
			}
		}
	}
}
