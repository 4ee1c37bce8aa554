package nodes

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// slopeCase is an instance whose slopes are checked.
type slopeCase struct {
	*instance
	calibration *calibrated.Calibration // nil: no factor makes messages longer
	contended   bool                    // the fabric is a contended one on which messages do not contend
	links       *flow.Params            // nil: the fabric has no links that messages share
}

// finer multiplies all times of an instance, and adds to each less than the factor. Then few
// events coincide, and one ps more of a parameter changes no order.
func (in *slopeCase) finer(t *rapid.T, by sim.Time) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	finer := func(t sim.Time) sim.Time {
		if t == 0 {
			return 0
		}
		return t*by + sim.Time(random.Int64N(int64(by)))
	}
	in.machine.Noise = nil // its moments do not depend on anything else
	for _, p := range parts.Parameters(in.machine) {
		for _, t := range p.Times {
			*t = finer(*t)
		}
		for _, f := range p.Floats {
			if p.Unit == results.SecondPerByte {
				*f = float64(finer(sim.Time(*f)))
			}
		}
	}
	if rt := in.machine.Runtime; rt != nil {
		rt.Progress.Every = finer(rt.Progress.Every)
	}
	for _, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == programs.OpCompute {
				ops[i].Amount = int64(finer(sim.Time(ops[i].Amount)))
			}
		}
	}
}

// shifted returns the makespan with all numbers of a parameter larger by that much, and
// the order in which the servers of the run served.
func (in *slopeCase) shifted(i int, by sim.Time) (sim.Time, []served) {
	m := in.machine.Clone()
	p := parts.Parameters(m)[i]
	for _, t := range p.Times {
		*t += by
	}
	for _, f := range p.Floats {
		*f += float64(by)
	}
	result, order, err := in.orderly(m)
	if err != nil { // another order, in which a rank waits for ever
		return 0, nil
	}
	return result.Makespan(), order
}

// served is a part that a server worked on.
type served struct {
	resource results.Resource
	index    int32
	part     results.Part
	amount   int64
	message  int32
}

// orderly runs the case on a machine, and also returns what each server did, in order.
func (in *slopeCase) orderly(m *machines.Machine) (*results.Result, []served, error) {
	c, result, err := in.run(m)
	if err != nil {
		return nil, nil, err
	}
	var order []served
	tree := c.causes.Tree()
	for m := range int32(tree.Len() - 1) {
		if w := tree.What(m + 1); results.Part(w.Part) != parts.Tie {
			order = append(order, served{results.Resource(w.Resource), w.Index, results.Part(w.Part), w.Amount, w.Message})
		}
	}
	slices.SortStableFunc(order, func(a, b served) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.index, b.index))
	})
	return result, order, nil
}

// run runs the case on a machine.
func (in *slopeCase) run(m *machines.Machine) (c *cluster, result *results.Result, err error) {
	o := Options{Critical: true}
	if in.contended {
		o.Fabric = newAlone(&m.Network)
	}
	o.Calibration = in.calibration
	if in.links != nil {
		in.links.Latency = m.Network.Latency
		o.Fabric = newRing(in.points(), in.links)
	}
	result, err = run(m, in.script, in.perNode, o, func(begun *cluster) { c = begun })
	return c, result, err
}

// checkPath checks that a path leads from 0 to the makespan without gap.
func checkPath(t *rapid.T, path []results.Piece, makespan sim.Time) (ties int) {
	var at sim.Time
	for _, p := range path {
		if p.Start != at || p.End < p.Start {
			t.Fatalf("a piece begins at %v, the one before it ended at %v", p.Start, at)
		}
		at = p.End
		if p.Part == parts.Tie {
			ties++
		}
	}
	if at != makespan {
		t.Fatalf("the path ends at %v, the run at %v", at, makespan)
	}
	return ties
}

// gradientTally counts comparisons with finite differences.
type gradientTally struct{ runs, exact, oneSided, reordered int }

// differences compares the slopes of a run with finite differences. On a path without
// ties these are the same on both sides, unless another path is less than a shift away,
// and then on one side; a path with ties has a slope between them. (The
// makespan is convex as long as all servers keep their order, except where a process
// sleeps: it need not wait again for what comes while it wakes.)
func (in *slopeCase) differences(t *rapid.T, sum *gradientTally) {
	result, order, err := in.orderly(in.machine)
	if err != nil {
		if strings.Contains(err.Error(), "critical path") {
			t.Fatalf("%v%v", in, err)
		}
		return // a deadlock
	}
	makespan := result.Makespan()
	ties := checkPath(t, result.Critical, makespan)
	sum.runs++
	slopes := map[string]results.Slope{}
	for _, s := range result.Slopes {
		slopes[s.Parameter] = s
	}
	for i, p := range parts.Parameters(in.machine)[:parts.Rates(0)] {
		if len(p.Times)+len(p.Floats) == 0 {
			continue
		}
		if in.machine.Runtime != nil && smallest(p) < shift {
			continue // at 0 jobs coincide that otherwise do not
		}
		up, orderUp := in.shifted(i, shift)
		d := slopes[p.Name].Derivative
		left, right := d, float64(up-makespan)/shift
		if smallest(p) >= shift {
			down, orderDown := in.shifted(i, -shift)
			left = float64(makespan-down) / shift
			if !slices.Equal(orderDown, order) {
				orderUp = nil
			}
		}
		switch {
		case right == d && left == d:
			sum.exact++
		case !slices.Equal(orderUp, order) || jumps(left, order) || jumps(right, order):
			sum.reordered++
		case d < min(left, right) || d > max(left, right), ties == 0 && left != d && right != d:
			t.Fatalf("%v%s: slope %v, finite differences %v and %v, %d ties", in, p.Name, d, left, right, ties)
		default:
			sum.oneSided++
		}
	}
}

// jumps tells whether a finite difference is larger than any slope can be. Then a message
// comes before the end of a call instead of after it, or the other way round.
func jumps(difference float64, order []served) bool {
	return math.Abs(difference) > float64(mostDrawn*len(order))
}

// shift is by how much parameters are changed, in ps. It is even because Search counts by halves.
const shift = 2

// mostDrawn is the size of the largest message that is drawn.
const mostDrawn = 20

// smallest returns the smallest number of a parameter.
func smallest(p parts.Parameter) float64 {
	least := math.Inf(1)
	for _, t := range p.Times {
		least = min(least, float64(*t))
	}
	for _, f := range p.Floats {
		least = min(least, *f)
	}
	return least
}

// TestPrune forgets moments after every event.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom([]func(*rapid.T) *instance{drawAny, drawLibrary, drawBackground}).Draw(t, "kind")(t)
		o := Options{Critical: true, Background: in.background}
		switch rapid.IntRange(0, 3).Draw(t, "fabric") {
		case 0:
			o.Fabric = newAlone(&in.machine.Network)
		case 1:
			o.Fabric = newRing(in.points(), &flow.Params{Capacity: []sim.Rate{1e12}, Injection: 9e11})
		}
		if rt := in.machine.Runtime; in.background == 0 && (rt == nil || !rt.Progress.By.Tests()) && rapid.Bool().Draw(t, "shared") {
			in.machine.Noise = nil // slowed down, it may leave no time to compute
			drawSharing(t, in.machine, in)
		}
		whole, err := Run(in.machine, in.script, in.perNode, o)
		if err != nil {
			return
		}
		pruned, err := run(in.machine, in.script, in.perNode, o, func(c *cluster) {
			c.causes.Often()
		})
		if err != nil {
			t.Fatalf("%v%v", in, err)
		}
		if !slices.Equal(whole.Critical, pruned.Critical) || fmt.Sprint(whole.Slopes) != fmt.Sprint(pruned.Slopes) {
			t.Fatalf("%v\npath: %v\npruned after every event: %v, %v\n%v\n%v", in, whole.Critical, pruned.Critical, err, whole.Slopes, pruned.Slopes)
		}
	})
}

// gradients compares the slopes of random instances with finite differences. Where
// servers change their order there is nothing to compare.
func gradients(t *testing.T, draw func(*rapid.T) *instance, contended bool, hundreds int) {
	var sum gradientTally
	often(t, sample(hundreds), func(t *rapid.T) {
		in := &slopeCase{instance: draw(t), contended: contended}
		in.finer(t, 100_000)
		in.differences(t, &sum)
	})
	t.Logf("%+v", sum)
	if all := sum.exact + sum.oneSided + sum.reordered; sum.reordered*20 > all || sum.exact*10 < all*9 {
		t.Errorf("too few of them are exact: %+v", sum)
	}
}

func TestGradientRDMA(t *testing.T) {
	gradients(t, func(t *rapid.T) *instance { return drawInstance(t, false) }, false, 2)
}

func TestGradientCopying(t *testing.T) {
	gradients(t, func(t *rapid.T) *instance { return drawInstance(t, true) }, false, 2)
}

func TestGradientContended(t *testing.T) { gradients(t, drawLibrary, true, 1) }

func TestGradientLibraries(t *testing.T) { gradients(t, drawLibrary, false, 2) }

// smoothTally counts comparisons of slopes with finite differences in runs in which processes
// slow each other down. There the makespan is not a straight line, but it is smooth as long as
// all events keep their order.
type smoothTally struct{ runs, unstable, compared, bent, beside int }

func (in *slopeCase) smooth(t *rapid.T, sum *smoothTally) {
	_, result, err := in.run(in.machine)
	if err != nil {
		if strings.Contains(err.Error(), "critical path") {
			t.Fatalf("%v%v", in, err)
		}
		return
	}
	if !result.Stability.Stable() {
		sum.unstable++
		return
	}
	makespan := float64(result.Makespan())
	checkPath(t, result.Critical, result.Makespan())
	sum.runs++
	slopes := map[string]results.Slope{}
	for _, s := range result.Slopes {
		slopes[s.Parameter] = s
	}
	check := func(name string, unit results.Unit, times func(float64) float64) {
		const step = 1e-4
		up, down := times(1+step), times(1-step)
		left, right := (1-down/makespan)/step, (up/makespan-1)/step
		d := slopes[name].Elasticity
		switch {
		case math.Abs(left-right) > 1e-3:
			sum.bent++
		case math.Abs(d-(left+right)/2) > 2e-3:
			t.Fatalf("%v%+v%+v\n%s: elasticity %v, finite differences %v and %v\n%v", in, in.machine.Sharing, in.links, name, d, left, right,
				result.Slopes)
		default:
			sum.compared++
			if d != 0 && (unit == results.BytePerSecond || unit == results.Factor) {
				sum.beside++
			}
		}
	}
	for _, p := range parts.Parameters(in.machine) {
		if len(p.Times)+len(p.Floats) > 0 {
			check(p.Name, p.Unit, func(factor float64) float64 { return in.scaled(t, p.Name, factor) })
		}
	}
	if in.links == nil {
		return
	}
	for name, number := range numbers(in.links) {
		check(name, results.BytePerSecond, func(factor float64) float64 {
			was := *number
			*number *= sim.Rate(factor)
			defer func() { *number = was }()
			return in.scaled(t, "network.gap", 1)
		})
	}
}

// scaled returns the makespan with a parameter multiplied by factor.
func (in *slopeCase) scaled(t *rapid.T, name string, factor float64) float64 {
	m, err := parts.Scaled(in.machine, name, factor)
	if err != nil {
		t.Fatal(err)
	}
	_, result, err := in.run(m)
	if err != nil {
		return math.NaN()
	}
	return float64(result.Makespan())
}

// share makes the processes of an instance slow each other down. They compute more than
// they communicate.
func (in *slopeCase) share(t *rapid.T) {
	in.perNode = max(in.perNode, rapid.IntRange(1, 4).Draw(t, "crowd"))
	for r, ops := range in.script.ops {
		in.script.ops[r] = slices.Insert(ops, 0, programs.Op{Kind: programs.OpCompute, Amount: rapid.Int64Range(1, 100).Draw(t, "first")})
	}
	drawSharing(t, in.machine, in.instance)
	in.machine.Sharing.Bandwidth = rapid.SampledFrom([]float64{0, 5e8, 2e9}).Draw(t, "bandwidth")
	in.finer(t, 10_000_000)
	for _, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == programs.OpCompute {
				ops[i].Amount *= 10
			}
		}
	}
}

// onLinks makes the messages of an instance share the links of a ring, and compares the
// slopes, including those with respect to capacities, with finite differences.
func (in *slopeCase) onLinks(t *rapid.T, sum *smoothTally) {
	p := flow.Params{Latency: in.machine.Network.Latency, HopLatency: sim.Time(rapid.IntRange(0, 5_000_000).Draw(t, "hop"))}
	for _, capacity := range []*sim.Rate{&p.Injection, &p.Ejection, &p.Duplex, &p.Exchange} {
		*capacity = rapid.SampledFrom([]sim.Rate{0, 1e5, 1.3e5, 2.1e5}).Draw(t, "capacity")
	}
	p.Capacity = []sim.Rate{rapid.SampledFrom([]sim.Rate{1e5, 1.7e5}).Draw(t, "capacity")}
	in.links = &p
	in.smooth(t, sum)
}

// newRing makes a fabric of nodes on a ring.
func newRing(nodes int, p *flow.Params) network.Maker {
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		shape, err := topology.NewTorus(topology.Grid{Sizes: []int{max(2, nodes)}, Tie: topology.TieParity})
		if err != nil {
			return nil, err
		}
		return flow.New(k, sink, shape, *p)
	}
}

// numbers returns the rates of the fabric that have an effect, by name.
func numbers(p *flow.Params) map[string]*sim.Rate {
	return map[string]*sim.Rate{network.LinkBandwidth: &p.Capacity[0], network.LinkInjection: &p.Injection, network.LinkEjection: &p.Ejection,
		network.LinkDuplex: &p.Duplex, network.LinkExchange: &p.Exchange}
}

// TestGradientCalibrated compares slopes where a factor makes each message longer.
func TestGradientCalibrated(t *testing.T) {
	var sum smoothTally
	rapid.Check(t, func(t *rapid.T) {
		in := &slopeCase{instance: drawAny(t), calibration: testCalibration(t)}
		in.finer(t, 10_000_000)
		in.smooth(t, &sum)
	})
	t.Logf("%+v", sum)
	if sum.compared < 10*sum.runs {
		t.Errorf("too few can be compared: %+v", sum)
	}
}

func TestGradientLinks(t *testing.T) {
	must.Long(t)
	var sum smoothTally
	rapid.Check(t, func(t *rapid.T) {
		in := &slopeCase{instance: drawAny(t)}
		if rapid.Bool().Draw(t, "shared") {
			in.share(t)
		} else {
			in.finer(t, 10_000_000)
		}
		in.onLinks(t, &sum)
	})
	t.Logf("%+v", sum)
	if sum.bent*20 > sum.compared || sum.beside < enough(sum.runs)/10 {
		t.Errorf("too few of them can be compared, or depend on what is shared: %+v", sum)
	}
}

func gradientsShared(t *testing.T, draw func(*rapid.T) *slopeCase) {
	var sum smoothTally
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		in.share(t)
		in.smooth(t, &sum)
	})
	t.Logf("%+v", sum)
	if sum.bent*20 > sum.compared || sum.beside < enough(sum.runs)/10 {
		t.Errorf("too few of them can be compared, or depend on what processes share: %+v", sum)
	}
}

func TestGradientShared(t *testing.T) {
	gradientsShared(t, func(t *rapid.T) *slopeCase {
		return &slopeCase{instance: drawInstance(t, rapid.Bool().Draw(t, "copying"))}
	})
}

func TestGradientSharedLibraries(t *testing.T) {
	must.Long(t)
	gradientsShared(t, func(t *rapid.T) *slopeCase {
		in := drawLibrary(t)
		if in.machine.Runtime.Progress.By == machines.Testing { // Testing does not go with slow-downs
			in.machine.Runtime.Progress.By = machines.InCalls
		}
		return &slopeCase{instance: in}
	})
}

func TestGradientSharedContended(t *testing.T) {
	gradientsShared(t, func(t *rapid.T) *slopeCase {
		return &slopeCase{instance: drawInstance(t, false), contended: true}
	})
}
