package optimize

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// Side is where a value lies next to the best one.
type Side string

// The sides.
const (
	Below Side = "below"
	Best  Side = "best"
	Above Side = "above"
)

// Reason says what a result is made of at one value: for each resource, the seconds that
// it accounts for, by the derivative. A makespan is homogeneous in the machine's times:
// if all of them are a thousandth longer, so is the makespan. Therefore by Euler's theorem the
// sum over the resources of parameter times derivative is the makespan itself, and the
// difference of two makespans is the sum of the differences of the resources.
type Reason struct {
	Side      Side               `json:"side"`
	Value     string             `json:"value"`
	Result    float64            `json:"result"`
	More      float64            `json:"more"`                   // than at the optimum
	Resources map[string]float64 `json:"resources"`              // seconds
	Than      map[string]float64 `json:"than_best,omitempty"`    // what each resource accounts for beyond the optimum
	Rest      float64            `json:"rest"`                   // that no resource accounts for
	Off       float64            `json:"off"`                    // the part of More that no resource accounts for
	Binds     string             `json:"binds"`                  // the resource that costs more here than at the optimum; "": not known
	Moved     *float64           `json:"moved_by_nic,omitempty"` // the result if the NIC made progress instead of the calls
	Term      string             `json:"term"`                   // the term of the ledger that grows most from the optimum to here
	Longer    float64            `json:"longer"`                 // its growth in seconds

	ledger map[string]float64
}

// resources assigns the parameters of a machine, by the beginnings of their paths, to
// resources.
var resources = []struct{ path, name string }{
	{"network.latency", "L"}, {"network.send_overhead", "o"}, {"network.receive_overhead", "o"},
	{"network.gap_per_byte", "G"}, {"network.bandwidth", "G"}, {"network.gap", "g"}, {"network.startup", "startup"},
	{"copying.", "O"}, {"intra_node.", "intra-node"}, {"barrier.", "barrier"}, {"kernels.", "compute"},
	{"links.", "links"}, {"fabric.", "fabric"}, {"memory.", "memory"}, {"noise.", "noise"},
	{"runtime.progress.test", "tests"}, {"runtime.progress.cost", "o"}, {"runtime.progress.", "progress"},
	{"runtime.dispatch", "progress"}, {"runtime.waiting.", "progress"},
	{"runtime.rendezvous.", "O"}, {"runtime.strided.", "O"}, {"runtime.", "o"},
}

// words are what texts call each resource, and what they say it is.
var words = map[string]struct{ name, meaning string }{
	"L": {"latency", "the time from NIC to NIC"}, "o": {"overhead", "the processors' time for each message"},
	"g": {"gap", "the NIC's time between messages"}, "G": {"gap per byte", "the NIC's time for each byte"},
	"startup": {"startup", "the NIC's time for each message"}, "O": {"overhead per byte", "the processors' time to copy bytes"},
	"intra-node": {"intra-node", "messages inside a node"}, "barrier": {"barrier", "barriers"},
	"compute": {"compute", "computation, its own or another rank's"}, "links": {"link time", "links of the network"},
	"memory": {"memory", "memory of a node"}, "noise": {"noise", "the operating system"}, "fabric": {"fabric", "routers of the network"},
	"progress": {"progress", "messages wait until the library moves them on"}, "tests": {"testing", "the processors' time for the library's tests"},
	others: {name: "none of these"},
}

// others stands for what no resource accounts for.
const others = "others"

// parameter is a path that holds a time, a time per byte or a rate.
type parameter struct {
	path     string
	resource string
	longer   string // the value that makes it a step longer: a factor, or the value itself
	quicker  string // the value that makes it as much shorter
}

// step is the relative change of a parameter for a derivative.
const step = 0.001

// parameters lists the parameters that the time of a run may depend on.
func parameters(s *scenarios.Scenario) (all []parameter) {
	seen := map[string]bool{}
	for _, fact := range s.Machine.Facts {
		path, entry, _ := strings.Cut(strings.TrimPrefix(fact.Path, "machine."), "[")
		factor, ok := longer(path, fact.Value, entry != "")
		if resource := resourceOf(path); ok && resource != "" && !seen[path] {
			seen[path] = true
			back := lengthened
			if factor == lengthened {
				back = shorter
			}
			all = append(all, parameter{"machine." + path, resource, factor, back})
		}
	}
	if rate := float64(s.LinksOfNIC()); rate > 0 { // links have the bandwidth of the NIC, and keep it when the NIC's changes
		of := func(resource string, by float64) parameter {
			return parameter{"machine.links.bandwidth", resource, keys.Format(keys.Bandwidth, rate/by), keys.Format(keys.Bandwidth, rate*by)}
		}
		all = append(all, of("G", 1), of("links", 1+step))
	}
	return append(all, ofWorkload(s)...)
}

var lengthened, shorter = "x" + strconv.FormatFloat(1+step, 'g', -1, 64), "x" + strconv.FormatFloat(1/(1+step), 'g', -1, 64)

// resourceOf returns the resource of a path of a machine; "" if there is none.
func resourceOf(path string) string {
	for _, r := range resources {
		if strings.HasPrefix(path, r.path) {
			return r.name
		}
	}
	return ""
}

// longer returns the factor that makes the times longer that a key holds or implies;
// false if it holds none.
func longer(path, text string, inList bool) (factor string, ok bool) {
	for _, d := range []keys.Dimension{keys.Rate, keys.Bandwidth, keys.Frequency} {
		if _, err := keys.Parse(d, text); err == nil &&
			(!inList || strings.HasSuffix(path, ".rates") || strings.HasSuffix(path, ".demand")) && !strings.HasSuffix(path, "per_byte") {
			return shorter, true
		}
	}
	_, err := keys.Parse(keys.Time, text)
	if _, alsoNot := keys.Parse(keys.PerByte, text); err != nil && alsoNot != nil {
		return "", false
	}
	if strings.HasSuffix(path, "bandwidth") {
		return shorter, true
	}
	return lengthened, true
}

// ofWorkload lists the workload's own times.
func ofWorkload(s *scenarios.Scenario) (all []parameter) {
	for _, row := range files.WorkloadRows(s.Workload) {
		if t, ok := row.To.(*sim.Time); ok && row.Is == keys.Time && *t > 0 {
			changed := func(by float64) string { return strconv.FormatInt(int64(float64(*t)*by), 10) + "ps" }
			all = append(all, parameter{"workload." + row.Path, "compute", changed(1 + step), changed(1 / (1 + step))})
		}
	}
	return all
}

// explain compares the optimum with a value on either side; -1 if there is none.
func (f *finder) explain(o *Optimum, below, best, above int) error {
	for _, at := range []struct {
		side  Side
		index int
	}{{Below, below}, {Best, best}, {Above, above}} {
		if at.index < 0 {
			continue
		}
		f.say("what binds at " + f.study.Path + "=" + f.study.texts[at.index])
		r, runs, err := f.reason(at.index)
		o.Runs.Why += runs
		f.study.course.count(runs, runs)
		if err != nil {
			return err
		}
		r.Side = at.side
		o.Why = append(o.Why, r)
	}
	if f.study.Minimize == makespan {
		o.Runs.Why += f.noise(o, best)
	}
	at := slices.IndexFunc(o.Why, func(r Reason) bool { return r.Side == Best })
	for i := range o.Why {
		if i != at {
			o.Why[i].against(&o.Why[at])
		}
	}
	return nil
}

// noise finds the noise of the best makespan, and returns how many runs that took.
func (f *finder) noise(o *Optimum, best int) (runs int) {
	s, err := f.pool.Load(f.settings(best))
	if err != nil {
		return 0
	}
	made, err := s.Run(nodes.Options{})
	if err != nil {
		return 1
	}
	n := points.NoiseOf(&points.Pool{Load: s.With, Stopped: f.request.Stopped}, made, nodes.Options{})
	if n.Part == nil || report.Noisy(n.Part) {
		o.noise = n.Note()
	}
	if o.Noise, o.NoNoise = n.Part, n.Why; n.Part == nil {
		return 1
	}
	return 1 + points.MostOrders
}

// doubtful is the part of a result that resources may miss before derivatives are taken
// to both sides. If two paths through the run are equally long, the derivative to one
// side counts both.
const doubtful = 0.01

// reason takes the derivatives at a value: of a makespan by the gradient, of other results
// by a run for each resource, or two.
func (f *finder) reason(index int) (Reason, int, error) {
	p := f.points[index]
	r := Reason{Value: p.Value, Result: *p.Result, ledger: p.Ledger}
	s, err := f.pool.Load(f.settings(index))
	if err != nil {
		return r, 0, err
	}
	runs := 0
	if r.Moved = f.moved(s, index); r.Moved != nil {
		runs++
	}
	if f.study.Minimize == makespan {
		if r.Resources, err = gradient(s); err != nil || r.Resources != nil {
			r.rest()
			return r, runs + 1, err
		}
	}
	more, err := f.differences(s, index, &r)
	return r, runs + more, err
}

// makespan is the result that the gradient is of.
const makespan = "makespan_s"

// gradient returns the seconds of the makespan that each resource accounts for; nil: the
// derivatives are not stable, or there are none.
func gradient(s *scenarios.Scenario) (map[string]float64, error) {
	o, err := s.Run(nodes.Options{Critical: true})
	if err != nil || o.Program == nil || o.Unstable() {
		return nil, err
	}
	seconds := map[string]float64{}
	for _, slope := range o.Slopes() {
		if resource := resourceOf(slope.Parameter); resource != "" && slope.Time != 0 {
			seconds[resource] += slope.Time
		}
	}
	if computed := o.Result.Stability.Computed; computed != 0 { // of the program itself
		seconds["compute"] += computed
	}
	return seconds, nil
}

// differences takes the derivatives by runs in which the parameters of a resource are
// changed by a part, and returns how many runs it took.
func (f *finder) differences(s *scenarios.Scenario, index int, r *Reason) (runs int, err error) {
	longer, quicker := map[string][]string{}, map[string][]string{}
	for _, q := range parameters(s) {
		longer[q.resource] = append(longer[q.resource], q.path+"="+q.longer)
		quicker[q.resource] = append(quicker[q.resource], q.path+"="+q.quicker)
	}
	runs = len(longer)
	if r.Resources, err = f.slopes(index, longer, step); err != nil {
		return runs, err
	}
	if r.rest(); math.Abs(r.Rest) > doubtful*r.Result {
		runs += len(quicker)
		other, err := f.slopes(index, quicker, 1/(1+step)-1)
		if err != nil {
			return runs, err
		}
		for name := range other {
			r.Resources[name] = (r.Resources[name] + other[name]) / 2
		}
		r.rest()
	}
	return runs, nil
}

// moved returns the result if the NIC did what the library does in its calls; nil if the
// library makes progress in another way, or no such NIC is possible.
func (f *finder) moved(s *scenarios.Scenario, index int) *float64 {
	if !inCalls(s) {
		return nil
	}
	result, err := points.One(f.pool, points.Point{Set: f.settings(index, "machine.runtime.progress.by=triggered")}, f.number)
	if err != nil {
		return nil
	}
	return &result
}

// inCalls tells whether the library makes progress in its calls only.
func inCalls(s *scenarios.Scenario) bool {
	library := s.Machine.Runtime
	return library != nil && (library.Progress.By == machines.InCalls || library.Progress.By == machines.InWaits)
}

// rest works out what no resource accounts for.
func (r *Reason) rest() {
	r.Rest = r.Result
	for _, name := range slices.Sorted(maps.Keys(r.Resources)) {
		r.Rest -= r.Resources[name]
	}
}

// slopes returns for each resource the seconds that it accounts for, by a run
// in which it is changed by a part.
func (f *finder) slopes(index int, changes map[string][]string, by float64) (map[string]float64, error) {
	names := slices.Sorted(maps.Keys(changes))
	changed := make([]points.Point, len(names))
	for k, name := range names {
		changed[k].Set = f.settings(index, changes[name]...)
	}
	seconds := map[string]float64{}
	for k, t := range points.Run(f.pool, changed, f.number) {
		if t.Err != nil {
			return nil, fmt.Errorf("with %s: %w", strings.Join(changes[names[k]], ", "), t.Err)
		}
		seconds[names[k]] = (t.Value - *f.points[index].Result) / by
	}
	return seconds, nil
}

// against says what is worse than at the optimum. A difference that would mostly vanish
// if the NIC moved the messages on is due to the library's progress. Otherwise the
// derivatives say what binds, unless they miss half of the difference or more.
func (r *Reason) against(best *Reason) {
	r.More, r.Off = r.Result-best.Result, r.Rest-best.Rest
	r.Than = map[string]float64{}
	for _, accounted := range []map[string]float64{r.Resources, best.Resources} {
		for name := range accounted {
			if more := r.Resources[name] - best.Resources[name]; more != 0 {
				r.Than[name] = more
			}
		}
	}
	switch {
	case r.Moved != nil && best.Moved != nil && r.More > 0 && 2*(*r.Moved-*best.Moved) < r.More:
		r.Binds = "progress"
	case 2*math.Abs(r.Off) < r.More:
		r.Binds, _ = most(r.Resources, best.Resources)
	}
	r.Term, r.Longer = most(r.ledger, best.ledger)
}

// most returns the name whose number grew most, and by how much; "" if none
// grew.
func most(now, before map[string]float64) (name string, by float64) {
	for _, n := range slices.Sorted(maps.Keys(now)) {
		if d := now[n] - before[n]; d > by {
			name, by = n, d
		}
	}
	return name, by
}

// largest lists resources, those that account for most first.
func largest(seconds map[string]float64) []string {
	names := slices.Sorted(maps.Keys(seconds))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(math.Abs(seconds[b]), math.Abs(seconds[a])) })
	return names
}
