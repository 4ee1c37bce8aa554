package flow
import "testing"
func checkLoads(t *testing.T, s *sharing) {
	for l := range s.links {
		rest, n := s.links[l].capacity, int32(0)
		for _, u := range s.links[l].users {
			f := &s.flows[u.flow]
			if s.hops[int(u.flow)*s.stride+int(u.hop)].link != int32(l) { t.Errorf("link %d user %v hop mismatch", l, u) }
			if f.holder == int32(l) || f.rate == free { n++ } else { rest -= f.rate }
		}
		if d := rest - s.loads[l].rest; d > 1e-9 || d < -1e-9 || n != s.loads[l].n { t.Errorf("link %d rest %v n %d have %+v", l, rest, n, s.loads[l]) }
	}
}
