package keys

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	keys := []string{"latency", "send_overhead", "gap", "bandwidth", "gap_per_byte"}
	for word, want := range map[string]string{
		"latncy": "latency", "Latency": "latency", "latnecy": "latency", "gaps": "gap", "band": "bandwidth",
		"send-overhead": "send_overhead", "gapPerByte": "gap_per_byte", "foo": "", "": "", "x": "", "gap_": "gap",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestInstead(t *testing.T) {
	var many []string
	for c := 'a'; c < 'a'+20; c++ {
		many = append(many, string(c)+"1")
	}
	for _, c := range []struct {
		word    string
		choices []string
		want    string
	}{
		{"latncy", []string{"latency", "gap"}, "did you mean latency?"},
		{"ft", []string{"ft-exchange", "ft-slabs", "halo"}, "did you mean ft-exchange or ft-slabs?"},
		{"lumi", []string{"jacquard", "lumi-c", "lumi-g"}, "did you mean lumi-c or lumi-g?"},
		{"byte", []string{"bytes", "bytes_there"}, "did you mean bytes?"},
		{"h100", []string{"dgx-h100", "h100-nvl", "h800", "h200"}, "did you mean h100-nvl or dgx-h100?"},
		{"spmv", []string{"halo", "ft-slabs"}, "there are ft-slabs, halo"},
		{"spmv", []string{"halo"}, "there is only halo"},
		{"spmv", []string{"8, RDMA", "8, interrupts", "halo"}, `there are "8, RDMA", "8, interrupts", halo`},
		{"spmv", many, "there are a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1 and 8 more"},
	} {
		if got := Instead(c.word, c.choices); got != c.want {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
}

// Of a name without its version the newest is meant, and of a version that there is not the one it belongs to. A name that begins with
// the word goes first. Numbers in names with spaces are no versions.
func TestVersions(t *testing.T) {
	runtimes := []string{"cray-mpich", "intel-mpi-2021", "intel-mpi-2021-threads", "intel-mpi-5.1", "intel-mpi-5.1-shm", "mpich-3.2", "mpich-3.2-shm",
		"mpich-4-ofi", "mpich-4-ucx", "mpich2-dcmf", "mvapich-3", "mvapich2-2.0", "mvapich2-2.2", "openmpi-1.10", "openmpi-1.10-tcp", "openmpi-1.8",
		"openmpi-2.x", "openmpi-4.1", "openmpi-4.1-shm", "openmpi-5", "openmpi-5-shm", "ucx"}
	for word, want := range map[string]string{
		"openmpi-5.0": "openmpi-5", "openmpi-5.0.3": "openmpi-5", "openmpi-5.0-shm": "openmpi-5-shm", "OpenMPI-4.1.4": "openmpi-4.1",
		"openmpi-4": "openmpi-4.1", "openmpi-1": "openmpi-1.10", "openmpi-1.11": "openmpi-1.10", "openmpi-2": "openmpi-2.x",
		"openmpi": "openmpi-5", "openm": "openmpi-5", "opnmpi-5.0": "openmpi-5",
		"intel-mpi": "intel-mpi-2021", "intel-mpi-2019": "intel-mpi-2021", "intel-mpi-5": "intel-mpi-5.1",
		"mpich": "mpich-4-ofi or mpich-4-ucx or cray-mpich", "mpich-3.3": "mpich-3.2", "mpich-4.1": "mpich-4-ofi or mpich-4-ucx",
		"mpich-5": "mpich-4-ofi or mpich-4-ucx", "mvapich2-2.3": "mvapich2-2.2", "mvapich2": "mvapich2-2.2",
	} {
		if got := Instead(word, runtimes); got != "did you mean "+want+"?" {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := Instead("ranks", []string{"8 ranks", "16 ranks"}); got != "did you mean 8 ranks or 16 ranks?" {
		t.Error(got)
	}
}

func TestInsteadOf(t *testing.T) {
	kinds := map[string]string{"torus": "a grid of routers; a node's is one; open: a mesh",
		"fat-tree": "levels of switches (a folded Clos)", "hyperx": "a full mesh"}
	for word, want := range map[string]string{
		"fattree": "did you mean fat-tree?", "Fat_Tree": "did you mean fat-tree?", "clos": "did you mean fat-tree?",
		"switch": "there are fat-tree, hyperx, torus", "netwrk": "there are fat-tree, hyperx, torus",
		"mesh": "did you mean hyperx or torus?", "router": "did you mean torus?", "star": "there are fat-tree, hyperx, torus",
	} {
		got := InsteadOf(word, slices.Sorted(maps.Keys(kinds)), func(kind string) string { return kinds[kind] })
		if got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

// slowDistance is the definition of the optimal string alignment distance.
func slowDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	change := 1
	if a[m] == b[n] {
		change = 0
	}
	best := min(slowDistance(a[:m], b)+1, slowDistance(a, b[:n])+1, slowDistance(a[:m], b[:n])+change)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		best = min(best, slowDistance(a[:m-1], b[:n-1])+1)
	}
	return best
}

func TestDistance(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b), slowDistance(a, b); got != want {
			t.Fatalf("from %q to %q: %d, want %d", a, b, got, want)
		}
	})
}
