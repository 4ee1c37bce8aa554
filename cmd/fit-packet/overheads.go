package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

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
func overheads(s set) error {
	file, err := os.Open(filepath.Join(s.data, "point-to-point.csv"))
	if err != nil {
		return err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		return err
	}
	p := packet.BlueGeneP()
	data := p.Bandwidth.Time(int64(p.PacketBytes)).Seconds() * 1e6
	control := p.Bandwidth.Time(int64(p.ControlBytes)).Seconds() * 1e6
	hops := 2 * p.HopLatency.Seconds() * 1e6
	var local, rest, get []float64
	for _, f := range records[1:] {
		var v [4]float64
		for i := range v {
			v[i], _ = strconv.ParseFloat(f[i], 64) // empty: not measured
		}
		packets := float64((int64(v[0]) + 239) / 240)
		if packets == 1 {
			local = append(local, v[1]-data)
		}
		if v[2] > 0 {
			rest = append(rest, v[2]-packets*data-2*control-hops)
		}
		if v[3] > 0 {
			get = append(get, v[3]-packets*data-control-hops)
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
