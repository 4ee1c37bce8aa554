package training

import (
	"errors"
	"slices"

	"overlapsim/nodes/gpus"
)

// series are collectives of gradients, by their places in the list: neighbours on a stream that differ only in bytes.
// Nothing waits for one of them before the last one.
type series []int

// allSeries finds the series of a graph.
func (w *graph) allSeries() (all []*series) {
	number, open := map[string]int{}, map[string]*series{} // by name, by stream
	for i := range w.Operations {
		o := &w.Operations[i]
		for _, name := range slices.Concat(o.After, o.HostAfter) {
			n := number[name]
			if s := open[w.Operations[n].stream()]; s != nil && n >= (*s)[0] {
				delete(open, w.Operations[n].stream())
			}
		}
		number[o.Name] = i
		s := open[o.stream()]
		switch {
		case !o.sums():
			delete(open, o.stream())
		case s != nil && o.like(&w.Operations[(*s)[0]]):
			*s = append(*s, i)
		default:
			s = &series{i}
			open[o.stream()] = s
			all = append(all, s)
		}
	}
	return slices.DeleteFunc(all, func(s *series) bool { return len(*s) < 2 })
}

// sums tells whether an operation may sum up gradients.
func (o *operation) sums() bool {
	return (o.Collective == gpus.AllReduce.Name || o.Collective == gpus.ReduceScatter.Name) && o.Bytes > 0
}

// like tells whether a collective is one as another on the same stream, but for its bytes and what it comes after.
func (o *operation) like(other *operation) bool {
	return o.Collective == other.Collective && o.kind() == other.kind() && slices.Equal(o.GPUs, other.GPUs) && o.Group == other.Group &&
		o.Apart == other.Apart && o.Algorithm == other.Algorithm && o.Protocol == other.Protocol && o.Channels == other.Channels
}

// bucketed returns the graph in which neighbours of a series are joined until they have the bytes of a bucket. A
// bucket has the name and the place of its last member, and waits for everything that its members wait for.
func (w *graph) bucketed() (*graph, error) {
	all := w.allSeries()
	if len(all) == 0 {
		return nil, errors.New("the graph has no buckets to join: two or more all-reduces or reduce-scatters with bytes, of the same GPUs, that " +
			"follow each other on a stream, the last one before one is waited for")
	}
	joined := *w
	joined.Bucket, joined.Operations = 0, slices.Clone(w.Operations)
	bucketOf, left := map[string]string{}, make([]bool, len(w.Operations))
	for _, s := range all {
		var bucket series
		for n, i := range *s {
			if bucket = append(bucket, i); joined.sum(bucket) >= w.Bucket || n == len(*s)-1 {
				joined.join(bucket, bucketOf, left)
				bucket = nil
			}
		}
	}
	joined.Operations = joined.without(bucketOf, left)
	return &joined, nil
}

// sum is the bytes of some collectives.
func (w *graph) sum(of series) (bytes int64) {
	for _, i := range of {
		bytes += w.Operations[i].Bytes
	}
	return bytes
}

// join makes the last one of some collectives their bucket, and notes the others.
func (w *graph) join(of series, bucketOf map[string]string, left []bool) {
	last := &w.Operations[of[len(of)-1]]
	last.Bytes = w.sum(of)
	for _, i := range of[:len(of)-1] {
		o := &w.Operations[i]
		last.After, last.HostAfter = slices.Concat(last.After, o.After), slices.Concat(last.HostAfter, o.HostAfter)
		bucketOf[o.Name], left[i] = last.Name, true
	}
}

// without returns the operations except those that are in buckets; what waits for these waits for the bucket.
func (w *graph) without(bucketOf map[string]string, left []bool) (all []operation) {
	named := func(names []string) (now []string) {
		for _, name := range names {
			if name = orElse(bucketOf[name], name); !slices.Contains(now, name) {
				now = append(now, name)
			}
		}
		return now
	}
	for i, o := range w.Operations {
		if !left[i] {
			o.After, o.HostAfter = named(o.After), named(o.HostAfter)
			all = append(all, o)
		}
	}
	return all
}
