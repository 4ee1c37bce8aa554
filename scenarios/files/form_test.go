package files

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"overlapsim/scenarios/keys"
)

// loadedAs is a machine of the library with a change, without the fields that cannot be compared.
func loadedAs(t *testing.T, name, set string) string {
	f, err := Read("form.yaml", []byte("machine: "+name+"\nranks: 2\nworkload: {name: token-ring}\n"), []string{set})
	if err != nil {
		t.Fatal(name, err)
	}
	s := f.Runs[0]
	m := withoutKernels(s.Machine.Machine)
	text := fmt.Sprintf("%+v %+v %+v %+v %+v", s.Machine.Facts, s.Machine.ruled, m.Network, m.Barrier, m.Cores)
	for _, part := range []any{m.Runtime, m.Copying, m.IntraNode, m.Noise, m.Sharing} {
		if v := reflect.ValueOf(part); !v.IsNil() {
			text += fmt.Sprintf(" %+v", v.Elem())
		}
	}
	for _, name := range s.Machine.KernelNames() {
		k := s.Machine.Kernels[name]
		text += fmt.Sprintf(" %s %v %v %v", name, k.Rate, k.Demand, k.Profile)
	}
	for _, row := range unwired().values {
		value, _ := s.Machine.wiring.value(row.Path)
		text += fmt.Sprintf(" %s=%v", row.Path, reflect.ValueOf(value.To).Elem())
	}
	return text
}

// A machine does not depend on those that were loaded before it with the same form, and
// no load changes a tree that others use.
func TestFormsAreEmpty(t *testing.T) {
	sets := []string{"machine.network.latency=x2", "machine.runtime=openmpi-5", "machine.topology={kind: torus, dims: [2, 2]}",
		"machine.links.bandwidth=[1GB/s, 2GB/s]",
		"machine.memory={bandwidth: 3GB/s, cores: 1}", "machine.kernels={copy: {rates: 1GB/s, demand: 2GB/s}}",
		"machine.kernels={mine: {rates: 1GF/s, work: {flop: 2}}}", "machine.intra_node={latency: 1us, per_byte: 1ns/B}"}
	fresh := map[string]string{}
	for i, name := range Machines() {
		machineForms.free, scenarioForms.free = sync.Pool{}, sync.Pool{}
		parsed.trees, merged = map[source]*keys.Node{}, sync.Map{}
		fresh[name] = loadedAs(t, name, sets[i%len(sets)])
	}
	for range 2 {
		for i, name := range Machines() {
			if got := loadedAs(t, name, sets[i%len(sets)]); got != fresh[name] {
				t.Errorf("%s with %s is\n%s\nthe first time it was\n%s", name, sets[i%len(sets)], got, fresh[name])
			}
		}
	}
	if len(fresh) < len(sets) {
		t.Error("too few machines for all changes")
	}
}

// A bad file leaves nothing behind in the form.
func TestFormsAfterMistakes(t *testing.T) {
	const good, bad = "machine: loggp\nranks: 2\nworkload: {name: token-ring}\n",
		"machine: loggp\nworkload: {name: token-ring}\nranks: 2x\nseed: 7\n"
	for range 3 {
		if _, err := Read("bad.yaml", []byte(bad), []string{"machine.network.gap=9s", "machine.network.latency=?"}); err == nil {
			t.Fatal("no error")
		}
		f, err := Read("good.yaml", []byte(good), nil)
		if err != nil || f.Runs[0].Seed != 1 || f.Runs[0].Machine.Network.Gap.Seconds() > 1 {
			t.Fatalf("%v: %+v", err, f)
		}
	}
}

// A text is parsed once, and again if it has changed.
func TestParsedOnce(t *testing.T) {
	var problems keys.Problems
	first := parsedOnce("a.yaml", []byte("a: {b: 1}\n"), &problems)
	again := parsedOnce("a.yaml", []byte("a: {b: 1}\n"), &problems)
	other := parsedOnce("a.yaml", []byte("a: {b: 2}\n"), &problems)
	if first.At("a") != again.At("a") || first == again || other.At("a").At("b").Text != "2" || len(problems) > 0 {
		t.Error(first, again, other, problems)
	}
	large := "a: " + strings.Repeat("x", mostParsed-10)
	for i := range 3 {
		if parsedOnce(fmt.Sprint(i), []byte(large), &problems); len(parsed.trees) != 1 || parsed.bytes != len(large)+longer {
			t.Errorf("%d trees of %d bytes are kept", len(parsed.trees), parsed.bytes)
		}
	}
}
