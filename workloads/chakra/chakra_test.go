package chakra

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

const us = sim.Microsecond

// node8 is a machine of nodes of 8 GPUs at a switch, with round numbers.
func node8() *machines.Machine {
	g := &gpus.Machine{GPU: gpus.GPU{Generation: gpus.Ampere, SMs: 108, Memory: 80e9, Bandwidth: 2e12}}
	g.GPU.Peak[gpus.BF16] = 312e12
	g.Node = gpus.Node{GPUs: 8, Domain: 8, Switch: &gpus.Switch{Bandwidth: 300e9, Links: 12}}
	g.Fit = gpus.Calibration{Start: 10 * us, Step: 4 * us, Send: 5 * us, Ring: 200e9, Channels: 24, Low: 1, Network: 0.9, Far: 1.6}
	g.Kernels = gpus.Rates{Products: 0.5, Moves: 0.5}
	return &machines.Machine{Name: "round", GPUs: g}
}

// field and similar functions write protobuf by hand.
func field(number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), value)
}

func inside(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func attribute(name string, kind protowire.Number, value uint64) []byte {
	return inside(10, slices.Concat(inside(1, []byte(name)), field(kind, value)))
}

// nodeOf writes a node: its number, type, duration and data dependencies, then the rest.
func nodeOf(id, kind, duration uint64, data []uint64, rest ...[]byte) []byte {
	var packed []byte
	for _, d := range data {
		packed = protowire.AppendVarint(packed, d)
	}
	all := slices.Concat(field(1, id), inside(2, fmt.Appendf(nil, "n%d", id)), field(3, kind), field(7, duration))
	if data != nil {
		all = append(all, inside(5, packed)...)
	}
	return append(all, slices.Concat(rest...)...)
}

// file writes messages with their lengths, metadata first.
func file(nodes ...[]byte) (all []byte) {
	for _, m := range append([][]byte{inside(1, []byte("0.0.4"))}, nodes...) {
		all = protowire.AppendBytes(all, m)
	}
	return all
}

// opened is a replay of files, by rank.
func opened(t *testing.T, ranks ...[]byte) (*replay, error) {
	t.Helper()
	folder := t.TempDir()
	for i, text := range ranks {
		must.Do(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("t.%d.et", i)), text, 0o666))
	}
	w := &replay{Compute: 1, Communication: 1, Host: 1, Collectives: traced}
	err := w.Open(filepath.Join(folder, "t.*.et"))
	return w, err
}

func runOf(t *testing.T, w *replay) *streams.Result {
	t.Helper()
	place := experiments.Place{Ranks: len(w.ranks), PerNode: 8}
	must.Do(t, w.CheckGPUs(node8(), place))
	g := must.Get(w.write(node8().GPUs, place))(t)
	return must.Get(streams.Run(&g.graph))(t)
}

func sample(t *testing.T, pattern string) *replay {
	t.Helper()
	w := &replay{Compute: 1, Communication: 1, Host: 1, Collectives: traced}
	must.Do(t, w.Open(pattern))
	return w
}

// A collective takes the time of its formula. An all-gather's comm_size is what each rank
// contributes.
func TestSampleCollectives(t *testing.T) {
	for pattern, c := range map[string]struct {
		op    *gpus.Operation
		bytes int64
	}{"testdata/all_reduce.*.et": {gpus.AllReduce, 1 << 20}, "testdata/all_gather.*.et": {gpus.AllGather, 4 << 20}} {
		w := sample(t, pattern)
		want := must.Get(gpus.First(node8().GPUs, 4, 8).Time(c.op, c.bytes))(t)
		if got := runOf(t, w).Makespan; got != want.Total() || len(w.ranks) != 4 {
			t.Errorf("%s: %v on %d ranks, want %v", pattern, got, len(w.ranks), want.Total())
		}
		place := experiments.Place{Ranks: 4, PerNode: 8}
		metrics := w.Metrics(node8(), must.Get(w.RunGPUs(node8(), place))(t))
		for _, m := range metrics.List() {
			if s := want.Total().Seconds(); m.Value != 0 && m.Value != s || (m.Value == s) != (m.Name == "step_s" || m.Name == "collective_s") {
				t.Errorf("%s: %s is %g s, where collectives alone take %g s", pattern, m.Name, m.Value, s)
			}
		}
	}
}

// The ring of the sample is 14 messages one after the other, with 7 times 7 us of computation between them.
func TestSampleRing(t *testing.T) {
	w := sample(t, "testdata/ring.*.et.gz")
	n := &w.ranks[1].nodes[3] // as another decoder lists it
	if n.id != 3 || n.name != "COMM_SEND_NODE_tb0_step2" || n.kind != send || n.bytes != 131072 || n.to != 2 || !slices.Equal(n.data, []uint64{2}) {
		t.Errorf("the fourth node of rank 1 is %+v", n)
	}
	message := must.Get(gpus.First(node8().GPUs, 2, 8).Time(gpus.SendReceive, 131072))(t)
	if got, want := runOf(t, w).Makespan, 14*message.Total()+49*us; got != want {
		t.Errorf("%v, want 14 messages of %v and 49 us: %v", got, message.Total(), want)
	}
}

// pytorch is a trace of PyTorch that lies next to the project.
const pytorch = "../../../shared/data/traces/chakra/chakra.0.et.gz"

// The trace of PyTorch has as many nodes as another decoder counts, and takes the time of a
// recurrence over its nodes.
func TestSampleOfPyTorch(t *testing.T) {
	if _, err := os.Stat(pytorch); err != nil {
		pytorchIsMissing(t)
		return
	}
	w := sample(t, pytorch)
	count := map[string]int{}
	for i := range w.ranks[0].nodes {
		n := &w.ranks[0].nodes[i]
		count[fmt.Sprint(n.kind, n.host)]++
	}
	if want := map[string]int{"4 true": 2434, "4 false": 1209, "7 true": 14, "7 false": 7}; fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("nodes are %v, want %v", count, want)
	}
	r := runOf(t, w)
	if want := recurrence(w.ranks[0]); r.Makespan != want {
		t.Errorf("%v, the recurrence has %v", r.Makespan, want)
	}
	t.Logf("%d nodes in %v", len(w.ranks[0].nodes), r.Makespan)
}

func pytorchIsMissing(t *testing.T) {
	t.Log("there is no trace beside the project; the random ones are tested")
}

// recurrence is a slow second version for a rank alone: a node starts when its stream is free and
// all nodes that it depends on have ended.
func recurrence(t *trace) (last sim.Time) {
	at := map[uint64]int{}
	for i := range t.nodes {
		at[t.nodes[i].id] = i
	}
	deps := make([][]int, len(t.nodes))
	for i := range t.nodes {
		for _, id := range t.nodes[i].data {
			deps[i] = append(deps[i], at[id])
		}
	}
	ends, done, free := make([]sim.Time, len(t.nodes)), make([]bool, len(t.nodes)), map[string]sim.Time{}
	for range t.nodes {
		for i := range t.nodes { // the first one in the file that may come next
			if done[i] || slices.ContainsFunc(deps[i], func(d int) bool { return !done[d] }) {
				continue
			}
			n := &t.nodes[i]
			stream := fmt.Sprint(n.host || n.kind == metadata, n.kind == collective && !n.host)
			start := free[stream]
			for _, d := range deps[i] {
				start = max(start, ends[d])
			}
			ends[i], done[i] = start+sim.Time(n.duration)*us, true
			free[stream], last = ends[i], max(last, ends[i])
			break
		}
	}
	return last
}

// Random graphs of a rank take the time of the recurrence.
func TestRandomTraces(t *testing.T) {
	for seed := range uint64(60) {
		state := seed*2654435761 + 1
		next := func(n uint64) uint64 { state = state*6364136223846793005 + 1442695040888963407; return state >> 33 % n }
		var nodes [][]byte
		for id := range uint64(40) {
			var data []uint64
			for range next(3) {
				if id > 0 {
					data = append(data, next(id))
				}
			}
			kind := []uint64{compute, compute, load, collective}[next(4)]
			nodes = append(nodes, nodeOf(id, kind, 1+next(50), data, attribute("is_cpu_op", 27, next(2))))
		}
		for i := range nodes { // files have no order
			j := next(uint64(len(nodes)))
			nodes[i], nodes[j] = nodes[j], nodes[i]
		}
		w := must.Get(opened(t, file(nodes...)))(t)
		if got, want := runOf(t, w).Makespan, recurrence(w.ranks[0]); got != want {
			t.Fatalf("seed %d: %v, the recurrence has %v", seed, got, want)
		}
	}
}

// Every form of an integer is read. A node without a duration takes the machine's time.
func TestForms(t *testing.T) {
	for kind, value := range map[protowire.Number]uint64{7: 5, 9: 5, 11: 5, 13: 5, 15: protowire.EncodeZigZag(5), 17: protowire.EncodeZigZag(5)} {
		n := node{}
		if err := n.take("comm_tag", kind, value, nil); err != nil || n.tag != 5 {
			t.Errorf("field %d: %d, %v", kind, n.tag, err)
		}
	}
	w := must.Get(opened(t, file(nodeOf(0, compute, 0, nil, attribute("num_ops", 9, 156e9), attribute("tensor_size", 9, 8)))))(t)
	if got, want := runOf(t, w).Makespan, sim.Millisecond; got < want-us || got > want+us {
		t.Errorf("156 Gflop at half of 312 Tflop/s take %v, want %v", got, want)
	}
	w.Compute = 2
	if got, want := runOf(t, w).Makespan, 2*sim.Millisecond; got < want-us || got > want+us {
		t.Errorf("twice as long: %v, want %v", got, want)
	}
}

// A mistake in a trace is reported with the file, the position in it and the node.
func TestMistakes(t *testing.T) {
	kernel := nodeOf(1, compute, 5, nil)
	for want, ranks := range map[string][][]byte{
		"t.0.et: has no nodes": {file()},
		"t.0.et: at byte 8: a message of 300 bytes is cut off after 2":    {append(file(), 0xac, 2, 1, 2)},
		"is too long, the most is 67108864; is it a trace of Chakra?":     {[]byte("\xff\xff\xff\xff\x7fhello")},
		"at byte 8: node 1 (n1): data_deps names node 7, which is not in": {file(nodeOf(1, compute, 5, []uint64{7}))},
		"node 1 (n1): has the number of the node at byte 8":               {file(kernel, kernel)},
		"node 1 (n1): its type is 9; known are 1 to 7":                    {file(nodeOf(1, 9, 5, nil))},
		"it and 1 other nodes depend on each other in a circle":           {file(nodeOf(1, compute, 5, []uint64{2}), nodeOf(2, compute, 5, []uint64{1}))},
		"comm_dst is missing; a send needs it":                            {file(nodeOf(1, send, 0, nil))},
		"comm_type 4 is not modelled":                                     {file(nodeOf(1, collective, 5, nil, attribute("comm_type", 9, 4)))},
		"involved_dim leaves dimensions of the network out": {file(nodeOf(1, collective, 5, nil,
			inside(10, slices.Concat(inside(1, []byte("involved_dim")), inside(28, inside(1, []byte{1, 0}))))))},
		"a collective needs comm_type and comm_size, or a duration":                 {file(nodeOf(1, collective, 0, nil))},
		"at byte 8: node 1 (n1): takes 1152921504607 us, the most is 1152921504606": {file(nodeOf(1, compute, 1152921504607, nil))},
		"comm_size must be 0 to": {file(nodeOf(1, send, 0, nil, attribute("comm_size", 9, 1<<63)))},
	} {
		must.Refuse(opened(t, ranks...))(t, want)
	}
	message := func(kind uint64, peer string) []byte {
		return nodeOf(1, kind, 0, nil, attribute(peer, 7, 1), attribute("comm_size", 9, 1000))
	}
	for want, ranks := range map[string][][]byte{
		"rank 1 is not one of them; there are 1":                                                      {file(message(send, "comm_dst"))},
		"t.0.et: at byte 8: node 1 (n1): no rank sends this message (ranks 1 and 0, tag 0, number 0)": {file(message(receive, "comm_src")), file(kernel)},
		"1 of the 2 ranks of this communication take part in it (group \"\", number 1)": {
			file(nodeOf(1, collective, 5, nil), nodeOf(2, collective, 5, nil)), file(nodeOf(1, collective, 5, nil))},
		"one rank has no time for it on a machine": {file(nodeOf(1, collective, 0, nil, attribute("comm_type", 9, 0),
			attribute("comm_size", 9, 1000)))},
	} {
		w, err := opened(t, ranks...)
		if err != nil {
			t.Fatal(err)
		}
		err = w.CheckGPUs(node8(), experiments.Place{Ranks: len(ranks), PerNode: 8})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Hostile files are errors, or run.
func FuzzRead(f *testing.F) {
	f.Add(file(nodeOf(1, compute, 5, nil), nodeOf(2, collective, 3, []uint64{1}, attribute("comm_type", 9, 0))))
	f.Add(file(nodeOf(1, send, 0, nil, attribute("comm_dst", 7, 1)), nodeOf(2, metadata, 1<<60, []uint64{1})))
	f.Add([]byte("\x1f\x8b nothing"))
	f.Fuzz(func(t *testing.T, text []byte) {
		nodes, err := read(bytes.NewReader(text))
		if err != nil {
			return
		}
		one := &trace{file: "f", nodes: nodes}
		if one.join() != nil {
			return
		}
		w := &replay{Compute: 1, Communication: 1, Host: 1, Collectives: traced, ranks: []*trace{one}, groups: map[string][]int{}}
		for i := range nodes {
			if nodes[i].collects() {
				w.groups[nodes[i].group] = []int{0}
			}
		}
		place := experiments.Place{Ranks: 1, PerNode: 8}
		if w.CheckGPUs(node8(), place) != nil {
			return
		}
		if _, err := w.RunGPUs(node8(), place); err != nil {
			t.Error(err)
		}
	})
}
