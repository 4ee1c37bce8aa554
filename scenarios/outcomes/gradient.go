package outcomes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"overlapsim/nodes/parts"
	"overlapsim/nodes/results"
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

// PathRecord is a critical path as JSON.
type PathRecord struct {
	Ties    int         `json:"ties"` // moments at which another chain of events was as late
	Shares  []PathShare `json:"shares"`
	Pieces  []PathPiece `json:"pieces"`
	LeftOff int         `json:"left_off,omitempty"` // pieces after those
}

// mostPieces is the largest number of pieces of a critical path that are written.
const mostPieces = 1000

// PathShare is the time that one kind of part takes on a critical path.
type PathShare struct {
	Resource string  `json:"resource"`
	Part     string  `json:"part"`
	Time     float64 `json:"time_s"`
	Count    int     `json:"count"`
}

// PathPiece is an interval of a critical path.
type PathPiece struct {
	Resource string  `json:"resource"`
	Index    int32   `json:"index"` // rank of a CPU or thread, number of a NIC; on the wire, of the sending NIC
	Part     string  `json:"part"`
	Start    float64 `json:"start_s"`
	End      float64 `json:"end_s"`
}

// Slopes returns the derivatives of the makespan along the critical path, if the run was
// asked for the path and they are stable.
func (o *Outcome) Slopes() []results.Slope { return o.Result.Slopes }

// Unstable tells whether the run was asked for derivatives and they are not meaningful.
func (o *Outcome) Unstable() bool { return o.Result.Critical != nil && !o.Result.Stability.Stable() }

// WhyUnstable says in a sentence why derivatives are left out.
func (o *Outcome) WhyUnstable() string {
	return "Derivatives are left out, because the run is unstable: " + o.Result.Stability.Reason() + "."
}

// PathShares returns the shares of the critical path, the largest first, and its number
// of ties.
func (o *Outcome) PathShares() (shares []PathShare, ties int) {
	shares = []PathShare{}
	n := int(results.NumParts())
	all, times := make([]PathShare, int(results.NumResources)*n), make([]sim.Time, int(results.NumResources)*n)
	for _, p := range o.Result.Critical {
		i := int(p.Resource)*n + int(p.Part)
		times[i] += p.End - p.Start
		all[i].Count++
		if p.Part == parts.Tie {
			ties++
		}
	}
	for i, share := range all {
		if share.Time = times[i].Seconds(); share.Time > 0 {
			share.Resource, share.Part = results.Resource(i/n).String(), results.Part(i%n).String()
			shares = append(shares, share)
		}
	}
	slices.SortStableFunc(shares, func(a, b PathShare) int { return cmp.Compare(b.Time, a.Time) })
	return shares, ties
}

// PathPieces returns the intervals of the critical path that take time; adjacent
// intervals of the same part are joined.
func (o *Outcome) PathPieces() []PathPiece {
	all := []PathPiece{}
	for _, p := range o.Result.Critical {
		piece := PathPiece{p.Resource.String(), p.Index, p.Part.String(), p.Start.Seconds(), p.End.Seconds()}
		last := len(all) - 1
		switch {
		case p.End == p.Start:
		case last >= 0 && all[last].Resource == piece.Resource && all[last].Index == piece.Index && all[last].Part == piece.Part:
			all[last].End = piece.End
		default:
			all = append(all, piece)
		}
	}
	return all
}

// PathRecord returns the critical path as plain data.
func (o *Outcome) PathRecord() *PathRecord {
	r := &PathRecord{Pieces: o.PathPieces()}
	r.Shares, r.Ties = o.PathShares()
	if more := len(r.Pieces) - mostPieces; more > 0 {
		r.Pieces, r.LeftOff = r.Pieces[:mostPieces], more
	}
	return r
}
