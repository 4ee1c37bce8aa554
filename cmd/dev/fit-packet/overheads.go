package main

import (
	"fmt"

	"overlapsim/network/packet"
)

// overheads prints what the latencies of two neighbours (us) leave for the
// processor when packets, hops and requests are taken off. A put that is
// complete locally takes its overhead and its packets; n packets and their
// acknowledgement take
//
//	overhead + n data + 2 control + 2 hops + rest
//
// and a get takes overhead + control + n data + 2 hops + rest, where rest is
// answer latency and completion.
func overheads(s study) error {
	lines, err := s.table(twoNodes)
	if err != nil {
		return err
	}
	p := packet.BlueGeneP()
	data := p.Bandwidth.Time(int64(p.PacketBytes)).Seconds() * 1e6
	control := p.Bandwidth.Time(int64(p.ControlBytes)).Seconds() * 1e6
	hops := 2 * p.HopLatency.Seconds() * 1e6
	var local, rest, get []float64
	for _, l := range lines {
		packets := float64((int64(l.number("bytes")) + 239) / 240)
		if packets == 1 {
			local = append(local, l.number("put_local_us")-data)
		}
		if put := l.number("put_remote_us"); put > 0 {
			rest = append(rest, put-packets*data-2*control-hops)
		}
		if got := l.number("get_us"); got > 0 {
			get = append(get, got-packets*data-control-hops)
		}
	}
	o, r0, g := average(local), average(rest), average(get)
	fmt.Printf("put overhead %.2f us, answer latency and completion %.2f us, get overhead %.2f us\n", o, r0-o, g-(r0-o))
	return nil
}

func average(x []float64) (mean float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	return mean
}
