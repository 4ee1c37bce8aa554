package files

import (
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// The use that every key of a scenario and of a machine declares is understood.
func TestUsesOfKeys(t *testing.T) {
	tables, idle := Tables(), 0
	for _, row := range slices.Concat(tables.Scenario, tables.Machine, tables.Runtime) {
		if of, _ := idleOf(row); of != nil {
			idle++
		}
	}
	if idle < 60 {
		t.Errorf("only %d keys say when they cannot act", idle)
	}
}

// Another workload of a run, or of a flag, keeps the keys that both have and drops those that only the one before has; a key that
// neither knows is refused, and so is one that came with the name.
func TestOtherWorkload(t *testing.T) {
	const text = "machine: jacquard\nworkload: {name: halo, bytes: 3KiB, compute: 1us, iterations: 2}\nranks: 4\n" +
		"runs: [{name: own}, {name: other, workload.name: alltoall-linear, workload.repeat: 5}]\n"
	type keyed struct {
		kind    string
		dropped []string
	}
	halo := []string{"workload.compute", "workload.iterations"}
	for _, c := range []struct {
		set  []string
		want []keyed
	}{
		{nil, []keyed{{"halo", nil}, {"alltoall-linear", halo}}},
		{[]string{"workload.name=token-ring"}, []keyed{{"token-ring", halo}, {"token-ring", halo}}},
		{[]string{"workload.name=dissemination", "workload.repeat=7"}, []keyed{{"dissemination", halo}, {"dissemination", halo}}},
		{[]string{"workload={name: overhead-gap}"}, []keyed{{"overhead-gap", []string{"workload.iterations"}}, {"overhead-gap", append(halo, "workload.repeat")}}},
	} {
		f, err := Read("mine.yaml", []byte(text), c.set)
		if err != nil {
			t.Errorf("%v: %v", c.set, err)
			continue
		}
		for i, run := range f.Runs {
			var dropped []string
			for _, n := range run.NoEffect(results.AllUses) {
				dropped = append(dropped, n.Key)
			}
			if run.Kind != c.want[i].kind || !slices.Equal(dropped, c.want[i].dropped) {
				t.Errorf("%v: %s is %s, dropped %v; want %v", c.set, run.Name, run.Kind, dropped, c.want[i])
			}
			rows := keys.Table(WorkloadRows(run.Workload))
			if row, _ := rows.Row("bytes"); *row.To.(*int64) != 3<<10 {
				t.Errorf("%v: %s has lost the bytes that both have", c.set, run.Name)
			}
		}
	}
	for _, wrong := range [][2]string{
		{"machine: jacquard\nworkload: {name: halo, bites: 3}\nranks: 4\n", "workload.name=token-ring"},
		{"machine: jacquard\nworkload: {name: halo}\nranks: 4\n", "workload={name: token-ring, compute: 3us}"},
		{"machine: jacquard\nworkload: {name: halo}\nranks: 4\nruns: [{name: a, workload.compute: 3us, workload.name: token-ring}]\n", "seed=2"},
	} {
		if _, err := Read("mine.yaml", []byte(wrong[0]), []string{wrong[1]}); err == nil {
			t.Errorf("%q runs", wrong)
		}
	}
}

// Messages choose their routes on the flow fabric alone; elsewhere a run says that adaptive routing changes nothing.
func TestAdaptiveOnlyOnFlow(t *testing.T) {
	for fabric, idle := range map[string]bool{"backlog": true, "flow": false} {
		for routing, differs := range map[string]bool{"adaptive": false, "valiant": true} {
			text := "machine: {base: loggp, topology: {kind: dragonfly, groups: 4, routers: 2, nodes_per_router: 2, global: 2}}\nranks: 16\nfabric: {kind: " +
				fabric + "}\nprocesses_per_node: 1\nworkload: {name: halo}\n"
			f := must.Get(Read("mine.yaml", []byte(text), []string{"topology.routing=" + routing}))(t)
			if found := f.Runs[0].NoEffect(results.AllUses); (len(found) == 1 && found[0].Key == "topology.routing") != (idle && !differs) {
				t.Errorf("%s, %s: %+v", fabric, routing, found)
			}
		}
	}
}

// A run on GPUs uses their NICs, not those of processes, and without a fabric no topology; it says so.
func TestNICsOfGPUs(t *testing.T) {
	for set, want := range map[string][]string{
		"machine.network.bandwidth=x0.5":  {"machine.network.bandwidth"},
		"machine.gpu.nics.bandwidth=x0.5": nil,
		"machine.topology={kind: fat-tree, children: [4, 16], parents: [1]}": {"machine.topology.kind", "machine.topology.children",
			"machine.topology.parents"},
		"machine.links.bandwidth=1GB/s": {"machine.links.bandwidth"},
		"fabric.kind=flow; machine.topology={kind: fat-tree, children: [4, 16], parents: [1]}; machine.links.bandwidth=1GB/s": nil,
	} {
		run := must.Get(LoadRun("training-step", 0, strings.Split(set, "; ")))(t)
		var keys []string
		for _, n := range run.NoEffect(results.AllUses) {
			keys = append(keys, n.Key)
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%s: no effect of %v, want %v", set, keys, want)
		}
	}
}

// A key that a topology of the scenario and a flag give is named once.
func TestNamedOnce(t *testing.T) {
	const text = "machine: {cores: 1, network: {latency: 1us, send_overhead: 1us, bandwidth: 1GB/s}}\nranks: 2\nworkload: {name: halo}\n" +
		"topology: {kind: crossbar}\nfabric: {kind: backlog}\n"
	f := must.Get(Read("mine.yaml", []byte(text), []string{"machine.topology.cables=4"}))(t)
	if found := f.Runs[0].NoEffect(results.AllUses); len(found) != 1 || found[0].Key != "machine.topology.cables" {
		t.Errorf("%v", found)
	}
}
