package validation

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// The three numbers of osu-nbc are medians of rows, and with those of the other builds each build
// is predicted within 3.6 points on average, where no overlap at all is 6 points off.
func TestNonblockingOverlapOfABuildThatIsLeftOut(t *testing.T) {
	text := must.Get(os.ReadFile("osu-nbc.yaml"))(t)
	set := must.Get(Load("osu-nbc"))(t)
	rows := must.Get(set.Rows("", ""))(t)
	if got := fmt.Sprint(callCosts(t, rows, "")); got != "[0.415us 0.243us 40ns]" {
		t.Errorf("the medians of all builds are %s", got)
	}
	var sum, none float64
	for _, build := range builds(rows) {
		c := callCosts(t, rows, build)
		of := fmt.Sprintf("%sset: {workload.setup: %s, machine.network.send_overhead.0.time: %s, "+
			"machine.network.receive_overhead.0.time: %s, workload.clock: %s}\n",
			strings.Replace(string(text), "where:", fmt.Sprintf("where:\n  mpi: [%q]", build), 1), c[0], c[1], c[1], c[2])
		left := must.Get(read("left", "osu-nbc.yaml", []byte(of)))(t)
		r := validate(t, Request{Set: left})
		sum, none = sum+r.Score.Mean, none+r.Baselines[0].Score.Mean // the constant 0
	}
	if n := float64(len(builds(rows))); !(sum/n < 3.6) || !(none/n > 6) {
		t.Errorf("builds that are left out are predicted within %.2f points on average, without overlap %.2f", sum/n, none/n)
	}
}

func builds(rows []*row) (all []string) {
	for _, r := range rows {
		if build := r.table.text(r.line, "mpi"); !slices.Contains(all, build) {
			all = append(all, build)
		}
	}
	return all
}

// callCosts are the setup of a call, the overhead of a message and a reading of the clock, from
// blocks of up to 256 bytes. An all-to-all alone takes a rank 14 messages, a latency of 0.1 us, a
// setup and a reading, and a gather 1.75 messages on average instead. What hides nothing takes
// five readings more next to the computation.
func callCosts(t *testing.T, rows []*row, without string) [3]string {
	number := func(r *row, column string) float64 {
		var x float64
		must.Get(fmt.Sscan(r.table.text(r.line, column), &x))(t)
		return x
	}
	median := func(of func(r *row) float64, names ...string) float64 {
		var all []float64
		for _, r := range rows {
			if slices.Contains(names, r.table.text(r.line, "benchmark")) && number(r, "bytes") <= 256 && r.table.text(r.line, "mpi") != without {
				all = append(all, of(r))
			}
		}
		slices.Sort(all)
		return quantile(all, 0.5)
	}
	alone := func(r *row) float64 { return number(r, "pure_comm_us") }
	clock := median(func(r *row) float64 { return number(r, "overall_us") - number(r, "compute_us") - alone(r) },
		"osu_igather", "osu_igatherv", "osu_iallgather", "osu_iallgatherv", "osu_ialltoall", "osu_ialltoallv") / 5
	gather := median(alone, "osu_igather")
	message := (median(alone, "osu_ialltoall") - gather - 0.1) / (14 - 1.75)
	us := func(x float64) string { return fmt.Sprintf("%gus", math.Round(x*1000)/1000) }
	return [3]string{us(gather - clock - 1.75*message), us(message), fmt.Sprintf("%gns", math.Round(clock*1000))}
}
