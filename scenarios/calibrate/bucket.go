package calibrate

import (
	"errors"
	"fmt"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios/keys"
)

// contending are the quantities in which a bucket may hold messages back. The others are
// times of the CPU alone.
var contending = []Quantity{OneWay, Stream, BothStreams, Successive, PingPing, Exchange}

// Behind says that the measurements were taken behind a token bucket: the keys of a
// machine's bucket, as in "{rate: 1Gbit/s, depth: 16KiB}". Messages that it holds back say
// nothing about the machine, and are left out. The machine gets the bucket.
func (d *Data) Behind(bucket string) error {
	m, err := bare("--bucket", "bucket: "+bucket)
	if err != nil {
		return err
	}
	m.Network.Transfer = nil
	maker, err := m.Fabric("backlog")
	if err != nil {
		return err
	}
	for _, f := range m.Facts {
		if key, ok := strings.CutPrefix(f.Path, "bucket."); ok {
			d.bucket = append(d.bucket, keys.Fact{Path: key, Value: f.Value})
		}
	}
	for _, q := range contending {
		for _, p := range d.Samples[q].Medians() {
			finish, err := runOn(m.Machine, experiments[q](p.Bytes), nodes.Options{Fabric: maker})
			if err != nil {
				return fmt.Errorf("%s of %d B behind the bucket: %w", q, p.Bytes, err)
			}
			if max(finish[0], finish[1]) > 0 {
				delete(d.Samples[q], p.Bytes)
			}
		}
	}
	if d.enough() != nil {
		return errors.New("--bucket: it holds back all messages that were measured; smaller ones tell about the machine")
	}
	return nil
}

// bucketKeys writes the bucket.
func (s *fitting) bucketKeys(w *writer) {
	if len(s.data.bucket) == 0 {
		return
	}
	w.line("")
	w.line("bucket:")
	for _, f := range s.data.bucket {
		w.line("  %s: {value: %s, origin: published, source: %q}", f.Path, f.Value,
			"given: what messages were measured behind; sizes that it holds back are left out")
	}
}
