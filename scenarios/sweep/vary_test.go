package sweep

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// The values that each notation gives.
func TestLevels(t *testing.T) {
	for _, c := range []struct{ items, want string }{
		{"a,b,c", "a b c"},
		{"jacquard,../mine.yaml", "jacquard ../mine.yaml"},
		{" 8 , 16", "8 16"},
		{"[4,4,4],[8,8,8],{a: 1, b: [2,3]}", "[4,4,4]|[8,8,8]|{a: 1, b: [2,3]}"},
		{"true,false", "true false"},

		{"1us..5us:5", "1us 2us 3us 4us 5us"},
		{"5us..1us:3", "5us 3us 1us"},
		{"1us..2us:4", "1us 1.333333us 1.666667us 2us"},
		{"500ns..1us:2", "500ns 1us"},
		{"0..1:5", "0 0.25 0.5 0.75 1"},
		{"-1..1:3", "-1 0 1"},
		{"64KiB..1MiB:2", "64KiB 1MiB"},
		{"1KB..2KB:3", "1KB 1500B 2KB"},
		{"1GB/s..2GB/s:3", "1GB/s 1.5GB/s 2GB/s"},
		{"500MB/s..4GB/s*2", "500MB/s 1000MB/s 2000MB/s 4GB/s"},
		{"0.5GB/s..4GB/s*2", "0.5GB/s 1GB/s 2GB/s 4GB/s"},
		{"1GF/s..100GF/s:3log", "1GF/s 10GF/s 100GF/s"},
		{"1ns/B..2ns/B:3", "1ns/B 1.5ns/B 2ns/B"},
		{"1e-3..2e-3:2", "0.001 0.002"},

		{"x0.5,x1,x3", "x0.5 x1 x3"},
		{"x0.25..x4*2", "x0.25 x0.5 x1 x2 x4"},
		{"x1..x100:3log", "x1 x10 x100"},

		{"1us..1ms:4log", "1us 10us 100us 1ms"},
		{"1us..1ms:3log", "1us 31.6228us 1ms"},
		{"1e-300..1e300:3log", "1e-300 1 1e+300"},
		{"1000..1:4log", "1000 100 10 1"},
		{"1KiB..1MiB:3log", "1KiB 32KiB 1MiB"},

		{"1us..3us+0.5us", "1us 1.5us 2us 2.5us 3us"},
		{"1us..3us+1500ns", "1us 2.5us"},
		{"8..32+8", "8 16 24 32"},
		{"1e+1..3e+1+1e+1", "10 20 30"},

		{"64..8192*2", "64 128 256 512 1024 2048 4096 8192"},
		{"64..1000*4", "64 256"},
		{"1us..1ms*10", "1us 10us 100us 1ms"},
		{"64..1024*1.5", "64 96 144 216 324 486 729"},
		{"1e307..1.7e308*7.5", "1e+307 7.5e+307"},
		{"2..3*1.1", "2 2.2 2.42 2.662 2.9282"},

		{"0us,1us..4us*2,10us", "0us 1us 2us 4us 10us"},
	} {
		f, wrong := parseFactor("p=" + c.items)
		got := strings.Join(f.Levels, " ")
		if strings.Contains(c.want, "|") {
			got = strings.Join(f.Levels, "|")
		}
		if got != c.want || len(wrong) > 0 {
			t.Errorf("%s gives %s, want %s; %v", c.items, got, c.want, wrong)
		}
	}
}

// A range without a number of values is continuous.
func TestContinuous(t *testing.T) {
	for text, want := range map[string]Range{
		"1us..5us":     {From: "1us", To: "5us"},
		"1us..1ms:log": {From: "1us", To: "1ms", Log: true},
		"64..8192":     {From: "64", To: "8192"},
	} {
		f, wrong := parseFactor("p=" + text)
		if len(wrong) > 0 || f.Range == nil || *f.Range != want || f.Levels != nil {
			t.Errorf("%s gives %+v, %v", text, f, wrong)
		}
	}
}

// Mistakes in values and their messages.
func TestLevelMistakes(t *testing.T) {
	must.Long(t)
	for _, c := range []struct{ text, want string }{
		{"ranks", "must be path=values, such as ranks=8,16,32 or machine.network.latency=1us..5us:5"},
		{"=8", "has no path before the ="},
		{"p=", "has an empty value"},
		{"p=1,,2", "has an empty value"},
		{"p=1,2,1", "has a value twice: 1"},
		{"p=1us..2us:x", "1us..2us:x: the number of values must be a whole number, as in :5 or :5log, got x"},
		{"p=1us..2us:", "1us..2us:: the number of values must be a whole number, as in :5 or :5log, got "},
		{"p=1us..2us:1", "1us..2us:1: the number of values must be 2 to 100000, got 1"},
		{"p=1us..2us:9999999", "1us..2us:9999999: the number of values must be 2 to 100000, got 9999999"},
		{"p=1us..1us:3", "1us..1us:3 begins where it ends"},
		{"p=1us...5us:3", "1us...5us:3 has three points; a range has two, and a number a digit before its point: 1us..5us:3"},
		{"p=1..x:3", "1..x:3 is not a range; write FROM..TO:N, FROM..TO:Nlog, FROM..TO+STEP or FROM..TO*FACTOR"},
		{"p=1..2us:3", "1..2us:3: must be a time such as 3us, got 1, which has no unit"},
		{"p=1us..2KiB:3", "1us..2KiB:3: must be a time such as 3us, got 2KiB, which is a size"},
		{"p=1us..2uS:3", "1us..2uS:3: must be a time such as 3us, got 2uS (unknown unit uS, did you mean us?)"},
		{"p=0us..2us:3log", "0us..2us:3log: a logarithmic range has positive ends"},
		{"p=1us..2us+0us", "1us..2us+0us: the step must be positive and the range ascend"},
		{"p=2us..1us+1us", "2us..1us+1us: the step must be positive and the range ascend"},
		{"p=1e999..2e999:2", "1e999..2e999:2: is too large: 1e999"},
		{"p=1us..2us+1", "1us..2us+1: the step must be a time such as 3us, got 1, which has no unit"},
		{"p=1us..2us*1", "1us..2us*1: the factor must be larger than 1 and the range positive and ascend"},
		{"p=1us..2us*2us", "1us..2us*2us: the factor must be a number such as 1.5, got 2us, which has a unit"},
		{"p=0..8*2", "0..8*2: the factor must be larger than 1 and the range positive and ascend"},
		{"p=1ps..1s+1ps", "1ps..1s+1ps has more than 100000 values"},
		{"p=1..2*1.000001", "1..2*1.000001 has more than 100000 values"},
		{"p=1..1e300*1.00000000000000000001", "1..1e300*1.00000000000000000001 has more than 100000 values"},
		{"p=1us,2", "must be a time such as 3us, got 2, which has no unit"},
		{"p=2,1us", "must be a time such as 3us, got 2, which has no unit"},
		{"p=1us,2uS", "must be a time such as 3us, got 2uS (unknown unit uS, did you mean us?)"},
		{"p=1GB/s,1ns/B", "must be a bandwidth such as 937MB/s, got 1ns/B, which is a gap per byte or a bandwidth"},
		{"p=x2,3us", "mixes x2, which multiplies, and 3us, which does not; the value as it is is x1"},
		{"p=1ns/B,1GB/s", "mixes 1ns/B and 1GB/s; write both in the same way"},
		{"p=1us..2us,3us..4us", "has two ranges without a number of values; one is enough"},
		{"p=1us..2us,3us", "mixes values and a range without a number of values"},
		{"p=1us..2us:x,3..1+1", "1us..2us:x: the number of values must be a whole number, as in :5 or :5log, got x\n" +
			"3..1+1: the step must be positive and the range ascend"},
	} {
		_, wrong := parseFactor(c.text)
		if got := strings.Join(wrong, "\n"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A range has the stated ends, is monotone, and is spaced evenly, in the logarithm or
// linearly.
func TestRangesAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64Range(1, 1e9).Draw(t, "from")
		to := rapid.Int64Range(1, 1e9).Filter(func(to int64) bool { return to != from }).Draw(t, "to")
		r := span{is: keys.Rate, from: big.NewRat(from, 1), to: big.NewRat(to, 1), log: rapid.Bool().Draw(t, "log")}
		r.n = rapid.IntRange(2, 50).Draw(t, "n")
		levels, err := r.levels()
		if err != nil || len(levels) != r.n {
			t.Fatalf("%d levels, %v", len(levels), err)
		}
		for i, level := range levels {
			part := float64(i) / float64(r.n-1)
			want := float64(from) + part*float64(to-from)
			if r.log {
				want = math.Exp(math.Log(float64(from)) + part*(math.Log(float64(to))-math.Log(float64(from))))
			}
			got, err := keys.ParseFloat(r.is, level)
			if err != nil || math.Abs(got-want) > 1e-5*want {
				t.Fatalf("level %d is %s, want %g; %v", i, level, want, err)
			}
		}
		if got, _ := keys.ParseFloat(r.is, levels[r.n-1]); got != float64(to) {
			t.Fatalf("ends at %s", levels[r.n-1])
		}
	})
}

// For any text the parser returns an error or values, and no value twice.
func FuzzFactor(f *testing.F) {
	for _, text := range []string{"p=1us..5us:5", "p=64..8192*2,3", "p=[1,2],{a: b}", "p=1..2:log", "p=..", "p=1....2", "p=1.", "=",
		"p=1e999..2e999:3log"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		f, wrong := parseFactor(text)
		if len(wrong) > 0 {
			return
		}
		if f.Path == "" || len(f.Levels) == 0 == (f.Range == nil) {
			t.Errorf("%q gives %+v", text, f)
		}
		sorted := slices.Sorted(slices.Values(f.Levels))
		if len(slices.Compact(sorted)) != len(f.Levels) {
			t.Errorf("%q gives a value twice", text)
		}
	})
}

// Numbers are in seconds and bytes, and read as they were written.
func TestMeasure(t *testing.T) {
	for text, want := range map[string]float64{
		"3us": 3e-6, "64KiB": 65536, "937MB/s": 937e6, "1.07ns/B": 1.07e-9, "2.4GF/s": 2.4e9, "2.2GHz": 2.2e9, "1.5": 1.5, "-3": -3,
	} {
		d, ok := measure(text)
		if got := number(d, text); !ok || got != want {
			t.Errorf("%s is %g, want %g", text, got, want)
		}
	}
	for _, word := range []string{"ft-slabs", "", "[8,8]", "true", "3 apples"} {
		if d, ok := measure(word); ok {
			t.Errorf("%q is %s", word, d)
		}
	}
	if !math.IsNaN(number(keys.Time, "")) {
		t.Error("nothing is a number")
	}
}

func TestRound(t *testing.T) {
	for text, want := range map[string]int64{"2.5": 3, "-2.5": -3, "2.4": 2, "-2.4": -2, "0": 0, "7": 7} {
		value, _ := new(big.Rat).SetString(text)
		if got := round(value).Int64(); got != want {
			t.Errorf("round(%s) = %d, want %d", text, got, want)
		}
	}
}

// Ranges that do not state the number of their values.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"p=1..4":           "1 2 3 4",
		"p=1..1000":        "1 6 32 178 1000",
		"p=0.0..1.0":       "0 0.25 0.5 0.75 1",
		"p=1KiB..1MiB":     "1KiB 5760B 32KiB 180KiB 1MiB",
		"p=1us..9us":       "1us 3us 5us 7us 9us",
		"p=x1..x100:log":   "x1 x3.16 x10 x31.6 x100",
		"p=1.2345us..9us":  "1.2345us 3.18us 5.12us 7.06us 9us",
		"p=1001ns..1002ns": "1.001us 1.002us",
		"p=a,b":            "a b",
	} {
		if _, got, wrong := Values(text, 5); strings.Join(got, " ") != want || wrong != nil {
			t.Errorf("%s: %v, %v; want %s", text, got, wrong, want)
		}
	}
	if _, _, wrong := Values("p=3", 5); len(wrong) != 1 {
		t.Errorf("one value: %v", wrong)
	}
}

// The axis of results is logarithmic where they are positive and differ by a factor of 1,000.
func TestWide(t *testing.T) {
	for _, c := range []struct {
		results []float64
		want    bool
	}{
		{nil, false},
		{[]float64{math.NaN()}, false},
		{[]float64{1, 999}, false},
		{[]float64{1, math.NaN(), 1000}, true},
		{[]float64{0, 1000}, false},
		{[]float64{-1, 1000}, false},
	} {
		if got := wide(c.results); got != c.want {
			t.Errorf("%v: %v, want %v", c.results, got, c.want)
		}
	}
}
