package outcomes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/sim"
)

// Ordered is written as a JSON object whose members keep their order.
type Ordered []Member

// Member is a name and a value of a JSON object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON implements json.Marshaler.
func (o Ordered) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		name, _ := json.Marshal(m.Name)
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(append(append(name, ':'), value...))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// SlopeRecord is a slope as JSON. Derivatives are in seconds per second, seconds
// per (second per byte), or seconds per (work per second).
type SlopeRecord struct {
	Value      *float64 `json:"value"`      // nil: there are several different values
	Derivative *float64 `json:"derivative"` // nil: none exists for several different rates
	Elasticity float64  `json:"elasticity"` // per cent of the makespan for each per cent of the parameter
	Time       float64  `json:"time_s"`     // on the critical path
}

// NewSlopeRecord returns a slope as JSON.
func NewSlopeRecord(s results.Slope) SlopeRecord {
	return SlopeRecord{Finite(s.Value), Finite(s.Derivative), s.Elasticity, s.Time}
}

// gradientRecord returns slopes as a JSON object, the largest elasticity first.
func gradientRecord(slopes []results.Slope) (all Ordered) {
	for _, s := range slopes {
		all = append(all, Member{s.Parameter, NewSlopeRecord(s)})
	}
	return all
}

// Finite returns nil for a value that is not a finite number.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Instead says what to do if a single run leaves derivatives out.
const Instead = "'overlapsim gradient' shows re-runs with each parameter changed instead."

// OnGPUs says what to do to find out what a run on GPUs depends on.
const OnGPUs = "'overlapsim gradient' shows how the makespan depends on keys, by re-runs."

// PathRecord is a critical path as JSON.
type PathRecord struct {
	Ties    int         `json:"ties"` // moments at which another chain of events was as late
	Shares  []PathShare `json:"shares"`
	GPUs    []PathGPU   `json:"gpus,omitempty"` // that it is on, the longest time first
	Pieces  []PathPiece `json:"pieces"`
	LeftOff int         `json:"left_off,omitempty"` // pieces after those
}

// mostPieces is the largest number of pieces of a critical path that are written.
const mostPieces = 1000

// PathShare is the time that one kind of part takes on a critical path.
type PathShare struct {
	Resource string  `json:"resource"`
	Kind     string  `json:"kind,omitempty"` // of operations, on GPUs
	Part     string  `json:"part"`
	Time     float64 `json:"time_s"`
	Count    int     `json:"count"`
}

// PathGPU is the time that a critical path is on a GPU, or on its host.
type PathGPU struct {
	GPU  int32   `json:"gpu"`
	Time float64 `json:"time_s"`
}

// PathPiece is an interval of a critical path.
type PathPiece struct {
	Resource string  `json:"resource"`
	Index    int32   `json:"index"`            // rank of a CPU or thread, number of a NIC; on the wire, of the sending NIC; a GPU
	Stream   string  `json:"stream,omitempty"` // of the GPU
	Kind     string  `json:"kind,omitempty"`   // of the operation, on GPUs
	Part     string  `json:"part"`
	Start    float64 `json:"start_s"`
	End      float64 `json:"end_s"`
}

// Slopes returns the derivatives of the makespan along the critical path, if the run was
// asked for the path and they are stable. NICs and links that are equally fast are one parameter if one of them has the
// wrong sign, as the other one hides what it does; if the path has both and ties, as how it is divided between them is chance then; or if
// links follow the NIC by default and are not on the path, as what changes the NIC moves both.
func (o *Outcome) Slopes() []results.Slope {
	wrong, links, nics := false, false, false
	for _, s := range o.Result.Slopes {
		wrong = wrong || files.InBoth(s.Parameter) && s.Time < 0
		links = links || s.Parameter == files.OfLinks && s.Time != 0
		nics = nics || s.Parameter == files.OfNICs && s.Time != 0
	}
	_, ties := o.PathShares()
	if divided := links && nics && ties > 0; !wrong && !divided && (links || o.LinksOfNIC() == 0) {
		return o.Result.Slopes
	}
	both := o.BothSlope()
	if both == nil {
		return o.Result.Slopes
	}
	all := slices.DeleteFunc(slices.Clone(o.Result.Slopes), func(s results.Slope) bool { return files.InBoth(s.Parameter) })
	all = append(all, *both)
	slices.SortStableFunc(all, func(a, b results.Slope) int { return cmp.Compare(math.Abs(b.Elasticity), math.Abs(a.Elasticity)) })
	return all
}

// BothSlope is the slope by NICs and links together, as a cost; nil: they are not equally fast, or the path has neither.
func (o *Outcome) BothSlope() *results.Slope {
	if !o.EquallyFast() {
		return nil
	}
	both := results.Slope{Parameter: files.Both, Value: 1 / float64(o.Machine.Network.OfLinks()), Unit: results.SecondPerByte}
	for _, s := range o.Result.Slopes {
		if files.InBoth(s.Parameter) {
			both.Time += s.Time
		}
	}
	if both.Time == 0 {
		return nil
	}
	both.Derivative, both.Elasticity = both.Time/both.Value, both.Time/o.Result.Makespan().Seconds()
	return &both
}

// Unstable tells whether the run was asked for derivatives and they are not meaningful.
func (o *Outcome) Unstable() bool { return o.Result.Critical != nil && !o.Result.Stability.Stable() }

// WhyUnstable says in a sentence why derivatives are omitted.
func (o *Outcome) WhyUnstable() string {
	return "Derivatives are omitted, because the run is unstable: " + o.Result.Stability.Reason() + "."
}

// Name says what a share is of: "transfer (nic send)"; on GPUs with the kind of operations, "product: compute (kernel)".
func (s *PathShare) Name() string {
	name := s.Part + " (" + s.Resource + ")"
	if s.Kind != "" {
		name = strings.ReplaceAll(s.Kind, "_", " ") + ": " + name
	}
	return name
}

// share says which share a piece of a path belongs to.
type share struct {
	on   results.Resource
	part results.Part
	kind int64 // on GPUs
}

// shareOf returns the share of a piece.
func (o *Outcome) shareOf(p *results.Piece) share {
	if o.Result.On == results.GPUs {
		return share{p.Resource, p.Part, p.Amount}
	}
	return share{p.Resource, p.Part, 0}
}

// kindOf is the kind of the operations of a piece, on GPUs.
func (o *Outcome) kindOf(p *results.Piece) string {
	if o.Result.On == results.GPUs {
		return o.Result.Kernel(p)
	}
	return ""
}

// PathShares returns the shares of the critical path, the largest first, and its number
// of ties.
func (o *Outcome) PathShares() (shares []PathShare, ties int) {
	times, counts := map[share]sim.Time{}, map[share]int{}
	names := map[share]string{}
	for i := range o.Result.Critical {
		p := &o.Result.Critical[i]
		of := o.shareOf(p)
		times[of] += p.End - p.Start
		names[of] = o.kindOf(p)
		if counts[of]++; p.Part == parts.Tie {
			ties++
		}
	}
	maps.DeleteFunc(times, func(_ share, t sim.Time) bool { return t == 0 })
	shares = []PathShare{}
	for _, of := range slices.SortedFunc(maps.Keys(times), func(a, b share) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.on, b.on), cmp.Compare(a.part, b.part), cmp.Compare(a.kind, b.kind))
	}) {
		shares = append(shares, PathShare{of.on.String(), names[of], of.part.String(), times[of].Seconds(), counts[of]})
	}
	return shares, ties
}

// PathGPUs returns the GPUs that the critical path is on, the longest time first; none in a run of processes.
func (o *Outcome) PathGPUs() (all []PathGPU) {
	if o.Result.On != results.GPUs {
		return nil
	}
	times := map[int32]sim.Time{}
	for _, p := range o.Result.Critical {
		times[p.Index] += p.End - p.Start
	}
	for _, gpu := range slices.Sorted(maps.Keys(times)) {
		all = append(all, PathGPU{gpu, times[gpu].Seconds()})
	}
	slices.SortStableFunc(all, func(a, b PathGPU) int { return cmp.Compare(b.Time, a.Time) })
	return all
}

// PathPieces returns the intervals of the critical path that take time; adjacent
// intervals of the same part are joined.
func (o *Outcome) PathPieces() []PathPiece {
	all := []PathPiece{}
	for i := range o.Result.Critical {
		p := &o.Result.Critical[i]
		piece := PathPiece{Resource: p.Resource.String(), Index: p.Index, Kind: o.kindOf(p), Part: p.Part.String(),
			Start: p.Start.Seconds(), End: p.End.Seconds()}
		if len(o.Result.Streams) > 0 {
			piece.Stream = o.Result.Streams[p.Stream].Name
		}
		last := len(all) - 1
		switch {
		case p.End == p.Start:
		case last >= 0 && all[last].goesOn(&piece):
			all[last].End = piece.End
		default:
			all = append(all, piece)
		}
	}
	return all
}

// goesOn tells whether a piece that follows is of the same.
func (p *PathPiece) goesOn(next *PathPiece) bool {
	same := *next
	same.Start, same.End = p.Start, p.End
	return same == *p
}

// PathRecord returns the critical path as plain data.
func (o *Outcome) PathRecord() *PathRecord {
	r := &PathRecord{Pieces: o.PathPieces(), GPUs: o.PathGPUs()}
	r.Shares, r.Ties = o.PathShares()
	if more := len(r.Pieces) - mostPieces; more > 0 {
		r.Pieces, r.LeftOff = r.Pieces[:mostPieces], more
	}
	return r
}
