package packet_test

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// printer is a sink that prints.
type printer struct{}

func (printer) Sent(id uint32, now, _ sim.Time) { fmt.Println(id, "sent", now) }
func (printer) Arrived(id uint32, now sim.Time) { fmt.Println(id, "arrived", now) }

// On an idle BlueGene/P torus a put of ten packets over three links takes ten packet
// times of 640 ns and three hop latencies of 100 ns; a get takes a request, half a
// microsecond until that is processed, and its answer.
func Example() {
	torus, err := topology.NewTorus(topology.Grid{Sizes: []int{8, 8, 8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel := sim.NewKernel()
	fabric, err := packet.New(kernel, printer{}, torus, packet.BlueGeneP())
	if err != nil {
		fmt.Println(err)
		return
	}
	fabric.Start(network.Transfer{ID: 1, From: 0, To: 3, Bytes: 2400})
	kernel.Run()
	fabric.Start(network.Transfer{ID: 2, From: 0, To: 3, Kind: network.Request})
	kernel.Run()
	fabric.Start(network.Transfer{ID: 3, From: 3, To: 0, Bytes: 2400, Kind: network.Answer})
	kernel.Run()
	// Output:
	// 1 sent 6.4us
	// 1 arrived 6.7us
	// 2 sent 6.888235us
	// 2 arrived 7.688235us
	// 3 sent 14.088235us
	// 3 arrived 14.388235us
}
