package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overlapsim/scenarios/disk"
	"overlapsim/workloads/goal"
)

// group is a table of cases that are done alike.
type group struct {
	title, peer string
	cases       []work
	prepare     func(b *bench, w *work) error
}

// work is what a case does, and by which commands.
type work struct {
	name     string
	messages float64
	spec     []string // by which prepare finds the commands
	schedule func() (*goal.Schedule, error)
	ours     [][]string // one after the other
	theirs   [][]string // of the peer; nil: it is not measured
}

// groups are all tables.
var groups = []group{
	{"`overlapsim run`, all ranks simulated (`--no-symmetry`)", "", []work{
		{name: "linear all-to-all, 64 KiB, 1,024 ranks", messages: 1_047_552, spec: scenario(1024, "alltoall-linear")},
		{name: "dissemination, 65,536 ranks", messages: 1_048_576, spec: scenario(65536, "dissemination")},
		{name: "recursive doubling, 65,536 ranks", messages: 1_048_576, spec: scenario(65536, "allreduce-doubling")},
		{name: "halo 16x16x16, 100 iterations", messages: 2_457_600, spec: scenario(4096, "halo, iterations: 100")},
		{name: "token ring, 1,024 ranks x 100", messages: 102_400, spec: scenario(1024, "token-ring, repeat: 100")},
		{name: "FT Pencils, 32 ranks x 8,192 puts", messages: 262_144, spec: scenario(32, "ft-pencils")},
		{name: "Cannon on Hopper's torus, flow fabric", messages: 524_288, spec: []string{
			"machine: hopper-models\nranks: 4096\nfabric: {kind: flow}\nworkload: {name: cannon, size: 131072}\n"}},
	}, runs("--no-symmetry")},
	{"`overlapsim run`, two nodes for all ([symmetry](internals.md#two-nodes-for-all))", "", []work{
		{name: "linear all-to-all, 64 KiB, 1,024 ranks", messages: 1_047_552, spec: scenario(1024, "alltoall-linear")},
		{name: "dissemination, 1,048,576 ranks", messages: 20_971_520, spec: scenario(1<<20, "dissemination")},
		{name: "recursive doubling, 1,048,576 ranks", messages: 20_971_520, spec: scenario(1<<20, "allreduce-doubling")},
		{name: "halo, 1,000,000 ranks, 1,000 iterations", messages: 6_000_000_000, spec: scenario(1_000_000, "halo, iterations: 1000")},
		{name: "NAS FT class D, 16,384 ranks", messages: 33_554_432,
			spec: scenario(16384, "nas-ft-slabs, nx: 2048, ny: 1024, nz: 1024")},
	}, runs()},
	{"`overlapsim replay FILE.goal`: GOAL text to result, our rules", "LogGOPSim", []work{
		{name: "linear all-to-all, 64 KiB, 256 ranks", messages: 65_280, spec: scenario(256, "alltoall-linear")},
		{name: "dissemination, 16,384 ranks", messages: 229_376, spec: scenario(16384, "dissemination")},
		{name: "dissemination, 65,536 ranks", messages: 1_048_576, spec: scenario(65536, "dissemination")},
		{name: "recursive doubling, 65,536 ranks", messages: 1_048_576, spec: scenario(65536, "allreduce-doubling")},
		{name: "halo 16x16x16, 20 iterations", messages: 491_520, spec: scenario(4096, "halo, iterations: 20")},
		{name: "token ring, 1,024 ranks x 100", messages: 102_400, spec: scenario(1024, "token-ring, repeat: 100")},
	}, schedules},
	{"The same, schedules that package `workloads/goal` builds", "LogGOPSim", []work{
		{name: "linear all-to-all, 64 KiB, 64 ranks, sends first", messages: 4_032,
			schedule: func() (*goal.Schedule, error) { return goal.LinearAllToAll(64, 65536) }},
		{name: "linear all-to-all, 64 KiB, 256 ranks, sends first", messages: 65_280,
			schedule: func() (*goal.Schedule, error) { return goal.LinearAllToAll(256, 65536) }},
		{name: "dissemination, 1,024 ranks", messages: 10_240,
			schedule: func() (*goal.Schedule, error) { return goal.Dissemination(1024, 8) }},
		{name: "Pencils, 32 ranks x 8,192 messages", messages: 262_144,
			schedule: func() (*goal.Schedule, error) { return goal.Pencils(32, 8192, 4096, 2000, false) }},
		{name: "ring all-reduce, 16 MiB, 256 ranks", messages: 130_560,
			schedule: func() (*goal.Schedule, error) { return goal.RingAllReduce(256, 16<<20) }},
		{name: "ring all-reduce, 16 MiB, 1,024 ranks", messages: 2_095_104,
			schedule: func() (*goal.Schedule, error) { return goal.RingAllReduce(1024, 16<<20) }},
		{name: "halo 16x16x16, not periodic, 100 iterations", messages: 2_304_000,
			schedule: func() (*goal.Schedule, error) { return goal.Halo(16, 100, 8192, 100_000) }},
	}, built},
	{"Flow fabric, the patterns of `docs/simgrid` (64 KiB, 12.5 GB/s and 200 ns per link)", "SimGrid", []work{
		{name: "stencil, crossbar, 512", messages: 307_200, spec: []string{"stencil", "crossbar", "512"}},
		{name: "stencil, tree, 512", messages: 307_200, spec: []string{"stencil", "tree", "512"}},
		{name: "stencil, torus, 512", messages: 307_200, spec: []string{"stencil", "torus", "512"}},
		{name: "pencil64, crossbar, 512", messages: 32_768, spec: []string{"pencil64", "crossbar", "512"}},
		{name: "pencil64, tree, 512", messages: 32_768, spec: []string{"pencil64", "tree", "512"}},
		{name: "pencil64, torus, 512", messages: 32_768, spec: []string{"pencil64", "torus", "512"}},
		{name: "paced64, tree, 512", messages: 32_768, spec: []string{"paced64", "tree", "512"}},
	}, patterns},
}

// scenario is the text of a scenario on the textbook machine.
func scenario(ranks int, workload string) []string {
	return []string{fmt.Sprintf("machine: loggp\nranks: %d\nworkload: {name: %s}\n", ranks, workload)}
}

// file writes the scenario of a case and returns its name.
func (b *bench) file(w *work) (string, error) {
	name := filepath.Join(b.work, "scenario.yaml")
	return name, os.WriteFile(name, []byte(w.spec[0]), 0o600)
}

// runs prepares a run of a scenario.
func runs(flags ...string) func(b *bench, w *work) error {
	return func(b *bench, w *work) error {
		name, err := b.file(w)
		w.ours = [][]string{append([]string{b.program, "run", name, "--no-advice", "--json"}, flags...)}
		return err
	}
}

// schedules prepares the replay of a scenario's schedule.
func schedules(b *bench, w *work) error {
	name, err := b.file(w)
	if err != nil {
		return err
	}
	if _, err := b.once([]string{b.program, "export", name, "--goal", b.text()}); err != nil {
		return err
	}
	b.replays(w)
	return nil
}

// built prepares the replay of a schedule that package goal builds.
func built(b *bench, w *work) error {
	s, err := w.schedule()
	if err != nil {
		return err
	}
	b.replays(w)
	return disk.Write(b.text(), s.WriteText)
}

// text is the name of the file of a schedule.
func (b *bench) text() string { return filepath.Join(b.work, "schedule.goal") }

// replays makes the programs read that file.
func (b *bench) replays(w *work) {
	w.ours = [][]string{{b.program, "replay", b.text(), "--json"}}
	if binary := filepath.Join(b.work, "schedule.bin"); b.loggopsim != "" {
		w.theirs = [][]string{
			{filepath.Join(b.loggopsim, "txt2bin"), "-i", b.text(), "-o", binary},
			{filepath.Join(b.loggopsim, "LogGOPSim"), "-f", binary, "-L", "2500", "-o", "1500", "-g", "1000", "-G", "6", "-S", "65535"},
		}
	}
}

// patterns prepares a pattern on the bare flow fabric.
func patterns(b *bench, w *work) error {
	pattern, shape, ranks := w.spec[0], w.spec[1], w.spec[2]
	w.ours = [][]string{append([]string{b.flow}, w.spec...)}
	if b.peer == "" {
		return nil
	}
	name := filepath.Join(b.work, "platform.xml")
	w.theirs = [][]string{append([]string{b.peer, pattern, ranks, "8", name}, strings.Fields(plain)...)}
	return os.WriteFile(name, []byte(fmt.Sprintf(platform, topologies[shape])), 0o600)
}

// SimGrid's platform of 512 hosts, and what makes its model plain max-min sharing.
const (
	platform = `<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="n" radical="0-511" suffix="" speed="1Gf" bw="12.5GBps" lat="200ns" sharing_policy="SPLITDUPLEX" %s/>
</platform>
`
	plain = "--cfg=network/model:CM02 --cfg=network/TCP-gamma:1e30 --cfg=network/weight-S:0 --cfg=network/crosstraffic:0 " +
		"--cfg=surf/precision:1e-12 --cfg=contexts/stack-size:64 --log=root.thres:error"
)

var topologies = map[string]string{
	"crossbar": "",
	"tree":     `topology="FAT_TREE" topo_parameters="3;8,8,8;1,8,8;1,1,1"`,
	"torus":    `topology="TORUS" topo_parameters="8,8,8"`,
}
