package outputs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Small outputs in the layouts whose sources doc.go names; the numbers are invented.
const (
	osuLatency = "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n0                       1.25\n8                       1.50\n"
	osuSeven   = "\n# OSU MPI Multi Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1                       1.75\n"
	osuWide    = "# OSU MPI-CUDA Latency Test v7.3\n# Size          Latency (us)  P50 Tail Lat(us)  P99 Tail Lat(us)\n1  1.75  1.70  2.50\n"
	osuBw      = "# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n1000                 500.00\n"
	osuBibw    = "# OSU MPI Bi-Directional Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n1000                 500.00\n"
	osuRates   = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.3\n# [ pairs: 4 ] [ window size: 32 ]\n" +
		"# Size                  MB/s        Messages/s\n1000                 2000.00        2000000.00\n"
	osuBeside = "\n# OSU MPI Non-blocking All-to-All Latency Test v5.6.3\n# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n" +
		"# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n8    15.00    10.00    8.00    37.50\n"
	imbPing = "#---------------------------------------------------\n# Benchmarking PingPong \n# #processes = 2 \n# ( 6 additional " +
		"processes " +
		"waiting in MPI_Barrier)\n#-----\n       #bytes #repetitions      t[usec]   Mbytes/sec\n            0         1000         1.50     " +
		"    0.00\n" +
		"            8         1000         1.75         4.57\n     4194304   time-out.; Time limit (secs_per_sample * msg_sizes_list_len) " +
		"is over\n\n" +
		"# All processes entering MPI_Finalize\n"
	imbExchange = "# Benchmarking Exchange \n# #processes = 2 \n#-----\n       #bytes #repetitions  t_min[usec]  t_max[usec]  " +
		"t_avg[usec]   Mbytes/sec\n" +
		"            8         1000         3.00         3.50         3.25         9.14\n"
	imbBeside = "# Benchmarking Ibcast \n# #processes = 4 \n#-----\n       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   " +
		"overlap[%]\n" +
		"        65536          640        60.00        40.00        40.00        50.00\n"
	netpipeShown = "Send and receive buffers are 16384 and 131072 bytes\nNow starting the main loop\n  0:       1 bytes   1000 times --> " +
		"     3.05 Mbps " +
		"in       2.50 usec\n  1:    1000 bytes   1000 times -->   1525.88 Mbps in       5.00 usec\n"
	netpipeSeconds = "Mon Feb 19 19:09:19 2018[1,0]<stdout>:  0:      1000 bytes   1000 times --> Mon Feb 19 19:09:20 2018[1,0]<stdout>: 1525.88 " +
		"Mbps in 0.000005000 sec\n"
	netpipeColours = "Saving output to np.out\n\nStart testing with 7 trials for each message size\n  1: \x1b[92m      1  B\x1b[0m     24999 times " +
		"-->  \x1b[95m  3.200 Mbps\x1b[0m  in  \x1b[96m  2.500 usecs\x1b[0m\n  2: 128.003 KB       100 times -->    1.024 Gbps  in    1.000 msecs\n" +
		"\nCompleted with        max bandwidth    1.024 Gbps        2.500 usecs latency\n"
	bareTimes   = "0 1.2\n1 1.25\n8 1.50\n"
	bareRates   = "\ufeff1 0.5\r\n8 4.0\r\n"
	netpipeFile = "       1 3.051758   0.00000250\n    1000 1525.878906   0.00000500\n"
	netpipeFive = "        1     0.003     0.003     0.003    2.50\n     1000     1.600     1.500     1.700    5.00\n"
	netgaugeOut = "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n# to get o: plot\n" +
		"1 10 10.000000 28.000000 110.000000 5.000000 1.100000 1.200000 2.000000 0.001000 0.100000\n" +
		"1025 10 12.000000 48.000000 140.000000 5.000000 -0.100000 1.300000 nan nan nan\n"
	netgaugeShown = "Testing 1 bytes 100 times:\n L=5.000000  s=1  o_s=1.100000  o_r=1.200000  g=2.000000  G=0.001000 (7812.5 GiB/s) " +
		"lsqu(g,G)=0.1 \n" +
		"Testing 1025 bytes 100 times:\n L=5.000000  s=1025  o_s=1.200000  o_r=1.300000  g=2.000000  G=0.001000 (7812.5 GiB/s) lsqu(g,G)=0.1 \n"
	ncclOut = "mpirun: a word of the launcher\n# Collective test starting: all_gather_perf\n#  Rank  0 Group  0 Pid 1 on n0 device  0 " +
		"[0x19] GPU\n" +
		"#  Rank  3 Group  0 Pid 2 on n0 device  3 [0x3a] GPU\n#\n#       size         count      type   redop    root     time   algbw   " +
		"busbw #wrong     " +
		"time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s) " +
		" (GB/s)\n" +
		"     1000000          2000     float    none      -1    100.0   10.00    7.50    N/A     90.0   11.11    8.33      0\n# Out of " +
		"bounds values : 0 OK\n"
	callsIsend = "call, bytes, start, duration\nMPI_Isend, 8, 0, 3e-6\nMPI_Isend, 4, 1, 1e-6\n"
	callsPairs = "MPI_Send,8,0,2e-6\nMPI_Recv,8,0,6e-6\n"
)

// The contents of each format; several outputs in one file are read like each alone.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Table
	}{
		{osuLatency, []Table{{Name: "osu_latency", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Seconds: 1.25e-6}, {Line: 4,
			Bytes: 8, Seconds: 1.5e-6}}}}},
		{osuSeven, []Table{{Name: "osu_multi_lat", Test: PingPong, Rows: []Row{{Line: 5, Bytes: 1, Seconds: 1.75e-6}}}}},
		{osuWide, []Table{{Name: "osu_latency", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1, Seconds: 1.75e-6}}}}},
		{osuBw, []Table{{Name: "osu_bw", Test: Stream, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1000, Seconds: 2e-6}}}}},
		{osuBibw, []Table{{Name: "osu_bibw", Test: BothStreams, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1000,
			Seconds: 4e-6}}}}},
		{osuRates, []Table{{Name: "osu_mbw_mr", Test: Stream, Pairs: 4, Rows: []Row{{Line: 4, Bytes: 1000, Seconds: 2e-6}}}}},
		{osuBeside, []Table{{Name: "non-blocking All-to-All", Test: Nonblocking,
			Rows: []Row{{Line: 6, Bytes: 8, Seconds: 15e-6, Compute: 10e-6, Pure: 8e-6, Printed: 0.375}}}}},
		{imbPing, []Table{{Name: "IMB PingPong", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 7, Seconds: 1.5e-6}, {Line: 8,
			Bytes: 8, Seconds: 1.75e-6}}}}},
		{imbExchange, []Table{{Name: "IMB Exchange", Test: Exchange, Processes: 2, Rows: []Row{{Line: 5, Bytes: 8, Seconds: 3.25e-6}}}}},
		{imbBeside, []Table{{Name: "IMB Ibcast", Test: Nonblocking, Processes: 4,
			Rows: []Row{{Line: 5, Bytes: 65536, Seconds: 60e-6, Compute: 40e-6, Pure: 40e-6, Printed: 0.5}}}}},
		{netpipeShown, []Table{{Name: "NetPIPE", Test: PingPong, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 3, Bytes: 1, Seconds: 2.5e-6}, {Line: 4, Bytes: 1000, Seconds: 5e-6}}}}},
		{netpipeSeconds, []Table{{Name: "NetPIPE", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 1, Bytes: 1000, Seconds: 5e-6}}}}},
		{netpipeColours, []Table{{Name: "NetPIPE", Test: PingPong, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 4, Bytes: 1, Seconds: 2.5e-6}, {Line: 5, Bytes: 128003, Seconds: 1e-3}}}}},
		{bareTimes, []Table{{Name: "two columns without a heading, of times in us", Test: PingPong, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 1, Seconds: 1.2e-6}, {Line: 2, Bytes: 1, Seconds: 1.25e-6}, {Line: 3, Bytes: 8, Seconds: 1.5e-6}}}}},
		{bareRates, []Table{{Name: "two columns without a heading, of rates in MB/s", Test: Stream, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 1, Bytes: 1, Seconds: 2e-6}, {Line: 2, Bytes: 8, Seconds: 2e-6}}}}},
		{"size,latency_us\n1,2.0\n1024,2.5\n", times([2]float64{1, 2e-6}, [2]float64{1024, 2.5e-6})},
		{"bytes time_s\n1 2e-6\n1024 2.5e-6\n", times([2]float64{1, 2e-6}, [2]float64{1024, 2.5e-6})},
		{"# Size          Latency (us)\n1  2.0\n1024 2.5\n", times([2]float64{1, 2e-6}, [2]float64{1024, 2.5e-6})},
		{"reps;Message size [KiB];RTT [ms];note\n5;1;0.004;\n5;2;0.005;x\n", times([2]float64{1024, 2e-6}, [2]float64{2048, 2.5e-6})},
		{"bytes,reps,pp_us_med,xchg_us_med\n8,9,2,3\n16,9,2.5,4\n", times([2]float64{8, 2e-6}, [2]float64{16, 2.5e-6})},
		{"Bytes\tBandwidth (Gbit/s)\n1000\t8\n", []Table{{Name: "a table of rates", Test: Stream, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 2, Bytes: 1000, Seconds: 1e-6}}}}},
		{"12 34\n" + osuBw, []Table{{Name: "osu_bw", Test: Stream, Processes: 2, Pairs: 1, Rows: []Row{{Line: 4, Bytes: 1000,
			Seconds: 2e-6}}}}},
		{netpipeFile, []Table{{Name: "NetPIPE", Test: PingPong, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 1, Bytes: 1, Seconds: 2.5e-6}, {Line: 2, Bytes: 1000, Seconds: 5e-6}}}}},
		{netpipeFive, []Table{{Name: "NetPIPE", Test: PingPong, Processes: 2, Pairs: 1,
			Rows: []Row{{Line: 1, Bytes: 1, Seconds: 2.5e-6}, {Line: 2, Bytes: 1000, Seconds: 5e-6}}}}},
		{netgaugeOut, []Table{
			{Name: "netgauge loggp", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1, Seconds: 5e-6}, {Line: 4, Bytes: 1025,
				Seconds: 6e-6}}},
			{Name: "netgauge loggp", Test: Sends, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1, Seconds: 1.1e-6}}},
			{Name: "netgauge loggp", Test: LateRecvs, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1, Seconds: 1.2e-6}, {Line: 4,
				Bytes: 1025, Seconds: 1.3e-6}}},
			{Name: "netgauge loggp", Test: Successive, Processes: 2, Pairs: 1, Rows: []Row{{Line: 3, Bytes: 1, Seconds: 2e-6}, {Line: 4,
				Bytes: 1025, Seconds: 4e-6}}},
		}},
		{netgaugeShown, []Table{
			{Name: "netgauge loggp", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 2, Bytes: 1, Seconds: 5e-6}}},
			{Name: "netgauge loggp", Test: Sends, Processes: 2, Pairs: 1, Rows: []Row{{Line: 2, Bytes: 1, Seconds: 1.1e-6}, {Line: 4, Bytes: 1025,
				Seconds: 1.2e-6}}},
			{Name: "netgauge loggp", Test: LateRecvs, Processes: 2, Pairs: 1, Rows: []Row{{Line: 2, Bytes: 1, Seconds: 1.2e-6}, {Line: 4,
				Bytes: 1025, Seconds: 1.3e-6}}},
		}},
		{ncclOut, []Table{{Name: "all_gather", Test: Collective, Processes: 4, Rows: []Row{{Line: 8, Bytes: 1000000, Seconds: 100e-6,
			Share: 0.75}}}}},
		{callsIsend, []Table{{Name: "MPI_Isend", Test: Sends, Rows: []Row{{Line: 2, Bytes: 8, Seconds: 3e-6}, {Line: 3, Bytes: 4,
			Seconds: 1e-6}}}}},
		{callsPairs, []Table{{Name: "MPI_Send and MPI_Recv", Test: PingPong, Processes: 2, Pairs: 1, Rows: []Row{{Line: 1, Bytes: 8,
			Seconds: 4e-6}}}}},
	} {
		got, passed, err := Parse("f", []byte(c.text))
		if err != nil || len(passed) > 0 {
			t.Errorf("%q: %v, passed over %v", c.text, err, passed)
		}
		same(t, c.text, got, c.want)
	}
	got, _, err := Parse("f", []byte(osuLatency+osuBw+imbPing+osuBeside))
	if err != nil || len(got) != 4 || got[1].Test != Stream || got[2].Name != "IMB PingPong" || got[3].Where() != "f:24" {
		t.Errorf("several in one: %+v, %v", got, err)
	}
}

func same(t *testing.T, text string, got, want []Table) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%q: %+v, want %+v", text, got, want)
		return
	}
	for i, g := range got {
		w := want[i]
		if g.Name != w.Name || g.Test != w.Test || g.Processes != w.Processes || g.Pairs != w.Pairs ||
			len(g.Rows) != len(w.Rows) {
			t.Errorf("%q: %+v, want %+v", text, g, w)
			continue
		}
		for j, r := range g.Rows {
			v := w.Rows[j]
			alike := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
			if r.Line != v.Line || r.Bytes != v.Bytes || !alike(r.Seconds, v.Seconds) || !alike(r.Compute, v.Compute) || !alike(r.Pure, v.Pure) ||
				!alike(r.Printed, v.Printed) || !alike(r.Share, v.Share) {
				t.Errorf("%q: row %+v, want %+v", text, r, v)
			}
		}
	}
}

// times is a table of one-way times under a heading in line 1.
func times(rows ...[2]float64) []Table {
	t := Table{Name: "a table of times", Test: PingPong, Processes: 2, Pairs: 1}
	for i, r := range rows {
		t.Rows = append(t.Rows, Row{Line: i + 2, Bytes: int64(r[0]), Seconds: r[1]})
	}
	return []Table{t}
}

// Headings and rows whose blanks were squeezed are those of the output.
func TestSqueezed(t *testing.T) {
	blanks := regexp.MustCompile(" +")
	for _, text := range []string{osuLatency, osuSeven, osuWide, osuBw, osuBibw, osuRates, osuBeside} {
		want, _, err := Parse("f", []byte(text))
		got, _, wrong := Parse("f", blanks.ReplaceAll([]byte(text), []byte(" ")))
		if err != nil || wrong != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v (%v, %v)", text, got, want, wrong, err)
		}
	}
}

// Mistakes name line and column, all at once.
func TestMistakes(t *testing.T) {
	const noOutput = "f: is not a known output; known are the OSU micro-benchmarks, IMB, NetPIPE, netgauge's pattern loggp and " +
		"nccl-tests, tables with a heading such as size,latency_us, and CSV with the columns call, bytes, start and duration in s"
	for _, c := range []struct{ text, want string }{
		{"", noOutput},
		{"hello\nworld\n", noOutput},
		{"bytes,time\n1,2\n", "f:1:1: the heading names no unit: want one such as time_us, latency (us), time_s or bandwidth (MB/s)"},
		{"bytes,time_us\n1,2,3\n1.5,2\n2,x\n", "f:2:1: has 3 columns, and the heading of a table of times has 2\n" +
			"f:3:1: must be a number of bytes, got 1.5\nf:4:3: must be a time, got x"},
		{"call,bytes,start,duration\n", "f: has the heading of a test and no line of numbers"},
		{"# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n", "f: has the heading of a test and no line of numbers"},
		{osuLatency + "16    fast\n-1\n32 1 2\n64    -3\n", "f:5:7: must be a time, got fast\nf:7:1: has 3 columns, and the heading of " +
			"osu_latency has 2\nf:8:7: must be a time, got -3"},
		{"# OSU MPI Latency Test v5.6.3\n# Size          Nothing\n1  2\n", "f:3:1: is below a heading without Latency(us)"},
		{"# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n8  0.00\n", "f:3:4: must be a rate above 0, got 0.00"},
		{strings.Replace(osuRates, "2000000.00", "9000000.00", 1), "f:4:37: must be MB/s over the size, 2000000.00, got 9000000.00"},
		{strings.Replace(imbPing, "1.75 ", "1e99 ", 1), "f:8:36: must be a time below 1e+07 s, got 1e99"},
		{"       1 3.051758   0.00000250\n    1000 15.25   0.00000500\n", "f:2:10: must be the bits over the time, 1525.879, got 15.25"},
		{"65536 1.5\n131072 3.0\n", "f:1:1: has two columns and no heading, and small messages do not tell times from rates; put the heading of the " +
			"test before them, such as # OSU MPI Latency Test and # Size  Latency (us)"},
		{netpipeFile + "5 6\n", "f:3:1: has 2 columns, and the lines before it have 3"},
		{strings.Replace(netgaugeOut, " 28.000000", "", 1), "f:3:1: has 10 columns, and the heading of netgauge has 11"},
		{strings.Replace(ncclOut, "  10.00", "  70.00", 1), "f:8:65: must be the size over the time, 10.00, got 70.00"},
		{"MPI_Isend,1,0,1\nMPI_Isend,1,0.1\n", "f:2:1: has 3 columns; they are call, bytes, start and duration in s"},
		{"MPI_Isend,1,0,1e-6\nMPI_Isend,x,0,1", "f:2:11: must be a number of bytes, got x"},
		{"MPI_Isend,1,0,NaN\nMPI_Isend,1,0,-1\n", "f:1:15: must be a time, got NaN\nf:2:15: must be a time, got -1"},
		{"MPI_Send,1,0,1\nMPI_Recv,2,0,1\n", "f:1:1: must be an MPI_Send, followed by the MPI_Recv of its answer, got MPI_Send of 1 B and " +
			"MPI_Recv of 2 B"},
		{callsPairs + "MPI_Send,1,0,1\n", "f:3:1: is an MPI_Send of 1 B without the other call; an MPI_Send and its MPI_Recv come in turn"},
		{"MPI_Isend,1,0,1\n\"MPI_Isend,1,0,1\n", "f:2:18: is not CSV: extraneous or missing \" in quoted-field"},
		{osuLatency + strings.Repeat("1 x\n", 20), "f:5:3: must be a time, got x\nf:6:3: must be a time, got x\nf:7:3: must be a time, got " +
			"x\nf:8:3: must be a time, got x\n" +
			"f:9:3: must be a time, got x\nf:10:3: must be a time, got x\nf:11:3: must be a time, got x\nf:12:3: must be a time, got x\n" +
			"f:13:3: must be a time, got x\nf:14:3: must be a time, got x\nf: and perhaps more"},
	} {
		if _, _, err := Parse("f", []byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Tests that are not used are skipped, and named.
func TestPassed(t *testing.T) {
	const calls = "an experiment has 4 columns, and MPI_Isend alone, MPI_Recv alone, or an MPI_Send and an MPI_Recv in turn"
	for text, want := range map[string]string{
		"# OSU MPI Allreduce Latency Test v5.6.3\n# Size  Avg Latency(us)\n4  2.5\n": "f:1: skipped: OSU MPI Allreduce Latency, of " +
			"which the model has no parameter",
		"# Benchmarking Alltoall\n# #processes = 4\n#bytes\n4 5\n": "f:1: skipped: IMB Alltoall, of which the model " +
			"has no parameter",
		"# OSU MPI_Put Latency Test v5.8\n# Size          Latency (us)\n4  2.5\n": "f:1: skipped: OSU MPI_Put Latency, of which the " +
			"model has no parameter",
		"0,MPI_Alltoall,4000,1,1\n": "f:1: skipped: has 5 columns; " + calls,
		"MPI_Bcast,1,0,1\n":         "f:1: skipped: has MPI_Bcast; " + calls,
	} {
		tables, passed, err := Parse("f", []byte(text))
		if err != nil || len(tables) > 0 || len(passed) != 1 || passed[0] != want {
			t.Errorf("%q: %v, %q, %v", text, tables, passed, err)
		}
	}
}

// A last line that is cut off is skipped, with the call before it that it answers; the lines
// before are read.
func TestCutOff(t *testing.T) {
	for text, rows := range map[string]int{
		osuLatency + "16": 2, osuLatency + "16   1.": 3, ncclOut[:strings.Index(ncclOut, "# Out")] + "   2000000   4000 float": 1,
		callsIsend + "MPI_Is": 2, callsPairs + callsPairs[:10]: 1, callsPairs + callsPairs[:24]: 1,
	} {
		tables, passed, err := Parse("f", []byte(text))
		if err != nil || len(tables) != 1 || len(tables[0].Rows) != rows {
			t.Errorf("%q: %+v, %v", text, tables, err)
		}
		if whole := strings.HasSuffix(text, "1."); whole != (len(passed) == 0) || !whole && !strings.Contains(passed[0], "cut off") {
			t.Errorf("%q: passed over %q", text, passed)
		}
	}
}

// Files may be gzipped; a file that is too large when unpacked is refused.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	pack := func(text []byte) []byte {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(text); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return packed.Bytes()
	}
	for name, text := range map[string][]byte{"plain": []byte(osuBw), "packed": pack([]byte(osuBw)), "bomb": pack(make([]byte,
		largestText+1)), "cut": pack([]byte(osuBw))[:30]} {
		must.Do(t, os.WriteFile(name, text, 0o666))
	}
	must.Do(t, os.Mkdir("folder", 0o777))
	for _, name := range []string{"plain", "packed"} {
		if tables, _, err := Read(name); err != nil || len(tables) != 1 {
			t.Errorf("%s: %v, %v", name, tables, err)
		}
	}
	for name, want := range map[string]string{
		"bomb": "bomb: is larger than 64 MiB, which is the most that is read; give fewer calls of each size",
		"cut":  "cut: unexpected EOF", "gone": "gone: cannot be read: no such file or directory",
		"folder": "folder: is a folder; give the files in it: folder/*",
	} {
		if _, _, err := Read(name); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The measured outputs next to the project are read whole, and the printed overlap is that of its formula.
func TestMeasured(t *testing.T) {
	for folder, tables := range map[string]int{"osu/*.txt": 10, "nccl/nccl_tests_output/*.txt": 6} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "data", folder))
		if len(files) == 0 {
			continue // the examples above have every layout
		}
		found := 0
		for _, name := range files {
			all, _, err := Read(name)
			if err != nil {
				t.Error(err)
			}
			found += len(all)
			for _, table := range all {
				for _, r := range table.Rows {
					if table.Test == Nonblocking && math.Abs(r.Hidden()-r.Printed) > 0.004 {
						t.Errorf("%s:%d: hidden %g, printed %g", name, r.Line, r.Hidden(), r.Printed)
					}
				}
			}
		}
		if found < tables {
			t.Errorf("%s: %d tables, want %d", folder, found, tables)
		}
	}
}

// No text makes the readers fail, and what they accept is finite and in bounds.
func FuzzParse(f *testing.F) {
	for _, text := range []string{osuLatency, osuSeven, osuWide, osuBw, osuBibw, osuRates, osuBeside, imbPing, imbExchange, imbBeside,
		netpipeShown,
		netpipeFile, netpipeFive, netgaugeOut, netgaugeShown, ncclOut, callsIsend, callsPairs} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tables, passed, err := Parse("f", text)
		if err != nil && (tables != nil || passed != nil) {
			t.Fatalf("both a result and %v", err)
		}
		rows := 0
		for _, table := range tables {
			rows += len(table.Rows)
			for _, r := range table.Rows {
				for _, x := range []float64{r.Seconds, r.Compute, r.Pure, r.Hidden()} {
					if x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatalf("%+v", r)
					}
				}
				if r.Bytes < 0 || r.Bytes > largestSize || r.Line < 1 {
					t.Fatalf("%+v", r)
				}
			}
		}
		if rows > 4*len(text) {
			t.Fatalf("%d rows of %d bytes", rows, len(text))
		}
	})
}

// Tags of launchers before each line change nothing but the columns of mistakes.
func TestTags(t *testing.T) {
	plain := "# Collective test starting: all_reduce_perf\n#  Rank  0 Group  0 Pid 1 on a device  0\n#  Rank  1 Group  0 Pid 2 on a device  1\n" +
		"#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n\n" +
		"     1048576        262144     float     sum      -1    35.00   29.96   29.96      0    35.10   29.87   29.87      0\n"
	want, _, err := Parse("plain", []byte(plain))
	if err != nil || len(want) != 1 || len(want[0].Rows) != 1 || want[0].Processes != 2 {
		t.Fatal(want, err)
	}
	for _, tag := range []string{"[1,0]<stdout>:", "[prterun-a-7@1,0]<stdout>: ", "[1,0]:", "0: ", " 12: "} {
		var b strings.Builder
		for l := range strings.Lines(plain) {
			b.WriteString(tag + l)
		}
		got, _, err := Parse("plain", []byte(b.String()))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("with %q: %v, %v", tag, got, err)
		}
		_, _, err = Parse("plain", []byte(strings.Replace(b.String(), " 0    35.10", "", 1)))
		if column := fmt.Sprintf("plain:6:%d:", len(tag)+6); err == nil || !strings.Contains(err.Error(), column) {
			t.Errorf("with %q: %v, want the place %s", tag, err, column)
		}
	}
}
