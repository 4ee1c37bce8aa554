package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// raised is a re-run at the bandwidth of links where settings gave only NICs a larger one, or the other way round; nil: neither did.
func (s *subject) raised() *trial {
	if !s.Contended() {
		return nil
	}
	given := func(key string) bool {
		return strings.Contains("\n"+strings.Join(s.Machine.Changes, "\n"), "\n"+key+"=")
	}
	const links = "links.bandwidth"
	rate := map[string]string{} // as written, where it is one for all messages and links
	for _, f := range s.Machine.Facts {
		key := strings.TrimSuffix(strings.TrimPrefix(f.Path, "machine."), "[0]")
		if rate[key] = f.Value; key == links+"[1]" {
			return nil
		}
	}
	for _, nic := range []string{"network.bandwidth", "network.gap_per_byte"} {
		large, small := nic, links
		if given(links) {
			large, small = links, nic
		}
		more, err1 := keys.ParseIn(keys.Bandwidth, rate[large], 1)
		less, err2 := keys.ParseIn(keys.Bandwidth, rate[small], 1)
		if err1 == nil && err2 == nil && more > less && given(nic) != given(links) {
			return &trial{change: change{says: "machine." + small, set: []string{"machine." + large + "=" + rate[small]}}, cause: large}
		}
	}
	return nil
}

// inVain says that the larger one of two bandwidths changes nothing, if so.
func (t *trial) inVain(s *subject) []string {
	if !t.counts || math.Abs(t.gain(s)) >= report.LeastShare/2 {
		return nil
	}
	path, less, _ := strings.Cut(t.set[0], "=")
	return []string{fmt.Sprintf("A larger %s changes the makespan by less than 0.5 %%, as %s is %s: give both.", path, t.says, less)}
}

// Changes of the machine.

func copies(s *subject) bool { return s.Machine.Copying != nil }

func linked(s *subject) bool { return s.Contended() && widerLinks(s) != nil }

// widerLinks doubles the bandwidth of links, and of the ends of the network at receivers of processes, where the machine states them.
func widerLinks(s *subject) []change {
	set := append(s.linksOfNIC(2), s.doubled(s.ofLinks())...)
	if s.Result.On == results.Processes {
		set = append(set, s.doubled("links.ejection")...)
	}
	if set == nil {
		return nil
	}
	return only("links of twice the bandwidth", set...)
}

// linksOfNIC gives links whose machine gives them none a number of times the bandwidth of the NIC; nil: it gives them one.
func (s *subject) linksOfNIC(times sim.Rate) []string {
	rate := s.LinksOfNIC()
	if rate == 0 {
		return nil
	}
	return []string{"machine.links.bandwidth=" + keys.Format(keys.Bandwidth, float64(times*rate))}
}

// crowded tells whether some link of the topology is noticeably busier than links are in the mean, so that other routes may help.
func (s *subject) crowded() bool {
	l := s.Links
	if l == nil || l.Shape.Links() == 0 {
		return false
	}
	sum, most := 0.0, 0.0
	for i := range l.Shape.Links() {
		sum, most = sum+l.Used(i), max(most, l.Used(i))
	}
	return most*float64(l.Shape.Links()) > (1+report.LeastShare)*sum
}

// routing is a way in which messages may take links.
type routing struct {
	word, says string
	onFlow     bool // it is for the flow fabric, which alone knows the load of links and takes several ways at once
}

// routings are the ways that a key of the topology chooses from, by key, those that share load first. SimGrid's rule of ties is of no machine.
var routings = map[string][]routing{
	"topology.multipath": {{"spray", "packets sprayed over all ways up the tree", true},
		{"d-mod-k", "ways up the tree by the target (d-mod-k)", false}, {"ecmp", "ways up the tree drawn for each pair of nodes (ecmp)", false}},
	"topology.routing": {{"adaptive", "adaptive", true}, {"minimal", "minimal", false}, {"valiant", "valiant", false}},
	"topology.tie": {{"parity", "half-way round a ring in both directions, by the parity of the start", false},
		{"plus", "half-way round a ring in the positive direction", false}},
}

// routed lets messages take other routes: between groups of routers, up a fat tree, and half-way round the rings of a torus, each that the
// topology and the fabric have.
func routed(s *subject) (all []change) {
	is := map[string]string{"topology.routing": "minimal", "topology.tie": "plus", "topology.multipath": "d-mod-k"}
	for _, f := range s.Machine.Facts {
		is[strings.TrimPrefix(f.Path, "machine.")] = f.Value
	}
	key := ""
	switch kind := is["topology.kind"]; {
	case kind == "fat-tree":
		key = "topology.multipath"
	case strings.HasPrefix(kind, "dragonfly"):
		key = "topology.routing"
	case kind == "torus" || kind == "tofu":
		key = "topology.tie"
	}
	today := is[key]
	if today == "adaptive" && s.Fabric != "flow" {
		today = "minimal" // as such messages go there
	}
	for _, r := range routings[key] {
		if r.word == today || r.onFlow && s.Fabric != "flow" {
			continue
		}
		if key == "topology.routing" {
			r.says += " instead of " + today + " routing"
		}
		all = append(all, only(r.says, "machine."+key+"="+r.word)...)
	}
	return all
}

// ofLinks is the key that says how fast links are: on fabrics of packets the raw rate, if it is known.
func (s *subject) ofLinks() string {
	if kind := s.Fabric; (kind == "packet" || kind == "backlog") && s.States("fabric.bandwidth") {
		return "fabric.bandwidth"
	}
	return "links.bandwidth"
}

// widerNICs doubles the bandwidth of NICs, and of what all messages of a NIC share, where the machine states it. Links stay as they are.
func widerNICs(s *subject) []change {
	says := "NICs of twice the bandwidth"
	if s.bothWays() {
		says += ", also of both directions together"
	}
	return only(says, append(s.ofNICs(), s.linksOfNIC(1)...)...)
}

// bothWays tells whether a limit of what a NIC sends and receives together is given.
func (s *subject) bothWays() bool {
	return s.Contended() && (s.States("links.duplex") || s.States("links.exchange"))
}

// shaped tells whether token buckets limit what NICs send.
func (s *subject) shaped() bool { return s.States("bucket.rate") }

// moreNICs gives each node twice as many NICs, each with a port of its own. A single process needs all of them. Behind
// traffic shapers, which limit a cloud's node however many NICs it has, they would gain nothing; here each NIC would have another shaper.
// Limits of both directions together were measured on hosts with one NIC, and may be the host's.
func moreNICs(s *subject) []change {
	if s.shaped() || s.bothWays() {
		return nil
	}
	n, set := 2, "machine.nics={number: 2}"
	switch had := s.Machine.NICs; {
	case had != nil:
		n, set = 2*had.Number, fmt.Sprintf("machine.nics.number=%d", 2*had.Number)
	case s.Processes == 1:
		set = "machine.nics={number: 2, use: striped}"
	}
	return []change{{says: fmt.Sprintf("%d NICs in each node", n), price: "twice as many ports of switches", set: []string{set}}}
}

// unstriped tells whether messages go through one of several NICs of their node.
func (s *subject) unstriped() bool {
	nics := s.Machine.NICs
	return nics != nil && nics.Number > 1 && nics.Use != machines.Striped
}

func (s *subject) ofNICs() []string {
	set := []string{"machine.network.bandwidth=x2"}
	if s.Contended() {
		set = append(set, s.doubled("links.injection", "links.duplex", "links.exchange")...)
	}
	return set
}

// widerBoth doubles the bandwidth of links and of NICs, each of which hides what the other one costs.
func widerBoth(s *subject) []change {
	return only("links and NICs of twice the bandwidth", append(widerLinks(s)[0].set, s.ofNICs()...)...)
}

// doubled are settings that double the bandwidths, among these, that the machine states.
func (s *subject) doubled(bandwidths ...string) (set []string) {
	for _, key := range bandwidths {
		if s.States(key) {
			set = append(set, "machine."+key+"=x2")
		}
	}
	return set
}

func sharesMemory(s *subject) bool {
	return s.Machine.Sharing != nil && s.Machine.Sharing.Bandwidth > 0
}

func disturbed(s *subject) bool { return s.Machine.Noise != nil }

// overheads halves the CPU cost of each message, where the machine states it.
func overheads(s *subject) []change {
	var set []string
	for _, key := range []string{"send_overhead", "receive_overhead"} {
		if group := s.StatedIn(key); s.States(group + key) {
			set = append(set, "machine."+group+key+"=x0.5")
		}
	}
	return only("half the CPU time of each message", set...)
}

// copiesFaster halves the time of copies by processors, where the machine states it: as a time for each byte, or as a bandwidth.
func copiesFaster(s *subject) []change {
	var set []string
	for _, key := range []string{"copying.send", "copying.receive"} {
		at := slices.IndexFunc(s.Machine.Facts, func(f keys.Fact) bool { return f.Path == key || f.Path == "machine."+key })
		switch {
		case at < 0:
		case strings.HasSuffix(s.Machine.Facts[at].Value, "/s"):
			set = append(set, "machine."+key+"=x2")
		default:
			set = append(set, "machine."+key+"=x0.5")
		}
	}
	return only("copies by the processor twice as fast", set...)
}

// combines tells whether non-blocking collectives of the run combine in time, which is a part of them.
func combines(s *subject) bool {
	return s.Result.Uses.Does(programs.OpStart) && s.States("kernels.combine.rates")
}

// combining makes that twice as fast.
func combining(*subject) []change {
	return []change{{says: "combining twice as fast", set: []string{"machine.kernels.combine.rates=x2"}, otherWork: true}}
}
