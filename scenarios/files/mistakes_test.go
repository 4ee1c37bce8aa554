package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// A scenario that is correct except for the line under test.
const (
	good     = "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 32\n"
	goodMore = "workload: {name: ft-pencils}\nranks: 32\n"
	machine  = "machine:\n  cores: 2\n  network: {latency: 5us, send_overhead: 1us, gap: 2us, bandwidth: 1GB/s}\n  kernels: " +
		"{fft: {rates: 1GF/s}}\n"
)

// links is a scenario on links of the library.
const links = "machine: intrepid\nworkload: {name: halo}\nranks: 16\nfabric: {kind: packet}\n"

// inNetwork is a scenario whose network has one more key, at 3:75.
func inNetwork(key string) string {
	return strings.Replace(machine, "GB/s}", "GB/s, "+key+"}", 1) + goodMore
}

// calibration is a scenario with a calibrated fabric.
func calibration(distances, factors, maximum string) string {
	text := good + "fabric:\n  kind: calibrated\n  calibration: \n    c_avg: {distances: " + distances + ", factors: " + factors + "}\n"
	if maximum != "" {
		text += "    c_max: " + maximum + "\n"
	}
	return text
}

// mistakes are bad inputs and the messages for them, line by line.
var mistakes = []struct {
	name string
	text string
	set  []string
	want string
}{
	// numbers that do not fit together: the flag among them is last
	{"processes by a flag", machine + goodMore, []string{"machine.nodes=16", "processes_per_node=1"},
		"--set processes_per_node=1: ranks: 32 at 1 per node need 32 nodes, inline has 16; processes_per_node=2 fits"},
	{"nodes by a flag", machine + goodMore, []string{"machine.nodes=8"}, "--set machine.nodes=8: ranks: 32 at 2 per node need 16 nodes, inline has 8"},
	{"NICs on a torus", strings.Replace(machine, "cores: 2", "cores: 2\n  nics: {number: 2}\n  topology: {kind: torus, dims: [16]}", 1) +
		goodMore + "fabric: {kind: flow}\n", []string{"processes_per_node=2"},
		"--set processes_per_node=2: ranks: 32 do not fit on 8 nodes with 2 processes each: torus 16 has 16 end points, and each node takes 2 (nics.number)"},
	{"noise by a flag", strings.Replace(machine, "cores: 2", "cores: 2\n  noise: {rate: 1kHz, length: 5us}", 1) + goodMore,
		[]string{"machine.noise.length=2ms"}, "--set machine.noise.length=2ms: machine.noise: machine inline: 1000 times 2ms a second leave no time to compute"},
	{"noise", strings.Replace(machine, "cores: 2", "cores: 2\n  noise: {rate: 1kHz, length: 2ms}", 1) + goodMore, nil,
		"bad.yaml:3:3: machine.noise: machine inline: 1000 times 2ms a second leave no time to compute"},

	// numbers that take too long, in the machine: the flag, or the line of the machine's file
	{"links by a flag", links, []string{"machine.links.latency=4000000s"},
		"--set machine.links.latency=4000000s: must be less: 12 links of 4000000s take longer than a run can, 53 days"},
	{"links by a change", links + "changes:\n  links.latency: 4000000s\n", nil,
		"bad.yaml:6:3: links.latency: must be less: 12 links of 4000000s take longer than a run can, 53 days"},
	{"slots by a flag", links, []string{"machine.fabric.slots=1"}, "--set machine.fabric.slots=1: must be at least 2, got 1"},
	{"bandwidths of links", links, []string{"machine.links.bandwidth=[1GB/s, 1GB/s]", "fabric.kind=flow"},
		"--set machine.links.bandwidth=[1GB/s, 1GB/s]: torus 8x8x8 has 3 kinds of links [x y z], got 2 values"},
	{"what others take of links", links, []string{"machine.links.others=0.7", "fabric.kind=flow"},
		"--set machine.links.others=0.7: must be from 0 to 0.5, as a link loses up to twice as much; got 0.7"},
	{"times by a flag", good, []string{"machine.time_slice=5000000s"}, "--set machine.time_slice=5000000s: the times of machine jacquard add up to " +
		"more than 53 days, the longest run; this is the longest of them, 5000000s"},

	// the file
	{"empty", "", nil, "bad.yaml:1:1: is empty; it should hold keys and values"},
	{"comments only", "# nothing\n", nil, "bad.yaml:1:1: is empty; it should hold keys and values"},
	{"empty document", "---\n", nil, "bad.yaml:1:1: is empty; it should hold keys and values"},
	{"a list", "- machine: jacquard\n", nil, "bad.yaml:1:1: must be a mapping of keys, got a list"},
	{"a machine", "cores: 2\nnetwork: {latency: 1us}\n", nil,
		"bad.yaml:1:1: is a machine; run something on it: overlapsim run halo --machine bad.yaml; on several: overlapsim compare halo --machines bad.yaml,...; " +
			"a scenario has machine: bad.yaml, a workload and ranks"},
	{"a word", "jacquard\n", nil, "bad.yaml:1:1: must be a mapping of keys, got a single value"},
	{"binary", "machine: \x00\x01", nil, "bad.yaml:1:10: is not a text file: it has the control character U+0000"},
	{"an escape", "machine: jacquard\nranks: \x1b[1m3\n", nil, "bad.yaml:2:8: is not a text file: it has the control character U+001B"},
	{"Latin-1", "title: Universit\xe9\n", nil, "bad.yaml:1:17: is not a text file: it has the byte 0xe9, which is not UTF-8"},
	{"too large", "title: " + strings.Repeat("x", keys.LargestFile), nil,
		"bad.yaml:1:1: is larger than 1MiB, which is the most a file may have"},
	{"second document", good + "---\nranks: 2\n", nil, "bad.yaml:4:1: is a second document; a file holds one"},

	// YAML
	{"colon in a value", "machine: jacquard: x\n", nil, "bad.yaml:1:1: is not YAML: mapping values are not allowed in this context"},
	{"tab", good + "\tseed: 1\n", nil, "bad.yaml:3:1: is not YAML: found a tab character that violates indentation"},
	{"tab before a key", "machine: jacquard\nworkload:\n\tname: ft-pencils\nranks: 32\n", nil,
		"bad.yaml:3:2: is not YAML: found character that cannot start any token (a tab; YAML is indented by blanks)"},
	{"open bracket", good + "fabric: {kind: ideal\n", nil, "bad.yaml:4:1: is not YAML: did not find expected ',' or '}'"},
	{"open quote", good + "title: 'x\n", nil, "bad.yaml:4:1: is not YAML: found unexpected end of stream"},
	{"alias", "machine: jacquard\nworkload: {name: ft-pencils, rows: &n 8192, row_length: *n}\nranks: 32\n", nil,
		"bad.yaml:2:57: workload.row_length: is an alias (*n); write the value out"},
	{"alias of nothing", "machine: *jacquard\n" + goodMore, nil, "bad.yaml:1:10: is not YAML: unknown anchor 'jacquard' referenced"},
	{"merge key", good + "<<: {ranks: 2}\n", nil,
		"bad.yaml:4:1: <<: unknown key, SCENARIO KEYS"},
	{"many aliases", "a: &a [x,x]\nb: &b [*a,*a]\n" + good, nil,
		"bad.yaml:1:1: a: unknown key, SCENARIO KEYS\n" +
			"bad.yaml:2:1: b: unknown key, SCENARIO KEYS\n" +
			"bad.yaml:2:8: b[0]: is an alias (*a); write the value out\n" +
			"bad.yaml:2:11: b[1]: is an alias (*a); write the value out"},
	{"tag", "machine: !!binary jacquard\n" + goodMore, nil, "bad.yaml:1:10: machine: has the tag !!binary; tags are not used here"},
	{"key that is a list", good + "? [a]\n: 1\n", nil, "bad.yaml:4:3: has a key that is not a word"},
	{"key given twice", good + "ranks: 2\n", nil, "bad.yaml:4:1: ranks: is given twice, first at 3:1"},

	// factors
	{"factor of nothing", good + "changes: {network.startup: x2, network.outstanding: x2}\n", nil,
		"bad.yaml:4:32: network.outstanding: must be a whole number such as 32, got x2; a factor needs a value to multiply, and there is none"},
	{"factor of a group", good, []string{"machine.network=x2"}, "--set machine.network=x2: is a group of keys, and x2 multiplies one value"},
	{"factor of a text", good, []string{"machine.title=x2"},
		`--set machine.title=x2: is "Jacquard (Opteron / InfiniBand)", which x2 cannot multiply`},
	{"factor of a count", good, []string{"machine.cores=x0.7"},
		"--set machine.cores=x0.7: must be a whole number, got 1.4, which is x0.7 of 2"},
	{"factor of a default", good, []string{"workload.rows=x2"},
		"--set workload.rows=x2: must be a whole number such as 32, got x2; a factor needs a value to multiply, and there is none"},
	{"factor to nothing", good, []string{"machine.network.bandwidth=x0"},
		"--set machine.network.bandwidth=x0: must be positive, got 0MB/s, which is x0 of 900MB/s"},
	{"none of what is needed", good, []string{"machine.network=none"},
		"--set machine.network=none: must be a mapping of keys (latency, send_overhead, receive_overhead, gap, bandwidth, " +
			"gap_per_byte, startup, rendezvous_threshold, request_delay, delivery, early, queue_depth, outstanding, " +
			"channels, outstanding_per_peer), got a single value"},

	// scenario keys
	{"nothing there", "title: x\n", nil,
		"bad.yaml:1:1: machine: is missing; it is a machine: a built-in name, a file next to this one, or its keys\n" +
			"bad.yaml:1:1: workload: is missing; it is name of the workload, and its parameters\n" +
			"bad.yaml:1:1: ranks: is missing; it is a whole number such as 32 (processes of the run)"},
	{"no ranks beside a workload that has them in its file", "machine: dgx-a100\nworkload: {name: gpu-trace, file: x.json, bucket: 1}\n", nil,
		"bad.yaml:2:43: workload.bucket: must be a size such as 64KiB, got 1, which has no unit"},
	{"no ranks beside another workload", "machine: dgx-a100\nworkload: {name: gradient-update, numbers: x}\n", nil,
		"bad.yaml:1:1: ranks: is missing; it is a whole number such as 32 (processes of the run)\n" +
			"bad.yaml:2:35: workload.numbers: must be a whole number such as 32, got x"},
	{"a bucket of the fabric", good, []string{"fabric.bucket.rate=1GB/s"},
		"--set fabric.bucket.rate=1GB/s: fabric.bucket: unknown key, did you mean machine.bucket?"},
	{"a bucket of the network, in the machine", strings.Replace(machine, "cores: 2", "cores: 2\n  links: {bucket: {rate: 1GB/s}}", 1) + goodMore, nil,
		"bad.yaml:3:11: machine.links.bucket: unknown key, did you mean machine.bucket?"},
	{"how often noise comes", strings.Replace(machine, "cores: 2", "cores: 2\n  noise: {rate: 1kHz, length: 5us}", 1) + goodMore,
		[]string{"machine.noise.every=1ms"}, "--set machine.noise.every=1ms: unknown key, did you mean rate?"},
	{"how long it takes", strings.Replace(machine, "cores: 2", "cores: 2\n  noise: {rate: 1kHz, length: 5us}", 1) + goodMore,
		[]string{"machine.noise.duration=1ms"}, "--set machine.noise.duration=1ms: unknown key, did you mean length?"},
	{"misspelt key", good + "fabrik: {kind: ideal}\n", nil, "bad.yaml:4:1: fabrik: unknown key, did you mean fabric?"},
	{"key of a machine", good + "latency: 3us\n", nil, "bad.yaml:4:1: latency: unknown key, did you mean machine.network.latency?"},
	{"group of a machine", good + "network: {latency: 3us}\n", nil, "bad.yaml:4:1: network: unknown key, did you mean machine.network?"},
	{"topology without a hyphen", good + "topology: {kind: fattree}\n", nil,
		"bad.yaml:4:12: topology.kind: must be one of " + strings.Join(topology.Names(), ", ") + ", got fattree; did you mean fat-tree?"},
	{"topology by another name", good + "topology: {kind: clos}\n", nil,
		"bad.yaml:4:12: topology.kind: must be one of " + strings.Join(topology.Names(), ", ") + ", got clos; did you mean fat-tree?"},
	{"a tree in two ways", good + "topology: {kind: fat-tree, levels: 1, arity: 2, children: [2, 2], parents: [1]}\n", nil,
		"bad.yaml:4:12: topology.children: a tree is given by children and parents, or by levels, arity and taper, not by both; " +
			"an example is {kind: fat-tree, levels: 2, arity: 3, taper: 1.5}"},
	{"topology as a word", good + "topology: torus\n", nil,
		"bad.yaml:4:1: topology: a torus needs dims; an example is {kind: torus, dims: [2, 2, 2]}"},
	{"workload by its kind", "machine: loggp\nranks: 2\nworkload: {kind: halo}\n", nil, "bad.yaml:3:12: workload.kind: unknown key, did you mean name?"},
	{"workload by another name", "machine: loggp\nranks: 2\nworkload: {name: stencil}\n", nil,
		"bad.yaml:3:12: workload.name: no workload is called stencil; did you mean halo?"},
	{"key of a group", good + "kind: ideal\n", nil, "bad.yaml:4:1: kind: unknown key, did you mean fabric.kind?"},
	{"path for a key", good + "fabric.kind: ideal\n", nil, "bad.yaml:4:1: fabric.kind: unknown key, write fabric: {kind: ...}"},
	{"odd key", good + "\"a\\nb\": 1\n", nil,
		`bad.yaml:4:1: "a\nb": unknown key, SCENARIO KEYS`},
	{"no value", "machine:\nworkload:\nranks:\n", nil,
		"bad.yaml:1:1: machine: must be a machine's name, a file or a mapping, got nothing\n" +
			"bad.yaml:2:1: workload: must be a mapping such as {name: ft-pencils}, got nothing\n" +
			"bad.yaml:3:1: ranks: must be a whole number such as 32, got nothing"},
	{"list for a number", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: [32]\n", nil,
		"bad.yaml:3:1: ranks: must be a whole number such as 32, got a list"},
	{"required keys mistyped", "machin: jacquard\nworkload: {name: ft-pencils}\nrank: 32\n", nil,
		"bad.yaml:1:1: machin: unknown key, did you mean machine?\nbad.yaml:3:1: rank: unknown key, did you mean ranks?"},
	{"text for a group", good + "fabric: ideal\n", nil, "bad.yaml:4:1: fabric: must be a mapping: {kind: ideal}, got a single value"},
	{"no ranks", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 0\n", nil, "bad.yaml:3:1: ranks: must be positive, got 0"},
	{"negative ranks", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: -4\n", nil, "bad.yaml:3:1: ranks: must be positive, got -4"},
	{"half ranks", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 1.5\n", nil,
		"bad.yaml:3:1: ranks: must be a whole number, got 1.5"},
	{"ranks with a unit", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 32KiB\n", nil,
		"bad.yaml:3:1: ranks: must be a whole number such as 32, got 32KiB, which has a unit"},
	{"ranks beyond an index", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 3e9\n", nil,
		"bad.yaml:3:1: ranks: must be at most 2147483647, got 3e9"},
	{"more ranks than the machine has", "machine: jacquard\nworkload: {name: ft-exchange}\nranks: 1024\n", nil,
		"bad.yaml:3:1: ranks: 1024 at 2 per node need 512 nodes, jacquard has 320"},
	{"more processes than cores", good + "processes_per_node: 3\n", nil,
		"bad.yaml:4:1: processes_per_node: must be at most the 2 cores of a node of jacquard, got 3"},
	{"no processes", good + "processes_per_node: 0\n", nil, "bad.yaml:4:1: processes_per_node: must be positive, got 0"},
	{"mapping", good + "mapping: circular\n", nil, "bad.yaml:4:1: mapping: must be one of block, cyclic, cyclic-all, spread, random, random-all, file, " +
		"consecutive, a grid of ranks and its cells such as 8x8/4x2, or an order such as XYZT on a torus, got circular"},
	{"cells", good + "mapping: 4x4/4x2\n", nil, "bad.yaml:4:1: mapping: must be a grid of the 32 ranks, got 4x4"},
	{"fabric", good + "fabric: {kind: flwo}\n", nil, "bad.yaml:4:10: fabric.kind: must be one of FABRICS, got flwo; did you mean flow?"},
	{"no calibration", good + "fabric: {kind: calibrated}\n", nil,
		"bad.yaml:4:1: fabric.calibration: is missing; a calibrated fabric needs the name of a calibration (CALIBRATIONS), a file or keys"},
	{"unknown calibration", good + "fabric: {kind: calibrated, calibration: hoper}\n", nil,
		"bad.yaml:4:28: fabric.calibration: no calibration is called hoper; did you mean hopper?"},
	{"no such calibration file", good + "fabric: {kind: calibrated, calibration: gone.yaml}\n", nil,
		"bad.yaml:4:28: fabric.calibration: gone.yaml cannot be read: no such file or directory"},
	{"calibration is a list", good + "fabric: {kind: calibrated, calibration: [1]}\n", nil,
		"bad.yaml:4:28: fabric.calibration: must be a calibration's name, a file or a mapping, got a list"},
	{"calibration without factors", good + "fabric: {kind: calibrated, calibration: {c_max: 3}}\n", nil,
		"bad.yaml:4:28: fabric.calibration.c_avg: is missing; it is the factor without synchronisation\n" +
			"bad.yaml:4:42: fabric.calibration.c_max: must be a list such as [{processes: 64, distances: [1, 2], factors: [1.1, " +
			"1.3]}], got a single value"},
	{"factor of 0", calibration("[1, 2]", "[1, 0]", ""), nil, "bad.yaml:7:45: fabric.calibration.c_avg.factors[1]: must be positive, got 0"},
	{"distances and factors", calibration("[1, 4, 2]", "[1, 1e9]", ""), nil,
		"bad.yaml:7:5: fabric.calibration.c_avg.factors: must be one for each of the 3 distances, got 2\n" +
			"bad.yaml:7:5: fabric.calibration.c_avg.distances[2]: must be at least 5, as distances ascend; got 2\n" +
			"bad.yaml:7:5: fabric.calibration.c_avg.factors[1]: must be more than 0 and at most 1e+06, got 1e+09"},
	{"numbers of processes", calibration("[1]", "[1]", "[{processes: 8, distances: [1, 8], factors: [1, 1]}, {processes: 1, "+
		"distances: [1], factors: [1]}]"), nil,
		"bad.yaml:8:5: fabric.calibration.c_max[0].distances[1]: must be less than the 8 processes, got 8\n" +
			"bad.yaml:8:5: fabric.calibration.c_max[1].processes: must be at least 2, got 1\n" +
			"bad.yaml:8:5: fabric.calibration.c_max[1].processes: must be more than the 8 before, got 1\n" +
			"bad.yaml:8:5: fabric.calibration.c_max[1].distances[0]: must be less than the 1 processes, got 1"},
	{"seed", good + "seed: -1\n", nil, "bad.yaml:4:1: seed: must not be negative, got -1"},
	{"empty title", good + "title: ''\n", nil, "bad.yaml:4:1: title: must not be empty"},

	// the machine
	{"unknown machine", "machine: jaquard\n" + goodMore, nil, "bad.yaml:1:1: machine: no machine is called jaquard; did you mean jacquard?"},
	{"part of a machine's name", "machine: infiniband\n" + goodMore, nil,
		"bad.yaml:1:1: machine: no machine is called infiniband; did you mean hdr-infiniband or ndr-infiniband or qdr-infiniband?"},
	{"no such machine", "machine: tianhe\n" + goodMore, nil, "bad.yaml:1:1: machine: no machine is called tianhe; 'overlapsim list machines' names all; 'overlapsim show hdr-infiniband --yaml' prints one to save and change"},
	{"no such machine file", "machine: gone.yaml\n" + goodMore, nil,
		"bad.yaml:1:1: machine: gone.yaml cannot be read: no such file or directory; 'overlapsim show hdr-infiniband --yaml' prints one to save and change"},
	{"machine is a list", "machine: [jacquard]\n" + goodMore, nil,
		"bad.yaml:1:1: machine: must be a machine's name, a file or a mapping, got a list"},
	{"machine without a network", "machine: {cores: 2, kernels: {fft: {rates: 1GF/s}}}\n" + goodMore, nil,
		"bad.yaml:1:1: machine.network: is missing; it is the network interface (NIC) and the network after it"},
	{"machine without bandwidth", strings.Replace(machine, ", bandwidth: 1GB/s", "", 1) + goodMore, nil,
		"bad.yaml:3:3: machine.network.bandwidth: is missing; it is a gap per byte or a bandwidth such as 1.07ns/B or 937MB/s " +
			"(1/G: bytes the NIC moves per second), or give gap_per_byte"},
	{"both bandwidths", inNetwork("gap_per_byte: 1ns/B"), nil,
		"bad.yaml:3:75: machine.network.gap_per_byte: cannot be given together with bandwidth; give one of them"},
	{"a slow-down that is none", strings.Replace(machine, "cores: 2",
		"cores: 2\n  smt: {contexts: 2, slow_down: {fp: {stack: 0.9}}}\n  memory: {bandwidth: 1GB/s, cores: 3}", 1) + goodMore, nil,
		"bad.yaml:3:39: machine.smt.slow_down.fp.stack: must be 1 (no slower) to 1000, got 0.9\n" +
			"bad.yaml:4:30: machine.memory.cores: must be at most the 2 cores of a node, got 3"},
	{"missing unit", inNetwork("receive_overhead: 3"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be a time such as 3us, got 3, which has no unit"},
	{"wrong unit", inNetwork("receive_overhead: 3KiB"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be a time such as 3us, got 3KiB, which is a size"},
	{"unknown unit", inNetwork("receive_overhead: 3usec"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be a time such as 3us, got 3usec (unknown unit usec, did you mean us?)"},
	{"too fine", inNetwork("receive_overhead: 0.1ps"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be a whole number of ps, got 0.1ps"},
	{"too long", inNetwork("receive_overhead: 1e9s"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be at most 106 days, got 1e9s"},
	{"negative time", inNetwork("receive_overhead: -3us"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must not be negative, got -3us"},
	{"text for a time", inNetwork("receive_overhead: soon"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be a time such as 3us, got soon"},
	{"mapping for a time", inNetwork("receive_overhead: {time: 3us}"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: must be a value, a list of values, or a mapping with value, origin and source; got a " +
			"mapping without value"},
	{"no origin", inNetwork("receive_overhead: {value: 3us}"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead.origin: is missing; it is published, derived, fitted or chosen\n" +
			"bad.yaml:3:75: machine.network.receive_overhead.source: is missing; it is where it is from"},
	{"bad origin", inNetwork("receive_overhead: {value: 3us, origin: guessed, source: me}"), nil,
		"bad.yaml:3:106: machine.network.receive_overhead.origin: must be one of published, derived, fitted, chosen, got guessed"},
	{"zero bandwidth", strings.Replace(machine, "1GB/s", "0GB/s", 1) + goodMore, nil,
		"bad.yaml:3:57: machine.network.bandwidth: must be positive, got 0GB/s"},
	{"empty curve", inNetwork("receive_overhead: []"), nil,
		"bad.yaml:3:75: machine.network.receive_overhead: is an empty list; give at least one piece such as {from: 0B, time: 1us}"},
	{"curve that starts late", inNetwork("receive_overhead: [{from: 1KiB, time: 1us}]"), nil,
		"bad.yaml:3:94: machine.network.receive_overhead[0].from: must be 0B, so that every size has a cost, got 1KiB"},
	{"curve that falls back", inNetwork("receive_overhead: [{time: 1us}, {from: 4KiB, time: 2us}, {from: 1KiB, time: 3us}]"), nil,
		"bad.yaml:3:132: machine.network.receive_overhead[2].from: must be larger than 4KiB of the piece before, got 1KiB"},
	{"curve of words", inNetwork("receive_overhead: [fast]"), nil,
		"bad.yaml:3:94: machine.network.receive_overhead[0]: must be a mapping of keys (from, time, per_byte), got a single value"},
	{"rates that fall back", strings.Replace(machine, "1GF/s", "[{n: 64, rate: 1GF/s}, {n: 64, rate: 2GF/s}]", 1) + goodMore, nil,
		"bad.yaml:4:49: machine.kernels.fft.rates[1].n: must be larger than 64 of the point before, got 64"},
	{"no rates", strings.Replace(machine, "1GF/s", "[]", 1) + goodMore, nil,
		"bad.yaml:4:19: machine.kernels.fft.rates: is an empty list; give at least one point such as {n: 1024, rate: 2.4GF/s}"},
	{"rate in Hz", strings.Replace(machine, "1GF/s", "1GHz", 1) + goodMore, nil,
		"bad.yaml:4:19: machine.kernels.fft.rates: must be a rate such as 2.4GF/s, got 1GHz, which is a frequency"},
	{"unknown kernel", strings.Replace(machine, "fft:", "lapack:", 1) + goodMore, nil,
		"bad.yaml:4:13: machine.kernels.lapack.work: is missing; it is a mapping such as {flop: 2, power: 3}: " +
			"the work of a run of size n, flop or bytes times n^power times log2(n)^logs"},
	{"misspelt kernel", strings.Replace(machine, "fft:", "fff:", 1) + goodMore, nil,
		"bad.yaml:4:13: machine.kernels.fff: unknown key, did you mean fft?"},
	{"work of a standard kernel", strings.Replace(machine, "1GF/s", "1GF/s, work: {flop: 2}", 1) + goodMore, nil,
		"bad.yaml:4:33: machine.kernels.fft.work: unknown key, there are demand, profile, rates"},
	{"kernel with a point", strings.Replace(machine, "fft:", "my.fft:", 1) + goodMore, nil,
		"bad.yaml:4:13: machine.kernels.my.fft: unknown key, there are advection2d, advection3d, combine, copy, dgemm, dpotrf, dtrsm, fft, " +
			"fft-strided, spmv, spmv-nonzero, spmv-row and 2 more"},
	{"work of two kinds", strings.Replace(machine, "fft: {", "own: {work: {flop: 2, bytes: 3}, ", 1) + goodMore, nil,
		"bad.yaml:4:26: machine.kernels.own.work.flop: cannot be given together with bytes; give one of them\n" +
			"bad.yaml:4:46: machine.kernels.own.rates: must be a bandwidth such as 937MB/s, got 1GF/s, which is a rate"},
	{"no work", strings.Replace(machine, "fft: {", "own: {work: {flop: 0, power: -1}, ", 1) + goodMore, nil,
		"bad.yaml:4:26: machine.kernels.own.work.flop: must be positive, got 0\n" +
			"bad.yaml:4:35: machine.kernels.own.work.power: must not be negative, got -1"},
	{"more processes than cores in a machine", strings.Replace(machine, "cores: 2", "cores: 2\n  processes_per_node: 4", 1) + goodMore, nil,
		"bad.yaml:3:3: machine.processes_per_node: must be at most the 2 cores of a node, got 4"},
	{"chunk larger than the buffer", machine + "  copying: {send: 1ns/B, receive: 1ns/B, buffer: 4KiB, chunk: 8KiB}\n" + goodMore, nil,
		"bad.yaml:5:56: machine.copying.chunk: must be at most the buffer of 4KiB, got 8KiB"},
	{"window smaller than a chunk", machine + "  copying: {send: 1ns/B, receive: 1ns/B, buffer: 4KiB, chunk: 4KiB, window: 2KiB}\n" + goodMore, nil,
		"bad.yaml:5:69: machine.copying.window: machine inline: must hold a chunk of 4096 bytes, got 2048"},
	{"work of the kernel without shared cores", machine +
		"  copying: {send: 1ns/B, receive: 1ns/B, buffer: 4KiB, chunk: 4KiB, protocols: 1ns/B}\n" + goodMore, nil,
		"bad.yaml:5:69: machine.copying.protocols: machine inline: needs cores that are shared (smt, memory)"},
	{"part of a group", machine + "  intra_node: {latency: 1us}\n" + goodMore, nil,
		"bad.yaml:5:3: machine.intra_node.per_byte: is missing; it is a gap per byte or a bandwidth such as 1.07ns/B or 937MB/s " +
			"(a CPU copies: the sender's up to the threshold)"},
	{"flag", machine + "  copying: {send: 1ns/B, receive: 1ns/B, buffer: 4KiB, chunk: 4KiB, interrupts: yes}\n" + goodMore, nil,
		"bad.yaml:5:69: machine.copying.interrupts: must be true or false, got yes"},
	{"unknown base", "machine: {base: jaquard}\n" + goodMore, nil,
		"bad.yaml:1:11: base: no machine is called jaquard; did you mean jacquard?"},

	// changes
	{"changes are a list", good + "changes: [1]\n", nil,
		"bad.yaml:4:1: changes: must be a mapping such as {network.latency: 3us}, got a list"},
	{"change from outside", good + "changes: {machine.network.latency: 3us}\n", nil,
		"bad.yaml:4:11: changes.machine.network.latency: begins inside the machine: write network.latency"},
	{"change of nothing known", good + "changes: {network.latncy: 3us}\n", nil,
		"bad.yaml:4:11: network.latncy: unknown key, did you mean latency?"},
	{"change in no group", good + "changes: {netwrk.latency: 3us}\n", nil, "bad.yaml:4:11: netwrk: unknown key, did you mean network?"},
	{"change without its group", good + "changes: {latency: 3us}\n", nil,
		"bad.yaml:4:11: latency: unknown key, did you mean network.latency?"},
	{"change inside a value", good + "changes: {network.latency.value: 3us}\n", nil,
		"bad.yaml:4:11: network.latency: network.latency is a value with its origin; set network.latency"},
	{"change below a value", good + "changes: {title.text: 3us}\n", nil, "bad.yaml:4:11: title: title is a single value and has no keys"},

	// the workload
	{"workload is a word", "machine: jacquard\nworkload: ft-pencils\nranks: 32\n", nil,
		"bad.yaml:2:1: workload: must be a mapping such as {name: ft-pencils}, got a single value"},
	{"no workload name", "machine: jacquard\nworkload: {rows: 32}\nranks: 32\n", nil,
		"bad.yaml:2:1: workload.name: is missing; WORKLOADS"},
	{"unknown workload", "machine: jacquard\nworkload: {name: ft-pencil}\nranks: 32\n", nil,
		"bad.yaml:2:12: workload.name: no workload is called ft-pencil; did you mean ft-pencils?"},
	{"a key of the workload before", good, []string{"workload.name=halo", "workload.rows=8"},
		"--set workload.rows=8: unknown key, there are bytes, compute, iterations, kernel, n, name, pieces, reduce, x, y, z"},
	{"unknown parameter", "machine: jacquard\nworkload: {name: ft-pencils, row: 32}\nranks: 32\n", nil,
		"bad.yaml:2:30: workload.row: unknown key, did you mean rows?"},
	{"wrong parameters", "machine: jacquard\nworkload: {name: ft-pencils, rows: 33, row_length: 0, computation: 2}\nranks: 32\n", nil,
		"bad.yaml:2:30: workload.rows: must be a multiple of the 32 ranks, got 33\n" +
			"bad.yaml:2:40: workload.row_length: must be 1 to 4294967296, got 0\n" +
			"bad.yaml:2:55: workload.computation: must be 0 to 1, got 2"},
	{"default that does not fit", "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 33\n", nil,
		"bad.yaml:2:1: workload.rows: must be a multiple of the 33 ranks, got 8192"},
	{"four ranks for all on a torus", "machine: hopper\nworkload: {name: collective, alike: true}\nranks: 8\nprocesses_per_node: 1\n" +
		"fabric: {kind: flow}\n", nil,
		"bad.yaml:2:1: workload.alike: needs a network whose pairs of nodes are all alike, the topology is a torus 17x8x24, 2 nodes per router; to simulate all ranks: --set workload.alike=false"},
	{"four ranks for all, two on a node",
		"machine: jacquard\nworkload: {name: collective, alike: true}\nranks: 8\nprocesses_per_node: 2\n", nil,
		"bad.yaml:2:1: workload.alike: needs one process on each node, processes_per_node=1, got 2"},

	// runs
	{"runs are a mapping", good + "runs: {a: 1}\n", nil,
		"bad.yaml:4:1: runs: must be a list such as [{name: slow, machine.network.latency: 9us}], got a mapping"},
	{"no runs", good + "runs: []\n", nil, "bad.yaml:4:1: runs: must be a list such as [{name: slow, machine.network.latency: " +
		"9us}], got an empty list"},
	{"run without a name", good + "runs: [{ranks: 2}]\n", nil, "bad.yaml:4:8: runs[0].name: is missing; every run has a name"},
	{"runs of one name", good + "runs: [{name: a}, {name: a}]\n", nil, "bad.yaml:4:20: runs[1].name: is given twice: a"},
	{"run that is a word", good + "runs: [fast]\n", nil, "bad.yaml:4:8: runs[0]: must be a mapping of paths to values, got a single value"},
	{"mistake of one run", good + "runs: [{name: a}, {name: b, machine.network.gap: 2}]\n", nil,
		"bad.yaml:4:29: network.gap: must be a time such as 3us, got 2, which has no unit"},
	{"mistake of every run", good + "seed: x\nruns: [{name: a}, {name: b}]\n", nil,
		"bad.yaml:4:1: seed: must be a whole number such as 32, got x"},

	// --set
	{"set without a value", good, []string{"ranks"}, "--set ranks: must be path=value, such as machine.network.latency=3us"},
	{"set to nothing", good, []string{"ranks="}, "--set ranks=: has no value after the ="},
	{"set of nothing", good, []string{"=3"}, "--set =3: has no path before the ="},
	{"set of an unknown key", good, []string{"machine.network.latncy=3us"},
		"--set machine.network.latncy=3us: unknown key, did you mean latency?"},
	{"set of an unknown group", good, []string{"netwrk.latency=3us"}, "--set netwrk.latency=3us: netwrk: unknown key, SCENARIO KEYS"},
	{"set with a wrong unit", good, []string{"machine.network.latency=3MB"},
		"--set machine.network.latency=3MB: must be a time such as 3us, got 3MB, which is a size"},
	{"set of a bad list", good, []string{"machine.network.send_overhead=[1us"},
		"--set machine.network.send_overhead=[1us: is not YAML: did not find expected ',' or ']'"},
	{"set beyond a list", good, []string{"machine.kernels.fft.rates=[{n: 8, rate: 1GF/s}]", "machine.kernels.fft.rates.1.rate=2GF/s"},
		"--set machine.kernels.fft.rates.1.rate=2GF/s: kernels.fft.rates.1: kernels.fft.rates has no entry 1; it has 1, from 0"},
	{"set of the runs", good, []string{"runs=[{name: a}]"}, "--set runs=[{name: a}]: can only be given at the top of a scenario file"},
	{"several at once", good + "seed: x\n", []string{"workload.rows=0", "machine.cores=2.5", "workload.name=xyz"},
		"bad.yaml:4:1: seed: must be a whole number such as 32, got x\n" +
			"--set machine.cores=2.5: must be a whole number, got 2.5\n" +
			"--set workload.name=xyz: no workload is called xyz; WORKLOADS"},
}

func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	lists := strings.NewReplacer("WORKLOADS", keys.Instead("", workloads.Names()), "SCENARIO KEYS",
		keys.Instead("", newScenarioFile().rows().Under("").Keys()), "CALIBRATIONS", strings.Join(Calibrations(), ", "), "FABRICS",
		strings.Join(fabrics.Names(), ", "))
	for _, c := range mistakes {
		must.Do(t, os.WriteFile("bad.yaml", []byte(c.text), 0o666))
		study, err := Load("bad.yaml", c.set)
		var problems keys.Problems
		if !errors.As(err, &problems) || study != nil || problems.Error() != lists.Replace(c.want) {
			t.Errorf("%s:\ngot\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
}

func TestUnreadableScenarios(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"gone.yaml":          "scenario gone.yaml: cannot be read: no such file or directory",
		dir:                  "scenario " + dir + ": is a folder without a file that runs by itself, such as a trace; name a scenario in it",
		"ft-pencil-jacquard": "scenario ft-pencil-jacquard: is neither a file nor a built-in scenario; did you mean ft-pencils-jacquard?",
	} {
		if _, err := Load(name, nil); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// The mistakes of a machine file have their places in that file, and it may not be its
// own base.
func TestMachineFileMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	scenario := func(machine string) string { return "machine: " + machine + "\n" + goodMore }
	for name, text := range map[string]string{
		"machines/bad.yaml":  "base: jacquard\nnetwork:\n  latency: 3\n",
		"machines/loop.yaml": "base: loop.yaml\n",
		"machines/list.yaml": "- 1\n",
		"file.yaml":          scenario("machines/bad.yaml"),
		"loop.yaml":          scenario("machines/loop.yaml"),
		"list.yaml":          scenario("machines/list.yaml"),
		"odd.ti":             "zero compute\n",
	} {
		os.MkdirAll(filepath.Dir(name), 0o777)
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for name, want := range map[string]string{
		"file.yaml": "machines/bad.yaml:3:3: network.latency: must be a time such as 3us, got 3, which has no unit",
		"loop.yaml": "machines/loop.yaml:1:1: base: is based on 16 other machines, or on itself",
		"list.yaml": "machines/list.yaml:1:1: must be a mapping of keys, got a list",
		"odd.ti":    "odd.ti: is neither a scenario, with keys such as machine and workload, nor another file that runs: " + runs(),
	} {
		if _, err := Load(name, nil); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// A scenario that needs more memory than any machine has is refused before it runs, with what to
// change.
func TestMemory(t *testing.T) {
	if forecast.Memory().Bytes == 0 {
		t.Skip("this system does not say how much memory it has")
	}
	const small = "machine: jacquard\nworkload: {name: alltoall-linear, bytes: 8B}\nranks: 4\n"
	for _, c := range []struct {
		settings []string
		o        nodes.Options
		how      string
		want     string
	}{
		{[]string{"ranks=2147483646"}, nodes.Options{}, "needs at least ", "2.15 billion ranks in the result at "},
		{[]string{"ranks=4", "machine.cores=2147483647"}, nodes.Options{}, "needs at least ", "4.29 billion hardware contexts at "},
		{[]string{"ranks=4", "topology={kind: torus, dims: [600, 600, 900]}", "fabric.kind=flow"}, nodes.Options{}, "needs at least ",
			"1.94 billion links at "},
		{[]string{"ranks=60000"}, nodes.Options{NoSymmetry: true}, "", "billion messages "},
		{[]string{"ranks=4", "workload.repeat=2147483647"}, nodes.Options{Timeline: true}, "needs at least ", "operations in a timeline at "},
	} {
		study, err := loadText(small, append(c.settings, "machine.nodes=0"))
		if err == nil {
			err = study.Runs[0].Fits(c.o)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ": the run "+c.how) {
			t.Errorf("%v: got %v, want ... %s...", c.settings, err, c.want)
		}
	}
}

// Ranks that others stand for need room only in the result; if all run, each needs its own.
func TestMemoryOfFew(t *testing.T) {
	const ranks = 4_000_000
	settings := []string{fmt.Sprint("ranks=", ranks), "workload={name: halo, iterations: 1000}"}
	study := must.Get(loadText("machine: loggp\nworkload: {name: dissemination, bytes: 8B}\nranks: 8\n", settings))(t)
	s := study.Runs[0]
	few, all := s.Bytes(nodes.Options{}), s.Bytes(nodes.Options{NoSymmetry: true})
	if few > 70*ranks || all < float64(nodes.RankBytes(1))*ranks {
		t.Errorf("%.0f bytes a rank where few tell the time of all, %.0f otherwise", few/ranks, all/ranks)
	}
}

// Deeply nested text is refused or read in reasonable time.
func TestDeepNesting(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", keys.LargestFile-1), strings.Repeat("{a: ", keys.LargestFile/4), strings.Repeat("- ", keys.LargestFile/2),
		strings.Repeat("? ", keys.LargestFile/2), strings.Repeat("a:\n ", 1000), strings.Repeat("x", keys.LargestFile),
	} {
		if _, err := loadText(text, nil); err == nil {
			t.Errorf("%.20q... is no scenario", text)
		}
	}
}
