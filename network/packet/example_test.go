package packet_test

import (
	"fmt"

	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// printer is a sink that prints.
type printer struct{}

func (printer) Sent(id uint32, now sim.Time)    { fmt.Println(id, "sent", now) }
func (printer) Arrived(id uint32, now sim.Time) { fmt.Println(id, "arrived", now) }

// On an idle BlueGene/P torus a put of ten packets over three links takes ten
// packet times of 640 ns and three hop latencies of 100 ns; a get takes a request
// and its answer.
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
	fabric.Start(1, 0, 3, 2400)
	kernel.Run()
	fabric.StartGet(2, 0, 3, 2400)
	kernel.Run()
	// Output:
	// 1 sent 6.4us
	// 1 arrived 6.7us
	// 2 sent 6.888235us
	// 2 arrived 14.388235us
}
