package cores_test

import (
	"fmt"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// Two siblings compute: one for 10 us from the start, the other for 3 us after 4 us.
// Next to each other both take half as long again.
func Example() {
	p := &cores.Params{Contexts: 2, Cores: 1}
	p.SlowDown[cores.FP][cores.FP] = 1.5
	c, err := cores.New(p, 1, func(context int, end sim.Time) {
		fmt.Println("context", context, "will end at", end)
	})
	if err != nil {
		panic(err)
	}
	fp := cores.Activity{Profile: cores.FP}
	fmt.Println("alone it would end at", c.Start(0, fp, cores.Alone(10*sim.Microsecond), 0))
	end := c.Start(1, fp, cores.Alone(3*sim.Microsecond), 4*sim.Microsecond)
	fmt.Println("the other one ends at", end)
	c.Stop(1, end)
	// Output:
	// alone it would end at 10us
	// context 0 will end at 13us
	// the other one ends at 8.5us
	// context 0 will end at 11.5us
}
