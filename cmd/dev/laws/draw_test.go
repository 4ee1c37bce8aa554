package laws

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// draw is one random scenario in the making. Sizes are small, so that a run takes
// about a millisecond.
type draw struct {
	*rand.Rand
	tables *tables
	chosen map[string]bool   // choices of this scenario, in plain words
	ranks  int               // of the scenario
	files  map[string]string // next to the scenario
}

func newDraw(t *tables, number uint64) *draw {
	return &draw{
		Rand: rand.New(rand.NewPCG(number, 0x6c617773)), tables: t,
		chosen: map[string]bool{}, files: map[string]string{}, ranks: 1,
	}
}

func (d *draw) chance(p float64) bool { return d.Float64() < p }

func one[T any](d *draw, from []T) T { return from[d.IntN(len(from))] }

// between returns a number whose logarithm is uniform.
func (d *draw) between(least, most float64) float64 {
	return least * math.Pow(most/least, d.Float64())
}

// How often an optional key is given: often if it belongs to a choice that was made,
// seldom if it belongs to another one.
const (
	oftenGiven  = 0.7
	seldomGiven = 0.02
	someGiven   = 0.3
)

// weights are how often keys are given, by their paths, if that differs from someGiven.
var weights = map[string]float64{
	"kernels": 0.98, "barrier": 0.5, "copying": 0.15, "noise": 0.12, "topology": 0.4, "smt": 0.15, "memory": 0.2, "intra_node": 0.4,
	"sockets": 0.2, "nics": 0.2,
	"progress": 0.9, "rendezvous": 0.8, "waiting": 0.5, "title": 0.05, "base": 0, "name": 0.1, "nodes": 0.1, "processes_per_node": 0.1,
}

func (d *draw) given(k *key) float64 {
	switch {
	case k.Needs == keys.Required:
		return 0.998
	case k.only != nil && slices.ContainsFunc(k.only, func(word string) bool { return d.chosen[word] }):
		return oftenGiven
	case k.only != nil:
		return seldomGiven
	case strings.HasPrefix(k.Path, "kernels."):
		return map[string]float64{"demand": 0.3, "profile": 0.3}[k.name] + map[bool]float64{true: 0.995}[k.group]
	}
	if w, ok := weights[k.Path]; ok {
		return w
	}
	if k.Choices != nil {
		return oftenGiven
	}
	return someGiven
}

// group draws the keys of a group. Keys with choices come first, as other keys depend on
// them.
func (d *draw) group(table []*key) *Tree {
	m := mapping()
	for _, chooses := range []bool{true, false} {
		for _, k := range table {
			if (k.Choices != nil) == chooses && d.chance(d.given(k)) && !d.doubled(m, k) {
				m.put(k.name, d.value(k))
			}
		}
	}
	return m
}

// doubled tells whether another key already says the same as this one, or whether the
// other one is preferred.
func (d *draw) doubled(m *Tree, k *key) bool {
	if k.Or == "" {
		return false
	}
	path := steps(k.Or)
	return m.at(path[len(path)-1]) != nil || k.Path < k.Or && d.chance(0.3)
}

// value draws the value of a key.
func (d *draw) value(k *key) *Tree {
	switch {
	case k.name == "runtime" && k.group:
		return d.runtime()
	case k.name == "kernels" && k.group:
		return d.kernels(k)
	case k.group:
		return d.group(k.inside)
	}
	switch k.shape() {
	case aList:
		return d.list(k)
	case aCost:
		return d.cost(k)
	case aRate:
		return d.rate(k)
	case someKeys:
		return d.records(k)
	}
	return d.single(k)
}

// single draws a text, a flag or a quantity.
func (d *draw) single(k *key) *Tree {
	switch {
	case k.Choices != nil:
		choice := one(d, k.Choices)
		d.chosen[plainWords(choice)] = true
		return scalar(choice)
	case k.isText():
		return scalar(d.text(k))
	case k.isFlag():
		return scalar(strconv.FormatBool(d.chance(0.5)))
	}
	return scalar(d.quantity(k))
}

// strange draws a text that a page, a table, a file or a terminal could fail on.
func (d *draw) strange() string {
	if d.chance(0.6) {
		return one(d, strangeTexts)
	}
	some := make([]rune, 1+d.IntN(4))
	for i := range some {
		some[i] = rune(d.IntN(one(d, []int{0x20, 0xa0, 0x3000})))
	}
	return "a" + string(some) + "b"
}

var strangeTexts = []string{`a "b" <i>&amp;`, "=1+1", "${x} `y`", "größer, schneller", "</script><script>", "100 %d\\n", "'; --"}

var gridForm = regexp.MustCompile(`\b\d+x\d+\b`)

// text draws a word of the documentation, if it names any.
func (d *draw) text(k *key) string {
	if k.name == "title" || k.name == "name" {
		return d.strange()
	}
	if unset := k.Default(); unset != "" && d.chance(0.4) {
		return unset
	}
	if k.name == "kernel" {
		return one(d, append([]string{ownKernel}, names(find(d.tables.machine, "kernels").inside)...))
	}
	if gridForm.MatchString(k.Doc) {
		a := one(d, divisors(d.ranks))
		return fmt.Sprintf("%dx%d", a, d.ranks/a)
	}
	return one(d, docWords(k.Doc))
}

// ownKernel is what a machine calls its own kernel.
const ownKernel = "own"

// kernels draws the kernels of a machine, sometimes with an additional one.
func (d *draw) kernels(k *key) *Tree {
	m := d.group(k.inside)
	if d.chance(0.3) {
		unit, of := "GF/s", "flop"
		if d.chance(0.3) {
			unit, of = "GB/s", "bytes"
		}
		work := mapping()
		work.put(of, scalar(one(d, []string{"1", "2.5", "54"})))
		for _, power := range []string{"power", "logs"} {
			if d.chance(0.4) {
				work.put(power, scalar(one(d, []string{"0", "0.5", "1", "2"})))
			}
		}
		m.set(work, ownKernel, "work")
		m.set(scalar(one(d, []string{"0.1", "1", "7"})+unit), ownKernel, "rates")
	}
	return m
}

func names(group []*key) (all []string) {
	for _, k := range group {
		all = append(all, k.name)
	}
	return all
}

func divisors(n int) (all []int) {
	for i := 1; i <= n; i++ {
		if n%i == 0 {
			all = append(all, i)
		}
	}
	return all
}

// quantity draws a number with its unit, sometimes an extreme one.
func (d *draw) quantity(k *key) string {
	if d.chance(0.003) {
		return one(d, []string{"0", "-1us", "3", "1e9GB/s", "1ps", "10ms", "0s", "0B", "x2", "1.5", "-4", "1e3ns", "12 parsecs"})
	}
	if k.Range == keys.NotNegative && d.chance(0.12) && k.Default() != "" {
		return keys.Format(k.Is, 0)
	}
	switch k.Is {
	case keys.Count:
		return d.count(k)
	case keys.Number:
		return d.number(k)
	case keys.Time:
		if k.name == "alone" { // a step or a product of GPUs, as measured
			return d.digits(d.between(1, 1000)) + "ms"
		}
		return d.time()
	case keys.Bytes:
		if k.Range == keys.Positive { // of chunks and packets: many would be slow
			return strconv.Itoa(int(d.between(64, 20000))) + "B"
		}
		return d.bytes()
	case keys.PerByte:
		if d.chance(0.5) {
			return d.digits(d.between(0.02, 20)) + "ns/B"
		}
		return d.bandwidth()
	case keys.Rate:
		return d.digits(d.between(0.1, 50)) + "GF/s"
	case keys.Bandwidth:
		return d.bandwidth()
	case keys.Frequency:
		return d.digits(d.between(10, 20000)) + "Hz"
	}
	panic(fmt.Sprintf("no way to draw %v", k.Is))
}

// digits writes a number with few digits, or with many.
func (d *draw) digits(x float64) string {
	return strconv.FormatFloat(x, 'g', 1+d.IntN(4), 64)
}

func (d *draw) bandwidth() string { return d.digits(d.between(0.05, 50)) + "GB/s" }

func (d *draw) time() string {
	ns := d.between(1, 20000)
	if d.chance(0.2) {
		return strconv.Itoa(int(1000*ns)) + "ps"
	}
	return d.digits(math.Ceil(ns)) + "ns"
}

func (d *draw) bytes() string {
	if d.chance(0.5) {
		return one(d, []string{"1B", "8B", "64B", "100B", "256B", "1KiB", "2KiB", "4KiB", "8KiB", "16KiB"})
	}
	return strconv.Itoa(int(d.between(1, 20000))) + "B"
}

// count draws a small whole number; for topologies it is smaller.
func (d *draw) count(k *key) string {
	if k.Range == keys.Any {
		return strconv.Itoa(d.IntN(9) - 4)
	}
	if strings.HasPrefix(k.Path, "topology.") {
		return strconv.Itoa(1 + d.IntN(4))
	}
	return strconv.Itoa(one(d, []int{1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 8, 16}))
}

var fraction = regexp.MustCompile(`0 to 1\b`)

func (d *draw) number(k *key) string {
	switch {
	case fraction.MatchString(k.Doc) || k.only != nil:
		return d.digits(d.Float64())
	case k.Default() == "0" && d.chance(0.5):
		return "0"
	}
	return d.digits(1 + 3*d.Float64())
}

// list draws one value or several.
func (d *draw) list(k *key) *Tree {
	element := *k
	element.To = new(int)
	switch k.To.(type) {
	case *[]float64:
		element.To = new(float64)
	case *[]bool:
		element.To = new(bool)
	case *[]string:
		element.To = new(string)
	}
	if d.chance(0.2) {
		return d.single(&element)
	}
	l := list()
	for range 1 + d.IntN(3) {
		item := d.single(&element)
		if k.Is == keys.Count && k.Range == keys.Positive {
			item = number(1 + d.IntN(4))
		}
		l.values = append(l.values, item)
	}
	return l
}

// cost draws one value for all sizes, or pieces.
func (d *draw) cost(k *key) *Tree {
	if d.chance(0.7) {
		return d.single(k)
	}
	l, from := list(), 0
	for range 1 + d.IntN(3) {
		piece := mapping()
		if from > 0 || d.chance(0.5) {
			piece.put("from", scalar(strconv.Itoa(from)+"B"))
		}
		for _, inner := range d.tables.piece {
			if inner.name != "from" && d.chance(0.6) {
				piece.put(inner.name, d.single(inner))
			}
		}
		l.values = append(l.values, piece)
		from += 1 + int(d.between(1, 8000))
	}
	return l
}

// rate draws one rate, or points by problem size.
func (d *draw) rate(k *key) *Tree {
	if d.chance(0.7) {
		return d.single(k)
	}
	l, n := list(), 1
	for range 1 + d.IntN(3) {
		point := mapping()
		point.put("n", number(n))
		point.put("rate", d.single(k))
		l.values = append(l.values, point)
		n += 1 + int(d.between(1, 500))
	}
	return l
}
