package calibrate

import (
	"slices"
	"sort"
)

// Parameter is a number of the machine, what it may be, and where it comes from. Times are
// in seconds, times per byte in seconds, sizes in bytes.
type Parameter struct {
	Name   string  `json:"name"`
	Unit   string  `json:"unit"` // s, s/B or B
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Bounds bool    `json:"bounds"` // low and high are what it can be at all, not a 95 % interval
	Kind   string  `json:"kind"`   // measured, derived, assumed or not determined
	Source string  `json:"source"`
}

// parameters lists the parameters of the machine.
func (s *fitting) parameters() []Parameter {
	all := []Parameter{single("latency", s.latency)}
	all = append(all, s.ofCurve("send overhead", s.send)...)
	all = append(all, s.ofCurve("receive overhead", s.receive)...)
	if s.unexpected.Pieces != nil {
		all = append(all, s.ofCurve("unexpected", s.unexpected)...)
	}
	all = append(all, single("gap", s.gap))
	g := Parameter{Name: "gap per byte, large messages", Unit: "s/B", Value: s.perByte(), Kind: s.transfer.kind.String(), Source: s.transfer.source}
	g.around(s.transfer.band(len(s.transfer.Pieces) - 1).perByte)
	if s.transfer.kind == assumed {
		g.Bounds, g.Low, g.High = true, 0, s.mostPerByte()
	}
	all = append(all, g)
	if s.Above > 0 {
		all = append(all, Parameter{Name: "rendezvous threshold", Unit: "B", Value: float64(s.Eager), Low: float64(s.Before),
			High:   float64(s.Above - 1),
			Bounds: true, Kind: s.thresholdKind().String(), Source: s.thresholdSource()})
	}
	if s.delivers() {
		all = append(all, s.ofCurve("delivery", s.delivery)...)
	}
	if s.asking.kind != 0 {
		all = append(all, s.delayed()...)
	}
	if h := s.data.limit.header; h.kind != 0 {
		all = append(all, Parameter{"header of a packet, bucket", "B", h.value, h.low, h.high, h.bounds, h.kind.String(), h.source})
	}
	return all
}

// around sets the interval of a value, if its half width is known. The half width of a curve through all points is not.
func (p *Parameter) around(width float64) {
	if width > 0 {
		p.Low, p.High = max(0, p.Value-width), p.Value+width
	}
}

func single(name string, v value) Parameter {
	return Parameter{name, "s", v.value, v.low, v.high, v.bounds, v.kind.String(), v.source}
}

// ofCurve is the cost of the smallest and of the largest eager message.
func (s *fitting) ofCurve(name string, c curve) []Parameter {
	at := func(name string, i int, bytes int64) Parameter {
		value, b := c.Pieces[i].time(bytes), c.band(i)
		around := add(b.base, b.perByte*float64(bytes))
		p := Parameter{Name: name, Unit: "s", Value: value, Kind: c.kind.String(), Source: c.source}
		p.around(around)
		if c.kind == assumed {
			p.Bounds, p.Low, p.High = true, 0, max(value, s.mostOverhead(bytes))
		}
		return p
	}
	all := []Parameter{at(name+", 0 B", 0, 0)}
	if c.Pieces[0].PerByte > 0 || len(c.Pieces) > 1 || c.kind == assumed {
		i := len(c.Pieces) - 1
		for i > 0 && s.Above > 0 && c.Pieces[i].From > s.Before {
			i--
		}
		size := s.largest()
		all = append(all, at(name+", largest eager", i, size))
	}
	return all
}

// delivers tells whether a delivery was found.
func (s *fitting) delivers() bool {
	return slices.ContainsFunc(s.delivery.Pieces, func(p Piece) bool { return p.Base > 0 || p.PerByte > 0 })
}

// delayed is the delay of requests of the smallest and of the largest message above the threshold.
func (s *fitting) delayed() (all []Parameter) {
	_, above := s.split(s.points[LateReceive])
	for _, one := range []struct {
		name  string
		bytes int64
	}{{"smallest", above[0].Bytes}, {"largest", above[len(above)-1].Bytes}} {
		i := sort.Search(len(s.asking.Pieces), func(i int) bool { return s.asking.Pieces[i].From > one.bytes }) - 1
		b := s.asking.band(i)
		x, around := s.asking.At(one.bytes), add(b.base, b.perByte*float64(one.bytes))
		all = append(all, single("request delay, "+one.name+" rendezvous", value{value: x, low: max(0, x-around), high: x + around,
			kind: s.asking.kind, source: s.asking.source}))
	}
	return all
}

// largest is the largest eager size measured.
func (s *fitting) largest() int64 {
	if s.Above > 0 {
		return s.Before
	}
	var most int64
	for _, points := range s.points[:OneWay+1] {
		if len(points) > 0 {
			most = max(most, points[len(points)-1].Bytes)
		}
	}
	return most
}

// mostOverhead is the largest overhead that the one-way time leaves.
func (s *fitting) mostOverhead(bytes int64) float64 {
	if len(s.Curves[OneWay]) == 0 {
		return s.between()
	}
	most := s.Curves[OneWay].At(bytes)
	each := s.steady()
	if i := slices.IndexFunc(each, func(p Point) bool { return p.Bytes >= bytes }); i >= 0 {
		return min(most, each[i].Seconds)
	}
	return most
}
