package gputrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"overlapsim/workloads/experiments"
)

// Limits on what is read.
const (
	mostValue  = 16 << 20 // bytes of an event, or of a value that is not used
	mostEvents = 20_000_000
)

// event is a trace event, as far as it is used.
type event struct {
	Phase    string          `json:"ph"`
	Category string          `json:"cat"`
	Name     string          `json:"name"`
	Start    json.Number     `json:"ts"`
	Duration json.Number     `json:"dur"`
	Args     json.RawMessage `json:"args"`
}

// arguments are the arguments of an event. The profiler writes some as numbers and some as texts.
// What is neither is omitted.
type arguments map[string]json.RawMessage

func (a arguments) number(key string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(string(a[key]), `"`), 10, 64)
	return n, err == nil
}

func (a arguments) text(key string) (text string) {
	if json.Unmarshal(a[key], &text) != nil {
		return ""
	}
	return text
}

// grid is the grid of a kernel, or 0 if it is not said.
func (a arguments) grid() uint64 {
	var blocks []uint64
	if json.Unmarshal(a["grid"], &blocks) != nil {
		return 0
	}
	return gridOf(blocks...)
}

// gridOf is a grid as one number: the products that kernels of PyTorch have fit into 63 bits.
func gridOf(blocks ...uint64) (n uint64) {
	for _, b := range blocks {
		n = n<<21 ^ b
	}
	return n
}

// readFile reads a trace, gzipped or not: one rank, or all ranks of an export of Nsight Systems.
func readFile(name string) ([]*rank, error) {
	if isExport(name) {
		return openExport(name)
	}
	r, err := experiments.ReadTrace(name, read)
	if err != nil {
		return nil, err
	}
	r.file = filepath.Base(name)
	return []*rank{r}, nil
}

// read reads a trace.
func read(from io.Reader) (*rank, error) {
	values := &ahead{in: from}
	d := json.NewDecoder(values)
	values.at = d.InputOffset
	d.UseNumber()
	r := newRank()
	if err := r.document(d); err != nil {
		return nil, fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
	}
	if err := r.join(); err != nil {
		return nil, err
	}
	return r, nil
}

// ahead reads for a decoder, but not far ahead of it. A decoder keeps a value, and the blanks
// before it, until they are complete, and it examines blanks again whenever more arrive.
type ahead struct {
	in   io.Reader
	at   func() int64 // position of the decoder
	read int64
}

func (a *ahead) Read(to []byte) (int, error) {
	if a.read-a.at() > mostValue {
		return 0, fmt.Errorf("a value, or the blanks before it, has more than %d bytes", mostValue)
	}
	n, err := a.in.Read(to)
	a.read += int64(n)
	return n, err
}

// errNoObject is the error for a file that is JSON but not a trace.
var errNoObject = errors.New("is not a trace of the PyTorch profiler: it must be an object with traceEvents, or a list of events")

// document reads an object with traceEvents, or a list of events.
func (r *rank) document(d *json.Decoder) error {
	first, err := d.Token()
	if err != nil {
		return err
	}
	switch first {
	case json.Delim('['):
		return r.events(d)
	case json.Delim('{'):
	default:
		return errNoObject
	}
	found := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key != "traceEvents" {
			if err := r.head(d, key); err != nil {
				return err
			}
			continue
		}
		if next, err := d.Token(); err != nil || next != json.Delim('[') {
			return errNoObject
		}
		found = true
		if err := r.events(d); err != nil {
			return err
		}
	}
	if !found {
		return errNoObject
	}
	return nil
}

// version is the only version of the profiler's files that there has been so far.
const version = "1"

// head reads a value next to the events.
func (r *rank) head(d *json.Decoder, key json.Token) error {
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return err
	}
	switch key {
	case "schemaVersion":
		if string(value) != version {
			return fmt.Errorf("seems to be a trace of the PyTorch profiler in version %.20s (schemaVersion); known is %s", value, version)
		}
	case "distributedInfo":
		info := struct {
			Rank  *int `json:"rank"`
			World int  `json:"world_size"`
		}{}
		if json.Unmarshal(value, &info) == nil && info.Rank != nil && *info.Rank >= 0 && info.World > *info.Rank && info.World <= mostMembers {
			r.number, r.world = *info.Rank, info.World
		}
	}
	return nil
}

// events reads events up to the end of their list. An error names the event.
func (r *rank) events(d *json.Decoder) error {
	before := ""
	for n := 1; d.More(); n++ {
		if n > mostEvents {
			return fmt.Errorf("has more than %d events", mostEvents)
		}
		var e event
		if err := d.Decode(&e); err != nil {
			return damaged(n, before, err)
		}
		if before = e.Name; e.Phase != "X" {
			continue
		}
		if err := r.event(&e); err != nil {
			return fmt.Errorf("event %d (%.60q, category %s): %w", n, e.Name, e.Category, err)
		}
	}
	_, err := d.Token()
	if err != nil {
		return fmt.Errorf("the list of events does not end: %w", err)
	}
	return nil
}

// damaged is the error of an event that cannot be read.
func damaged(n int, before string, err error) error {
	after := ""
	if before != "" {
		after = fmt.Sprintf(", after %.60q", before)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("event %d%s: the file ends inside it: %w", n, after, err)
	}
	return fmt.Errorf("event %d%s: is damaged: %w", n, after, err)
}

// nanoseconds reads a number of microseconds. Microseconds since 1970 have more digits than a
// float64.
func nanoseconds(n json.Number) (int64, bool) {
	whole, part, _ := strings.Cut(string(n), ".")
	us, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.ContainsAny(part, "eE") {
		x, err := n.Float64()
		return int64(math.Round(x * 1e3)), err == nil && math.Abs(x) < mostMicroseconds
	}
	ns, err := strconv.ParseInt((part + "000")[:3], 10, 64)
	if us < 0 || strings.HasPrefix(whole, "-") {
		ns = -ns
	}
	return us*1000 + ns, err == nil && us < mostMicroseconds && us > -mostMicroseconds
}

// mostMicroseconds keeps times within 64 bits.
const mostMicroseconds = 4e15
