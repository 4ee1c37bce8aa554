package laws

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

func boundHolds(t *trial) error {
	o, err := t.runs()
	if err != nil {
		return err
	}
	if bound, makespan := o.Result.Bound.Time(), o.Result.Makespan(); bound > makespan {
		return fmt.Errorf("the bound is %v, the run took %v", bound, makespan)
	}
	return nil
}

func boundAlone(t *trial) error {
	here, there, err := t.elsewhere()
	if err != nil {
		return err
	}
	if !sameProgram(here, there) || !sameCosts(here, there) {
		return errNotFor
	}
	room := sim.Time(here.Result.Messages) + mostPieces(here) + mostPieces(there) // each is rounded
	if a, b := here.Result.Bound.Time(), there.Result.Bound.Time(); apart(a, b) > room+a/1_000_000 {
		return fmt.Errorf("the bound is %v, with another library or fabric (%q) %v", a, there.Fabric, b)
	}
	return nil
}

// mostPieces is in how many pieces a library cuts all bytes, at most.
func mostPieces(o *outcomes.Outcome) (most sim.Time) {
	for _, chunk := range chunks(o) {
		if chunk > 0 {
			most = max(most, sim.Time(o.Result.Bytes/chunk))
		}
	}
	return most
}

// sameCosts tells whether the bounds of two outcomes have the same costs: libraries may
// have their own overhead, a calibrated fabric has its own NICs, and where messages contend
// a NIC may serve several at once, so that only their bytes take their turns, at rates that the machine may state.
func sameCosts(a, b *outcomes.Outcome) bool {
	m, n := &a.Machine.Network, &b.Machine.Network
	bytesOnly := m.Startup == 0 && len(m.Transfer) <= 1 && (len(m.Transfer) == 0 || m.Transfer[0].Base == 0)
	return slices.Equal(m.SendOverhead, n.SendOverhead) && (a.Fabric == "calibrated") == (b.Fabric == "calibrated") &&
		(bytesOnly && m.Channels == 0 && !statesEnds(a) || (a.Fabric == "ideal") == (b.Fabric == "ideal"))
}

// statesEnds tells whether a machine states what its NICs send or take in on a contended fabric.
func statesEnds(o *outcomes.Outcome) bool {
	return slices.ContainsFunc(o.Machine.Facts, func(f keys.Fact) bool {
		return strings.HasSuffix(f.Path, "links.injection") || strings.HasSuffix(f.Path, "links.ejection")
	})
}

// boundMonotone makes one thing of the machine or the workload twice as fast.
func boundMonotone(t *trial) error {
	o, err := t.runs()
	if err != nil || !t.fixed() {
		return errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	at, path, ok := t.anyTimed(c, "machine", "workload")
	if !ok {
		return errNotFor
	}
	old := at.text
	text, ok := slower(old, big.NewRat(1, 2))
	if !ok {
		return errNotFor
	}
	at.text = text
	other, err := t.variant(c)
	if err != nil || !sameProgram(o, other) || o.Fabric == "calibrated" && strings.HasSuffix(path, "latency") {
		return errNotFor // of a factor below 1 the latency is a part: docs/explanation/time-breakdown.md#the-lower-bound
	}
	if a, b := o.Result.Bound.Time(), other.Result.Bound.Time(); b > a {
		return fmt.Errorf("the bound is %v with %q, and %v with %q", a, path+": "+old, b, text)
	}
	return nil
}
