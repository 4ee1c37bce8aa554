package fabrics

import (
	"slices"

	"overlapsim/network"
	"overlapsim/network/bucket"
	"overlapsim/sim"
)

// limiter holds the keys of the token buckets before a fabric.
type limiter struct {
	Limit  sim.Rate `key:"bucket.rate" unit:"bandwidth" doc:"rate of a token bucket before the network: a shaper, or a limit of a cloud; 0: there is none"`
	Depth  int64    `key:"bucket.depth" unit:"bytes" doc:"bytes that pass at once when the bucket is full"`
	Whole  int64    `key:"bucket.payload" unit:"bytes" doc:"most user bytes in a packet; 0B: a message is one packet"`
	Header int64    `key:"bucket.header" unit:"bytes" doc:"bytes that a packet takes in addition, with its share of acknowledgements"`
	Shared string   `key:"bucket.shared" unit:"text" choices:"out,both,all" doc:"each NIC of a node has a bucket, for what it sends or for what it sends and receives; or all nodes have one (a loopback)"`
}

func newLimiter() limiter { return limiter{Shared: bucket.Names[bucket.Out]} }

// before puts the buckets before a fabric, if the keys ask for any.
func (l *limiter) before(fabric network.Maker) (network.Maker, error) {
	if l.Limit == 0 {
		return fabric, nil
	}
	p := bucket.Params{Rate: l.Limit, Depth: l.Depth, Payload: l.Whole, Header: l.Header,
		Shared: bucket.Shared(slices.Index(bucket.Names, l.Shared))}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return bucket.New(k, sink, p, fabric)
	}, nil
}

// acting returns the keys that have an effect.
func (l *limiter) acting() []string {
	if l.Limit == 0 {
		return []string{"bucket.rate"}
	}
	return []string{"bucket.rate", "bucket.depth", "bucket.payload", "bucket.header", "bucket.shared"}
}
