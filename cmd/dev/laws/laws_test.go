package laws

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// nothing is a program that does nothing.
func nothing([]string, *bytes.Buffer, *bytes.Buffer) int { return 0 }

func hunterIn(t *testing.T) *hunter {
	t.Helper()
	return must.Get(newHunter(t.TempDir(), nothing))(t)
}

// Every key, choice and name is drawn, and not too seldom.
func TestEverythingIsDrawn(t *testing.T) {
	must.Long(t)
	w := hunterIn(t)
	said := coverage{}
	for n := range uint64(16000) {
		said.add(w.tables, newDraw(w.tables, n).scenario())
	}
	for _, missing := range said.missing(w.tables, 4) {
		t.Errorf("%s is drawn %d times", missing, said[missing])
	}
}

// Keys that are never used are missing.
func TestMissing(t *testing.T) {
	w := hunterIn(t)
	missing := coverage{}.missing(w.tables, 1)
	for _, want := range []string{
		"machine=jacquard", "runtime=mpich-3.2", "workload=halo", "calibration=hopper", "mapping=cyclic", "fabric.kind=backlog",
		"machine.topology.kind=torus", "machine.network.latency", "machine.runtime.progress.by=waits", "workload.halo.bytes",
		"machine.kernels.fft.rates",
	} {
		if !slices.Contains(missing, want) {
			t.Errorf("%s is not missed", want)
		}
	}
}

// The same number draws the same case.
func TestDrawnAgain(t *testing.T) {
	must.Long(t)
	a, b := hunterIn(t), hunterIn(t)
	for n := range uint64(20) {
		first, second := a.generator.draw(n), b.generator.draw(n)
		if string(first.Archive("")) != string(second.Archive("")) {
			t.Errorf("case %d is\n%s\nand then\n%s", n, first.Archive(""), second.Archive(""))
		}
	}
}

// Most cases run, and some are invalid.
func TestMostRun(t *testing.T) {
	must.Long(t)
	w := hunterIn(t)
	right, n := 0, uint64(150)
	for i := range n {
		if _, err := w.lab.load(w.generator.draw(i)); err == nil {
			right++
		}
	}
	if right < 115 || right > 149 {
		t.Errorf("%d of %d cases are right", right, n)
	}
}

// A written case is read back unchanged.
func TestArchive(t *testing.T) {
	w := hunterIn(t)
	for n := range uint64(200) {
		c := newDraw(w.tables, n).scenario()
		text := c.Archive("a comment\n")
		back, err := ReadCase(text)
		if err != nil || !bytes.HasSuffix(back.Archive("a comment\n"), text) {
			t.Errorf("case %d: %v\n%s\nis read as\n%s", n, err, text, back.Archive("a comment\n"))
		}
	}
	if _, err := ReadCase([]byte("no file")); err == nil {
		t.Error("a text without a scenario is a case")
	}
}

// A scenario written as a tree is the scenario.
func TestTreeIsYAML(t *testing.T) {
	const text = "title: \"a: b, [c] \\\"d\\\" = #\"\nmachine: {cores: 2}\nruns: [{name: a}, {name: b c, ranks: 3}]\n"
	tree := must.Get(read([]byte(text)))(t)
	again, err := read([]byte(tree.yaml()))
	if err != nil || again.line() != tree.line() {
		t.Errorf("%v: %s is written as %s", err, text, tree.yaml())
	}
	if got := again.at("title").text; got != `a: b, [c] "d" = #` {
		t.Errorf("the title is %s", got)
	}
	if got := again.at("runs", "1", "ranks").text; got != "3" {
		t.Errorf("ranks of the second run are %s", got)
	}
	again.drop("runs", "0")
	again.set(scalar("9"), "machine", "network", "gap")
	if got := again.line(); !strings.Contains(got, "runs: [{name: \"b c\", ranks: 3}]") || !strings.Contains(got, "network: {gap: 9}") {
		t.Errorf("changed, it is %s", got)
	}
}

func TestSlower(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"3us", "9000000ps"}, {"900MB/s", "300000000B/s"}, {"2ns/B", "6000ps/B"}, {"3GF/s", "1000000000F/s"}, {"300Hz", "100Hz"}, {"0s", "0ps"},
	} {
		if got, ok := slower(c.text, big.NewRat(3, 1)); !ok || got != c.want {
			t.Errorf("three times as slow as %s is %s, %v, want %s", c.text, got, ok, c.want)
		}
	}
	for _, text := range []string{"3", "64KiB", "true", "torus", "1GB/s"} { // a third of 1 GB/s has no last digit
		if got, ok := slower(text, big.NewRat(3, 1)); ok {
			t.Errorf("three times as slow as %s is %s", text, got)
		}
	}
}

func TestReadPrinted(t *testing.T) {
	for _, c := range []struct {
		text        string
		value, room float64
	}{
		{"226.4 µs  96 messages", 226.4e-6, 0.051e-6}, {"1.000 s", 1, 0.00051}, {"-12.5 ms", -12.5e-3, 0.051e-3}, {"0 s", 0, 0},
	} {
		p, ok := readPrinted(c.text)
		if !ok || unequal(p.value, c.value) || unequal(p.room, c.room) {
			t.Errorf("%s is %g, to %g", c.text, p.value, p.room)
		}
	}
	if _, ok := readPrinted("3 messages"); ok {
		t.Error("messages are a time")
	}
}

// A kind of fault is the message without numbers, names and flags.
func TestKinds(t *testing.T) {
	a := kindOf("bound", `rank 3 has 1.5us, with "flow" 2e+06 s (run --json --per-rank)`)
	b := kindOf("bound", `rank 12 has 17ns, with "ideal" 3 s (run --json)`)
	if a != b || a == kindOf("ledger", `rank 3 has 1.5us, with "flow" 2e+06 s (run --json)`) {
		t.Errorf("kinds are %s and %s", a, b)
	}
	if kindOf("bound", "panic at x: y") != kindOf("ledger", "panic at x: y") {
		t.Error("a panic is another one when another law is asked")
	}
}

// The validator accepts the parts that the schema uses, and refuses others.
func TestSchemaOfCases(t *testing.T) {
	w := hunterIn(t)
	for text, right := range map[string]bool{
		"{machine: jacquard, workload: {name: halo}}":                            true,
		"{machine: jacquard, workload: {name: halo, iteration: 3}}":              false,
		"{machine: {cores: many}, workload: {name: halo}}":                       false,
		"{machine: jacquard, workload: {name: halo}, runs: []}":                  false,
		"{workload: {name: halo}}":                                               false,
		"{machine: {base: jacquard, network: {gap: 3}}, workload: {name: halo}}": false,
	} {
		tree := must.Get(read([]byte(text)))(t)
		if err := w.lab.schema.accepts(tree); (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A shrunk case is the smallest one that breaks the law in the same way.
func TestShrink(t *testing.T) {
	law := Law{"no halo", "no scenario is a halo of more than 64 bytes on Jacquard", 1, func(t *trial) error {
		s := t.scenario()
		if s == nil || s.Kind != "halo" || s.Machine.Name != "jacquard" {
			return errNotFor
		}
		if value := t.said("workload", "bytes"); value != nil {
			if bytes, err := keys.ParseBytes(value.text); err == nil && bytes > 64 {
				return fmt.Errorf("a halo of %d bytes", bytes)
			}
		}
		return nil
	}}
	c := must.Get(ReadCase([]byte(`--set seed=7
-- case.yaml --
title: a large halo
machine: jacquard
changes: {network.latency: 3us}
workload: {name: halo, bytes: 4321B, iterations: 5, compute: 3us}
ranks: 12
seed: 8
topology: {kind: torus, dims: [3, 4]}
`)))(t)
	h := Hunt{Command: nothing, Dir: t.TempDir(), Workers: 1}
	small := must.Get(h.Shrink([]*Fault{{Law: law, Message: "a halo of 4321 bytes", Case: c}}, time.Minute))(t)
	want := "machine: jacquard\nworkload:\n  name: halo\n  bytes: 1KB\n  iterations: 1\n  compute: 0s\nranks: 1\n"
	if got := small[0].Case.Scenario.yaml(); got != want || len(small[0].Case.Settings) > 0 {
		t.Errorf("shrunk to\n%s%v, want\n%s", got, small[0].Case.Settings, want)
	}
	if small[0].Message != "a halo of 1000 bytes" || !strings.Contains(small[0].Text(), "law no halo: no scenario is") {
		t.Errorf("the law says %s of\n%s", small[0].Message, small[0].Text())
	}
}

// A panic of the program breaks the law that there is none.
func TestPanicIsAFault(t *testing.T) {
	w := hunterIn(t)
	w.lab.command = func([]string, *bytes.Buffer, *bytes.Buffer) int { panic("on purpose") }
	c, err := ReadCase([]byte("-- case.yaml --\nmachine: jacquard\nworkload: {name: halo, iterations: 1}\nranks: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = Laws[0].ask(newTrial(w.lab, w.tables, c, 1))
	var panicked *crash
	if !errors.As(err, &panicked) || panicked.value != "on purpose" {
		t.Errorf("got %v", err)
	}
}

// A judge checks every law on a case, and laws with random choices more than once.
func TestJudge(t *testing.T) {
	j := must.Get(NewJudge(t.TempDir(), nothing))(t)
	c := must.Get(ReadCase([]byte("-- case.yaml --\nmachine: jacquard\nworkload: {name: halo, iterations: 1}\nranks: 2\n")))(t)
	defer func(all []Law) { Laws = all }(Laws)
	asked := map[string]int{}
	ask := func(name string, chooses bool, err error) Law {
		return Law{name, "", 1, func(t *trial) error {
			if asked[name]++; chooses {
				t.IntN(9)
			}
			return err
		}}
	}
	Laws = []Law{ask("a", false, nil), ask("b", true, errors.New("b is broken")), ask("c", false, errNotFor)}
	faults := j.Faults(c)
	if len(faults) != 1 || faults[0].Message != "b is broken" || asked["a"] != 1 || asked["b"] != askedOften || asked["c"] != 1 {
		t.Errorf("found %v, asked %v", faults, asked)
	}
}

// The result of a hunt does not depend on the number of workers.
func TestHuntIsTheSame(t *testing.T) {
	must.Long(t)
	found := func(workers int) (all []string) {
		r := must.Get(Hunt{Command: nothing, Dir: t.TempDir(), From: 7, Count: 30, Workers: workers}.Run())(t)
		for _, f := range append(r.New, r.Known...) {
			all = append(all, fmt.Sprint(f.Law.Name, f.Message, f.Number, f.Times))
		}
		return append(all, fmt.Sprint(r.Ran, r.Asked))
	}
	if one, two := found(1), found(2); !slices.Equal(one, two) {
		t.Errorf("one worker finds %v, two %v", one, two)
	}
}

// Anomalies are counted by reason and law, and the largest is kept; they break no law.
func TestAnomalies(t *testing.T) {
	w := hunterIn(t)
	law := Law{Name: "monotone"}
	for i, size := range []float64{0.02, 0.3, 0.06} {
		err := error(&odd{errors.New("longer"), "reordered", size})
		if !isOdd(err) || isOdd(errNotFor) {
			t.Fatal("an anomaly is not known, or what is none is")
		}
		w.count(law, err, uint64(i), Case{})
	}
	a := w.odd["monotone: reordered"]
	if len(w.odd) != 1 || a.Times != 3 || a.Above != 2 || a.Most != 0.3 || a.Number != 1 {
		t.Errorf("counted %+v", a)
	}
}

// Keys belong to the cause whose absence sets them to nothing: the whole key, and what is inside it.
func TestCostOf(t *testing.T) {
	for key, want := range map[string]string{
		"network.latency": "latency", "network.gap": "gap", "network.gap_per_byte[1].per_byte": "bandwidth", "network.send_overhead.time": "overhead",
		"kernels.fft.rates": "computation", "links.bandwidth": "links", "network.queue_depth": "",
	} {
		if got := costOf(results.Processes, key); got != want {
			t.Errorf("%s costs %q, want %q", key, got, want)
		}
	}
	if got := costOf(results.GPUs, "gpu_kernels.launch"); got != "launches" {
		t.Errorf("a launch costs %q", got)
	}
}

// Two runs of the same messages differ in what is in another order, or at another time of the target.
func TestReasons(t *testing.T) {
	of := func(messages []results.Message, spans ...results.Span) *outcomes.Outcome {
		o := &outcomes.Outcome{Scenario: &files.Scenario{Processes: 1}, Result: &results.Result{}}
		o.Result.Timeline = &results.Timeline{Messages: messages, Lanes: []results.Lane{{Name: "rank 2", Kind: results.CPULane, Index: 2, Spans: spans}}}
		return o
	}
	first := []results.Message{{From: 0, To: 2, Start: 1, Delivered: 5}, {From: 1, To: 2, Start: 2, Delivered: 6}}
	later := []results.Message{{From: 0, To: 2, Start: 1, Delivered: 7}, {From: 1, To: 2, Start: 2, Delivered: 6}}
	if !slices.Equal(served(of(first), fromNIC), served(of(later), fromNIC)) || slices.Equal(served(of(first), atTarget), served(of(later), atTarget)) {
		t.Error("one message is overtaken where it arrives, and not where it leaves")
	}
	compute := results.Span{Start: 0, End: 6, Message: -1, Term: results.Compute}
	work := results.Span{Start: 6, End: 7, Message: 1, Term: results.Overhead}
	if slices.Equal(met(of(first, compute), results.Compute), met(of(later, compute), results.Compute)) {
		t.Error("a message that arrives after a computation arrives during it")
	}
	if !sameWork(of(first, compute, work), of(first, compute)) || sameWork(of(first, compute, work), of(first, work, compute)) {
		t.Error("work in another order is the same, or work that takes no time is missed")
	}
}
