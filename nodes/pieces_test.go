package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Messages are cut only where the machine or its library cuts messages of their size.
func TestPieces(t *testing.T) {
	const chunk = 1 << 10
	rendezvous := network.LogGOPS{Rendezvous: 8 << 10}
	pipelined := &machines.Runtime{Rendezvous: machines.Pipelined, Pipeline: machines.Pipeline{Chunk: chunk}}
	for _, c := range []struct {
		on    *machines.Machine
		bytes int64
		want  int64
	}{
		{&machines.Machine{}, 1 << 20, 0},
		{&machines.Machine{Copying: &machines.Copying{Chunk: 1}}, 100, 100},
		{&machines.Machine{Network: rendezvous, Runtime: pipelined}, 8 << 10, 0},
		{&machines.Machine{Network: rendezvous, Runtime: pipelined}, 1 << 20, 3 + 1<<10},
		{&machines.Machine{Network: rendezvous, Runtime: &machines.Runtime{Pipeline: machines.Pipeline{Chunk: chunk}}}, 1 << 20, 3},
		{&machines.Machine{Runtime: pipelined}, 1 << 20, 0},
	} {
		if got := Pieces(c.on, &programs.Op{Kind: programs.OpSend, Amount: c.bytes}); got != c.want {
			t.Errorf("%+v: %d bytes go in %d pieces, want %d", c.on, c.bytes, got, c.want)
		}
	}
}
