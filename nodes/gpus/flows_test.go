package gpus

import (
	"math"
	"testing"

	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// clustered returns a machine of nodes with a NIC for each of several GPUs.
func clustered(nics int) *Machine {
	m := &Machine{GPU: GPU{Generation: Ampere, SMs: 108}, Node: Node{GPUs: 8, Domain: 8, Switch: &Switch{Bandwidth: 300e9, Links: 12, Reduces: true}},
		Fit:       Calibration{Ring: 236e9, Channels: 24, Low: 1, Network: 0.965, Far: 1.6, InSwitch: 300e9, SwitchBlocks: 16},
		Exchanges: Exchanges{Links: 0.8, Network: 0.9}}
	for i := range nics {
		m.Node.NICs = append(m.Node.NICs, NIC{GPU: i * 8 / nics, Rail: i, Bandwidth: 25e9})
	}
	return m
}

// volumes are the bytes that each NIC sends and takes in.
func volumes(flows []Flow) (out, in map[Port]int64) {
	out, in = map[Port]int64{}, map[Port]int64{}
	for _, f := range flows {
		out[f.From] += f.Bytes
		in[f.To] += f.Bytes
	}
	return out, in
}

// In every operation the flows of a domain carry what the formula counts for its NICs, on the wire: exactly that where all domains
// send alike, at most that in trees. No NIC has more than its speed for the whole time of the transfer, nor takes in more.
func TestFlowsCarryTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := clustered(rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "NICs"))
		domains, each := rapid.IntRange(2, 9).Draw(t, "domains"), rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "GPUs of each")
		c := First(m, domains*each, each)
		op := rapid.SampledFrom([]*Operation{AllReduce, AllGather, ReduceScatter, AllToAll}).Draw(t, "operation")
		algorithm := rapid.SampledFrom(of(op)).Draw(t, "algorithm")
		g := must.Get(c.group())(t)
		if algorithm.lacks(g) != "" {
			t.Skip("does not fit")
		}
		c.Algorithm, c.Protocol = algorithm, rapid.SampledFrom(algorithm.protocols).Draw(t, "protocol")
		bytes := rapid.Int64Range(1<<20, 1<<32).Draw(t, "bytes")
		cost := must.Get(c.Time(op, bytes))(t)
		flows := c.Flows(&cost)
		want, slack := cost.Network*c.Protocol.wire, float64(len(c.Members)*len(c.Members)+1)
		out, in := volumes(flows)
		sent := make([]float64, domains)
		for _, side := range []map[Port]int64{out, in} {
			for port, n := range side {
				rate := float64(n) / (cost.Moving() + 1).Seconds() // times are whole picoseconds
				if rate > m.Node.NICs[0].Bandwidth*m.Fit.Network*(1+1e-12) {
					t.Fatalf("%s %s of %d x %d: NIC %v has %.4g B/s", algorithm, op, domains, each, port, rate)
				}
			}
		}
		for port, n := range out {
			sent[port.Host] += float64(n)
		}
		tree := algorithm == Tree || algorithm == NVLSTree
		total := 0.0
		for d, n := range sent {
			total += n
			if n > want+slack || !tree && n < want-slack {
				t.Fatalf("%s %s of %d x %d: domain %d sends %.0f bytes, the formula has %.0f", algorithm, op, domains, each, d, n, want)
			}
		}
		// Up and down two trees, every domain but the root has half of the bytes each way.
		if all := 4 * float64(domains-1) * float64(bytes) / 2 * c.Protocol.wire; tree && math.Abs(total-all) > slack*4 {
			t.Fatalf("%s of %d x %d: %.0f bytes, want %.0f", algorithm, domains, each, total, all)
		}
	})
}

// Both trees reach all domains, and no domain but one has children in both.
func TestTwoTrees(t *testing.T) {
	for n := 2; n <= 40; n++ {
		children, reached := [2]map[int]bool{{}, {}}, [2]map[int]bool{{}, {}}
		for d := 1; d < n; d++ {
			for i, edge := range [][2]int{{d, above(d, n)}, mirrored(d, above(d, n), n)} {
				if reached[i][edge[0]] {
					t.Fatalf("%d domains: %d has two parents", n, edge[0])
				}
				reached[i][edge[0]], children[i][edge[1]] = true, true
			}
		}
		both := 0
		for d := range children[0] {
			if children[1][d] {
				both++
			}
		}
		if len(reached[0]) != n-1 || len(reached[1]) != n-1 || both > 1 {
			t.Errorf("%d domains: %d and %d have a parent, %d have children in both", n, len(reached[0]), len(reached[1]), both)
		}
	}
}

// Tokens leave a domain as often as the exchange says.
func TestFlowsOfExchanges(t *testing.T) {
	for _, stages := range AllStages {
		c := First(clustered(8), 32, 8)
		cost, v, err := c.Exchange(&Exchange{Tokens: 4096, Bytes: 14336, Experts: 64, TopK: 8, Stages: stages, SMs: 20})
		if err != nil {
			t.Fatal(err)
		}
		out, in := volumes(c.Flows(&cost))
		for _, side := range []map[Port]int64{out, in} {
			for port, n := range side {
				if math.Abs(float64(n)-v.Network) > 32 {
					t.Errorf("%s: NIC %v carries %d bytes, a GPU sends %.0f", stages, port, n, v.Network)
				}
			}
		}
		if len(out) != 32 || len(in) != 32 {
			t.Errorf("%s: %d NICs send, %d receive", stages, len(out), len(in))
		}
	}
}
