package papers

import (
	"fmt"
	"strings"
)

// Tally counts verdicts.
type Tally struct {
	Claims, Hold [4]int // that were judged, and that hold, by kind
	Unexplained  int    // of those that do not hold
	Known        int    // ... and are explained
	Computed     int    // nothing published to compare with
}

// Count counts verdicts.
func Count(verdicts []*Verdict) (t Tally) {
	for _, v := range verdicts {
		switch v.Status() {
		case Computed:
			t.Computed++
			continue
		case NotReproduced:
			t.Unexplained++
		case KnownFailure:
			t.Known++
		}
		t.Claims[v.Kind]++
		t.Hold[v.Kind] += int(bit(v.Pass))
	}
	return t
}

// String is the headline: predictions alone, and after them the rest.
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d predictions come out", t.Hold[Predicted], t.Claims[Predicted])
	between := "; besides "
	for _, k := range kinds()[1:] {
		if t.Claims[k] > 0 {
			fmt.Fprintf(&b, "%s%d of %d %s", between, t.Hold[k], t.Claims[k], k.counted())
			between = ", "
		}
	}
	if failed := t.Unexplained + t.Known; failed > 0 {
		fmt.Fprintf(&b, "; %d do not (%d of them known)", failed, t.Known)
	}
	if t.Computed > 0 {
		fmt.Fprintf(&b, "; %d withheld and computed", t.Computed)
	}
	return b.String()
}

// retried counts what trials make of predictions that do not come out.
type retried struct {
	Failed int // predictions that do not come out
	Claims int // of those that were tried with other settings
	Hold   int // of those that come out in a trial at least
	Trials int // that were run for them
}

// retrials counts the trials of a paper; verdicts are those of its claims as they are.
func (p *Paper) retrials(verdicts []*Verdict, r *Recorded) (t retried) {
	trials := map[string]int{} // by mechanism
	for _, v := range verdicts {
		if v.Kind != Predicted || v.Pass || v.Judged == Withheld {
			continue
		}
		t.Failed++
		tried, holds := 0, 0
		for _, m := range p.missing(v.Claim) {
			trials[m.Name] = len(m.Trials)
			tried += len(m.Trials)
			holds += p.holds(v.Claim, m, r)
		}
		t.Claims += min(tried, 1)
		t.Hold += min(holds, 1)
	}
	for _, n := range trials {
		t.Trials += n
	}
	return t
}

// holds counts the trials of a mechanism in which a claim comes out.
func (p *Paper) holds(c *Claim, m *Mechanism, r *Recorded) (n int) {
	for i := range m.Trials {
		n += int(bit(p.judged(c, r.trial(m, i)[c.ID]).Pass))
	}
	return n
}

// add adds the counts of another paper.
func (t *retried) add(u retried) {
	t.Failed += u.Failed
	t.Claims += u.Claims
	t.Hold += u.Hold
	t.Trials += u.Trials
}

// String says what trials make of the predictions that do not come out.
func (t retried) String() string {
	return fmt.Sprintf("Of %d predictions that do not come out, %d are tried with other numbers, in %d trials; %d of them come out in one trial or more",
		t.Failed, t.Claims, t.Trials, t.Hold)
}
