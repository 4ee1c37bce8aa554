// Package optimize finds the value of a path of a scenario that minimizes a result, with
// few runs, and says what binds on either side of it.
package optimize

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/sweep"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// Request is a user's request.
type Request struct {
	Scenario string
	Set      []string                     // path=value, for every run
	Run      string                       // the name of the run to take; "": each of the scenario's runs
	Over     string                       // path=values, or a path whose range the workload knows
	Minimize string                       // a number of the run's record
	Why      bool                         // explain the optimum, which takes more runs
	Started  func(Progress)               // called before each run, from several goroutines, one at a time; may be nil
	Stopped  func() bool                  // asked before each run whether it may not begin; nil: all may
	Begins   func(...*scenarios.Scenario) // told before the first run what is run again and again; may be nil
}

// Study is the answer: an optimum for each of the scenario's runs.
type Study struct {
	Title    string     `json:"title"`
	Path     string     `json:"path"`
	Values   int        `json:"values"` // the number of values to choose from
	From     string     `json:"from"`
	To       string     `json:"to"`
	Minimize string     `json:"minimize"`
	Notes    []string   `json:"notes,omitempty"` // how steps of training with different values compare
	Optima   []*Optimum `json:"optima"`

	batch   string // what was assumed of the sequences of a step
	course  course
	unit    string    // of the values as numbers
	numbers []float64 // nil: words
	texts   []string
}

// Optimum is the best value for one run of the scenario.
type Optimum struct {
	Run     string   `json:"run"`
	Machine string   `json:"machine"`
	Best    *Point   `json:"best"` // nil: no value can be run
	Runs    Counts   `json:"runs"`
	Plateau *Plateau `json:"plateau,omitempty"`
	Points  []Point  `json:"points"` // that were run, in the order of the values
	Batch   *Batch   `json:"fitting_batch,omitempty"`
	Hint    string   `json:"hint,omitempty"`  // why nothing changes, if that is known
	Model   string   `json:"model,omitempty"` // name of the closed form
	Why     []Reason `json:"why,omitempty"`   // of the optimum itself, and of a value on either side
	Noise   *float64 `json:"noise,omitempty"` // of the best makespan, if there are reasons
	NoNoise string   `json:"noise_left_out,omitempty"`

	noise string // what it is, in words; "": none
}

// Flat tells whether all values that ran gave the same result.
func (o *Optimum) Flat() bool {
	for _, p := range o.Points {
		if p.Result != nil && *p.Result != *o.Best.Result {
			return false
		}
	}
	return true
}

// Failed counts the values that could not be run, and returns the first.
func (o *Optimum) Failed() (n int, first *Point) {
	return o.those(func(p *Point) bool { return p.Result == nil })
}

// stuck counts the values whose operations never end, and returns the first.
func (o *Optimum) stuck() (n int, first *Point) {
	return o.those(func(p *Point) bool { return errors.As(p.err, new(streams.Stuck)) })
}

func (o *Optimum) those(have func(*Point) bool) (n int, first *Point) {
	for i := range o.Points {
		if p := &o.Points[i]; have(p) {
			if n++; first == nil {
				first = p
			}
		}
	}
	return n, first
}

// EdgeText says that the best number is the smallest or the largest that was tried, where no reason says it; "": it is not.
func (s *Study) EdgeText(o *Optimum) string {
	switch {
	case s.numbers == nil || o.Why != nil || o.Best == nil || o.Flat() || s.Values < 2:
	case o.Best.index == 0:
		return fmt.Sprintf("%s: the best value is at the edge of the values tried, %s is the smallest", o.Run, o.Best.Value)
	case o.Best.index == s.Values-1:
		return fmt.Sprintf("%s: the best value is at the edge of the values tried, %s is the largest", o.Run, o.Best.Value)
	}
	return ""
}

// Assumed lists what runs took for true that their machines do not say, each once, as at the best value, and what was charged.
func (s *Study) Assumed() (lines []string) {
	said := map[string]bool{}
	if s.batch != "" {
		lines = append(lines, s.batch)
	}
	for _, o := range s.Optima {
		if p := o.charged(); p != nil {
			lines = append(lines, answer.SaidCharged(" in "+o.Run, "values", s.Path+"="+p.Value, p.Charged))
		}
		points := o.Points
		if o.Best != nil {
			points = slices.Concat([]Point{*o.Best}, points)
		}
		for i := range points {
			for _, text := range points[i].Assumed {
				if at := numbers.ReplaceAllString(text, ""); !said[at] {
					said[at], lines = true, append(lines, text)
				}
			}
		}
	}
	return append(lines, s.Notes...)
}

// numbers are what the same line of points with other values differs by.
var numbers = regexp.MustCompile(`\b[0-9][0-9.]*[A-Za-z/]*`)

// pipelined says of a best layout with many stages how far such steps were off; "": it has not.
func (o *Optimum) pipelined(path string) string {
	if o.Best == nil || path != "workload.layout" {
		return ""
	}
	stages := 0
	for part := range strings.SplitSeq(o.Best.Value, "-") {
		if n, err := strconv.Atoi(strings.TrimPrefix(part, "pp")); err == nil && strings.HasPrefix(part, "pp") {
			stages = n
		}
	}
	if stages < manyStages {
		return ""
	}
	return fmt.Sprintf("%s: a pipeline of %d stages; with %d on 512 H100 measured steps take 1.1 times as long as simulated ones, so layouts with fewer stages "+
		"that take up to a tenth longer may be as good (overlapsim validate torchtitan-pp)", o.Run, stages, manyStages)
}

// manyStages is from how many stages on steps are longer than simulated, as measured (torchtitan-pp).
const manyStages = 8

// compare notes how the steps of all values compare, and what is known of the best one.
func (s *Study) compare() {
	var all []outcomes.Compared
	for _, o := range s.Optima {
		for _, p := range o.Points {
			all = append(all, p.step)
		}
	}
	s.Notes = outcomes.Comparable(all)
	for _, o := range s.Optima {
		if text := o.pipelined(s.Path); text != "" {
			s.Notes = append(s.Notes, text)
		}
	}
}

// charged returns the best value if copies were charged there, otherwise the last one where they were; nil: nowhere.
func (o *Optimum) charged() (last *Point) {
	if o.Best != nil && o.Best.Charged != nil {
		return o.Best
	}
	for i := range o.Points {
		if o.Points[i].Charged != nil {
			last = &o.Points[i]
		}
	}
	return last
}

// Counts has the number of runs of each stage.
type Counts struct {
	Grid   int `json:"grid"`
	Refine int `json:"refine"`
	Check  int `json:"check"`
	Why    int `json:"why"`
}

// Sum is the number of all runs.
func (c Counts) Sum() int { return c.Grid + c.Refine + c.Check + c.Why }

// Point is a value that was run.
type Point struct {
	Value   string             `json:"value"`
	Result  *float64           `json:"result"` // what is minimized; nil: the run failed
	Error   string             `json:"error,omitempty"`
	Assumed []string           `json:"assumed,omitempty"` // what the machine does not say and the run takes for true
	Charged []string           `json:"charged,omitempty"` // settings that charge the copies of what only this value sends at once
	Ledger  map[string]float64 `json:"ledger,omitempty"`  // seconds, means over the ranks
	Bound   float64            `json:"bound_s,omitempty"`
	Modeled float64            `json:"model_s,omitempty"` // makespan by the closed form; 0: none

	MFU      *float64 `json:"mfu,omitempty"` // as of a run
	Tokens   *float64 `json:"tokens_per_s_per_gpu,omitempty"`
	Memory   float64  `json:"memory_GB,omitempty"`     // of a GPU of the stage of a pipeline that needs most; 0: not known
	OfMemory float64  `json:"gpu_memory_GB,omitempty"` // that the GPU has

	index int
	step  outcomes.Compared
	err   error
	hint  string // why the path changes nothing
}

// mostValues is the largest number of values of a range that does not state a number.
const mostValues = 1025

// Find runs a request. Mistakes in it are of type scenarios.Problems. If it is stopped, it
// returns what it has, with scenarios.ErrStopped.
func Find(r Request) (*Study, error) {
	s := &Study{Minimize: r.Minimize}
	if isGain(r.Minimize) {
		return nil, keys.Problems{{Place: keys.Place{Flag: "--minimize " + r.Minimize}, Message: "is better the more there is, and --minimize " +
			"finds the least; the least makespan_s is best for runs that do the same work, and sweep --vary lists this number for others"}}
	}
	if path, _, _ := strings.Cut(r.Over, "="); path == "fabric.kind" {
		return nil, keys.Problems{{Place: keys.Place{Flag: "--over " + r.Over}, Message: "none is best: its values are models of one network, and " +
			"ideal leaves contention out; sweep --vary fabric.kind=ideal,flow lists what they give"}}
	}
	whole, err := s.load(r)
	if err != nil {
		return nil, err
	}
	numbers := r.chosen(whole)
	if batch := r.openBatch(whole, numbers); batch > 0 {
		r.Set = append(slices.Clone(r.Set), fmt.Sprintf("%s=%d", globalBatch, batch))
		s.batch = fmt.Sprintf("assumed: %s=%d, the sequences of a step without --over, so that all values do the same work", globalBatch, batch)
	}
	if err = s.choose(r, whole.Runs[numbers[0]]); err != nil {
		return nil, err
	}
	titled := r.Set
	if _, _, made, _ := files.OfInput(r.Scenario, r.Set); made { // its title names no default of the path
		titled = append(slices.Clone(r.Set), s.Path+"="+s.From)
	}
	h, _ := files.Heading(r.Scenario, titled...) // it is loaded, perhaps with another setting
	s.Title = cmp.Or(h.Title, whole.Name)
	if r.Begins != nil {
		var runs []*scenarios.Scenario
		for _, i := range numbers {
			runs = append(runs, whole.Runs[i])
		}
		r.Begins(runs...)
	}
	defer s.compare()
	for _, i := range numbers {
		run := whole.Runs[i]
		f := newFinder(r, s, i, run.Name)
		o, err := f.find(run)
		if err == nil && r.stopped() {
			err = scenarios.ErrStopped
		}
		if errors.Is(err, scenarios.ErrStopped) && o.Best != nil {
			s.Optima = append(s.Optima, o)
		}
		if err != nil {
			return s, err
		}
		s.Optima = append(s.Optima, o)
	}
	return s, nil
}

// globalBatch is the number of sequences of a step of training.
const globalBatch = "workload.global_batch"

// openBatch is how many sequences a step has in all runs, if the scenario leaves that open and the path is of the workload, so that values
// may do more or less work in a step; otherwise 0.
func (r *Request) openBatch(whole *scenarios.Study, numbers []int) (batch int64) {
	path, _, _ := strings.Cut(r.Over, "=")
	if !strings.HasPrefix(path, "workload.") || path == globalBatch {
		return 0
	}
	for k, i := range numbers {
		w, ok := whole.Runs[i].Workload.(workloads.Batched)
		if !ok {
			return 0
		}
		n, open := w.Batch(whole.Runs[i].Ranks)
		if !open || k > 0 && n != batch {
			return 0
		}
		batch = n
	}
	return batch
}

func (r *Request) stopped() bool { return r.Stopped != nil && r.Stopped() }

// chosen returns the numbers of the runs that are searched.
func (r *Request) chosen(whole *scenarios.Study) (numbers []int) {
	for i, name := range whole.Names() {
		if r.Run == "" || name == r.Run {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// endless is a memory that holds every step.
const endless = "1000000GB"

// load returns the scenario as it is, also where it does not fit into the memory of its GPUs. If that cannot be run, it takes the first value
// with which it can.
func (s *Study) load(r Request) (*scenarios.Study, error) {
	whole, err := r.load(r.Set)
	if err == nil {
		return whole, nil
	}
	if roomy, err := r.load(append(slices.Clone(r.Set), "machine.gpu.memory="+endless)); err == nil {
		return roomy, nil // the range of the path is known where the run is out of memory
	}
	over := r.Over
	if known := ranges[over]; known != "" {
		over += "=" + known
	}
	if !strings.Contains(over, "=") {
		return nil, err
	}
	values, wrong := s.parse(over)
	if wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	var first error
	for _, value := range values {
		whole, err := r.load(append(slices.Clone(r.Set), s.Path+"="+value))
		if err == nil {
			return whole, nil
		}
		if first == nil {
			first = asOver(err, s.Path+"="+value, r.Over)
		}
	}
	if first != nil {
		err = first
	}
	return nil, err
}

// load loads the scenario. If it has several runs, settings need to fit only the chosen one.
func (r Request) load(settings []string) (*scenarios.Study, error) {
	if r.Run == "" {
		return scenarios.Load(r.Scenario, settings)
	}
	whole, err := scenarios.Load(r.Scenario, nil)
	if err != nil {
		return scenarios.Load(r.Scenario, settings)
	}
	i := slices.Index(whole.Names(), r.Run)
	if i < 0 {
		return nil, keys.Problems{{Place: keys.Place{Flag: "--run " + r.Run},
			Message: fmt.Sprintf("is not a run of %s; %s", r.Scenario, keys.Instead(r.Run, whole.Names()))}}
	}
	run, err := scenarios.LoadRun(r.Scenario, i, settings)
	if err != nil {
		return nil, err
	}
	whole.Runs[i] = run
	return whole, nil
}

// asOver puts the flag that the user wrote into problems about a value, with the key of those that are about another one.
func asOver(err error, value, over string) error {
	path, _, _ := strings.Cut(value, "=")
	return keys.Moved(err, func(p *keys.Problem, setting string) {
		if setting != value {
			return
		}
		p.Place.Flag = "--over " + over
		if p.Key != "" && !strings.HasSuffix("."+path, "."+p.Key) && !strings.HasSuffix(p.Key, "."+path) {
			p.Message = p.Key + ": " + p.Message
		}
	})
}

// Text returns the scenario's text and the changes to it.
func (r Request) Text() string {
	text := ""
	if study, err := scenarios.Load(r.Scenario, r.Set); err == nil {
		text = study.Runs[0].Text
	}
	return text + "# --over " + r.Over + "\n"
}

// parse reads the values to choose from.
func (s *Study) parse(over string) (values []string, err error) {
	path, values, wrong := sweep.Values(over, mostValues)
	s.Path = path
	var problems keys.Problems
	for _, message := range wrong {
		problems = append(problems, keys.Problem{Place: keys.Place{Flag: "--over " + over}, Message: message})
	}
	if problems != nil {
		return nil, problems
	}
	return values, nil
}

// choose finds the values to choose from, and sorts numbers.
func (s *Study) choose(r Request, run *scenarios.Scenario) error {
	over := r.Over
	if !strings.Contains(over, "=") {
		choices := files.Choices(run.Kind)
		at := slices.IndexFunc(choices, func(c files.Choice) bool { return c.Path == over })
		known := rangeOf(over, run)
		if known == "" && at >= 0 {
			known = strings.Join(r.loading(over, choices[at].Values), ",")
		}
		tried := []string{"1"}
		if at >= 0 {
			tried = choices[at].Values
		}
		for _, value := range tried {
			if _, err := r.load(append(slices.Clone(r.Set), over+"="+value)); err != nil && known == "" {
				return asOver(err, over+"="+value, over)
			}
		}
		if known == "" {
			return keys.Problems{{Place: keys.Place{Flag: "--over " + over}, Message: r.suggestion(over)}}
		}
		over += "=" + known
	}
	values, err := s.parse(over)
	if err != nil {
		return err
	}
	s.order(values)
	return nil
}

// ranges are the default ranges of the machine's most common paths.
var ranges = map[string]string{
	"moves.pieces":                         "1..64*2",
	"machine.network.queue_depth":          "1..64",
	"machine.network.rendezvous_threshold": "1KiB..2MiB*2",
	"machine.runtime.rendezvous.threshold": "1KiB..2MiB*2",
	"machine.runtime.progress.every":       "2us..512us", // a grid of powers of two
	"mapping":                              "block,cyclic,spread,random,random-all",
}

// rangeOf returns the sensible range of a path, or the value of today and those near it; "" if there is none.
func rangeOf(path string, run *scenarios.Scenario) string {
	key, inside := strings.CutPrefix(path, "workload.")
	if !inside {
		return ranges[path]
	}
	if w, ok := run.Workload.(workloads.Ranged); ok && w.Range(key, run.Ranks) != "" {
		return w.Range(key, run.Ranks)
	}
	if w, ok := run.Workload.(workloads.Neighbored); ok {
		if near := w.Near(key, run.Machine.Machine, run.Ranks); near != nil && !strings.Contains(near[0], ",") {
			row := slices.IndexFunc(files.WorkloadRows(run.Workload), func(r keys.Row) bool { return r.Path == key })
			return strings.Join(append([]string{files.WorkloadRows(run.Workload)[row].Default()}, near...), ",")
		}
	}
	return ""
}

// hint says why a path changes nothing in a run; "" if that is not known.
func hint(path string, o *outcomes.Outcome) string {
	for _, n := range o.NoEffect() {
		if rest, ok := strings.CutPrefix(path, n.Key); ok && (rest == "" || rest[0] == '.') {
			return n.Because
		}
	}
	return ""
}

// order sorts values by their numbers; words keep their order.
func (s *Study) order(values []string) {
	for i, text := range values {
		x, unit, ok := sweep.Quantity(text)
		if !ok || i > 0 && unit != s.unit {
			s.numbers, s.unit = nil, ""
			break
		}
		s.numbers, s.unit = append(s.numbers, x), unit
	}
	if at := s.numbers; at != nil {
		index := sequence(len(values))
		slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
		values, s.numbers = permuted(values, index), permuted(at, index)
	}
	s.Values, s.From, s.To, s.texts = len(values), values[0], values[len(values)-1], values
}

// Words returns the values if they are words; then all of them are run.
func (s *Study) Words() []string {
	if s.numbers != nil {
		return nil
	}
	return s.texts
}

func permuted[T any](all []T, index []int) []T {
	sorted := make([]T, len(all))
	for i, from := range index {
		sorted[i] = all[from]
	}
	return sorted
}

// finder finds the optimum for one run of the scenario.
type finder struct {
	request Request
	study   *Study
	name    string
	pool    *points.Pool
	points  map[int]*Point
	today   *scenarios.Scenario // the run as it is
	charged map[int][]string    // by value: settings that charge copies
}

// newFinder returns a finder for one of the runs of the scenario.
func newFinder(r Request, s *Study, run int, name string) *finder {
	load := points.Of(r.Scenario, run, r.Set)
	return &finder{request: r, study: s, name: name, pool: &points.Pool{Load: load, Stopped: r.Stopped}, points: map[int]*Point{},
		charged: map[int][]string{}}
}

func (f *finder) find(run *scenarios.Scenario) (*Optimum, error) {
	f.today = run
	o := &Optimum{Run: run.Name, Machine: run.Machine.Name}
	s := f.study.search(f.runs)
	s.find()
	o.Runs = Counts{Grid: s.counts[stageGrid], Refine: s.counts[stageRefine], Check: s.counts[stageCheck]}
	for _, i := range s.sampled() {
		if p := f.points[i]; !errors.Is(p.err, scenarios.ErrStopped) {
			o.Points = append(o.Points, *p)
		}
	}
	if f.request.stopped() { // s.counts are of the whole search
		o.Runs = Counts{Grid: len(o.Points)}
	}
	below, best, above := s.sides()
	if len(o.Points) == 0 {
		return o, scenarios.ErrStopped
	}
	o.Batch = f.fittingBatch(o)
	if best < 0 {
		return o, f.nothing(o)
	}
	o.Best = f.points[best]
	if o.Flat() {
		o.Hint = o.Best.hint
	}
	o.Model = f.model(o.Points)
	var err error
	if f.explains(run) && !f.request.stopped() && !o.Flat() {
		err = f.explain(o, below, best, above)
	}
	o.Plateau = o.plateau(f.study.numbers != nil)
	return o, err
}

// explains tells whether reasons are asked for, and can be given: workloads on GPUs have no derivatives.
func (f *finder) explains(run *scenarios.Scenario) bool {
	_, gpus := run.Workload.(experiments.OnGPUs)
	return f.request.Why && f.study.numbers != nil && !gpus
}

// search returns a search among the values: all of them if they are words, which have no order.
func (s *Study) search(run func([]int) []float64) *search {
	if s.numbers != nil {
		return newSearch(places(s.numbers), run)
	}
	all := newSearch(numbered(s.Values), run)
	all.every = true
	return all
}

// nothing says why no value can be run: the mistakes at the first one, if these are the
// user's.
func (f *finder) nothing(o *Optimum) error {
	first := o.Points[0]
	var problems keys.Problems
	if !errors.As(first.err, &problems) {
		return fmt.Errorf("%s: none of the %d values of %s that were tried can be run, the first of them %s: %w", o.Run, len(o.Points),
			f.study.Path, first.Value, first.err)
	}
	problems = slices.Clone(problems)
	if first := &problems[0]; first.Kind != keys.UnknownKey && first.Place.Flag != "--minimize "+f.study.Minimize { // not of the path or the number
		first.Message += fmt.Sprintf("; none of the %d values of %s that were tried can be run, and %s is the first", len(o.Points),
			f.study.Path, o.Points[0].Value)
	}
	return asOver(problems, f.study.Path+"="+first.Value, f.request.Over)
}

func numbered(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = float64(i)
	}
	return all
}

// runs runs values, several at a time; +Inf stands for a run that failed.
func (f *finder) runs(all []int) []float64 {
	batch := make([]points.Point, len(all))
	order := fromEnds(len(all))
	for k, at := range order {
		batch[k] = points.Point{Number: all[at], Set: f.settings(all[at])}
	}
	pool := *f.pool
	f.study.course.count(len(batch), 0)
	pool.Started = func(p *points.Point) { f.say(p.Set[0]) }
	pool.Ended = func(*points.Point) { f.study.course.count(0, 1) }
	values := make([]float64, len(all))
	for k, t := range points.Run(&pool, batch, f.result) {
		p := t.Value
		p.index, p.Value, p.Charged = batch[k].Number, f.study.texts[batch[k].Number], f.charged[batch[k].Number]
		if values[order[k]] = math.Inf(1); t.Err != nil {
			p.Error, p.err = t.Err.Error(), t.Err
		} else {
			values[order[k]] = *p.Result
		}
		f.points[p.index] = &p
	}
	return values
}

// fromEnds lists 0 to n-1 from both ends to the middle: those in between take a time between
// those of the ends.
func fromEnds(n int) (all []int) {
	for k := range n {
		if at := k / 2; k%2 == 0 {
			all = append(all, at)
		} else {
			all = append(all, n-1-at)
		}
	}
	return all
}

// settings returns the settings of a value, and more.
func (f *finder) settings(index int, more ...string) []string {
	value := f.study.Path + "=" + f.study.texts[index]
	if _, known := f.charged[index]; !known && slices.Contains(answer.SentAtOnce, f.study.Path) && f.today != nil {
		f.charged[index] = nil
		if s, err := f.pool.Load([]string{value}); err == nil {
			before := f.today
			if f.study.Path == answer.Library {
				before = answer.LeastAtOnce(len(f.study.texts), func(i int) (*scenarios.Scenario, error) {
					return f.pool.Load([]string{f.study.Path + "=" + f.study.texts[i]})
				})
			}
			f.charged[index] = answer.CopiesSince(before.Scenario, s.Scenario)
		}
	}
	return slices.Concat([]string{value}, f.charged[index], more)
}

// result takes what is minimized, and what it is made of.
func (f *finder) result(o *outcomes.Outcome) (Point, error) {
	result, err := f.number(o)
	if err != nil {
		return Point{}, err
	}
	p := Point{Result: &result, Bound: o.Bound(), Ledger: ledgerOf(o), Assumed: o.Assumptions(), hint: hint(f.study.Path, o)}
	p.Memory, p.OfMemory = o.Memory()
	if step := o.Step(); step != nil {
		p.MFU, p.Tokens, p.step = step.MFU, step.Tokens, outcomes.Compared{Machine: o.Machine.Name, GPUs: o.Ranks, Step: step}
	}
	return p, nil
}

// number takes what is minimized.
func (f *finder) number(o *outcomes.Outcome) (float64, error) {
	take := points.TakeNumbers
	if strings.HasPrefix(f.study.Minimize, "answer.") {
		take = answer.TakeNumbers
	}
	all, err := take(o)
	if err != nil {
		return 0, err
	}
	x, err := all.At(f.study.Minimize)
	if err != nil {
		return 0, keys.Problems{{Place: keys.Place{Flag: "--minimize " + f.study.Minimize}, Message: err.Error()}}
	}
	return x, nil
}

// ledgerOf returns the ledger in seconds, as means over the ranks. Terms that do not
// occur are omitted.
func ledgerOf(o *outcomes.Outcome) map[string]float64 {
	terms := map[string]float64{}
	for term, t := range o.Ledger() {
		if !t.Zero() {
			terms[results.Term(term).String()] = t.Mean(o.Result.Ranks)
		}
	}
	return terms
}

// model adds the values of the workload's closed form, if it has one.
func (f *finder) model(all []Point) (name string) {
	for i := range all {
		s, err := f.pool.Load(f.settings(all[i].index))
		if err != nil {
			continue
		}
		if m, ok := s.Workload.(workloads.Modeled); ok {
			if called, t, ok := m.Model(s.Machine.Machine, s.Ranks, s.Processes); ok {
				name, all[i].Modeled = called, t.Seconds()
			}
		}
	}
	return name
}
