package report

import (
	"math"
	"testing"
)

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    string
	}{
		{0, "0 s"}, {4.5e-6, "4.500 µs"}, {-1.2344e-3, "-1.234 ms"}, {1, "1.000 s"}, {3600, "3600 s"}, {12345.6, "12346 s"},
		{999.96e-9, "1.000 µs"}, {999.4e-9, "999.4 ns"}, {1e-12, "1.000 ps"}, {0.25, "250.0 ms"}, {9.9996e-3, "10.00 ms"}, {math.NaN(), "–"},
		{0.5e-12, "0.5000 ps"}, {1e-12 / 4096, "0.0002441 ps"}, {-1e-20, "0 s"},
	} {
		if got := Seconds(c.seconds); got != c.want {
			t.Errorf("seconds(%g) = %q, want %q", c.seconds, got, c.want)
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		value      float64
		unit, want string
	}{
		{math.NaN(), "s", "–"}, {2e-3, "s", "2 ms"}, {1.61, "", "1.61"}, {65536, "B", "64 KiB"}, {100, "B", "100 B"},
		{1e7, "B/s", "10 MB/s"}, {937, "B/s", "937 B/s"},
		{1.5 * 1024 * 1024, "B", "1.5 MiB"}, {90, "%", "90 %"}, {12.3456, "Gflop/s", "12.35 Gflop/s"},
		{1234567, "", "1234567"}, {1e9, "", "1e+09"}, {0.5, "", "0.5"}, {0, "", "0"}, {1, "yes", "yes"}, {0, "yes", "no"},
	} {
		if got := Quantity(c.value, c.unit); got != c.want {
			t.Errorf("quantity(%g, %q) = %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}

func TestResult(t *testing.T) {
	for _, c := range []struct {
		value      float64
		unit, want string
	}{
		{math.NaN(), "s", "–"}, {math.NaN(), "", "–"}, {math.NaN(), "%", "–"}, {2e-3, "s", "2.000 ms"}, {1.61, "", "1.610"}, {8, "", "8"},
		{65536, "B", "64 KiB"}, {90, "%", "90.0 %"}, {0.5, "", "0.5000"}, {1e-5 / 3, "", "3.333e-06"}, {6291456, "", "6,291,456"},
	} {
		if got := resulting(c.value, c.unit); got != c.want {
			t.Errorf("result(%g, %q) = %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 262144: "262,144", -1234567: "-1,234,567", -123: "-123"} {
		if got := Count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

// Changes are times first and percentages second, and there are no percentages of nothing.
func TestChange(t *testing.T) {
	for _, c := range []struct {
		base, v float64
		unit    string
		want    string
	}{
		{2, 2, "s", "="}, {2, 3, "s", "+1.000 s, +50.0 %"}, {3, 2, "s", "−1.000 s, −33.3 %"}, {1, 2.5, "s", "+1.500 s, +150.0 %"},
		{1, 0.05, "s", "−950.0 ms, −95.0 %"}, {1e6, 1.5, "s", "−999998 s, −100.0 %"}, {1, 1.0004, "s", "+400.0 µs"},
		{0, 1, "s", "+1.000 s"}, {1, 0, "s", "−1.000 s, −100.0 %"}, {1, 20, "s", "+19.00 s"}, {0.009, 1, "s", "+991.0 ms"},
		{80, 50, "%", "−30.0 points"}, {1, math.NaN(), "s", " "}, {-1, 1, "", "+2"}, {4, 5, "", "+1, +25.0 %"},
	} {
		q := quantityOf{unit: c.unit}
		if got := q.change(c.base, c.v, 10); got != c.want {
			t.Errorf("from %g to %g %q: %q, want %q", c.base, c.v, c.unit, got, c.want)
		}
	}
	if q := (quantityOf{ratio: true}); q.change(2, 1, 10) != "−1" {
		t.Errorf("of a ratio: %s", q.change(2, 1, 10))
	}
}

func TestLetter(t *testing.T) {
	if got := letter(0) + letter(25) + letter(26); got != "AZ27" {
		t.Errorf("letters of the runs 0, 25, 26: %s", got)
	}
}

// A number and its unit stay on a line of the page.
func TestNumbersKeepTheirUnits(t *testing.T) {
	for text, want := range map[string]string{
		"compute -6.7 %, latency +0.1 %": "compute -6.7\u00a0%, latency +0.1\u00a0%",
		"10 ms of 3 steps":               "10\u00a0ms of 3 steps",
		"1 x":                            "1\u00a0x",
		"4.5 µs":                         "4.5\u00a0µs", "2 ranks": "2 ranks",
	} {
		if got := kept(text); got != want {
			t.Errorf("%q is kept as %q", text, got)
		}
	}
}
