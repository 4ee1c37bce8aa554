package nodes

import (
	"fmt"
	"strings"
)

// unfinished is the error of a run in which nothing can happen any more but
// somebody still waits, or a message was never received.
func (c *cluster) unfinished() error {
	for r := range c.ranks {
		if !c.ranks[r].over() {
			return fmt.Errorf("deadlock: %s", c.waitChain(int32(r)))
		}
	}
	for r := range c.ranks {
		if u := c.ranks[r].matching.unexpected; len(u) > 0 {
			return fmt.Errorf("rank %d never receives the message with tag %d from rank %d (and %d more)", r, u[0].tag, u[0].source, len(u)-1)
		}
		if p := c.ranks[r].matching.posted; len(p) > 0 {
			return fmt.Errorf("rank %d posts a receive of %v that no message comes for (and %d more)", r, p[0], len(p)-1)
		}
	}
	return nil
}

// waitChain says in words who waits for whom, from a rank on until somebody
// comes up twice or does not wait for a rank.
func (c *cluster) waitChain(r int32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d ", r)
	seen := map[int32]bool{}
	for {
		seen[r] = true
		next, what := c.waitsFor(r)
		b.WriteString(what)
		if next < 0 {
			return b.String()
		}
		if seen[next] {
			fmt.Fprintf(&b, " rank %d: a cycle", next)
			return b.String()
		}
		fmt.Fprintf(&b, " rank %d, which ", next)
		r = next
	}
}

// waitsFor says what a rank is doing, up to the name of the rank it waits for;
// -1: for nobody in particular.
func (c *cluster) waitsFor(r int32) (next int32, what string) {
	k := &c.ranks[r]
	switch {
	case k.over():
		return -1, "has ended"
	case k.state == inBarrier:
		return -1, fmt.Sprintf("waits in a barrier that %d of %d ranks have come to", c.barrier.come, len(c.ranks))
	case k.state == waiting && k.awaited == nobody:
		for _, e := range k.matching.posted {
			if e.id == k.waitsOn {
				return e.source, "waits for " + e.String()
			}
		}
	case k.state == waiting:
		m := &c.messages[k.awaited]
		return m.to, fmt.Sprintf("waits for its message with tag %d to be received by", m.tag)
	}
	return -1, fmt.Sprintf("is stuck (state %d, a bug)", k.state)
}

// String names a receive up to its source.
func (e envelope) String() string {
	tag := fmt.Sprintf("tag %d", e.tag)
	if e.tag == AnyTag {
		tag = "any tag"
	}
	if e.source == AnySource {
		return tag + " from any rank"
	}
	return tag + " from"
}
