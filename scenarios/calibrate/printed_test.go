package calibrate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/calibrate/outputs"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// printer writes the output of a benchmark on a machine.
type printer struct {
	t     *testing.T
	m     *machines.Machine
	noise *rand.Rand // 2 % of every time; nil: none
	out   strings.Builder
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// time is the time of a quantity, in us.
func (p *printer) time(q Quantity, bytes int64) float64 {
	p.t.Helper()
	t, err := simulate(p.m, q, bytes)
	if err != nil {
		p.t.Fatal(err)
	}
	us := t.Seconds() * 1e6
	if p.noise != nil {
		us *= math.Exp(0.02 * p.noise.NormFloat64())
	}
	return us
}

// powers are the sizes of the benchmarks.
func powers(most int64) []int64 {
	sizes := []int64{0}
	for s := int64(1); s <= most; s *= 2 {
		sizes = append(sizes, s)
	}
	return sizes
}

// printers write each format.
var printers = map[string]func(p *printer){
	"osu_latency": func(p *printer) {
		p.line("# OSU MPI Latency Test v7.1\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)")
		for _, s := range powers(4 << 20) {
			p.line("%d %20.2f", s, p.time(OneWay, s))
		}
	},
	"osu_bw": func(p *printer) {
		p.line("# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)")
		for _, s := range powers(4 << 20)[1:] {
			p.line("%d %20.2f", s, float64(s)/p.time(Stream, s))
		}
	},
	"osu_bibw": func(p *printer) {
		p.line("# OSU MPI Bi-Directional Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)")
		for _, s := range powers(4 << 20)[1:] {
			p.line("%d %20.2f", s, 2*float64(s)/p.time(BothStreams, s))
		}
	},
	"imb": func(p *printer) {
		imb := func(name, columns string, q Quantity, times int) {
			p.line("#---\n# Benchmarking %s \n# #processes = 2 \n#---\n #bytes #repetitions %s", name, columns)
			for _, s := range powers(4 << 20) {
				p.line("%d 1000 %s 0.00", s, strings.Repeat(fmt.Sprintf(" %.2f", p.time(q, s)), times))
			}
		}
		imb("PingPong", "t[usec] Mbytes/sec", OneWay, 1)
		imb("Exchange", "t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec", Exchange, 3)
	},
	"netpipe": func(p *printer) {
		for _, s := range powers(4 << 20)[1:] {
			us := p.time(OneWay, s)
			p.line("%8d %f %12.8f", s, float64(8*s)/us*1e6/(1<<20), us*1e-6)
		}
	},
	"netpipe screen": func(p *printer) {
		for i, s := range powers(4 << 20)[1:] {
			us := p.time(OneWay, s)
			p.line("%3d: %7d bytes %6d times --> %8.2f Mbps in %10.2f usec", i, s, 1000, float64(8*s)/us*1e6/(1<<20), us)
		}
	},
	"netgauge": func(p *printer) {
		p.line("# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)")
		for s := int64(1); s <= 256<<10; s += 4096 {
			way := 2 * p.time(OneWay, s)
			p.line("%d %d %f %f %f %f %f %f %f %f %f", s, several, way, way+(several-1)*p.time(Successive, s), 0., p.time(OneWay, 1),
				p.time(SendCPU, s),
				p.time(LateReceive, s), 0., 0., 0.)
		}
	},
}

// read prints formats to files, and reads them.
func read(t *testing.T, m *machines.Machine, noise *rand.Rand, formats ...string) *Data {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range formats {
		p := &printer{t: t, m: m, noise: noise}
		printers[f](p)
		must.Do(t, os.WriteFile(f, []byte(p.out.String()), 0o666))
	}
	return must.Get(Read(formats))(t)
}

// plain returns a machine of the library without a communication library, one process on a node, whose
// overheads do not depend on the size.
func plain(t *testing.T, name string) *machines.Machine {
	t.Helper()
	m := must.Get(files.LoadMachine(name))(t)
	truth := *m.Machine
	truth.Processes, truth.Runtime = 1, nil
	net := &truth.Network
	net.SendOverhead, net.ReceiveOverhead = network.Constant(net.SendOverhead.Of(0)), network.Constant(net.ReceiveOverhead.Of(0))
	return &truth
}

// named returns a parameter.
func (f *Fit) named(name string) Parameter {
	for _, p := range f.Parameters {
		if p.Name == name {
			return p
		}
	}
	return Parameter{}
}

// Every format gives the one-way time at 0 B, the gap per byte, and the threshold if there is
// one. Powers of two determine a threshold within a factor of 2.
func TestEveryFormat(t *testing.T) {
	must.Long(t)
	for _, name := range []string{"loggp", "william"} {
		m := plain(t, name)
		for _, formats := range [][]string{{"osu_latency"}, {"osu_latency", "osu_bw"}, {"imb", "osu_bibw"}, {"netpipe"},
			{"netpipe screen"}, {"netgauge"}, {"netgauge", "osu_latency", "osu_bw", "imb"}} {
			if name == "william" && formats[0] == "netpipe screen" {
				continue // layouts differ, not what they say
			}
			r, err := Run(read(t, m, nil, formats...), "again", "")
			if err != nil {
				t.Errorf("%s, %v: %v", name, formats, err)
				continue
			}
			net, got := &m.Network, &r.Machine.Network
			empty := (net.Latency + net.SendOverhead.Of(0) + net.ReceiveOverhead.Of(0) + max(0, net.Gap-net.SendOverhead.Of(0))).Seconds()
			again := (got.Latency + got.SendOverhead.Of(0) + got.ReceiveOverhead.Of(0) + max(0, got.Gap-got.SendOverhead.Of(0))).Seconds()
			if math.Abs(again/empty-1) > 0.05 {
				t.Errorf("%s, %v: %g s at 0 B, want %g", name, formats, again, empty)
			}
			perByte := r.named("gap per byte, large messages").Value
			if want := net.Transfer.Further() * 1e-12; math.Abs(perByte/want-1) > 0.05 {
				t.Errorf("%s, %v: gap per byte %g, want %g", name, formats, perByte, want)
			}
			if (r.Above > 0) != (net.Rendezvous > 0) || r.Above > 0 && (r.Before > net.Rendezvous || r.Above <= net.Rendezvous) {
				t.Errorf("%s, %v: threshold between %d and %d, want %d", name, formats, r.Before, r.Above, net.Rendezvous)
			}
			if way := summarize(r.Against[OneWay]); way.Median > 0.02 || way.Tenth > 0.05 {
				t.Errorf("%s, %v: one-way time %+v", name, formats, way)
			}
		}
	}
}

// Overheads and gap are recovered where they were measured, and are within their bounds
// elsewhere.
func TestOverheads(t *testing.T) {
	must.Long(t)
	m := plain(t, "william")
	o := m.Network.SendOverhead.Of(0).Seconds()
	for _, c := range []struct {
		formats []string
		kind    string
	}{{[]string{"netgauge"}, "measured"}, {[]string{"osu_latency", "osu_bw"}, "assumed"}, {[]string{"osu_latency"}, "assumed"}} {
		r := must.Get(Run(read(t, m, nil, c.formats...), "again", ""))(t)
		for _, name := range []string{"send overhead, 0 B", "receive overhead, 0 B"} {
			p := r.named(name)
			if p.Kind != c.kind || p.Low > o*1.02 || p.High < o*0.98 {
				t.Errorf("%v: %s %+v, want %s, %g", c.formats, name, p, c.kind, o)
			}
			if c.kind == "measured" && math.Abs(p.Value/o-1) > 0.05 {
				t.Errorf("%v: %s %g, want %g", c.formats, name, p.Value, o)
			}
		}
		l := r.named("latency")
		if want := m.Network.Latency.Seconds(); l.Low > 1.02*want || l.High < 0.98*want {
			t.Errorf("%v: latency %+v, want %g", c.formats, l, want)
		}
	}
}

// What copies in and out of shared memory cost is recovered from windows one way and both ways.
func TestBothCopies(t *testing.T) {
	must.Long(t)
	rt := must.Get(files.LoadRuntime("openmpi-4.1-shm-copies"))(t)
	m, library := plain(t, "william"), *rt.Runtime
	library.Pipeline.In, library.Pipeline.Out = 110, 90
	m.Runtime, m.Network.Rendezvous, m.Network.Transfer = &library, 4040, network.PerByte(5)
	r := must.Get(Run(read(t, m, nil, "osu_latency", "osu_bw", "osu_bibw"), "again", "openmpi-4.1-shm-copies"))(t)
	got := r.Machine.Runtime.Pipeline
	if math.Abs(got.In/110-1) > 0.1 || math.Abs(got.Out/90-1) > 0.15 {
		t.Errorf("in %g, out %g ps/B, want 110 and 90", got.In, got.Out)
	}
	if both := summarize(r.Against[BothStreams]); both.Tenth > 0.15 {
		t.Errorf("windows both ways: %+v", both)
	}
}

// With noise on each of few sizes the parameters are near, and unseen sizes are predicted better than by
// a line or by the nearest size.
func TestFewNoisySizes(t *testing.T) {
	must.Long(t)
	for _, name := range []string{"loggp", "william"} {
		m := plain(t, name)
		for seed := range uint64(3) {
			r := must.Get(Run(read(t, m, rand.New(rand.NewPCG(seed, 5)), "osu_latency", "osu_bw"), "again", ""))(t)
			held, line, near := summarize(r.HeldOut[OneWay]).Median, summarize(r.Line[OneWay]).Median, summarize(r.Nearest[OneWay]).Median
			if held > 0.06 || held > near || held > line+0.01 {
				t.Errorf("%s, seed %d: unseen %g, a line %g, the nearest size %g", name, seed, held, line, near)
			}
			perByte := r.named("gap per byte, large messages").Value
			if want := m.Network.Transfer.Further() * 1e-12; math.Abs(perByte/want-1) > 0.1 {
				t.Errorf("%s, seed %d: gap per byte %g, want %g", name, seed, perByte, want)
			}
		}
	}
}

// Any part of the tests, however little, gives a machine that can be read, and says what is missing.
func TestLittle(t *testing.T) {
	for text, missing := range map[string]string{
		"# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n8  1.50\n":                                "How overheads and latency",
		"# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n0  1.25\n1048576 100.0\n":                 "the line through 2 sizes leaves no residual",
		"# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n1 2.0\n1000 1666.67\n1000000 9950.00\n": "The latency",
		"MPI_Send,8,0,2e-6\nMPI_Recv,8,0,6e-6\n":                                                                "A rendezvous threshold",
		"# size count type redop root time algbw busbw\n8000000 1 float sum -1 100.0 80.00 120.00\n":            "the start of a kernel",
	} {
		t.Chdir(t.TempDir())
		must.Do(t, os.WriteFile("f", []byte(text), 0o666))
		d, err := Read([]string{"f"})
		if err != nil {
			t.Error(err)
			continue
		}
		r, err := Run(d, "little", "")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if said := strings.Join(r.Missing(), "\n"); !strings.Contains(said, missing) {
			t.Errorf("%q: %s", text, said)
		}
		for q := range numQuantities {
			if most := summarize(r.Against[q]).Most; most > 0.08 {
				t.Errorf("%q: %s is off by %g", text, q, most)
			}
		}
	}
}

// Outputs that determine nothing are refused.
func TestTooLittle(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"MPI_Isend,8,0,2e-6\n": "no file has message times between two processes: give the output of osu_latency, IMB PingPong, NetPIPE or " +
			"netgauge, or a log " +
			"with an MPI_Send and an MPI_Recv in turn",
		"# Benchmarking PingPong\n# #processes = 4\n#bytes #repetitions t[usec] Mbytes/sec\n8 1 2 4\n": "f:4: skipped: IMB PingPong of " +
			"4 processes; only the output of 2 is alone on the wire",
	} {
		must.Do(t, os.WriteFile("f", []byte(text), 0o666))
		must.Refuse(Read([]string{"f"}))(t, want)
	}
	if _, err := Read([]string{"gone.csv", "neither.csv"}); err == nil || strings.Count(err.Error(), "no such file") != 2 {
		t.Errorf("got %v", err)
	}
}

// Outputs of two machines are told apart by the sizes that both have.
func TestDisagreements(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := func(factor float64) []byte {
		text := "# OSU MPI Latency Test v7.3\n# Size       Avg Latency(us)\n"
		for bytes := 1; bytes <= 1<<20; bytes *= 2 {
			text += fmt.Sprintf("%d %.3f\n", bytes, factor*(1.5+float64(bytes)/1e4))
		}
		return []byte(text)
	}
	for factor, want := range map[float64]string{1.2: "", 3: "are 3.00 times those of one.txt:3-23 in the median of 21 sizes",
		0.5: "are 0.50 times those of one.txt:3-23"} {
		must.Do(t, errors.Join(os.WriteFile("one.txt", lines(1), 0o666), os.WriteFile("other.txt", lines(factor), 0o666)))
		d := must.Get(Read([]string{"one.txt", "other.txt"}))(t)
		said := strings.Join(d.disagreements(), "\n")
		if (want == "") != (said == "") || !strings.Contains(said, want) {
			t.Errorf("%g: %q", factor, said)
		}
	}
}

// Where a straight line is nearer to sizes that the fit has not seen, text and page say so.
func TestWorseThanALine(t *testing.T) {
	r := &Report{Fit: &Fit{}, Data: &Data{}}
	off := func(by float64) (all []Comparison) {
		for bytes := int64(1); bytes < 1000; bytes *= 2 {
			all = append(all, Comparison{bytes, 1, 1 + by})
		}
		return all
	}
	r.Data.Samples[OneWay] = Samples{1: {1}}
	r.Against[OneWay], r.HeldOut[OneWay], r.Line[OneWay] = off(0.2), off(0.3), off(0.04)
	want := "One-way time: a straight line is nearer to sizes that the fit has not seen, 4.0 % instead of 30.0 % in the median."
	if got := r.Worse(); len(got) != 1 || strings.ReplaceAll(got[0], "\u00a0", " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if r.Line[OneWay] = off(0.298); r.Worse() != nil {
		t.Errorf("%q for a line that is as near", r.Worse())
	}
}

// The way of a message that crosses several stages one after the other takes the sum of their times, and a
// window the time of the slowest. Latency and bandwidth of a NIC cannot give both; a machine with a delivery
// does, without any time of the CPU beyond what the shortest time from message to message allows.
func TestStagesOfTheWay(t *testing.T) {
	stages := []float64{1 / 25e9, 1 / 26e9, 1 / 50e9, 1 / 40e9} // s/B: into the NIC, the wire, a switch, out of the NIC
	way := func(bytes int64) (whole, slowest float64) {
		whole, slowest = 0.95e-6, 0.2e-6
		for _, perByte := range stages {
			whole, slowest = whole+perByte*float64(bytes), max(slowest, perByte*float64(bytes))
		}
		if bytes > 512 { // a copy less, an answer more
			whole += 0.6e-6
		}
		return whole, slowest
	}
	for seed, noise := range []float64{0, 0.02} {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		shaken := func(x float64) float64 { return x * math.Exp(noise*r.NormFloat64()) }
		latency, bw := "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n", "# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n"
		for _, s := range powers(4 << 20) {
			whole, slowest := way(s)
			latency += fmt.Sprintf("%d %.4f\n", s, shaken(whole)*1e6)
			if empty, _ := way(answer); s > 0 {
				bw += fmt.Sprintf("%d %.4f\n", s, float64(s)/shaken(((window-1)*slowest+whole+empty)/window)/1e6)
			}
		}
		t.Chdir(t.TempDir())
		must.Do(t, errors.Join(os.WriteFile("latency", []byte(latency), 0o666), os.WriteFile("bw", []byte(bw), 0o666)))
		d := must.Get(Read([]string{"latency", "bw"}))(t)
		rep := must.Get(Run(d, "stages", ""))(t)
		for _, q := range []Quantity{OneWay, Stream} {
			e := rep.Errors(q)
			if e.Fit.Median > 0.01 || e.Fit.Most > 0.05 || e.HeldOut.Median > 0.02+noise {
				t.Errorf("noise %g, %s: %+v", noise, q, e)
			}
		}
		for _, o := range []Parameter{rep.named("send overhead, largest eager"), rep.named("receive overhead, largest eager")} {
			if o.Value > 0.25e-6 || o.High < o.Value || o.Kind != "assumed" {
				t.Errorf("noise %g: %+v", noise, o)
			}
		}
	}
}

// If several pairs of processes on a node send more messages than one pair, the process holds its own up: windows
// of one pair and those of all take as long as measured.
func TestSeveralPairs(t *testing.T) {
	one := func(bytes int64) float64 { return max(0.2e-6+0.08e-9*float64(bytes), 0.1e-9*float64(bytes)) }
	all := func(bytes int64) float64 { return max(0.02e-6, 0.1e-9*float64(bytes)) } // of all pairs, for each message
	way := func(bytes int64) float64 { return 1e-6 + 0.3e-9*float64(bytes) }
	latency, bw := "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n", "# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n"
	pairs := "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.3\n# [ pairs: 8 ] [ window size: 64 ]\n# Size   MB/s   Messages/s\n"
	for _, s := range powers(1 << 20)[1:] {
		latency += fmt.Sprintf("%d %.5f\n", s, way(s)*1e6)
		bw += fmt.Sprintf("%d %.5f\n", s, float64(s)/((window-1)*one(s)+way(s)+way(answer))*window/1e6)
		pairs += fmt.Sprintf("%d %.5f %.3f\n", s, float64(s)/all(s)/1e6, 1/all(s))
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"latency": latency, "bw": bw, "pairs": pairs} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	d := must.Get(Read([]string{"latency", "bw", "pairs"}))(t)
	r := must.Get(Run(d, "pairs", ""))(t)
	for _, q := range []Quantity{OneWay, Stream} {
		if e := r.Errors(q).Fit; e.Median > 0.01 || e.Most > 0.06 {
			t.Errorf("%s: %+v", q, e)
		}
	}
	net := &r.Machine.Network
	for _, s := range []int64{64, 1024, 8192, 1 << 20} {
		nic := max(net.Gap, net.Transfer.Of(s)).Seconds()
		if want := all(s); nic > 1.15*want || nic < 0.85*want && s > 4096 {
			t.Errorf("%d B: the NIC takes %g s, want %g", s, nic, want)
		}
	}
}

// Bytes of small messages take time in the NIC, also where an overhead hides it: sizes between two measured ones, and several pairs at
// once, take as long as on the machine that was measured. Windows of several pairs are compared, too.
func TestBytesBelowOverhead(t *testing.T) {
	m := must.Get(files.ReadMachine("m.yaml", []byte("cores: 4\nnodes: 2\nnetwork: {latency: 1.3us, send_overhead: 0.4us, receive_overhead: 0.3us, "+
		"gap: 0.25us, bandwidth: 10GB/s}\n")))(t)
	const pairs, perByte = 4, 0.1e-9
	sizes := powers(4 << 20)[1:]
	for _, c := range []struct {
		pairs bool
		gap   float64 // of the fit
	}{{true, 0.25e-6}, {false, 0.4e-6}} {
		d := must.Get(measure(m.Machine, nodes.Options{}, sizes, OneWay, Stream))(t)
		if c.pairs {
			together := outputs.Table{Test: outputs.Stream, Pairs: pairs}
			for _, s := range sizes {
				together.Rows = append(together.Rows, outputs.Row{Bytes: s, Seconds: pairs * max(c.gap, perByte*float64(s))})
			}
			d.add(together)
		}
		f := must.Get(newFit(d, "below", ""))(t)
		for _, s := range []int64{16, 2600, 4095, 4096, 6000, 8191, 1 << 20} {
			want := max(c.gap, perByte*float64(s))
			if got := must.Get(crowded(f.Machine.Machine, pairs, s))(t); math.Abs(got/want-1) > 0.01 {
				t.Errorf("several pairs measured %v: a message of %d B each %g s, want %g", c.pairs, s, got, want)
			}
		}
		if e := summarize(f.Against[Crowd]); e.Most > 0.01 || c.pairs != (e.Sizes == len(sizes)) {
			t.Errorf("windows of several pairs: %+v", e)
		}
	}
}

// A message does not overtake another one in the memory behind the receiving NIC, and others pass it there.
func TestDeliveryOfWindows(t *testing.T) {
	m := must.Get(files.ReadMachine("m.yaml", []byte("cores: 1\nnodes: 2\nnetwork:\n  latency: 1us\n  send_overhead: 0s\n  gap: 0s\n"+
		"  bandwidth: 1GB/s\n  delivery: [{from: 0B, time: 0s}, {from: 1000B, time: 5us}]\n")))(t)
	for _, c := range []struct {
		q     Quantity
		bytes int64
		want  float64 // s
	}{
		{OneWay, 100, 1.1e-6}, {OneWay, 1000, 7e-6}, {LateReceive, 1000, 0},
		{Stream, 1000, (window*1e-6 + 6e-6 + 1.004e-6) / window},
	} {
		got, err := simulate(m.Machine, c.q, c.bytes)
		if err != nil || math.Abs(got.Seconds()-c.want) > 1e-12*window {
			t.Errorf("%s of %d B: %v, want %g s (%v)", c.q, c.bytes, got, c.want, err)
		}
	}
}

// Bounds enclose their value, for any measurement.
func TestBoundsEnclose(t *testing.T) {
	for _, name := range []string{"loggp", "william"} {
		for seed := range uint64(4) {
			d := read(t, plain(t, name), rand.New(rand.NewPCG(seed, 8)), "osu_latency", "osu_bw")
			r := must.Get(Run(d, "again", ""))(t)
			for _, p := range r.Parameters {
				if p.Bounds && (p.Low > p.Value || p.High < p.Value) {
					t.Errorf("%s, seed %d: %+v", name, seed, p)
				}
			}
		}
	}
}
