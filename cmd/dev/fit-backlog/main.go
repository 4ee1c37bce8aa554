// Command fit-backlog finds links.window and links.turn of Intrepid: the values
// with which NAS FT on the backlog fabric takes the time that it takes on the packet
// fabric, on pieces of BlueGene/P partitions. It writes fit.csv, a row for each
// choice and run with both times, and prints the choices by their error.
//
//	go run ./cmd/dev/fit-backlog
//
// It runs UPC Slabs, whose puts are routed statically, and Packed Slabs and MPI Slabs, whose gets
// are answered adaptively, and takes two minutes.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios/points"
)

// pieces are planes and lines of the partitions; no round of messages leaves one. They
// have few slabs, with the message sizes of class D.
var pieces = map[string]string{
	"4x4 mesh": "ranks=64 topology.dims=[4,4,1] topology.wrap=false workload.nx=512 workload.ny=512 workload.nz=16 workload.ty=16 " +
		"workload.round=1",
	"8x8 plane":  "ranks=256 topology.dims=[8,8,1] workload.nx=2048 workload.ny=1024 workload.nz=16 workload.ty=64 workload.round=1",
	"8x16 plane": "ranks=512 topology.dims=[8,16,1] workload.nx=2048 workload.ny=1024 workload.nz=16 workload.ty=128 workload.round=1",
	"line of 8": "ranks=32 topology.dims=[1,1,8] topology.wrap=false workload.nx=64 workload.ny=1024 workload.nz=256 workload.ty=1 " +
		"workload.round=2",
	"ring of 32": "ranks=128 topology.dims=[1,1,32] workload.nx=16 workload.ny=1024 workload.nz=512 workload.ty=1 workload.round=2",
}

// programs are those that are routed in each way.
var programs = map[string]map[string]string{
	"dimension-order": {"UPC Slabs": "workload.name=nas-ft-slabs"},
	"adaptive": {"MPI Packed Slabs": "workload.name=nas-ft-packed workload.library=mpi workload.strided=false",
		"MPI Slabs": "workload.name=nas-ft-slabs workload.library=mpi"},
}

const usage = `usage: go run ./cmd/dev/fit-backlog

Finds links.window and links.turn of Intrepid: the values with which FT takes as
long on the backlog fabric as on the packet fabric. Prints the error of each
choice and writes cmd/dev/fit-backlog/fit.csv. Takes two minutes.
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if err := fit(); err != nil {
		log.Fatal(err)
	}
}

func fit() error {
	rows := "routing,window,turn,piece,program,backlog_s,packet_s\n"
	for _, routing := range []string{"dimension-order", "adaptive"} {
		reference, err := times(programs[routing], "fabric.kind=packet fabric.routing="+routing)
		if err != nil {
			return err
		}
		turns := []float64{0, 0.2}
		if routing == "dimension-order" {
			turns = []float64{0.4, 0.6, 0.8}
		}
		for _, window := range []int{1, 2, 4} {
			for _, turn := range turns {
				got, err := times(programs[routing], fmt.Sprintf("fabric.kind=backlog machine.links.window=%d machine.links.turn=%g", window, turn))
				if err != nil {
					return err
				}
				squares, worst := 0.0, 0.0
				for _, name := range slices.Sorted(maps.Keys(got)) {
					e := math.Log(got[name] / reference[name])
					squares += e * e
					worst = max(worst, math.Abs(e))
					rows += fmt.Sprintf("%s,%d,%g,%s,%.6g,%.6g\n", routing, window, turn, name, got[name], reference[name])
				}
				fmt.Printf("%-15s window %d turn %.1f: rms %.3f, largest %.3f\n", routing, window, turn, math.Sqrt(squares/float64(len(got))), worst)
			}
		}
	}
	return os.WriteFile(filepath.Join("cmd", "dev", "fit-backlog", "fit.csv"), []byte(rows), 0o666)
}

// times returns the seconds of an iteration of programs on each piece.
func times(programs map[string]string, settings string) (map[string]float64, error) {
	var all []points.Point
	for _, piece := range slices.Sorted(maps.Keys(pieces)) {
		for _, program := range slices.Sorted(maps.Keys(programs)) {
			all = append(all, points.Point{Says: strings.ReplaceAll(piece, ",", "") + "," + program,
				Set: strings.Fields(settings + " " + pieces[piece] + " " + programs[program])})
		}
	}
	found := map[string]float64{}
	for k, t := range points.Run(&points.Pool{Load: points.Of("nas-ft-intrepid", 0, nil)}, all, points.Makespan) {
		if t.Err != nil {
			return nil, t.Err
		}
		found[all[k].Says] = t.Value
	}
	return found, nil
}
