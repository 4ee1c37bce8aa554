package optimize

import (
	"math"
	"testing"
)

// The optimum is that of all values, on machines of which one has it inside the
// range; the resources of a result add up to it, and those that bind are the
// ones that the closed form names: what a message costs against what waits for
// the first message to be computed.
func TestGranularity(t *testing.T) {
	r := Request{
		Scenario: "ft-granularity", Over: "workload.granularity", Minimize: "makespan_s", Why: true,
		Set: []string{"workload.rows=1024", "workload.computation=0.5"},
	}
	found, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Over, r.Why = "workload.granularity=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32", false
	if found.Values != 32 || found.From != "1" || found.To != "32" {
		t.Errorf("%d values from %s to %s", found.Values, found.From, found.To)
	}
	inside := 0
	for run, o := range found.Optima {
		least := math.Inf(1)
		for i := range 32 {
			f := &finder{request: r, study: found, run: run}
			least = min(least, *f.point(i).Result)
		}
		if got := *o.Best.Result; got > least*(1+tolerance) {
			t.Errorf("%s: %g s at %s, the least is %g s", o.Run, got, o.Best.Value, least)
		}
		for _, why := range o.Why {
			if math.Abs(why.Rest) > 0.0005*why.Result {
				t.Errorf("%s: %g of %g s at %s are nobody's: %v", o.Run, why.Rest, why.Result, why.Value, why.Resources)
			}
		}
		below, above := o.Reason("below"), o.Reason("above")
		if below != nil && below.Binds != "start-up" && below.Binds != "o" {
			t.Errorf("%s: below binds %+v", o.Run, below)
		}
		if above != nil && above.Binds != "compute" {
			t.Errorf("%s: above binds %+v", o.Run, above)
		}
		if below != nil && above != nil {
			inside++
		}
	}
	if inside == 0 {
		t.Errorf("no machine has its optimum inside the range")
	}
}

// Which way a factor makes times longer, by how the value is written.
func TestLonger(t *testing.T) {
	for _, c := range []struct {
		path, value string
		inList      bool
		want        string
	}{
		{"network.latency", "3us", false, lengthened},
		{"network.send_overhead", "1GB/s", true, lengthened},
		{"network.bandwidth", "1GB/s", false, shorter},
		{"network.bandwidth", "1ns/B", false, shorter},
		{"network.gap_per_byte", "1GB/s", false, lengthened},
		{"copying.send", "1ns/B", false, lengthened},
		{"copying.send", "1GB/s", false, shorter},
		{"kernels.fft.rates", "1GF/s", true, shorter},
		{"links.bandwidth", "1GB/s", true, shorter},
		{"copying.buffer", "64KiB", false, ""},
		{"network.queue_depth", "3", false, ""},
	} {
		if got, _ := longer(c.path, c.value, c.inList); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.path, c.value, got, c.want)
		}
	}
}
