package answer

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// How a program cuts its work: a workload often has parameters, or related workloads,
// that send the same bytes between the same ranks in other messages. They are found by
// trying: each number times four and divided by four, each count as one, each flag inverted, and each
// workload of the same family. Those with the same work remain.

// work is what a program does, however it cuts its messages.
type work struct {
	bytes    map[[2]int32]int64 // from one rank to another
	computed []int64            // by rank, in ps
	sent     float64            // bytes in all
	messages int64
	largest  int64 // bytes of a message
	ops      int64
	order    uint64 // of all operations, hashed
}

// mostWalked is the largest number of messages of a program whose work is compared.
const mostWalked = 500_000

// workOf walks through a program. It returns nil if the program has more operations or
// sends more bytes than the limits.
func workOf(p programs.Program, ops, bytes float64) *work {
	w := &work{bytes: map[[2]int32]int64{}, computed: make([]int64, p.Ranks())}
	var do programs.Ops
	for rank := range p.Ranks() {
		for step := 0; ; step++ {
			do.Reset()
			if !p.Step(rank, step, &do) {
				break
			}
			for _, op := range do.List() {
				w.add(int32(rank), op)
			}
			if w.ops++; float64(w.ops) > ops || w.sent > bytes {
				return nil
			}
		}
	}
	return w
}

// add adds an operation of a rank.
func (w *work) add(rank int32, op programs.Op) {
	w.ops++
	for _, x := range [...]uint64{uint64(op.Kind), uint64(op.Peer), uint64(op.Request), uint64(op.Amount)} {
		w.order = (w.order ^ x) * 0x100000001b3 // FNV-1a
	}
	switch op.Kind {
	case programs.OpCompute:
		w.computed[rank] += op.Amount
	case programs.OpGet:
		w.sends(op.Peer, rank, op.Amount)
	case programs.OpPut, programs.OpSignal, programs.OpSend:
		w.sends(rank, op.Peer, op.Amount)
	}
}

func (w *work) sends(from, to int32, bytes int64) {
	w.messages++
	w.largest = max(w.largest, bytes)
	w.sent += float64(bytes)
	w.bytes[[2]int32{from, to}] += bytes
}

// same tells whether another program does the same work in a different way.
func (w *work) same(o *work) bool {
	if w.order == o.order || len(w.computed) != len(o.computed) || len(w.bytes) != len(o.bytes) {
		return false
	}
	for between, bytes := range w.bytes {
		if o.bytes[between] != bytes {
			return false
		}
	}
	for rank, t := range w.computed {
		if math.Abs(float64(t-o.computed[rank])) > rounded*float64(t) {
			return false
		}
	}
	return true
}

// finer limits the operations of a program that is tried, relative to the run's.
const finer = 64

// reshaped returns the changes to the workload that keep the work the same: first those
// with as many messages; then those with fewer if messages cost most, else those with
// more.
func (s *subject) reshaped() (all []change) {
	if s.Result.Messages > mostWalked {
		return nil
	}
	mine := workOf(s.Program, math.Inf(1), math.Inf(1))
	order := map[*scenarios.Scenario]int{}
	for _, c := range s.recut(mine) {
		if messages, ok := s.sameWorkIn(&c, mine); ok {
			order[c.scenario] = s.preference(cmp.Compare(messages, mine.messages))
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(order[a.scenario], order[b.scenario]) })
	return all
}

// sameWorkIn loads a change to the workload, and tells whether it does the same work as the run, in how many messages.
func (s *subject) sameWorkIn(c *change, mine *work) (messages int64, ok bool) {
	other, err := s.load(c.set)
	if err != nil || other.Program == nil {
		return 0, false
	}
	its := workOf(other.Program, min(finer*float64(mine.ops), max(float64(mine.ops), mostWalked)), mine.sent)
	if its == nil || !mine.same(its) {
		return 0, false
	}
	if limit := s.Machine.Network.Rendezvous; mine.largest > limit && its.largest <= limit {
		if copied := s.ChargedCopies(files.Sizes{Over: its.largest / 2}); copied != nil {
			c.set, c.price = append(c.set, copied...), "eager messages: "+s.chargedCopy()
			if other, err = s.load(c.set); err != nil {
				return 0, false
			}
		}
	}
	c.scenario, c.times = other, float64(its.messages)/float64(mine.messages)
	return its.messages, true
}

// chargesCopies tells whether eager messages cost time for each byte.
func (s *subject) chargesCopies() bool {
	net := &s.Machine.Network
	return s.Machine.Copying != nil || net.SendOverhead.Further() > 0 || net.ReceiveOverhead.Further() > 0
}

// preference ranks a program with fewer (-1), as many (0) or more (1) messages.
func (s *subject) preference(messages int) int {
	switch perMessage := s.share(results.Overhead, results.Latency); {
	case messages == 0:
		return 0
	case (perMessage > s.share(results.NICStall, results.Progress, results.Transfer, results.Contention, results.Partner)) == (messages < 0):
		return 1
	}
	return 2
}

// recut lists changes to the workload, whether or not they keep the work the same.
func (s *subject) recut(mine *work) (all []change) {
	for _, name := range workloads.Names() {
		if kind, _ := workloads.Lookup(name); name != s.Kind && reflect.TypeOf(kind.New()) == reflect.TypeOf(s.Workload) {
			all = append(all, only("workload "+name+" instead of "+s.Kind, "workload.name="+name)...)
		}
	}
	for _, row := range files.WorkloadRows(s.Workload) {
		switch v := row.To.(type) {
		case *int64:
			tried := []int64{*v * 4, *v / 4}
			if row.Is == keys.Count && *v/4 > 1 { // what is cut need not be
				tried = append(tried, 1)
			}
			if limit := s.Machine.Network.Rendezvous; row.Is == keys.Count && limit > 0 && mine.largest > limit { // eager messages
				tried = append(tried, *v*((mine.largest+limit-1)/limit))
			}
			for i, n := range tried {
				if *v > 0 && n > 0 && !slices.Contains(tried[:i], n) && (row.Is == keys.Count || row.Is == keys.Bytes) {
					all = append(all, s.cutAt(row, n, *v, mine))
				}
			}
		case *bool:
			all = append(all, s.with(row, strconv.FormatBool(!*v), strconv.FormatBool(*v)))
		}
	}
	return all
}

func format(row keys.Row, n int64) string {
	if row.Is == keys.Bytes {
		return keys.FormatBytes(n)
	}
	return strconv.FormatInt(n, 10)
}

// cutAt is a change of a number of the workload, with those next to it: twice as much, and half.
func (s *subject) cutAt(row keys.Row, n, today int64, mine *work) change {
	c := s.with(row, format(row, n), format(row, today))
	next := func(n int64) func() *change {
		return func() *change {
			if n == 0 || n == today {
				return nil
			}
			c := s.cutAt(row, n, today, mine)
			if _, ok := s.sameWorkIn(&c, mine); !ok {
				return nil
			}
			return &c
		}
	}
	if c.further, c.nearer = next(2*n), next(n/2); n < today {
		c.further, c.nearer = c.nearer, c.further
	}
	return c
}

// with is a change of a parameter of the workload to another value.
func (s *subject) with(row keys.Row, value, today string) change {
	path := "workload." + row.Path
	return change{says: fmt.Sprintf("%s %s instead of %s", row.Path, value, today), set: []string{path + "=" + value}, like: path}
}
