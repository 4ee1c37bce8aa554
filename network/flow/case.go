package flow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Case is a set of flows over links, often with known completion times: such exact cases compare
// flow-level simulators. A flow loads its links after its latency.
type Case struct {
	Name string // the file's, if the case has none

	Links    []string
	Capacity []float64 // bytes/s of each link
	Flows    []CaseFlow
}

// CaseFlow is one flow of a case, times in seconds.
type CaseFlow struct {
	From, To   string
	Bytes      float64
	Start      float64
	Latency    float64
	Limit      float64  // bytes/s, 0: none
	Route      []int32  // indices into the links
	Completion *float64 // when it ends according to the file; nil: the file does not say
}

// The file format, without the fields that only describe.
type caseFile struct {
	Name      string          `json:"name"`
	Bandwidth json.RawMessage `json:"link_bandwidth_Bps"`
	Latency   json.RawMessage `json:"link_latency_s"`
	Flows     []flowFile      `json:"flows"`
	limitFile
}

type flowFile struct {
	From       label    `json:"src"`
	To         label    `json:"dst"`
	Bytes      *float64 `json:"bytes"`
	Start      float64  `json:"start"`
	Latency    *float64 `json:"latency"`
	Route      []label  `json:"route"`
	Weight     *float64 `json:"weight"`
	Completion *float64 `json:"completion"`
	limitFile
}

// limitFile is a limit on the rate of a flow, under any of its names.
type limitFile struct {
	RateLimit *float64 `json:"rate_limit_Bps"`
	Limit     *float64 `json:"limit_Bps"`
	MaxRate   *float64 `json:"max_rate_Bps"`
	Rate      *float64 `json:"rate_Bps"`
}

// limit returns the limit, or otherwise if the file has none.
func (l *limitFile) limit(otherwise float64) float64 {
	for _, p := range []*float64{l.RateLimit, l.Limit, l.MaxRate, l.Rate} {
		if p != nil {
			return *p
		}
	}
	return otherwise
}

// label is a name that may be written as a number.
type label string

func (l *label) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*l = label(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(l))
}

// perLink is one number for all links, or one for each.
type perLink struct {
	all  *float64
	each map[string]float64
}

// of returns the number for a link.
func (p *perLink) of(link string) (float64, bool) {
	if p.all != nil {
		return *p.all, true
	}
	x, ok := p.each[link]
	return x, ok
}

// largestCase is the largest size of a case in bytes.
const largestCase = 64 << 20

// ReadCase reads a case from JSON. The keys link_bandwidth_Bps and link_latency_s are each a
// number for all links, or an object with one number for each link. A flow has bytes, start,
// latency (in seconds, by default the sum over its links), route (names of links; a flow without
// a route shares nothing) and rate_limit_Bps, which may also be given once for all flows. The
// error names all mistakes, each with file and field.
func ReadCase(r io.Reader, name string) (*Case, error) {
	text, err := io.ReadAll(io.LimitReader(r, largestCase+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > largestCase {
		return nil, fmt.Errorf("%s: is larger than %d MiB, which is the most that is read", name, largestCase>>20)
	}
	var file caseFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, syntaxError(name, text, err)
	}
	b := &caseReader{name: name, index: map[string]int32{}}
	b.c.Name = cmp.Or(file.Name, name)
	b.bandwidth = b.perLink("link_bandwidth_Bps", file.Bandwidth)
	b.delay = b.perLink("link_latency_s", file.Latency)
	if len(file.Flows) == 0 {
		b.wrong("flows", "a case needs at least one")
	}
	for i := range file.Flows {
		b.flow(fmt.Sprintf("flows[%d]", i), &file.Flows[i], file.limit(0))
	}
	if err := errors.Join(b.faults...); err != nil {
		return nil, err
	}
	return &b.c, nil
}

// syntaxError adds the place to an error of the JSON decoder.
func syntaxError(name string, text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(0)
	if errors.As(err, &syntax) {
		at = syntax.Offset
	} else if errors.As(err, &kind) {
		at = kind.Offset
		err = fmt.Errorf("%s: must not be a %s", kind.Field, kind.Value)
	}
	before := text[:at]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := max(1, len(before)-1-bytes.LastIndexByte(before, '\n'))
	return fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
}

// caseReader turns a file into a case.
type caseReader struct {
	name             string
	bandwidth, delay perLink
	index            map[string]int32 // of links by name
	latency          []float64        // of links by index
	c                Case
	faults           []error
}

func (b *caseReader) wrong(field, format string, args ...any) {
	b.faults = append(b.faults, fmt.Errorf("%s: %s: %s", b.name, field, fmt.Sprintf(format, args...)))
}

// notNegative reports a number that is negative.
func (b *caseReader) notNegative(field string, x float64) {
	if x < 0 {
		b.wrong(field, "must not be negative, got %v", x)
	}
}

// perLink reads a number, or an object of numbers.
func (b *caseReader) perLink(field string, text json.RawMessage) (p perLink) {
	var err error
	switch {
	case len(text) == 0:
	case text[0] == '{':
		err = json.Unmarshal(text, &p.each)
	default:
		err = json.Unmarshal(text, &p.all)
	}
	if err != nil {
		b.wrong(field, "must be a number, or an object with a number for each link")
		p.all = new(1.0)
	}
	return p
}

// flow appends a flow.
func (b *caseReader) flow(at string, f *flowFile, limit float64) {
	flow := CaseFlow{From: string(f.From), To: string(f.To), Start: f.Start, Limit: f.limit(limit), Completion: f.Completion}
	if f.Bytes != nil {
		flow.Bytes = *f.Bytes
	} else {
		b.wrong(at+".bytes", "missing")
	}
	if f.Weight != nil && *f.Weight != 1 {
		b.wrong(at+".weight", "all flows weigh 1 here, got %v", *f.Weight)
	}
	for i, name := range f.Route {
		field := fmt.Sprintf("%s.route[%d]", at, i)
		l := b.link(field, string(name))
		if slices.Contains(flow.Route, l) {
			b.wrong(field, "link %q is there twice", name)
		}
		flow.Route = append(flow.Route, l)
		flow.Latency += b.latency[l]
	}
	if f.Latency != nil {
		flow.Latency = *f.Latency
	}
	b.notNegative(at+".bytes", flow.Bytes)
	b.notNegative(at+".start", flow.Start)
	b.notNegative(at+".latency", flow.Latency)
	b.notNegative(at+".rate_limit_Bps", flow.Limit)
	b.c.Flows = append(b.c.Flows, flow)
}

// link returns the index of a link.
func (b *caseReader) link(field, name string) int32 {
	if l, ok := b.index[name]; ok {
		return l
	}
	capacity, ok := b.bandwidth.of(name)
	if !ok {
		b.wrong(field, "link %q has no link_bandwidth_Bps", name)
	} else if capacity <= 0 {
		b.wrong(field, "the bandwidth of link %q must be positive, got %v", name, capacity)
	}
	latency, _ := b.delay.of(name)
	b.notNegative("link_latency_s of "+name, latency)
	l := int32(len(b.c.Links))
	b.index[name] = l
	b.c.Links = append(b.c.Links, name)
	b.c.Capacity = append(b.c.Capacity, capacity)
	b.latency = append(b.latency, latency)
	return l
}
