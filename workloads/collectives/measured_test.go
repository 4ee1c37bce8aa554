package collectives

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// ours are our names of Open MPI's algorithms in pico.
var ours = map[string]string{
	"rabenseifner": "rabenseifner", "recursive_doubling": "doubling", "ring": "ring", "ring_segmented": "segmented-ring",
	"neighbor": "neighbour-exchange", "recursive_halving": "halving", "binary": "binary", "binomial": "binomial", "knomial": "knomial",
	"split_binary": "split-binary", "scatter_allgather": "scatter-doubling", "scatter_allgather_ring": "scatter-ring",
	"linear": "linear", "linear_sync": "linear-window", "linear_synch": "linear-sync", "linear_nb": "linear-nonblocking",
	"modified_bruck": "bruck", "pairwise": "pairwise", "in_order": "in-order-binary",
}

// fourANode is a run whose number of ranks per node is very probably recorded wrongly: its
// default broadcast and all-gather are those for 1,024 ranks.
const fourANode = "2025_04_06___23_05_13"

// measuredGroup is what pico measured with the same ranks and bytes: microseconds by algorithm.
type measuredGroup struct {
	of    *Operation
	ranks int
	bytes int64
	us    map[string]float64
}

func measuredGroups(t *testing.T) (all map[string]*measuredGroup) {
	file := must.Get(os.Open("../../scenarios/validation/pico-leonardo.csv.gz"))(t)
	defer file.Close()
	plain := must.Get(gzip.NewReader(file))(t)
	rows := must.Get(csv.NewReader(plain).ReadAll())(t)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	all = map[string]*measuredGroup{}
	for _, row := range rows[1:] {
		cell := func(name string) string { return row[column[name]] }
		name, ompi := strings.CutSuffix(cell("algorithm"), "_ompi")
		if !ompi || cell("gpu_memory") != "no" {
			continue
		}
		key := strings.Join([]string{cell("timestamp"), cell("test"), cell("collective"), cell("bytes")}, " ")
		if all[key] == nil {
			of := Named(map[string]string{"reduce_scatter": "reduce-scatter", "bcast": "broadcast"}[cell("collective")])
			if of == nil {
				of = Named(cell("collective"))
			}
			nodes, _ := strconv.Atoi(cell("nodes"))
			each, _ := strconv.Atoi(cell("ranks_per_node"))
			bytes, _ := strconv.ParseInt(cell("bytes"), 10, 64)
			if cell("timestamp") == fourANode {
				each = 4
			}
			all[key] = &measuredGroup{of, nodes * each, bytes, map[string]float64{}}
		}
		all[key].us[name], _ = strconv.ParseFloat(cell("median_us"), 64)
	}
	return all
}

// The choice of Open MPI's table takes as long as Open MPI's own choice, within 15 %, in 95 of
// 100 groups in which both were measured.
func TestChoicesAreThoseMeasured(t *testing.T) {
	right, of := 0, 0
	for key, m := range measuredGroups(t) {
		was, ok := m.us["default"]
		chosen, err := LibraryNamed("openmpi-4").Choose(m.of, &Group{Ranks: m.ranks, Bytes: m.bytes})
		if err != nil {
			t.Fatal(key, err)
		}
		for name, us := range m.us {
			if !ok || ours[name] != chosen.Name {
				continue
			}
			if of++; math.Abs(us/was-1) <= 0.15 {
				right++
			} else {
				t.Logf("%s: %s takes %g us, what was chosen %g", key, name, us, was)
			}
		}
	}
	if of < 100 || right*100 < 95*of {
		t.Errorf("%d of %d choices are those measured", right, of)
	}
}
