package goal

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// TestBinaryLayout checks a small file field by field against the description of the
// format.
func TestBinaryLayout(t *testing.T) {
	s := mustRead(t, "num_ranks 2\nrank 0 {\na: calc 7 cpu 2\nb: send 9b to 1 tag 5 nic 3\nc: calc 1\nb requires a\nc irequires "+
		"a\nc requires b\n}\nrank 1 {\nrecv 9b from -1 tag -1\n}\n")
	var b bytes.Buffer
	must.Do(t, s.WriteBinary(&b))
	le := binary.LittleEndian
	var want []byte
	put := func(width int, numbers ...uint64) {
		for _, n := range numbers {
			want = append(want, le.AppendUint64(nil, n)[:width]...)
		}
	}
	node := func(waits, kind, peer, size, tag, cpu, nic, done, firstDone, start, firstStart uint64) {
		put(4, waits)
		put(1, kind)
		put(4, peer)
		put(8, size)
		put(4, tag)
		put(1, cpu, nic)
		put(4, done, firstDone, start, firstStart)
	}
	put(8, 4223)
	put(4, 2)
	put(1, 2, 3)
	const table = 6 + 2*16
	first := uint64(table + 8 + 4 + 3*39 + 3*4)
	put(8, table, first, first, first+8+4+39)
	put(4, 3, 1, 0)
	node(0, 3, 0, 7, 0, 2, 0, 1, 0, 1, 1)
	node(1, 1, 1, 9, 5, 0, 3, 1, 2, 0, 3)
	node(2, 3, 0, 1, 0, 0, 0, 0, 3, 0, 3)
	put(4, 1, 2, 2)
	put(4, 1, 1, 0)
	node(0, 2, 1<<32-1, 9, 1<<32-1, 0, 0, 0, 0, 0, 0)
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got  %x\nwant %x", b.Bytes(), want)
	}
}

// TestBinaryMistakes changes one field of a correct file at a time.
func TestBinaryMistakes(t *testing.T) {
	s := mustRead(t, "num_ranks 2\nrank 0 {\na: calc 7\nb: send 9b to 1\nb requires a\n}\nrank 1 {\nrecv 9b from 0\n}\n")
	var b bytes.Buffer
	must.Do(t, s.WriteBinary(&b))
	const table, rank0 = 8 + 6, 8 + 6 + 32
	const node0 = rank0 + 8 + 4
	for _, c := range []struct {
		name  string
		at    int
		value []byte
		want  string
	}{
		{"spoilt", 0, []byte{0x26, 0x09}, "x: a run of LogGOPSim with --save-mem has spoilt this file: convert the text again"},
		{"ranks", 8, []byte{255, 255, 255, 255}, "x: 4294967295 ranks do not fit a file of 191 bytes"},
		{"no ranks", 8, []byte{0, 0, 0, 0}, "x: 0 ranks do not fit a file of 191 bytes"},
		{"offset", table + 15, []byte{1}, "x: rank 0: bytes 38 to 72057594037928068 of 183 do not exist"},
		{"shared bytes", table + 16, []byte{0, 0}, "x: rank 1: its bytes are another rank's"},
		{"operations", rank0, []byte{9}, "x: rank 0: 9 operations and 1 roots do not fit 94 bytes"},
		{"roots", rank0 + 7, []byte{255}, "x: rank 0: 2 operations and 4278190081 roots do not fit 94 bytes"},
		{"kind", node0 + 4, []byte{9}, "x: rank 0: operation 0: kind 9: want Send, Recv or Calc"},
		{"peer", node0 + nodeSize + 5, []byte{2}, "x: rank 0: operation 1: send: rank 2, want 0 to 1"},
		{"cpu", node0 + 21, []byte{1}, "x: rank 0: operation 0: CPU 1, NIC 0: the head of the file says at most 0 and 0"},
		{"row", node0 + 27, []byte{1}, "x: rank 0: operation 0: dependants 1 to 1 of 1 do not exist"},
		{"dependant", node0 + 2*nodeSize, []byte{2}, "x: rank 0: operation 0: its dependant 2 is not one of 2 operations"},
		{"cycle", node0 + 2*nodeSize, []byte{0}, "x: rank 0: operation 0: the file says that it waits for -1 more than it does"},
		{"waits", node0 + nodeSize, []byte{3}, "x: rank 0: operation 1: the file says that it waits for +2 more than it does"},
	} {
		data := bytes.Clone(b.Bytes())
		copy(data[c.at:], c.value)
		if _, err := Read(bytes.NewReader(data), "x"); err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.name, err, c.want)
		}
	}
	for n := range b.Len() {
		if _, err := Read(bytes.NewReader(b.Bytes()[:n]), "x"); err == nil {
			t.Errorf("%d of %d bytes are a schedule", n, b.Len())
		}
	}
}

func TestBinaryCycle(t *testing.T) {
	s := mustRead(t, "num_ranks 1\nrank 0 {\na: calc 7\nb: calc 9\nb requires a\n}\n")
	var b bytes.Buffer
	s.WriteBinary(&b)
	data := b.Bytes()
	const node0 = 8 + 6 + 16 + 8 + 4
	data[node0] = 1          // a waits for one
	data[node0+nodeSize] = 0 // b for none
	data[len(data)-4] = 0    // a comes after a
	_, err := Read(bytes.NewReader(data), "x")
	if want := "x: rank 0: cyclic dependency: operation 0 requires operation 0"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAssemblerMistakes(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(*Assembler)
	}{
		{"0 of 2 ranks are there", func(a *Assembler) {}},
		{"1 of 2 ranks are there", func(a *Assembler) { a.EndRank(); a.Calc(1) }},
		{"the last rank was not ended", func(a *Assembler) { a.EndRank(); a.EndRank(); a.Calc(1) }},
		{"rank 0: operation 0: send: rank 2, want 0 to 1", func(a *Assembler) { a.Send(1, 2, 0); a.EndRank(); a.EndRank() }},
		{"rank 1: operation 0 requires 1, want two of 0 to 0", func(a *Assembler) { a.EndRank(); a.Calc(1); a.Require(0, 1); a.EndRank() }},
		{"rank 0: cyclic dependency: operation 1 requires operation 0 requires operation 1", func(a *Assembler) {
			a.Require(a.Calc(1), a.Calc(1))
			a.RequireStart(1, 0)
			a.EndRank()
			a.EndRank()
		}},
	} {
		a := NewAssembler(2)
		c.build(a)
		if _, err := a.Schedule(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := NewAssembler(0).Schedule(); err == nil || !strings.HasPrefix(err.Error(), "0 ranks") {
		t.Errorf("got %v", err)
	}
}

// TestCalcHasNoNIC: the peer, tag and NIC of a calc are ignored.
func TestCalcHasNoNIC(t *testing.T) {
	a := NewAssembler(1)
	a.Add(Op{Kind: Calc, Size: 7, Peer: 9, Tag: 3, CPU: 1, NIC: 2})
	a.EndRank()
	s := must.Get(a.Schedule())(t)
	if err := sameSchedule(s, mustRead(t, "num_ranks 1\nrank 0 {\ncalc 7 cpu 1\n}\n")); err != nil {
		t.Error(err)
	}
}

// TestFindCycle: the operations named form a cycle, and one is found exactly if a slow
// search finds one.
func TestFindCycle(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(8)
		var edges []edge
		requires := map[[2]uint32]bool{}
		for range r.IntN(2 * n) {
			e := edge{r.Uint32N(uint32(n)), r.Uint32N(uint32(n))}
			requires[[2]uint32{e.dependant, e.on}] = true
			e.on |= onStart * r.Uint32N(2)
			edges = append(edges, e)
		}
		cycle := findCycle(n, edges)
		if (cycle != nil) != slowCyclic(n, requires) {
			t.Fatalf("seed %d: %v of %v", seed, cycle, edges)
		}
		for i := range len(cycle) - 1 {
			if !requires[[2]uint32{cycle[i], cycle[i+1]}] {
				t.Fatalf("seed %d: %v is no cycle of %v", seed, cycle, edges)
			}
		}
	}
}

// slowCyclic computes the transitive closure of the relation.
func slowCyclic(n int, requires map[[2]uint32]bool) bool {
	for range n {
		for a := range uint32(n) {
			for b := range uint32(n) {
				for c := range uint32(n) {
					if requires[[2]uint32{a, b}] && requires[[2]uint32{b, c}] {
						requires[[2]uint32{a, c}] = true
					}
				}
			}
		}
	}
	for a := range uint32(n) {
		if requires[[2]uint32{a, a}] {
			return true
		}
	}
	return false
}
