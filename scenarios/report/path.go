package report

import (
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// pathKind is the kind of the lane that shows the critical path.
const pathKind = results.HelperLane + 1

// path is the critical path as an additional lane. Its spans say where it goes.
type path struct {
	results.Lane
	parts []pathPart // a span's phase counts in them
	where []int      // by span: the lane it is on; -1: on the way, or in a barrier
}

// pathPart is the content of pieces of the path.
type pathPart struct {
	Name string `json:"name"`
	On   string `json:"on"` // the resource
}

// pathOf maps the critical path of a result to the lanes; nil if there is none.
// Consecutive pieces of the same content are one span.
func pathOf(r *results.Result, lanes []placed) *path {
	if len(r.Critical) == 0 {
		return nil
	}
	p := &path{Lane: results.Lane{Name: "critical path", Kind: pathKind}}
	places, numbers, message := byResource(lanes), map[made]uint8{}, int32(-1)
	for i := range r.Critical {
		piece := &r.Critical[i]
		if piece.End == piece.Start {
			continue
		}
		of := made{piece.Part, piece.Resource, r.Kernel(piece)}
		number, known := numbers[of]
		if !known {
			number = uint8(len(p.parts))
			numbers[of], p.parts = number, append(p.parts, pathPart{of.name(), piece.Resource.String()})
		}
		lane, span := places.of(piece, lanes)
		if r.On == results.GPUs { // a lane for each stream
			lane = int(piece.Stream)
			span = lanes[lane].At(middle(piece))
		}
		switch { // a piece on the way belongs to the message of the piece before
		case span != nil:
			message = span.Message
		case piece.Resource == results.Barriers || lane >= 0:
			message = -1
		}
		p.add(results.Span{Start: piece.Start, End: piece.End, Message: message, Term: piece.Part.Term(), Phase: number}, lane)
	}
	return p
}

// made is the content of a piece, and its resource.
type made struct {
	part   results.Part
	on     results.Resource
	kernel string // of a computation
}

func (m made) name() string {
	return strings.TrimSpace(m.part.String() + " " + strings.ReplaceAll(m.kernel, "_", " "))
}

// add adds a span, or makes the last one longer.
func (p *path) add(s results.Span, lane int) {
	if last := len(p.Spans) - 1; last >= 0 && p.where[last] == lane {
		if l := &p.Spans[last]; l.Phase == s.Phase && l.Message == s.Message && l.End == s.Start {
			l.End = s.End
			return
		}
	}
	p.Spans, p.where = append(p.Spans, s), append(p.where, lane)
}

// laneOf identifies a resource that has lanes.
type laneOf struct {
	kind  results.LaneKind
	index int
}

// lanesByResource finds the lanes of a resource. A NIC that serves several messages at a
// time has several.
type lanesByResource map[laneOf][]int

func byResource(lanes []placed) lanesByResource {
	places := lanesByResource{}
	for i, l := range lanes {
		of := laneOf{l.Kind, l.Index}
		places[of] = append(places[of], i)
	}
	return places
}

// lanesOfResources are the kinds of lanes that show resources.
var lanesOfResources = map[results.Resource]results.LaneKind{
	results.CPU: results.CPULane, results.Helper: results.HelperLane, results.NICInsert: results.InsertLane, results.NICSend: results.SendLane,
}

// of returns the lane of a piece, -1 if it is on none, and the span of that lane that
// contains the piece, nil if there is none. If there are several lanes, it is the one
// whose span begins or ends with the piece.
func (places lanesByResource) of(p *results.Piece, lanes []placed) (lane int, span *results.Span) {
	lane = -1
	kind, shown := lanesOfResources[p.Resource]
	if !shown {
		return lane, nil
	}
	for _, l := range places[laneOf{kind, int(p.Index)}] {
		s := lanes[l].At(middle(p))
		if lane < 0 || s != nil && span == nil {
			lane, span = l, s
		}
		if s != nil && (s.Start == p.Start || s.End == p.End) {
			return l, s
		}
	}
	return lane, span
}

// middle is an instant in a piece.
func middle(p *results.Piece) sim.Time { return p.Start + (p.End-p.Start)/2 }
