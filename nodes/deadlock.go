package nodes

import (
	"fmt"
	"strings"

	"overlapsim/nodes/match"
	"overlapsim/nodes/programs"
)

// unfinished returns an error if nothing more can happen and a rank still waits, or if a message
// was never received.
func (c *cluster) unfinished() error {
	if c.networkSide.carries() {
		return tooLong
	}
	for r := range c.ranks {
		if c.region.has(int32(r)) && !c.ranks[r].over() {
			return fmt.Errorf("deadlock: %s", c.waitChain(int32(r)))
		}
	}
	for r := range c.ranks {
		if !c.region.has(int32(r)) {
			continue
		}
		posted, unexpected := c.matching.Waiting(r)
		for e := range c.matching.Unexpected(r) {
			return fmt.Errorf("rank %d never receives the message %s from rank %d%s%s", r, c.tagged(int32(e.Tag)), e.Source,
				c.whereSent(int(e.Source), r, int(int32(e.Tag))), further("nor", unexpected-1))
		}
		for e := range c.matching.Posted(r) {
			return fmt.Errorf("rank %d posts a receive of %s %s that no message comes for%s", r, c.soughtBy(e), sourceOf(e), further("nor for", posted-1))
		}
	}
	return nil
}

// further says that the same holds for n more; "" if there are none.
func further(word string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s %d more)", word, n)
}

// waitChain describes who waits for whom. It starts at a rank and ends at a rank that appears a
// second time, or that waits for no other rank.
func (c *cluster) waitChain(r int32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d ", r)
	told, _ := c.program.(programs.Told)
	seen := map[int32]bool{}
	for {
		seen[r] = true
		if told != nil && told.Doing(int(r)) != "" {
			fmt.Fprintf(&b, "(%s) ", told.Doing(int(r)))
		}
		next, what := c.waitsFor(r)
		b.WriteString(what)
		if next == nobody {
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

// waitsFor describes what a rank is doing, up to the name of the rank that it waits for; nobody: it
// waits for no particular rank.
func (c *cluster) waitsFor(r int32) (next int32, what string) {
	k := &c.ranks[r]
	switch {
	case k.over():
		return nobody, "has ended"
	case k.state == inBarrier:
		if k.meets > 0 {
			return k.meets - 1, "waits to meet"
		}
		return nobody, fmt.Sprintf("waits in a barrier that %d of %d ranks have come to", c.barrier.arrived, len(c.ranks))
	case k.state == waiting && k.any:
		return c.waitsForAny(r)
	case k.state == waiting && k.requests[k.waitsOn+1] < pendingReceive:
		return c.waitsForRound(r)
	case k.state == waiting && k.awaited == nobody:
		for e := range c.matching.Posted(int(r)) {
			if e.Value == k.waitsOn {
				if e.Source == match.Any {
					return nobody, "waits for " + c.soughtBy(e) + " from any rank"
				}
				return int32(e.Source), "waits for " + c.soughtBy(e) + " from"
			}
		}
	case k.state == waiting:
		m := c.messages.at(k.awaited)
		if m.protocol == combined {
			return nobody, fmt.Sprintf("waits for switches that combine the data of ranks, in messages %s, until all have come", c.tagged(m.tag))
		}
		return m.to, fmt.Sprintf("waits for its message %s to be received by", c.tagged(m.tag))
	}
	if k.state == awaiting {
		return nobody, "waits for an event that never happens"
	}
	return nobody, fmt.Sprintf("is stuck (state %d, a bug)", k.state)
}

// waitsForAny describes a rank that waits for any of several requests, by the first of them.
func (c *cluster) waitsForAny(r int32) (next int32, what string) {
	k := &c.ranks[r]
	requests := k.choice.Requests
	k.any, k.waitsOn = false, requests[0]
	k.awaited = messageOf(k.requests[k.waitsOn+1])
	next, what = c.waitsFor(r)
	if n := len(requests); n > 1 {
		what = strings.Replace(what, "waits for", fmt.Sprintf("waits for any of %d messages, such as", n), 1)
	}
	return next, what
}

// soughtBy names what a receive asks for.
func (c *cluster) soughtBy(e match.Envelope[int32]) string {
	if e.Tag == match.Any {
		return "a message with any tag"
	}
	return "a message " + c.tagged(int32(e.Tag))
}

// tagged describes messages by their tag.
func (c *cluster) tagged(tag int32) string {
	if told, ok := c.program.(programs.Told); ok {
		return told.Message(int(tag))
	}
	return fmt.Sprintf("with tag %d", tag)
}

// whereSent says in brackets where such a message is sent, if the program knows.
func (c *cluster) whereSent(from, to, tag int) string {
	if told, ok := c.program.(programs.Told); ok && told.Sent(from, to, tag) != "" {
		return " (" + told.Sent(from, to, tag) + ")"
	}
	return ""
}

// sourceOf names the rank that a receive asks.
func sourceOf(e match.Envelope[int32]) string {
	if e.Source == match.Any {
		return "from any rank"
	}
	return fmt.Sprintf("from rank %d", e.Source)
}
