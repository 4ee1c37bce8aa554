package advice

import (
	"strings"
	"testing"
)

// If nothing helps, the sentence says what limits the run.
func TestBinds(t *testing.T) {
	const pair = "machine: loggp\nranks: 2\nprocesses_per_node: 1\nworkload: "
	for _, c := range []struct {
		name, text string
		settings   []string
		want       string
	}{
		{"computation", pair + "{name: halo, bytes: 8B, iterations: 2, compute: 100ms}", nil,
			"nothing to gain: 100.0 % of the time is computation"},
		{"NIC", pair + "{name: shift, bytes: 16MiB, repeat: 4}", []string{"machine.topology={kind: fat-tree, levels: 1, arity: 2}"},
			"nothing that overlap can do: the busiest NIC is busy "},
		{"link", pair + "{name: shift, bytes: 16MiB, repeat: 4}",
			[]string{"fabric.kind=flow", "machine.topology={kind: torus, dims: [2]}", "machine.links={bandwidth: 100MB/s}",
				"machine.network.channels=4"}, "nothing that overlap can do: the link (0) +"},
		{"processor", pair + "{name: shift, bytes: 1B, repeat: 4}",
			[]string{"machine.network.send_overhead=1ms", "machine.network.latency=0s",
				"machine.network.gap=0s"}, "nothing that overlap can do: the busiest processor is busy "},
		{"a chain", pair + "{name: token-ring, bytes: 8B}", nil, "none of 3 re-runs gains more than 1 %; most of what could be gained is "},
		{"others", pair + "{name: token-ring, bytes: 8B}", []string{"ranks=16"},
			"none of 3 re-runs gains more than 1 %; most of what could be gained is partner, "},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := written(t, c.text, c.settings...)
			s := newSubject(a.outcome(t), a.load)
			if got := s.binds(3); !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := s.binds(0); strings.Contains(got, "re-runs") {
				t.Errorf("without a re-run: %q", got)
			}
		})
	}
}
