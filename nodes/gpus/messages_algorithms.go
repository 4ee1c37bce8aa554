package gpus

import "math"

// ringWay is a ring: its members in order, its links, and its part of the bytes.
type ringWay struct {
	order []int // members
	route func(from, to int) []int32
	part  float64
}

// ringMessages are the messages of rings. In each step every member sends a chunk to the next
// one, after the chunk of the previous step has arrived. Steps of the first round have their
// latency. At the end of a round, a channel of a domain with a switch waits for half a chunk.
func ringMessages(s *schedule, op *Operation, p *Protocol, bytes int64) {
	steps := op.steps(s.n)
	chunk, rounds := s.chunks(bytes, s.blocks())
	base, bubble := s.fit.Start.Seconds(), 0.0
	near := s.fit.Step.Seconds() * math.Sqrt(chunk/mostChunk)
	far := near
	switch {
	case s.domains > 1:
		rounds, base = 1, s.fit.Far*Ring.base[p.index]*micro
		near, far = s.fit.Far*s.hop(Ring, p), s.fit.Far*s.farHop(Ring, p)
	case p != Simple:
		rounds, near = 1, s.fit.Low*s.hop(Ring, p)
	case s.node.Switch != nil:
		bubble = chunk / 2 * float64(s.blocks()) / s.rings()
	}
	ways := s.ringWays(p)
	s.begin(base)
	for round := range int(rounds) {
		size := float64(bytes) / float64(s.n) / rounds
		s.ringRound(ways, steps, size, round == 0, near, far)
		for i := range s.last {
			s.last[i] = s.add(task{member: i, delay: picoseconds(bubble), round: true}, s.last[i])
		}
	}
}

// ringWays are the rings: one over the switch and the NICs, or those made of links.
func (s *schedule) ringWays(p *Protocol) (all []ringWay) {
	speed := map[*Protocol]float64{LL: s.lowBus(), LL128: s.midBus(), Simple: s.bus()}[p]
	if s.domains > 1 || len(s.ways.cycles) == 0 {
		inside := speed
		if p == Simple && s.per > 1 {
			inside = s.rings()
		}
		out, in := s.links(s.n, inside), s.links(s.n, inside)
		netOut, netIn := s.links(s.domains, speed), s.links(s.domains, speed)
		route := func(from, to int) []int32 { return s.way(from, to, out, in, netOut, netIn) }
		return []ringWay{{firstMembers(s.n), route, 1}}
	}
	local := s.local
	for _, cycle := range s.ways.cycles {
		first := s.links(s.n, speed/float64(len(s.ways.cycles)))
		var order []int
		for _, gpu := range cycle {
			order = append(order, local[gpu])
		}
		all = append(all, ringWay{order, func(from, _ int) []int32 { return []int32{first + int32(from)} }, 1 / float64(len(s.ways.cycles))})
	}
	return all
}

func firstMembers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// ringRound is one round of all rings. In each step each member sends size bytes.
func (s *schedule) ringRound(ways []ringWay, steps int, size float64, first bool, near, far float64) {
	ended := make([][]int32, s.n)
	for _, w := range ways {
		before := make([]int32, s.n) // what each member received in the previous step
		own := make([]int32, s.n)    // what each member sent in the previous step
		for i := range before {
			before[i], own[i] = s.last[i], -1
		}
		for range steps {
			came, sent := make([]int32, s.n), make([]int32, s.n)
			for at, from := range w.order {
				to := w.order[(at+1)%s.n]
				latency := 0.0
				if first {
					latency = near
					if s.domain[from] != s.domain[to] {
						latency = far
					}
				}
				id := s.add(task{member: to, route: w.route(from, to), bytes: int64(math.Round(size * w.part)), delay: picoseconds(latency)},
					before[from], own[from])
				came[to], sent[from] = id, id
			}
			before, own = came, sent
		}
		for i := range before {
			ended[i] = append(ended[i], before[i])
		}
	}
	for i, all := range ended {
		s.last[i] = s.add(task{member: i}, all...)
	}
}

// switchMessages are the messages of NVLS. In each round every member sends its part and 1/n of
// the sums on its link, and receives the same amount once all parts are there.
func switchMessages(s *schedule, _ *Operation, _ *Protocol, bytes int64) {
	channels := s.switchBlocks()
	chunk, rounds := s.switchChunks(bytes, channels)
	out, in := s.links(s.n, s.fit.InSwitch), s.links(s.n, s.fit.InSwitch)
	s.begin(s.fit.SwitchStart.Seconds() + s.switchSteps(chunk))
	bubble := picoseconds(chunk / 4 * float64(channels) / s.switchBandwidth())
	size := int64(math.Round(float64(bytes) / rounds * float64(s.n+1) / float64(s.n)))
	for range int(rounds) {
		ready := s.add(task{}, s.last...)
		for i := range s.last {
			up := s.add(task{member: i, route: []int32{out + int32(i)}, bytes: size}, ready)
			down := s.add(task{member: i, route: []int32{in + int32(i)}, bytes: size}, ready)
			s.last[i] = s.add(task{member: i, delay: bubble, round: true}, up, down)
		}
	}
}

// pairsMessages are the messages of an all-to-all by pairs, all sent at once.
func pairsMessages(s *schedule, op *Operation, p *Protocol, bytes int64) {
	c := pairsCost(s.group, op, p, bytes)
	s.begin(c.start + c.latency)
	port := s.port()
	out, in := s.links(s.n, port), s.links(s.n, port)
	nics := min(s.nics(), port*float64(s.n)) // within a domain there are no such messages
	netOut, netIn := s.links(s.domains, nics), s.links(s.domains, nics)
	send := func(from, to int, size int64) {
		s.add(task{member: to, route: s.way(from, to, out, in, netOut, netIn), bytes: size}, s.last[from], s.last[to])
	}
	if op == SendReceive {
		send(0, 1, bytes)
		return
	}
	for from := range s.n {
		for to := range s.n {
			if to != from {
				send(from, to, bytes/int64(s.n))
			}
		}
	}
}
