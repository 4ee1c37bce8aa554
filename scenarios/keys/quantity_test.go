package keys

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		is   Dimension
		text string
		want string // in base units, as a fraction
	}{
		{Time, "0s", "0"},
		{Time, "1ps", "1"},
		{Time, "4.5us", "4500000"},
		{Time, "0.001ns", "1"},
		{Time, "1e-12s", "1"},
		{Time, "9223372.036854775807s", "9223372036854775807"},
		{Time, "3 us", "3000000"},
		{Time, "3µs", "3000000"}, // micro sign
		{Time, "3μs", "3000000"}, // Greek mu
		{Time, ".5ms", "500000000"},
		{Time, "5.ms", "5000000000"},
		{Time, "-3us", "-3000000"},
		{Bytes, "64KiB", "65536"},
		{Bytes, "64KB", "64000"},
		{Bytes, "0.5KiB", "512"},
		{Bytes, "1.5GiB", "1610612736"},
		{Bandwidth, "937MB/s", "937000000"},
		{Bandwidth, "100Gbit/s", "12500000000"},
		{Bandwidth, "1GiB/s", "1073741824"},
		{PerByte, "0.446ns/B", "446"},
		{PerByte, "1GB/s", "1000"},
		{PerByte, "937MB/s", "1000000/937"},
		{PerByte, "100Gbit/s", "80"},
		{Rate, "2.4GF/s", "2400000000"},
		{Rate, "2.4GFlop/s", "2400000000"},
		{Rate, "1TF/s", "1000000000000"},
		{Frequency, "2.2GHz", "2200000000"},
		{Count, "32", "32"},
		{Count, "1e3", "1000"},
		{Number, "1.5e-3", "3/2000"},
	} {
		want, _ := new(big.Rat).SetString(c.want)
		got, err := Parse(c.is, c.text)
		if err != nil || got.Cmp(want) != 0 {
			t.Errorf("%s as %s: got %v, %v, want %s", c.text, c.is, got, err, c.want)
		}
	}
}

// Common misspellings of a unit lead to the units that may have been meant.
func TestMeantUnits(t *testing.T) {
	for _, c := range []struct {
		is         Dimension
		name, want string
	}{
		{Bytes, "K", "KiB or KB"}, {Bytes, "k", "KiB or KB"}, {Bytes, "M", "MiB or MB"}, {Bytes, "Kb", "KB"}, {Bytes, "mb", "MB"},
		{Bytes, "gib", "GiB"}, {Bytes, "bytes", "B"}, {Bytes, "kbyte", "KB"}, {Bytes, "Mbit", ""},
		{PerByte, "Gb", "Gbit/s"}, {PerByte, "Gbps", "Gbit/s"}, {PerByte, "GBps", "GB/s"}, {PerByte, "GB", "GB/s"}, {PerByte, "Gbits", "Gbit/s"},
		{PerByte, "Gbit/sec", "Gbit/s"}, {PerByte, "G", "GB/s or GiB/s or Gbit/s"}, {PerByte, "ns", "ns/B"}, {PerByte, "furlong", ""},
		{Bandwidth, "GB", "GB/s"}, {Time, "u", "us"}, {Time, "sec", "s"}, {Time, "seconds", "s"}, {Time, "usec", "us"}, {Time, "microseconds", "us"},
		{Rate, "GF", "GF/s"}, {Rate, "Gflops", "GFlop/s"}, {Frequency, "ghz", "GHz"},
	} {
		if got := strings.Join(c.is.meant(c.name), " or "); got != c.want {
			t.Errorf("%s as %s: got %q, want %q", c.name, c.is, got, c.want)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	for _, c := range []struct {
		is   Dimension
		text string
		want string
	}{
		{Time, "3", "must be a time such as 3us, got 3, which has no unit"},
		{Time, "", `must be a time such as 3us, got ""`},
		{Time, "fast", "must be a time such as 3us, got fast"},
		{Time, "3MB", "must be a time such as 3us, got 3MB, which is a size"},
		{Time, "3US", "must be a time such as 3us, got 3US (unknown unit US, did you mean us?)"},
		{Time, "3usec", "must be a time such as 3us, got 3usec (unknown unit usec, did you mean us?)"},
		{Time, "1 000us", `must be a time such as 3us, got "1 000us"`},
		{Time, "1,5us", "must be a time such as 3us, got 1,5us; a fraction begins with a point, such as 1.5"},
		{Time, "0x10us", "must be a time such as 3us, got 0x10us (unknown unit x10us, the usual ones are ps, ns, us, ms, s)"},
		{Time, "1/2us", "must be a time such as 3us, got 1/2us (unknown unit /2us, the usual ones are ps, ns, us, ms, s)"},
		{Time, ".inf", "must be a time such as 3us, got .inf"},
		{Time, "nan", "must be a time such as 3us, got nan"},
		{Time, "0.3ps", "must be a whole number of ps, got 0.3ps"},
		{Time, "1e-13s", "must be a whole number of ps, got 1e-13s"},
		{Time, "9223372.036854775808s", "must be at most 106 days, got 9223372.036854775808s"},
		{Time, "1e999s", "must be at most 106 days, got 1e999s"},
		{Bytes, "12288", "must be a size such as 64KiB, got 12288, which has no unit"},
		{Bytes, "1.5B", "must be a whole number of bytes, got 1.5B"},
		{Bytes, "64Ki", "must be a size such as 64KiB, got 64Ki (unknown unit Ki, did you mean KiB?)"},
		{Bytes, "9EB", "must be a size such as 64KiB, got 9EB (unknown unit EB, the usual ones are B, KiB, MiB, GiB, TiB)"},
		{Bytes, "1e8TiB", "must be at most 8 EiB, got 1e8TiB"},
		{Count, "1.5", "must be a whole number, got 1.5"},
		{Count, "3us", "must be a whole number such as 32, got 3us, which has a unit"},
		{Count, "1e19", "must be at most 9223372036854775807, got 1e19"},
	} {
		if _, err := integer(c.is, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q as %s: got %v\nwant %s", c.text, c.is, err, c.want)
		}
	}
	for _, c := range []struct {
		is   Dimension
		text string
		want string
	}{
		{PerByte, "1Gb/s", "must be a gap per byte or a bandwidth such as 1.07ns/B or 937MB/s, got 1Gb/s (unknown unit Gb/s, did " +
			"you mean Gbit/s?)"},
		{PerByte, "100Gb", "must be a gap per byte or a bandwidth such as 1.07ns/B or 937MB/s, got 100Gb (unknown unit Gb, did you mean Gbit/s?)"},
		{PerByte, "100Gbps", "must be a gap per byte or a bandwidth such as 1.07ns/B or 937MB/s, got 100Gbps (unknown unit Gbps, " +
			"did you mean Gbit/s?)"},
		{PerByte, "0MB/s", "must be positive, got 0MB/s"},
		{PerByte, "-1MB/s", "must be positive, got -1MB/s"},
		{Rate, "2GHz", "must be a rate such as 2.4GF/s, got 2GHz, which is a frequency"},
		{Number, "1e-999", "is too small: 1e-999"},
		{Number, "1e999", "is too large: 1e999"},
	} {
		if _, err := ParseFloat(c.is, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q as %s: got %v\nwant %s", c.text, c.is, err, c.want)
		}
	}
}

// Every unit's name reads as the right number of base units.
func TestUnits(t *testing.T) {
	for d := range dimensions {
		for _, u := range dimensions[d].units {
			got, err := Parse(Dimension(d), "3"+u.name)
			if err != nil || got.Cmp(big.NewRat(3*u.size, 1)) != 0 {
				t.Errorf("3%s is %v, %v, want 3 x %d", u.name, got, err, u.size)
			}
		}
	}
}

func TestTimeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := sim.Time(rapid.Int64Range(math.MinInt64+1, math.MaxInt64-1).Draw(t, "ps"))
		got, err := ParseTime(want.String())
		if err != nil || got != want {
			t.Fatalf("%s reads as %d, %v, want %d", want, got, err, want)
		}
	})
}

func TestBytesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64Range(0, 1<<20).Draw(t, "n") << rapid.IntRange(0, 40).Draw(t, "shift")
		got, err := ParseBytes(FormatBytes(want))
		if err != nil || got != want {
			t.Fatalf("%s reads as %d, %v, want %d", FormatBytes(want), got, err, want)
		}
	})
}

func TestFloatRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Dimension{Number, PerByte, Rate, Bandwidth, Frequency}).Draw(t, "dimension")
		want := rapid.Float64Range(1e-30, 1e30).Draw(t, "value")
		got, err := ParseFloat(d, Format(d, want))
		if err != nil || got != want {
			t.Fatalf("%s reads as %g, %v, want %g", Format(d, want), got, err, want)
		}
	})
}

// A bandwidth and its gap per byte are the same quantity.
func TestPerByteOfBandwidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mb := rapid.Int64Range(1, 1e9).Draw(t, "MB/s")
		got, err := Parse(PerByte, FormatBytes(mb)+"/s")
		if err != nil || new(big.Rat).Mul(got, big.NewRat(mb, 1)).Cmp(big.NewRat(1e12, 1)) != 0 {
			t.Fatalf("%d B/s: %v ps/B, %v", mb, got, err)
		}
	})
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		is    Dimension
		value float64
		want  string
	}{
		{Rate, 2.4e9, "2.4GF/s"}, {Rate, 4.4e9, "4.4GF/s"}, {PerByte, 446, "446ps/B"}, {PerByte, 1000, "1ns/B"},
		{Bandwidth, 12.5e9, "12.5GB/s"}, {Number, 0.25, "0.25"}, {Count, 8192, "8192"}, {Rate, 0, "0F/s"},
	} {
		if got := Format(c.is, c.value); got != c.want {
			t.Errorf("%g as %s: got %s, want %s", c.value, c.is, got, c.want)
		}
	}
}

func FuzzQuantity(f *testing.F) {
	for _, seed := range []string{"3us", "937MB/s", "1e999s", "1/2", "0x1p3", "-.5e-3 GF/s", "٣us"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for d := range dimensions {
			if value, err := Parse(Dimension(d), text); (value == nil) == (err == nil) {
				t.Fatalf("%q as %s: %v, %v", text, Dimension(d), value, err)
			}
		}
	})
}
