package laws

import (
	"fmt"

	"overlapsim/scenarios/keys"
)

// records draws a list of entries with names. A text list of an entry names entries before it, as
// what comes after what does.
func (d *draw) records(k *key) *Tree {
	l, inside := list(), nest(k.Inside())
	for i := range 1 + d.IntN(5) {
		entry := mapping()
		for _, inner := range inside {
			switch {
			case inner.name == "name":
				entry.put(inner.name, scalar(recordName(i)))
			case inner.shape() == aList && inner.isText():
				if i > 0 && d.chance(0.3) {
					entry.put(inner.name, list(scalar(recordName(d.IntN(i)))))
				}
			case d.chance(entryGiven[inner.name]):
				entry.put(inner.name, d.entry(inner))
			}
		}
		l.values = append(l.values, entry)
	}
	return l
}

func recordName(i int) string { return fmt.Sprintf("op%d", i) }

// entryGiven is how often a key of an entry is given: those that exclude each other seldom.
var entryGiven = map[string]float64{"priority": 0.6, "stream": 0.5, "kind": 0.2, "gpus": 0.05, "time": 0.8, "blocks": 0.3, "bytes": 0.05,
	"flops": 0.02, "product": 0.02, "collective": 0.25, "channels": 0.03, "group": 0.02}

// entry draws the value of a key of an entry.
func (d *draw) entry(k *key) *Tree {
	switch k.name {
	case "stream", "kind":
		return scalar(recordName(d.IntN(3)))
	case "blocks":
		return number(1 + d.IntN(400))
	case "priority":
		return number(d.IntN(3))
	case "collective":
		return scalar(one(d, docWords(k.Doc)))
	}
	if k.Is == keys.Number {
		return list(number(1+d.IntN(5000)), number(1+d.IntN(5000)), number(1+d.IntN(5000)))
	}
	return d.value(k)
}
