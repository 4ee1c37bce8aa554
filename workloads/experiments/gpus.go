package experiments

import (
	"errors"
	"math"
	"math/bits"

	"overlapsim/network"
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// OnGPUs is a workload that is not a program of ranks. It runs on GPUs of the machine, and uses
// neither processes nor their network.
type OnGPUs interface {
	workloads.Workload
	// CheckGPUs returns errors about parameters that do not fit, as *workloads.KeyErrors. It is
	// called only for machines with GPUs.
	CheckGPUs(m *machines.Machine, p Place) error
	// RunGPUs runs a workload in which CheckGPUs has found no error.
	RunGPUs(m *machines.Machine, p Place) (*results.Result, error)
}

// Fitted is a workload whose kernels may be fitted to a measurement.
type Fitted interface {
	OnGPUs
	// FittedAs takes the fit of a base, which was checked on the machine and with the keys that were measured, in place of its own. It is called
	// before its file is opened, and before CheckGPUs.
	FittedAs(base OnGPUs)
}

// Described is a workload that says in a few words which of its parameters, and of the machine's, matter most to its time.
type Described interface {
	// Described is called when CheckGPUs has found no error.
	Described(m *machines.Machine, p Place) []string
}

// Doubted is a workload that knows where measured runs are not as it says, or on what the result hangs.
type Doubted interface {
	// Doubts say what it takes for true with its keys although measurements or other values differ.
	Doubts(p Place) []string
}

// OnStreams is a workload on the streams of GPUs. Its result has a timeline if the place asks for
// one.
type OnStreams interface {
	OnGPUs
	// Load estimates how much is simulated in a run in which CheckGPUs has found no error. It
	// takes little time compared with the run.
	Load(m *machines.Machine, p Place) Load
}

// Hosted is a workload on GPUs whose hosts send messages, as processes do.
type Hosted interface {
	// Hosted are the keys of the machine's NIC of processes, and of its library, that have an effect.
	Hosted() []string
}

// Takes is a workload on GPUs that takes causes away itself.
type Takes interface {
	// Takes are these causes, as far as a run on a machine has them.
	Takes(m *machines.Machine) without.Set
}

// Closed is a workload on GPUs that may have nothing to send over a fabric: what its operations take may be given.
type Closed interface {
	OnGPUs
	// Closed says why no fabric makes a difference with these keys; "": one may make one.
	Closed() string
}

// Load is how much a run on the streams of GPUs simulates.
type Load struct {
	Operations float64 // on all streams
	Written    float64 // of these, in the graph, if other GPUs have the same ones; 0: all
	Streams    float64 // of all GPUs that are simulated
	Kinds      int     // of operations
	Key        string  // of the workload: the key that sets the number of operations
}

// Place says on which GPUs a workload runs: one for each rank, the first ones of each node.
type Place struct {
	Ranks, PerNode int
	Seed           uint64
	Timeline       bool     // the result has one, of the streams
	Critical       bool     // the result has a critical path
	Within         sim.Time // the longest makespan that is of interest, as of nodes.Options; 0: any is

	Without without.Set // causes that are taken away
	Ties    uint64      // seed of the order of what happens at the same moment; 0: the seed of the workload

	Fabric network.Maker               // between the NICs of the GPUs; nil: nothing delays what they send
	Point  func(host, nic int) (n int) // the end point of a NIC on it
}

// Flows are what the NICs of a group send each other over the fabric in an operation with this cost, times a factor; none without a
// fabric.
func (p *Place) Flows(c *gpus.Cost, group *gpus.Communicator, factor float64) (all []streams.Flow) {
	if p.Point == nil {
		return nil
	}
	for _, f := range group.Flows(c) {
		all = append(all, streams.Flow{From: int32(p.Point(f.From.Host, f.From.NIC)), To: int32(p.Point(f.To.Host, f.To.NIC)), Bytes: int64(float64(f.Bytes) * factor)})
	}
	return all
}

// Run runs a graph without the causes that are taken away from it.
func (p *Place) Run(g *streams.Graph) (*streams.Result, error) {
	g.Fabric = p.Fabric
	if err := p.Without.Streams(g); err != nil {
		return nil, err
	}
	g.Record, g.Within = p.Recorded(), p.Within
	p.tie(g)
	return streams.Run(g)
}

// tie lets each host begin up to 1 ns later, and draws the order of kernels.
func (p *Place) tie(g *streams.Graph) {
	if g.Ties = p.Ties; p.Ties == 0 {
		return
	}
	for i := range g.Devices {
		g.Devices[i].Begins = sim.Time(sim.NewStream(p.Ties, uint64(i)).Intn(int(sim.Nanosecond)))
	}
}

// Sent is what all GPUs of a place send if each sends this much, limited to the largest number
// that fits.
func (p *Place) Sent(each float64) int64 {
	high, low := bits.Mul64(uint64(min(each, math.MaxInt64/2)), uint64(p.Ranks))
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// Recorded tells whether the result needs what streams do over time.
func (p *Place) Recorded() bool { return p.Timeline || p.Critical }

// NoProgram is the part of a workload on GPUs that says that it is no program of ranks.
type NoProgram struct{}

// Program implements workloads.Workload.
func (NoProgram) Program(*machines.Machine, int) (programs.Program, error) {
	return nil, errors.New("runs on GPUs; it is not a program of ranks")
}

// Keyed returns an error at the key of the choice of a workload that is not possible.
func Keyed(err error) error {
	var choice *gpus.ChoiceError
	if errors.As(err, &choice) {
		return &workloads.KeyError{Key: choice.Key, Message: choice.Message}
	}
	return err
}

// Channeled is a workload with keys for the channels of some collectives. Its method returns
// these collectives by key.
type Channeled interface {
	Channels() map[string]int64
}

// ByKind are the time of a run on streams, under the given name, and the time of each kind of
// operations: what the first stream spends on them, or on waiting for them.
func ByKind(whole string, r *results.Result) (all workloads.Metrics) {
	all.Add(whole, r.Makespan().Seconds())
	for i, name := range r.Phases {
		all.Add(name+"_s", r.Spent(i).Mean(r.Ranks))
	}
	return all
}

// Running are the time of a step of a replayed trace with several, and how long operations of each of the first kinds run on a GPU, on
// any stream, as a profiler shows it: the mean over the GPUs and the steps. Kinds may run at once.
func Running(r *results.Result, steps, kinds int) (all workloads.Metrics) {
	all.Add("step_s", r.Makespan().Seconds()/float64(steps))
	for i, name := range r.Phases[:kinds] {
		all.Add(name+"_s", r.Running[i].Mean(r.Ranks)/float64(steps))
	}
	return all
}
