package calibrate

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// contending are the quantities in which a bucket may hold messages back. The others are
// times of the CPU alone.
var contending = []Quantity{OneWay, Stream, Crowd, BothStreams, Successive, PingPing, Exchange}

// limiter is the token bucket behind which messages were measured.
type limiter struct {
	keys   []keys.Fact // of a machine's bucket
	header value       // bytes of a packet next to its payload, as large messages have them; no kind: they do not tell
	loose  bool        // no repeated message is held back, so that nothing tells its rate
}

// told is what the user says of a key; "": nothing.
func (l *limiter) told(key string) string {
	for _, f := range l.keys {
		if f.Path == key {
			return f.Value
		}
	}
	return ""
}

// alone returns the seconds of a quantity on a machine that takes no time, behind the bucket with some changed keys; of SendCPU,
// how long the message is held back.
func (l *limiter) alone(changed map[string]string) (func(q Quantity, bytes int64) (float64, error), error) {
	var list []string
	for _, key := range []string{"rate", "depth", "payload", "header", "shared"} {
		value, ok := changed[key]
		if !ok {
			value = l.told(key)
		}
		if value != "" {
			list = append(list, key+": "+value)
		}
	}
	m, err := bare("--bucket", "bucket: {"+strings.Join(list, ", ")+"}")
	if err != nil {
		return nil, err
	}
	m.Network.Transfer = nil
	maker, err := m.Fabric("backlog")
	return func(q Quantity, bytes int64) (float64, error) {
		o := nodes.Options{Fabric: maker}
		if q == Crowd { // all pairs pass one bucket
			q = Stream
		}
		t, err := simulateOn(m.Machine, q, bytes, o)
		if q == SendCPU {
			var ends [2]sim.Time
			ends, err = runOn(m.Machine, experiments[q](bytes), o)
			t = ends[1]
		}
		if err != nil {
			err = fmt.Errorf("%s of %d B through the bucket: %w", q, bytes, err)
		}
		return t.Seconds(), err
	}, err
}

// repeated tells whether a quantity was measured by a benchmark that repeats its messages without a pause.
func (d *Data) repeated(q Quantity) bool {
	for _, t := range d.tables[q] {
		if !strings.HasPrefix(t.Name, "MPI_") {
			return true
		}
	}
	return false
}

// beyond is by how much a repeated message must take longer than an empty bucket lets it pass, to tell about the machine.
const beyond = 1.25

// Behind says that the measurements were taken behind a token bucket: the keys of a
// machine's bucket, as in "{rate: 1Gbit/s, depth: 16KiB}". Messages that it holds back say
// nothing about the machine, and are omitted. The machine gets the bucket.
//
//   - The messages of a log of calls come one by one, on a full bucket: what it lets pass at once is not held back.
//   - A benchmark repeats its messages until the bucket is empty. Then a message takes as long as the bucket needs to earn it, unless the machine
//     needs longer. The smallest size that does not take a quarter longer, and all larger ones, are omitted; the large ones tell the header
//     of a packet, and whether the rate is possible at all.
//   - A call that sends a message which the bucket holds back works for its queue, too: Linux enqueues packets in the call, and sets a timer for
//     the messages that wait (__dev_xmit_skb; tbf_dequeue in sch_tbf.c). Its time is omitted if it is longer than the
//     times of smaller messages lead to expect.
func (d *Data) Behind(bucket string) error {
	if len(d.limit.keys) > 0 {
		return errors.New("--bucket: the machine's file has a bucket, which the measured messages passed")
	}
	m, err := bare("--bucket", "bucket: "+bucket)
	if err != nil {
		return err
	}
	for _, f := range m.Facts {
		if key, ok := strings.CutPrefix(f.Path, "bucket."); ok {
			d.limit.keys = append(d.limit.keys, keys.Fact{Path: key, Value: f.Value})
		}
	}
	full, err := d.limit.alone(nil)
	if err != nil {
		return err
	}
	empty, err := d.limit.alone(map[string]string{"depth": "0B"})
	if err != nil {
		return err
	}
	if err := d.steady(); err != nil {
		return err
	}
	for _, q := range contending {
		repeated, all := d.repeated(q), false // all: a smaller one is held back
		wait, most := full, math.Inf(1)
		if repeated {
			wait, most = empty, beyond
		}
		for _, p := range d.Samples[q].Medians() {
			held, err := wait(q, p.Bytes)
			if err != nil {
				return err
			}
			if all || held > 0 && p.Seconds < most*held {
				delete(d.Samples[q], p.Bytes)
				all = repeated
			}
		}
	}
	if err := d.queued(full); err != nil {
		return err
	}
	if d.enough() != nil {
		return errors.New("--bucket: it holds back all messages that were measured; smaller ones tell about the machine")
	}
	return nil
}

// queued omits the calls that send messages which a full bucket holds back, and take longer than the curve of those that pass.
func (d *Data) queued(full func(q Quantity, bytes int64) (float64, error)) error {
	var pass, wait []Point
	for _, p := range d.Samples[SendCPU].Medians() {
		switch held, err := full(SendCPU, p.Bytes); {
		case err != nil:
			return err
		case held > 0:
			wait = append(wait, p)
		default:
			pass = append(pass, p)
		}
	}
	if len(pass) == 0 {
		return nil
	}
	curve := segment(pass)
	for _, p := range wait {
		if p.Seconds > curve.At(p.Bytes)*(1+rounding) {
			delete(d.Samples[SendCPU], p.Bytes)
		}
	}
	return nil
}

// leastSteady is the smallest size whose repetitions empty a bucket for sure, and of which packets are full.
const leastSteady = 32 << 10

// steady compares large repeated messages with an empty bucket: they tell the header, and whether the rate is possible.
func (d *Data) steady() error {
	plain, err := d.limit.alone(map[string]string{"depth": "0B", "header": "0B"})
	if err != nil {
		return err
	}
	const some = 1000 // bytes of a header, for the slope
	with, err := d.limit.alone(map[string]string{"depth": "0B", "header": fmt.Sprint(some, "B")})
	if err != nil {
		return err
	}
	var headers, faster []float64
	large := 0
	for _, q := range contending {
		for _, p := range d.Samples[q].Medians() {
			if !d.repeated(q) || p.Bytes < leastSteady {
				continue
			}
			large++
			least, err := plain(q, p.Bytes)
			if err != nil {
				return err
			}
			more, err := with(q, p.Bytes)
			if err != nil {
				return err
			}
			if p.Seconds < beyond*least {
				headers, faster = append(headers, (p.Seconds-least)/(more-least)*some), append(faster, least/p.Seconds)
			}
		}
	}
	if d.limit.loose = len(headers) == 0 && large > 0; len(headers) == 0 {
		return nil
	}
	if by := median(faster); by > 1.02 {
		return fmt.Errorf("--bucket: its rate of %s cannot be: messages of %s and more pass %.3g times as fast in the median", d.limit.told("rate"),
			keys.FormatBytes(leastSteady), by)
	}
	middle, low, high := middleOf(headers)
	if d.limit.told("payload") == "" || math.IsInf(low, 0) { // too few sizes
		return nil
	}
	d.limit.header = value{value: max(0, math.Round(middle)), low: max(0, low), high: max(0, high), kind: derived,
		source: fmt.Sprintf("repeated messages of %s and more, which the bucket holds back", keys.FormatBytes(leastSteady))}
	return nil
}

// mostHeader is the largest usual header in bytes: 42 of Ethernet with preamble, gap and VLAN tag, 40 of IPv6, 32 of TCP with time stamps.
const mostHeader = 114

// doubts says where the bucket does not fit the times.
func (l *limiter) doubts() (all []string) {
	h := l.header
	if given, err := keys.ParseBytes(l.told("header")); h.kind != 0 && l.told("header") != "" && err == nil &&
		(float64(given) < h.low-1 || float64(given) > h.high+1) {
		all = append(all, fmt.Sprintf("The bucket: a header of %s was given, and %s take as long as with one of %.0f B (%.0f to %.0f B).", l.told("header"),
			h.source, h.value, h.low, h.high))
	}
	if h.kind != 0 && l.told("header") == "" && h.low > mostHeader {
		all = append(all, fmt.Sprintf("The bucket: its rate of %s needs packets with headers of %.0f B, and TCP over Ethernet has no more than %d B; with a "+
			"lower rate they are shorter.", l.told("rate"), h.value, mostHeader))
	}
	if l.loose {
		all = append(all, "The bucket holds back none of the large messages: nothing says that its rate is right, and what takes longer is the machine's.")
	}
	return all
}

// bucketKeys writes the bucket.
func (s *fitting) bucketKeys(w *writer) {
	l := &s.data.limit
	if len(l.keys) == 0 {
		return
	}
	w.line("")
	w.line("bucket:")
	for _, f := range l.keys {
		w.line("  %s: {value: %s, origin: published, source: %q}", f.Path, f.Value,
			"given: the measured messages passed it; sizes that it holds back are omitted")
	}
	if l.header.kind != 0 && l.told("header") == "" {
		w.line("  header: {value: %.0fB, origin: derived, source: %q}", l.header.value, l.header.source)
	}
}
