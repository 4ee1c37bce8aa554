package packet

import (
	"fmt"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// slow is the same network written for reading: packets carry their route as
// links of the topology, FIFOs are slices, a link looks at all FIFOs of its
// router, and pending events are searched.
type slow struct {
	p       Params
	t       topology.Topology
	now     sim.Time
	pending []slowEvent
	fifos   map[string]*slowFIFO
	last    map[int]int  // link -> number of the source served last
	busy    map[int]bool // links
	load    map[int]*load
	feeds   map[string][]*slowPacket // what waits for an injection FIFO
	log     []string
	dice    *sim.Stream
}

type slowEvent struct {
	at sim.Time
	do func()
}

type slowMessage struct {
	kind            string // put, ask or reply
	id              int
	from, to        int
	bytes           int64
	nic             sim.Time // time that its NIC needs for it
	begun           sim.Time
	packets         int
	unsent, missing int
}

type slowPacket struct {
	m           *slowMessage
	number      int   // in its message, from 1
	route       []int // links of the static route that are left
	control     bool
	adaptive    bool
	ready, born sim.Time
	gone        map[int]bool // classes corrected
}

type slowFIFO struct {
	name     string
	router   int
	number   int // among the sources of its router
	link     int // the link that fills it, -1: injection
	channel  int
	waiting  []*slowPacket
	leaving  *slowPacket
	over     int // link by which it leaves, -1: ejection
	asking   bool
	capacity int
}

func newSlow(t topology.Topology, p Params) *slow {
	return &slow{p: p, t: t, fifos: map[string]*slowFIFO{}, last: map[int]int{}, busy: map[int]bool{},
		load: map[int]*load{}, feeds: map[string][]*slowPacket{}, dice: sim.NewStream(1)}
}

func (s *slow) at(t sim.Time, do func()) { s.pending = append(s.pending, slowEvent{t, do}) }

func (s *slow) run() {
	for len(s.pending) > 0 {
		first := 0
		for i, e := range s.pending {
			if e.at < s.pending[first].at {
				first = i
			}
		}
		e := s.pending[first]
		s.pending = slices.Delete(s.pending, first, first+1)
		s.now = e.at
		e.do()
	}
}

func (s *slow) start(kind string, id, from, to int, bytes int64, nic sim.Time) {
	m := &slowMessage{kind: kind, id: id, from: from, to: to, bytes: bytes, nic: nic, begun: s.now}
	m.unsent = max(1, int((bytes+int64(s.p.PayloadBytes)-1)/int64(s.p.PayloadBytes)))
	if kind == "ask" {
		m.unsent = 1
	}
	m.missing = m.unsent
	feed := s.feed(m)
	m.packets = m.unsent
	for k := range m.packets {
		s.feeds[feed.name] = append(s.feeds[feed.name], &slowPacket{m: m, number: k + 1, gone: map[int]bool{}})
	}
	s.fill(feed)
}

// switched tells whether nodes are on cables. The cable to a node has a number behind the links.
func (s *slow) switched() bool {
	_, torus := s.t.(*topology.Torus)
	return !torus
}

func (s *slow) cable(link int) bool { return link >= s.t.Links() }

// from is the router that a link or a cable to a node leaves.
func (s *slow) from(link int) int {
	if s.cable(link) {
		return s.t.Router(link - s.t.Links())
	}
	return int(s.t.Link(link).From)
}

// direction numbers the links that leave a router: dimensions in the order of
// routing, plus before minus; on a switch in the order of their numbers, then the cables.
func (s *slow) direction(link int) int {
	if s.switched() {
		return s.before(link, s.from)
	}
	l := s.t.Link(link)
	d := 2 * int(l.Class)
	if l.Direction < 0 {
		d++
	}
	return d
}

// entrance numbers the links that come in at a router.
func (s *slow) entrance(link int) int {
	if s.switched() {
		return s.before(link, func(l int) int { return int(s.t.Link(l).To) })
	}
	return s.direction(link)
}

// before counts the links before one that are at the same router.
func (s *slow) before(link int, router func(int) int) (n int) {
	for l := range link {
		if router(l) == router(link) {
			n++
		}
	}
	return n
}

// among is the number of a node among the nodes of its router.
func (s *slow) among(node int) (n int) {
	for m := range node {
		if s.t.Router(m) == s.t.Router(node) {
			n++
		}
	}
	return n
}

func (s *slow) route(from, to int) (links []int) {
	for _, id := range s.t.Route(from, to, nil) {
		links = append(links, int(id))
	}
	if s.switched() && from != to {
		links = append(links, s.t.Links()+to)
	}
	return links
}

// around puts links that leave a switch in the order of their numbers, beginning with the first.
func (s *slow) around(first int, choices []int32) (links []int) {
	for _, id := range choices {
		links = append(links, int(id))
	}
	slices.Sort(links)
	i := slices.Index(links, first)
	return append(links[i:], links[:i]...)
}

// rest is the static route from a switch to a node.
func (s *slow) rest(at, to int) (links []int) {
	for _, id := range s.t.Choices(at, to, nil) {
		return append([]int{int(id)}, s.rest(int(s.t.Link(int(id)).To), to)...)
	}
	return []int{s.t.Links() + to}
}

func (s *slow) feed(m *slowMessage) *slowFIFO {
	first := 0
	if r := s.route(m.from, m.to); len(r) > 0 {
		first = s.direction(r[0])
	}
	feed := first % s.p.InjectionFIFOs
	if m.kind == "reply" && s.p.AnswerFIFOs > 0 {
		feed = s.p.InjectionFIFOs + first%s.p.AnswerFIFOs
	}
	perNode := s.p.InjectionFIFOs + s.p.AnswerFIFOs
	name := fmt.Sprint("node ", m.from, " feed ", feed)
	if s.fifos[name] == nil {
		s.fifos[name] = &slowFIFO{name: name, router: s.t.Router(m.from), link: -1,
			number: 100 + s.among(m.from)*perNode + feed, capacity: s.p.Slots}
	}
	return s.fifos[name]
}

// input is the FIFO of a virtual channel at the end of a link.
func (s *slow) input(link, channel int) *slowFIFO {
	name := fmt.Sprint("link ", link, " channel ", channel)
	if s.fifos[name] == nil {
		s.fifos[name] = &slowFIFO{name: name, router: int(s.t.Link(link).To), link: link, channel: channel,
			number: s.entrance(link)*(1+s.p.AdaptiveChannels) + channel, capacity: s.p.Slots}
	}
	return s.fifos[name]
}

func (f *slowFIFO) taken() int {
	if f.leaving != nil {
		return len(f.waiting) + 1
	}
	return len(f.waiting)
}

func (f *slowFIFO) room() int { return f.capacity - f.taken() }

func (s *slow) fill(f *slowFIFO) {
	for len(s.feeds[f.name]) > 0 && f.room() > 0 {
		p := s.feeds[f.name][0]
		s.feeds[f.name] = s.feeds[f.name][1:]
		p.route = s.route(p.m.from, p.m.to)
		p.control = p.m.kind == "ask" || p.m.bytes == 0
		p.adaptive = p.m.kind == "put" && s.p.Put == Adaptive || p.m.kind == "reply" && s.p.Get == Adaptive
		p.born, p.ready = s.now, s.now
		p.ready = max(s.now, p.m.begun+p.m.nic*sim.Time(p.number)/sim.Time(p.m.packets)-s.length(p))
		s.append(f, p)
	}
}

func (s *slow) append(f *slowFIFO, p *slowPacket) {
	f.waiting = append(f.waiting, p)
	if len(f.waiting) == 1 && f.leaving == nil {
		s.head(f)
	}
}

// head lets the first packet of a FIFO request a link when it has arrived.
func (s *slow) head(f *slowFIFO) {
	if p := f.waiting[0]; p.ready > s.now {
		s.at(p.ready, func() { s.ask(f) })
	} else {
		s.ask(f)
	}
}

func (s *slow) length(p *slowPacket) sim.Time {
	bytes := s.p.PacketBytes
	if p.control {
		bytes = s.p.ControlBytes
	}
	return sim.Seconds(float64(bytes) / float64(s.p.Bandwidth))
}

func (s *slow) ask(f *slowFIFO) {
	p := f.waiting[0]
	if len(p.route) == 0 {
		f.waiting, f.leaving, f.over = f.waiting[1:], p, -1
		s.at(s.now+s.length(p), func() { s.leave(f) })
		return
	}
	f.asking = true
	best, most := s.wanted(f)[0], 0
	if p.adaptive && !s.cable(best) {
		for _, link := range s.wanted(f) {
			for c := 1; c <= s.p.AdaptiveChannels; c++ {
				if room := s.input(link, c).room(); !s.busy[link] && room > most {
					best, most = link, room
				}
			}
		}
	}
	s.pick(best)
}

// wanted returns the links that the head of a FIFO may take, the link of the static route
// first: from its router, the first link of each dimension still to be corrected.
func (s *slow) wanted(f *slowFIFO) (links []int) {
	p := f.waiting[0]
	if s.switched() {
		links = s.rest(f.router, p.m.to)[:1]
		if p.adaptive && !s.cable(links[0]) {
			links = s.around(links[0], s.t.Choices(f.router, p.m.to, nil))
		}
		return links
	}
	seen := map[int16]bool{}
	for _, link := range p.route {
		if class := s.t.Link(link).Class; !seen[class] {
			seen[class] = true
			links = append(links, s.leaving(f.router, s.direction(link)))
		}
	}
	if !p.adaptive {
		return links[:1]
	}
	return links
}

// leaving returns the link that leaves a router in a direction.
func (s *slow) leaving(router, direction int) int {
	for id := range s.t.Links() {
		if int(s.t.Link(id).From) == router && s.direction(id) == direction {
			return id
		}
	}
	panic("no such link")
}

// channel returns the virtual channel that the head of a FIFO may take on a
// link now, -1 for none.
func (s *slow) channel(f *slowFIFO, link int) int {
	if s.cable(link) {
		return 0
	}
	if f.waiting[0].adaptive {
		best, most := -1, 0
		for c := 1; c <= s.p.AdaptiveChannels; c++ {
			if room := s.input(link, c).room(); room > most {
				best, most = c, room
			}
		}
		if best > 0 {
			return best
		}
	}
	if s.wanted(f)[0] != link {
		return -1
	}
	need := 1
	if s.wraps(link) && !(f.link >= 0 && f.channel == 0 && s.direction(f.link) == s.direction(link)) {
		need += s.p.Bubble
	}
	if s.input(link, 0).room() < need {
		return -1
	}
	return 0
}

func (s *slow) wraps(link int) bool {
	for id := range s.t.Links() {
		if l := s.t.Link(id); l.Class == s.t.Link(link).Class && l.Wrap {
			return true
		}
	}
	return false
}

// pick lets a link take a packet.
func (s *slow) pick(link int) {
	if s.busy[link] {
		return
	}
	var able []*slowFIFO
	for _, f := range s.fifos {
		if f.router == s.from(link) && f.asking && slices.Contains(s.wanted(f), link) && s.channel(f, link) >= 0 {
			able = append(able, f)
		}
	}
	input := func(f *slowFIFO) bool { return f.link >= 0 }
	if s.p.NetworkFirst && slices.ContainsFunc(able, input) {
		able = slices.DeleteFunc(able, func(f *slowFIFO) bool { return f.link < 0 })
	}
	if len(able) == 0 {
		return
	}
	after := func(f *slowFIFO) bool { return f.number > s.last[link] }
	rule := s.p.Arbitration
	if !s.cable(link) && !slices.ContainsFunc(able, func(f *slowFIFO) bool { return !f.waiting[0].adaptive || f.waiting[0].control }) {
		rule = s.p.AdaptiveArbitration
	}
	if rule == LongestOrAny && len(able) > 1 && s.dice.Intn(2) == 0 {
		slices.SortFunc(able, func(a, b *slowFIFO) int { return a.number - b.number })
		s.send(able[s.dice.Intn(len(able))], link)
		return
	}
	slices.SortFunc(able, func(a, b *slowFIFO) int {
		if rule == OldestFirst {
			if a.waiting[0].born != b.waiting[0].born {
				return int(a.waiting[0].born - b.waiting[0].born)
			}
			return a.number - b.number
		}
		if (rule == LongestQueue || rule == LongestOrAny) && a.taken() != b.taken() {
			return b.taken() - a.taken()
		}
		if after(a) != after(b) {
			if after(a) {
				return -1
			}
			return 1
		}
		return a.number - b.number
	})
	s.send(able[0], link)
}

func (s *slow) send(f *slowFIFO, link int) {
	p := f.waiting[0]
	channel := s.channel(f, link)
	s.busy[link], s.last[link] = true, f.number
	f.asking = false
	f.waiting, f.leaving, f.over = f.waiting[1:], p, link
	p.route = s.behind(p, link)
	p.ready = s.now + s.p.HopLatency
	if s.load[link] == nil {
		s.load[link] = &load{}
	}
	l := s.load[link]
	l.packets++
	l.busy += s.length(p)
	s.at(s.now+s.length(p), func() { s.leave(f) })
	if !s.cable(link) {
		to := s.input(link, channel)
		l.peak = max(l.peak, to.taken()+1)
		s.append(to, p)
	}
}

// behind is the static route of a packet behind a link that it takes.
func (s *slow) behind(p *slowPacket, link int) []int {
	switch {
	case s.cable(link):
		return nil
	case s.switched():
		return s.rest(int(s.t.Link(link).To), p.m.to)
	}
	i := slices.IndexFunc(p.route, func(l int) bool { return s.t.Link(l).Class == s.t.Link(link).Class })
	return slices.Delete(slices.Clone(p.route), i, i+1)
}

func (s *slow) leave(f *slowFIFO) {
	p, link := f.leaving, f.over
	f.leaving = nil
	others := len(f.waiting) > 0
	if link >= 0 {
		s.busy[link] = false
	}
	sent := false
	if f.link < 0 {
		p.m.unsent--
		sent = p.m.unsent == 0
		s.fill(f)
	}
	if others {
		s.head(f)
	}
	if link >= 0 {
		s.pick(link)
	}
	if f.link >= 0 {
		s.pick(f.link)
	}
	if sent && p.m.kind != "reply" {
		s.log = append(s.log, fmt.Sprint("sent ", p.m.id, " ", s.now))
	}
	if link < 0 || s.cable(link) {
		s.arrived(p.m)
	}
}

func (s *slow) arrived(m *slowMessage) {
	m.missing--
	switch {
	case m.missing > 0:
	case m.kind == "ask":
		s.at(s.now+s.p.AnswerLatency, func() { s.start("reply", m.id, m.to, m.from, m.bytes, m.nic) })
	default:
		s.log = append(s.log, fmt.Sprint("arrived ", m.id, " ", s.now))
	}
}

// record notes what a fabric reports.
type record struct{ log []string }

func (r *record) Sent(id uint32, now, _ sim.Time) {
	r.log = append(r.log, fmt.Sprint("sent ", id, " ", now))
}

func (r *record) Arrived(id uint32, now sim.Time) {
	r.log = append(r.log, fmt.Sprint("arrived ", id, " ", now))
}

// put is the transfer of bytes by a NIC that takes no time.
func put(id uint32, from, to int32, bytes int64) network.Transfer {
	return network.Transfer{ID: id, From: from, To: to, Bytes: bytes}
}

// getting wraps a fabric, and is its sink. It answers requests by itself, and reports
// each put and get as a whole to another sink.
type getting struct {
	*Fabric
	sink  network.Sink
	asked map[uint32]network.Transfer // by get: its answer
	under map[uint32]bool             // answers
}

func newGetting(k *sim.Kernel, sink network.Sink, t topology.Topology, p Params) (*getting, error) {
	g := &getting{sink: sink, asked: map[uint32]network.Transfer{}, under: map[uint32]bool{}}
	var err error
	g.Fabric, err = New(k, g, t, p)
	return g, err
}

// get fetches bytes from node to into node from.
func (g *getting) get(t network.Transfer) {
	answer := t
	answer.From, answer.To, answer.Kind = t.To, t.From, network.Answer
	t.Kind, t.Bytes = network.Request, 0
	g.asked[t.ID] = answer
	g.Start(t)
}

func (g *getting) Sent(id uint32, now, _ sim.Time) {
	if !g.under[id] {
		g.sink.Sent(id, now, sim.Forever)
	}
}

func (g *getting) Arrived(id uint32, now sim.Time) {
	if answer, ok := g.asked[id]; ok {
		delete(g.asked, id)
		g.under[id] = true
		g.Start(answer)
		return
	}
	delete(g.under, id)
	g.sink.Arrived(id, now)
}

// random returns a small network and its parameters.
func random(t *testing.T, s *sim.Stream) (topology.Topology, Params) {
	shape := grids(t, s)
	if s.Intn(2) == 0 {
		shape = switches[s.Intn(len(switches))](s)
	}
	p := BlueGeneP()
	p.HopLatency = []sim.Time{0, 50 * sim.Nanosecond, 100 * sim.Nanosecond, 640 * sim.Nanosecond}[s.Intn(4)]
	p.Bubble = 1 + s.Intn(2)
	p.Slots = 1 + p.Bubble + s.Intn(3)
	p.AdaptiveChannels = s.Intn(3)
	p.InjectionFIFOs = 1 + s.Intn(6)
	p.AnswerFIFOs = s.Intn(3)
	p.NetworkFirst = s.Intn(2) == 0
	p.Arbitration, p.AdaptiveArbitration = Arbitration(s.Intn(4)), Arbitration(s.Intn(4))
	p.Put, p.Get = Routing(s.Intn(2)), Routing(s.Intn(2))
	return shape, p
}

// grids draws a torus or mesh.
func grids(t *testing.T, s *sim.Stream) topology.Topology {
	g := topology.Grid{PerRouter: 1 + s.Intn(2), Tie: topology.Tie(s.Intn(3))}
	for range 1 + s.Intn(3) {
		g.Sizes = append(g.Sizes, 1+s.Intn(4))
		g.Open = append(g.Open, s.Intn(3) == 0)
	}
	return torus(t, g)
}

// switches draw topologies with switches.
var switches = []func(*sim.Stream) topology.Topology{
	func(s *sim.Stream) topology.Topology { return known(topology.NewCrossbar(1 + s.Intn(6))) },
	func(s *sim.Stream) topology.Topology {
		return known(topology.NewFatTree(topology.Tree{Down: []int{1 + s.Intn(4), 1 + s.Intn(3)}, Up: []int{1 + s.Intn(3)}}))
	},
	func(s *sim.Stream) topology.Topology {
		return known(topology.NewFatTree(topology.Tree{Down: []int{2, 1 + s.Intn(2), 2}, Up: []int{1 + s.Intn(2), 1 + s.Intn(2)}}))
	},
	func(s *sim.Stream) topology.Topology {
		return known(topology.NewHyperX([]int{1 + s.Intn(3), 2, 2}, 1+s.Intn(2)))
	},
	func(s *sim.Stream) topology.Topology {
		return known(topology.NewDragonflyPlus(topology.Plus{Groups: 3, Leaves: 1 + s.Intn(2), Spines: 2, PerLeaf: 2, Cables: 1 + s.Intn(2)}))
	},
}

// known returns a topology that is known to be right.
func known[T topology.Topology](shape T, err error) topology.Topology {
	if err != nil {
		panic(err)
	}
	return shape
}

// starter begins operations at given times.
type starter func()

func (do starter) Handle(sim.Event) { do() }

// The fast and the slow network report the same, at the same picosecond, and
// load their links alike.
func TestSlowVersion(t *testing.T) {
	must.Long(t)
	for seed := range uint64(400) {
		s := sim.NewStream(seed)
		shape, p := random(t, s)
		k, r := sim.NewKernel(), &record{}
		fast := must.Get(newGetting(k, r, shape, p))(t)
		slow := newSlow(shape, p)
		for id := range 1 + s.Intn(40) {
			// A coarse clock, so that many events happen at the same time.
			at := sim.Time(s.Intn(8)) * 320 * sim.Nanosecond
			from, to, bytes := s.Intn(shape.Nodes()), s.Intn(shape.Nodes()), int64(s.Intn(1500))
			one := put(uint32(id), int32(from), int32(to), bytes)
			one.Length = sim.Time(s.Intn(4)) * sim.Time(bytes+100) * 1600 * sim.Picosecond // up to twice the time on a link
			if s.Intn(3) == 0 {
				k.Schedule(at, k.Register(starter(func() { fast.get(one) })), 0, 0)
				slow.at(at, func() { slow.start("ask", id, from, to, bytes, one.Length) })
			} else {
				k.Schedule(at, k.Register(starter(func() { fast.Start(one) })), 0, 0)
				slow.at(at, func() { slow.start("put", id, from, to, bytes, one.Length) })
			}
		}
		k.Run()
		slow.run()
		if !slices.Equal(r.log, slow.log) {
			t.Fatalf("seed %d, %v, %+v:\nfast %v\nslow %v", seed, shape, p, r.log, slow.log)
		}
		for link, at := range fast.links {
			want := load{}
			if l := slow.load[link]; l != nil {
				want = *l
			}
			got := fast.loads[at]
			want.bytes = got.bytes
			if got != want {
				t.Fatalf("seed %d, link %d: fast %+v, slow %+v", seed, link, got, want)
			}
		}
	}
}
