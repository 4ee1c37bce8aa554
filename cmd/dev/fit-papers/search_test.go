package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios/papers"
	"overlapsim/sim/must"
)

// theFit reads the description of the fit probes.
func theFit(t *testing.T) *papers.Fit {
	t.Helper()
	folder := must.Get(fits())(t)
	text := must.Get(os.ReadFile(filepath.Join(folder, "probes.yaml")))(t)
	return must.Get(papers.ReadFit("probes.yaml", text))(t)
}

// Without claims the minimum of the sum of squares is known: the priors.
func TestSearchFindsPriors(t *testing.T) {
	f := theFit(t)
	for i := range f.Parameters {
		p := &f.Parameters[i]
		p.Whole = false
		p.Prior = &papers.Prior{Value: math.Sqrt(p.Low*p.High) * (1 + 0.1*float64(i)), Factor: 2}
	}
	f.Terms = nil
	f.Starts, f.Evaluations = 2, 2000
	result := must.Get(solve(f, papers.Numbers, io.Discard))(t)
	for i, v := range result.Parameters {
		p := f.Parameters[i]
		x := must.Get(strconv.ParseFloat(strings.TrimSuffix(v.Value, p.Unit), 64))(t)
		if math.Abs(x/p.Prior.Value-1) > 0.02 {
			t.Errorf("%s %s: got %s, want %g", v.Machine, v.Path, v.Value, p.Prior.Value)
		}
	}
}

// The search stays inside the bounds and is the same every time.
func TestSearchIsRepeatable(t *testing.T) {
	f := theFit(t)
	f.Starts, f.Evaluations = 2, 40
	var before string
	for range 2 {
		s := &search{Fit: f, runner: wavy}
		end := must.Get(s.run(func(int, float64) {}))(t)
		for _, tried := range s.tried {
			for i, x := range tried.Values {
				if p := f.Parameters[i]; x < p.Low || x > p.High {
					t.Fatalf("%s %s: %g is outside its bounds", p.Machine, p.Path, x)
				}
			}
		}
		after := fmt.Sprint(end.values, len(s.tried))
		if before != "" && before != after {
			t.Errorf("got %s, then %s", before, after)
		}
		before = after
	}
}

// wavy is a runner whose metrics depend on all settings.
func wavy(r *papers.Run) (map[string]float64, error) {
	x := 1.0
	for i, s := range r.Settings {
		if y, err := strconv.ParseFloat(strings.TrimRight(s.Value, "usnGB/"), 64); err == nil {
			x += 0.1 * math.Sin(y+float64(i))
		}
	}
	return map[string]float64{"total_s": x, "comm_init_s": x / 3, "comm_sync_s": x / 3, "local_computation_s": 0.1}, nil
}

// A run that fails ends the search with its error.
func TestSearchFails(t *testing.T) {
	f := theFit(t)
	f.Starts, f.Evaluations = 1, 10
	broken := errors.New("broken")
	if _, err := solve(f, func(*papers.Run) (map[string]float64, error) { return nil, broken }, io.Discard); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
